import type { VNode } from 'preact';
import type { SecretBox } from '../../../../core/ports/secret-box.ts';
import { day } from '../../../../core/time.ts';
import { readTexts } from '../../form-texts.ts';
import type { Context } from '../../state.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { type FormValues, ownerField, seenField, textOf } from '../../ui/form-state.ts';
import type { Frame } from '../../ui/frame.ts';
import { type Answer, shown } from './answer.ts';
import type { DashboardTools, Visit } from './page.ts';

/*
 * What was typed into a form is kept when its sender is signed out meanwhile. It goes back to the browser, encrypted, and
 * comes again after the sign-in. Nothing is stored here, and nothing is carried out before the person sends the form.
 */

const words = {
  title: 'You are signed out',
  lead: 'You are signed out, so nothing was saved. What you typed is kept: sign in again in a new tab, then come back here.',
  noFiles: 'Passwords, other secrets, codes and files are not kept.',
  signIn: 'Sign in in a new tab',
  go: 'Continue with what I typed',
} as const;

/** The field with an encrypted draft. */
const draftField = 'draft';
/** So that nothing else that the server has encrypted can be opened as a draft. */
const mark = 'form draft:';
const keptFor = day;
/** The most characters of a draft. */
const longest = 150_000;
/** Fields that are never kept. */
const secretNames = /password|secret|token|code|^(?:draft|signed_in_as|once|username)$/i;

interface Draft {
  readonly owner: string;
  readonly path: string;
  readonly values: FormValues;
  readonly at: number;
}

/**
 * The page for somebody who sends a form and is not signed in any more. `undefined` if the form says not whose it is, or
 * if nothing is typed that could be kept. `secrets` are fields that are not kept, beside those whose names say it. `hasFiles`: the
 * form may be as long as its files.
 */
export async function keepDraft(
  { box, clock, uploadLimits: { zip, image } }: DashboardTools,
  visit: Visit,
  { secrets = [], hasFiles }: { readonly secrets?: readonly string[] | undefined; readonly hasFiles: boolean },
): Promise<Answer | undefined> {
  const { ctx, frame, from } = visit;
  const sent = await readTexts(ctx, { address: from.address, most: hasFiles ? 2 * (zip + image) : undefined });
  if (sent === undefined) return undefined;
  const given = textOf({ values: sent }, draftField);
  if (given !== '') return shown(<SignedOut frame={frame} path={ctx.path} draft={given} />, { status: 401 });
  const owner = textOf({ values: sent }, ownerField);
  const isKept = (name: string) => !secretNames.test(name) && !secrets.includes(name);
  const values = Object.fromEntries(Object.entries(sent).filter(([name]) => isKept(name)));
  const text = JSON.stringify({ owner, path: ctx.path, values, at: clock.now() } satisfies Draft);
  if (owner === '' || Object.keys(values).length === 0 || text.length > longest) return undefined;
  return shown(<SignedOut frame={frame} path={ctx.path} draft={box.seal(mark + text)} />, { status: 401 });
}

/** The sealed draft that a form was sent with, if it is one. */
export function draftIn(values: FormValues): string | undefined {
  const given = values[draftField];
  return typeof given === 'string' ? given : undefined;
}

/** What the person typed into this form before. `undefined` for the draft of somebody else, or of another form. */
export function openDraft(
  { box, clock }: Pick<DashboardTools, 'box' | 'clock'>,
  { path, state: { me } }: Context,
  sealed: string,
): FormValues | undefined {
  const draft = opened(box, sealed);
  const isTheirs = draft !== undefined && draft.owner === ownerOf({ me });
  return isTheirs && draft.path === path && clock.now() < draft.at + keptFor ? draft.values : undefined;
}

/** Says to whom a form is shown, so that nobody else sends it. */
export function ownerOf({ me }: Pick<Visit, 'me'>): string | undefined {
  return me && String(me.login.id);
}

/** Whether the form was shown to somebody else than the person who is signed in now. */
export function isOfOther({ state: { me } }: Context, values: FormValues): boolean {
  const owner = values[ownerField];
  return owner !== undefined && me !== undefined && owner !== ownerOf({ me });
}

/** What was typed, without the fields that the form adds itself. */
export function typedIn({ [ownerField]: _, [seenField]: __, ...values }: FormValues): FormValues {
  return values;
}

function opened(box: SecretBox, sealed: string): Draft | undefined {
  try {
    const text = box.open(sealed as ReturnType<SecretBox['seal']>);
    return text.startsWith(mark) ? JSON.parse(text.slice(mark.length)) : undefined;
  } catch {
    // It was changed on its way, or sealed with a key that is gone.
    return undefined;
  }
}

/** Has the sealed draft, and a way to sign in that does not leave this page. */
function SignedOut({
  frame,
  path,
  draft,
}: {
  readonly frame: Frame;
  readonly path: string;
  readonly draft: string;
}): VNode {
  const { root } = frame;
  return (
    <CardPage frame={frame} title={words.title}>
      <p>{words.lead}</p>
      <p>
        <a class="button primary" href={`${root}sign-in?next=/sign-in/done`} target="_blank" rel="noreferrer">
          {words.signIn}
        </a>
      </p>
      <form method="post" action={`${root}${path.slice(1)}`}>
        <input type="hidden" name={draftField} value={draft} />
        <button type="submit" class="button">
          {words.go}
        </button>
      </form>
      <p class="hint">{words.noFiles}</p>
    </CardPage>
  );
}
