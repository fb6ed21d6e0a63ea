import type { VNode } from 'preact';
import type { z } from 'zod';
import { isRecentlyConfirmed } from '../../../../core/accounts/session.ts';
import type { NewSession, SignedIn } from '../../../../core/accounts/signed-in.ts';
import type { CheckedFile } from '../../../../core/marketplace/checked-file.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import { readFields } from '../../body.ts';
import type { Context } from '../../state.ts';
import type { Endpoint } from '../../surface.ts';
import {
  type FormState,
  type FormValues,
  passwordField,
  seenField,
  textOf,
  tooManyAttempts,
} from '../../ui/form-state.ts';
import type { Frame } from '../../ui/frame.ts';
import { MessagePage } from '../../ui/layout.tsx';
import { notices } from '../../ui/notices.ts';
import { failureWords, formWords } from '../../ui/words.ts';
import { type Answer, goTo, send, setSession, shown } from './answer.ts';
import { draftIn, isOfOther, keepDraft, openDraft, ownerOf, typedIn } from './draft.tsx';
import { changedMeanwhile, digestsOf } from './edits.ts';
import { faultsOf, valuesIn } from './form-values.ts';
import { type Audience, admit, type DashboardTools, toSignIn, type VisitOf, visitOf } from './page.ts';
import { messagesOf, type RefusalMessage } from './refusal-messages.ts';
import type { Received, ReceivedFiles } from './uploads.ts';

/** Refusals that every form and every button shows in the same way. */
export type Common = 'signed_out' | 'confirmation_needed' | 'too_many_attempts' | 'changed_meanwhile';

const common: Readonly<Record<Common, true>> = {
  signed_out: true,
  confirmation_needed: true,
  too_many_attempts: true,
  changed_meanwhile: true,
};

/** Whether the table `refusals` of the form says how to show the refusal. */
function isOwn<Reason extends string>(refused: Refused<Reason | Common>): refused is Refused<Exclude<Reason, Common>> {
  return !Object.hasOwn(common, refused.reason);
}

/** Says in seconds when the next attempt is possible. */
function setRetryAfter(ctx: Context, { figures }: Refused): void {
  if (figures?.retry_after !== undefined) ctx.set('Retry-After', String(figures.retry_after));
}

/** A form on a page. GET shows it, POST carries it out. */
export interface FormPage<Of extends Audience, Fields, Reason extends string, File = CheckedFile> {
  readonly id: string;
  readonly path: string;
  readonly audience: Of;
  /** Whether it asks for the password again if that was entered too long ago. May depend on what the fields contain. */
  readonly isSensitive?: boolean | ((values: FormValues) => boolean);
  /** See `Answer`. */
  leadsTo?(): string | undefined;
  /**
   * Whether it changes something that others can change too: then `initial` is what is stored now, and the form says what
   * has changed since it was opened. A list names the fields whose values are no texts for people.
   */
  readonly edits?: readonly string[] | undefined;
  /** Fields with secrets, which are not kept after a sign-out, as passwords are not. */
  readonly secrets?: readonly string[];
  readonly fields: z.ZodType<Fields>;
  /** Reads it, if it has files. The form must then have `hasFiles`. */
  receive?(visit: VisitOf<Of>): Promise<Received<File> | Refused<Reason>>;
  /** Returns the values of the fields before anybody has typed. */
  initial?(visit: VisitOf<Of>): FormValues | Promise<FormValues>;
  /** Renders the page with the form. After a refusal, `state` has what was typed, and the messages. */
  render(visit: VisitOf<Of>, state: FormState): VNode | Promise<VNode>;
  act(visit: VisitOf<Of>, fields: Fields, files: ReceivedFiles<File>): Promise<Answer | Refused<Reason>>;
  readonly refusals: Readonly<Record<Exclude<Reason, Common>, RefusalMessage>>;
}

/** Makes the endpoints of a form. */
export function form<const Of extends Audience, Fields, const Reason extends string = never, File = CheckedFile>(
  tools: DashboardTools,
  {
    id,
    path,
    audience,
    isSensitive = false,
    leadsTo,
    edits,
    secrets,
    fields,
    receive,
    initial,
    render,
    act,
    refusals,
  }: FormPage<Of, Fields, Reason, File>,
): Endpoint[] {
  const asksPassword = ({ state: { me } }: Context, values: FormValues) =>
    (typeof isSensitive === 'function' ? isSensitive(values) : isSensitive) &&
    me !== undefined &&
    !isRecentlyConfirmed(me.session, tools.clock.now());

  const show = async (visit: VisitOf<Of>, state: Omit<FormState, 'owner' | 'asksPassword'>, status: number) => {
    const whole = { ...state, owner: ownerOf(visit), asksPassword: asksPassword(visit.ctx, state.values) };
    send(visit, tools.cookies, shown(await render(visit, whole), { status, leadsTo: leadsTo?.() }));
  };

  /** Shows the form again if what it changes is not as it was when the form was opened. Returns whether it has. */
  async function showMeanwhile(visit: VisitOf<Of>, sent: FormValues): Promise<boolean> {
    if (edits === undefined || initial === undefined) return false;
    const now = await initial(visit);
    const meanwhile = changedMeanwhile(sent, now, edits);
    if (meanwhile === undefined) return false;
    await show(visit, { ...meanwhile, message: formWords.meanwhile.message, seen: digestsOf(now) }, 409);
    return true;
  }

  const isForUsers = audience !== 'anybody' && audience !== 'guest';

  /** Checks what was sent, then acts, or shows the form again with messages. */
  async function carryOut(
    ctx: Context,
    admitted: VisitOf<Of>,
    values: FormValues,
    received: Received<File> | Refused<Reason> | undefined,
  ): Promise<void> {
    let visit = admitted;
    if (isOfOther(ctx, values)) return send(visit, tools.cookies, refusalPage(visit, formWords.ofOther));
    const again = async (faults: FormState['faults'], message?: string, status = 422) => {
      const seen = edits && textOf({ values }, seenField);
      await show(visit, { values, faults, message, seen }, status);
    };
    /** Shows a refusal that all forms show in the same way. */
    const againAfter = async (refused: Refused) => {
      if (refused.reason === 'signed_out') return send(visit, tools.cookies, toSignIn(tools, ctx));
      if (refused.reason === 'changed_meanwhile') {
        // The one who was faster is seen now, by a new look.
        if (!(await showMeanwhile({ ...visit }, values))) await again({}, formWords.meanwhile.message, 409);
        return;
      }
      if (refused.reason === 'confirmation_needed') return await again({ [passwordField]: [formWords.passwordAgain] });
      setRetryAfter(ctx, refused);
      await again({}, tooManyAttempts(refused), 429);
    };
    /** Shows a refusal as the table says. */
    const againWith = async (refused: Refused<Reason | Common>) => {
      if (!isOwn(refused)) return await againAfter(refused);
      const { faults, message } = messagesOf(refusals, refused);
      await again(faults, message);
    };
    if (isRefused(received)) return await againWith(received);
    if (await showMeanwhile(visit, values)) return;
    const parsed = fields.safeParse(typedIn(values));
    const faults = { ...received?.faults, ...faultsOf(values, parsed.error) };
    const password = values[passwordField];
    if (asksPassword(ctx, values) && (typeof password !== 'string' || password === '')) {
      faults[passwordField] = [formWords.passwordAgain];
    }
    if (!parsed.success || Object.keys(faults).length > 0) return await again(faults);
    if (asksPassword(ctx, values) && visit.me) {
      const confirmed = await confirm(tools, ctx, visit.me, String(password), visit.from.address);
      if (isRefused(confirmed)) {
        if (!isOwn(confirmed)) return await againAfter(confirmed);
        return await again({ [passwordField]: [formWords.passwordWrong] });
      }
      visit = { ...visit, me: confirmed };
    }
    const answer = await act(visit, parsed.data, received?.files ?? {});
    if (isRefused(answer)) return await againWith(answer);
    send(visit, tools.cookies, answer);
  }

  /** Keeps what was typed by somebody who is signed out. Returns whether there was something to keep. */
  async function keep(ctx: Context): Promise<boolean> {
    const visit = await visitOf(tools, ctx);
    const answer = await keepDraft(tools, visit, { secrets, hasFiles: receive !== undefined });
    if (answer) send(visit, tools.cookies, answer);
    return answer !== undefined;
  }

  /** Shows the form with what the person had typed before. Carries nothing out. */
  async function restore(visit: VisitOf<Of>, draft: string): Promise<void> {
    const { ctx, frame } = visit;
    const values = openDraft(tools, ctx, draft);
    if (values === undefined) return send(visit, tools.cookies, goTo(ctx.path.slice(1), { notice: 'draft_lost' }));
    const seen = edits && textOf({ values }, seenField);
    const restored = { ...visit, frame: { ...frame, notice: notices.draft_restored } };
    await show(restored, { values, faults: {}, message: undefined, seen }, 200);
  }

  return [
    {
      id,
      method: 'get',
      paths: [path],
      async respond(ctx) {
        const visit = await admit(tools, ctx, audience);
        if (!visit) return;
        const values = (await initial?.(visit)) ?? {};
        await show(visit, { values, faults: {}, message: undefined, seen: edits && digestsOf(values) }, 200);
      },
    },
    {
      id: `${id}-send`,
      method: 'post',
      paths: [path],
      async respond(ctx) {
        if (isForUsers && !ctx.state.me && (await keep(ctx))) return;
        const visit = await admit(tools, ctx, audience);
        if (!visit) return;
        const values =
          receive === undefined || ctx.request.is('urlencoded') ? await readFields(ctx, isForUsers) : undefined;
        const draft = values && draftIn(values);
        if (draft !== undefined) return await restore(visit, draft);
        if (receive === undefined) return await carryOut(ctx, visit, values ?? {}, undefined);
        const received = await receive(visit);
        if (isRefused(received)) return await carryOut(ctx, visit, {}, received);
        try {
          await carryOut(ctx, visit, valuesIn(received.fields), received);
        } finally {
          await received.discard();
        }
      },
    },
  ];
}

/** A button that acts at once, without fields. A refusal is shown on a page of its own. */
export interface Click<Of extends Audience, Reason extends string> {
  readonly id: string;
  readonly path: string;
  readonly audience: Of;
  act(visit: VisitOf<Of>): Promise<Answer | Refused<Reason>>;
  readonly refusals: Readonly<Record<Exclude<Reason, Common>, string | ((refused: Refused) => string)>>;
}

/** Makes the endpoint of the button. */
export function click<const Of extends Audience, const Reason extends string = never>(
  tools: DashboardTools,
  { id, path, audience, act, refusals }: Click<Of, Reason>,
): Endpoint {
  return {
    id,
    method: 'post',
    paths: [path],
    async respond(ctx) {
      const visit = await admit(tools, ctx, audience);
      if (!visit) return;
      await readFields(ctx);
      const answer = await act(visit);
      if (!isRefused(answer)) return send(visit, tools.cookies, answer);
      if (!isOwn(answer)) {
        if (answer.reason === 'signed_out') return send(visit, tools.cookies, toSignIn(tools, ctx));
        if (answer.reason === 'confirmation_needed') {
          return send(visit, tools.cookies, refusalPage(visit, formWords.passwordAgain));
        }
        if (answer.reason === 'changed_meanwhile') {
          return send(visit, tools.cookies, refusalPage(visit, formWords.meanwhile.changed, 409));
        }
        setRetryAfter(ctx, answer);
        return send(visit, tools.cookies, refusalPage(visit, tooManyAttempts(answer), 429));
      }
      const text = refusals[answer.reason];
      send(visit, tools.cookies, refusalPage(visit, typeof text === 'string' ? text : text(answer)));
    },
  };
}

function refusalPage({ frame }: { readonly frame: Frame }, text: string, status = 422): Answer {
  return shown(MessagePage({ frame, title: failureWords.notDone, text }), { status });
}

/** Checks the password. If it is right, the session gets a new token. */
async function confirm(
  { sessions, cookies }: DashboardTools,
  ctx: Context,
  me: SignedIn,
  password: string,
  address: string,
): Promise<SignedIn | Refused<'wrong_credentials' | Common>> {
  const renewed: NewSession | Refused<'wrong_credentials' | Common> = await sessions.confirm(me, password, address);
  if (isRefused(renewed)) return renewed;
  setSession(ctx, cookies, renewed);
  const confirmed = await sessions.authenticate(renewed.token);
  if (confirmed === undefined) return refuse('signed_out');
  ctx.state.me = confirmed;
  return confirmed;
}
