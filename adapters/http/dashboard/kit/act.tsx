import type { ComponentChildren, VNode } from 'preact';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { OwnPage } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Form, type FormProps } from '../../ui/form.tsx';
import type { FormState, FormValues } from '../../ui/form-state.ts';
import type { NoticeName } from '../../ui/notices.ts';
import { type Answer, goTo } from './answer.ts';
import { type Common, click, type FormPage, form } from './form.ts';
import { type DashboardTools, orFail, type SignedInAudience, type SignedInVisit } from './page.ts';
import type { RefusalMessage } from './refusal-messages.ts';
import { type Content, type Subject, SubjectPage, type SubjectVisit, visitSubject } from './subject-page.tsx';
import type { ReceivedFiles } from './uploads.ts';

interface Question extends Pick<FormProps, 'submit' | 'isDangerous' | 'hasFiles' | 'arrived' | 'others' | 'keep'> {
  /** Says what the act does. Plain text is shown as a paragraph. */
  readonly lead?: ComponentChildren;
  readonly fields?: ComponentChildren;
}

/** A page that asks with a form. Or what stands in the form's place while the act is not possible. */
export type Asked = Omit<Content, 'children'> & (Question | { readonly instead: VNode });

/** What acts with a page and those with only a button have in common. */
interface Work<One, Sent, Done, Reason extends string, Message> {
  readonly id: string;
  /** The end of its path, after that of the subject. */
  readonly name: string;
  /** Who may do it, if these are others than those who see the subject. */
  readonly audience?: SignedInAudience;
  work(sent: SubjectVisit<One> & Sent): Promise<Done | Refused<Reason>>;
  /** Returns the path of the page that follows, from the site's first page. Without it, that is the subject's own page. */
  to?(done: Done, at: SubjectVisit<One>): string;
  /** The message on the page that follows. */
  readonly notice?: NoticeName | ((done: Done) => NoticeName | undefined);
  readonly refusals: Readonly<Record<Exclude<Reason, Common | OwnPage>, Message>>;
}

interface Sent<Fields, File> {
  readonly fields: Fields;
  readonly files: ReceivedFiles<File>;
}

/** An act on a subject, with a page that asks first. */
export interface Act<One, Fields, Done, Reason extends string, File>
  extends Work<One, Sent<Fields, File>, Done, Reason, RefusalMessage>,
    Pick<FormPage<'user', Fields, string, File>, 'isSensitive' | 'fields' | 'receive' | 'edits'> {
  /** The values of the fields before anybody has typed. */
  readonly initial?: FormValues | ((at: SubjectVisit<One>) => FormValues | Promise<FormValues>);
  ask(at: SubjectVisit<One>): Asked | Promise<Asked>;
}

/** Makes the endpoints of an act: GET asks, POST carries it out. */
export function act<One, Fields, Done, const Reason extends string = never, File = never>(
  tools: DashboardTools,
  subject: Subject<One>,
  { id, name, audience = subject.audience, initial, ask, ...more }: Act<One, Fields, Done, Reason, File>,
): Endpoint[] {
  /** What a GET has found for the values of the fields. Its page needs the same. */
  const found = new WeakMap<SignedInVisit, SubjectVisit<One>>();
  return form<SignedInAudience, Fields, string, File>(tools, {
    ...more,
    id,
    path: `${subject.path}/${name}`,
    audience,
    async initial(visit) {
      if (typeof initial !== 'function') return initial ?? {};
      const at = await visitSubject(subject, visit);
      found.set(visit, at);
      return await initial(at);
    },
    async render(visit, state) {
      const at = found.get(visit) ?? (await visitSubject(subject, visit));
      const asked = await ask(at);
      return (
        <SubjectPage visit={visit} about={subject.about(at.one, visit)} {...asked}>
          {'instead' in asked ? asked.instead : <QuestionForm {...asked} state={state} cancel={at.address} />}
        </SubjectPage>
      );
    },
    // What was compared with the form is what is changed.
    act: async (visit, fields, files) =>
      carryOut(subject, more, { ...(found.get(visit) ?? (await visitSubject(subject, visit))), fields, files }),
  });
}

/** Makes the endpoint of an act that is only a button, which does not ask. */
export function actAtOnce<One, Done, const Reason extends string = never>(
  tools: DashboardTools,
  subject: Subject<One>,
  {
    id,
    name,
    audience = subject.audience,
    ...more
  }: Work<One, object, Done, Reason, string | ((refused: Refused) => string)>,
): Endpoint {
  return click<SignedInAudience, string>(tools, {
    id,
    path: `${subject.path}/${name}`,
    audience,
    act: async (visit) => carryOut(subject, more, await visitSubject(subject, visit)),
    refusals: more.refusals,
  });
}

/** Does the work, then leads to the page that follows. Returns refusals for the form. */
async function carryOut<One, Sent, Done, Reason extends string>(
  subject: Subject<One>,
  { work, to, notice }: Pick<Work<One, Sent, Done, Reason, unknown>, 'work' | 'to' | 'notice'>,
  sent: SubjectVisit<One> & Sent,
): Promise<Answer | Refused> {
  const done = orFail(await work(sent));
  if (isRefused(done)) return done;
  return goTo(to ? to(done, sent) : subject.about(sent.one, sent.visit).path, {
    notice: typeof notice === 'function' ? notice(done) : notice,
  });
}

function QuestionForm({
  lead,
  fields,
  submit,
  isDangerous = false,
  hasFiles = false,
  arrived,
  others,
  keep,
  state,
  cancel,
}: Question & { readonly state: FormState; readonly cancel: string }): VNode {
  return (
    <>
      {typeof lead === 'string' ? <p class="intro">{lead}</p> : lead}
      <Form {...{ state, submit, cancel, isDangerous, hasFiles, arrived, others, keep }}>{fields}</Form>
    </>
  );
}
