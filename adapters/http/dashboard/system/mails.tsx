import type { VNode } from 'preact';
import { z } from 'zod';
import type { Mails } from '../../../../core/administration/mails.ts';
import { parseId, toMailId } from '../../../../core/id.ts';
import { type Mail, type MailEntry, type MailState, mailStates, readableText } from '../../../../core/mail/mail.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas, entryOf } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import { ButtonForm, Form, TextField } from '../../ui/form.tsx';
import { type Column, type Fact, Facts, List } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { actAtOnce } from '../kit/act.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { emailAddress } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { list } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { actorOf, type DashboardTools, orFail } from '../kit/page.ts';
import { chosen } from '../kit/query.ts';
import { type Subject, SubjectPage, subjectPage, visitSubject } from '../kit/subject-page.tsx';
import { mail as mailWords, mails as words } from './words.ts';

const perPage = 50;
/** What the pages about mails need. */
type MailTools = Pick<Mails, 'list' | 'show' | 'retry' | 'sendTest'>;
const here = areas.admin.mails;
const place = { area: 'admin', at: 'mails' } as const;

function mailList(tools: DashboardTools, mails: MailTools): Endpoint[] {
  return list(tools, {
    id: 'admin-mails',
    place,
    audience: 'mails:read',
    filters: {
      address: { label: words.address },
      state: { label: words.state, options: withAll(words.states) },
    },
    afterName: 'before',
    async find({ choices, after, seller }) {
      const filter = {
        state: chosen(choices.state, mailStates),
        address: choices.address || undefined,
        before: parseId(after ?? '', toMailId),
        limit: perPage + 1,
      };
      const found = orFail(await mails.list(filter, seller.actor));
      const rows = found.slice(0, perPage);
      return { rows, next: found.length > perPage ? (rows.at(-1)?.id ?? null) : null };
    },
    show: ({ rows }, { address }) => ({
      actions: <ButtonLink href={`${address}/test`} text={words.test} />,
      table: <List label={words.list} columns={columnsOf(address)} rows={rows} />,
      first: (
        <NoRows
          icon="mails"
          title={words.none}
          advice={words.noneAdvice}
          href={`${address}/test`}
          action={words.test}
        />
      ),
    }),
    none: { title: words.noneFound, advice: words.noneFoundAdvice },
    pages: words.pages,
  });
}

function columnsOf(address: string): readonly Column<MailEntry>[] {
  return [
    { title: words.made, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: words.subject,
      cell: ({ id, subject }) => (
        <a href={`${address}/${id}`} class="breakable sentence" dir="auto">
          {subject}
        </a>
      ),
    },
    { title: words.to, cell: ({ to }) => <span class="breakable">{to.address}</span> },
    { title: words.state, cell: ({ state }) => <MailTag state={state} /> },
  ];
}

const looks = {
  queued: 'tag',
  sent: 'tag good',
  kept: 'tag',
  failed: 'tag bad',
} as const satisfies Record<MailState, string>;

function MailTag({ state }: { readonly state: MailState }): VNode {
  return <span class={looks[state]}>{words.states[state]}</span>;
}

/** The mails, one mail, its repetition, and a mail that says that mails arrive. */
export function mailPages(tools: DashboardTools, mails: MailTools): Endpoint[] {
  const subject: Subject<Mail> = {
    path: `/${here}/:id`,
    audience: 'mails:read',
    find: async (visit) => orFail(await mails.show(visit.params.id ?? '', actorOf(visit))),
    about: ({ id, subject }) => ({
      name: subject,
      path: `${here}/${id}`,
      place,
      above: [entryOf(place)],
    }),
  };
  return [
    ...mailList(tools, mails),

    ...form(tools, {
      id: 'admin-test-mail',
      path: `/${here}/test`,
      audience: 'mails:manage',
      fields: z.object({ address: emailAddress }),
      initial: ({ me }) => ({ address: me.login.email }),
      render: ({ frame }, state) => (
        <AreaPage frame={frame} place={place} title={mailWords.testTitle} isBelow>
          <p class="intro">{mailWords.testLead}</p>
          <Form state={state} submit={mailWords.testSubmit} cancel={`${frame.root}${here}`}>
            <TextField name="address" type="email" label={mailWords.testAddress} />
          </Form>
        </AreaPage>
      ),
      async act(visit, { address }) {
        const id = orFail(await mails.sendTest(address, actorOf(visit)));
        return isRefused(id) ? id : goTo(`${here}/${id}`, { notice: 'mail_queued' });
      },
      refusals: { not_an_address: { field: 'address', text: mailWords.notAnAddress } },
    }),

    subjectPage(tools, subject, {
      id: 'admin-mail',
      show: ({ one, address }) => ({
        actions: (one.state === 'failed' || one.state === 'kept') && (
          <ButtonForm action={`${address}/retry`} label={mailWords.retry} />
        ),
        children: <MailContent mail={one} address={address} />,
      }),
    }),

    ...textPages(tools, subject),

    actAtOnce(tools, subject, {
      id: 'admin-retry-mail',
      name: 'retry',
      audience: 'mails:manage',
      work: ({ one, visit }) => mails.retry(String(one.id), actorOf(visit)),
      notice: 'mail_queued',
      refusals: { mail_sent: mailWords.wasSent, mail_queued: mailWords.isQueued },
    }),
  ];
}

/** The text of a mail. It can contain a link that opens an account, so an old session alone does not show it. */
function textPages(tools: DashboardTools, subject: Subject<Mail>): Endpoint[] {
  return form(tools, {
    id: 'admin-mail-text',
    path: `${subject.path}/text`,
    audience: subject.audience,
    isSensitive: true,
    fields: z.object({}),
    async render(visit, state) {
      const { one, address } = await visitSubject(subject, visit);
      return (
        <SubjectPage visit={visit} about={subject.about(one, visit)} title={mailWords.text}>
          <p class="intro">{readableText(one) === undefined ? mailWords.hidden : mailWords.textLead(one.to.address)}</p>
          <Form state={state} submit={mailWords.showText} cancel={address} />
        </SubjectPage>
      );
    },
    async act(visit) {
      const { one } = await visitSubject(subject, visit);
      return shown(
        <SubjectPage visit={visit} about={subject.about(one, visit)} title={mailWords.text}>
          <p class="note">{mailWords.textLead(one.to.address)}</p>
          <pre class="mail-text" dir="auto">
            {readableText(one) ?? mailWords.hidden}
          </pre>
        </SubjectPage>,
      );
    },
    refusals: {},
  });
}

function MailContent({ mail, address }: { readonly mail: Mail; readonly address: string }): VNode {
  return (
    <>
      <Facts facts={factsOf(mail)} />
      {mail.state === 'kept' && <p class="note">{mailWords.keptLead}</p>}
      {readableText(mail) === undefined ? (
        <p class="note">{mailWords.hidden}</p>
      ) : (
        <p>
          <ButtonLink href={`${address}/text`} text={mailWords.showText} />
        </p>
      )}
    </>
  );
}

/** The state of a mail, its attempts and its last error. */
function factsOf({ to, state, createdAt, settledAt, dueAt, attempts, error }: Mail): Fact[] {
  const facts: Fact[] = [
    [words.state, <MailTag key="state" state={state} />],
    [
      words.to,
      <>
        <span dir="auto">{to.name}</span> {to.name === '' ? to.address : `<${to.address}>`}
      </>,
    ],
    [words.made, <Time key="made" at={createdAt} />],
  ];
  if (settledAt !== null && state !== 'queued')
    facts.push([mailWords.settled[state], <Time key="end" at={settledAt} />]);
  if (dueAt !== null) facts.push([mailWords.next, <Time key="next" at={dueAt} />]);
  facts.push([mailWords.attempts, attempts]);
  if (error !== null) facts.push([mailWords.error, error]);
  return facts;
}
