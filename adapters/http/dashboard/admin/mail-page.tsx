import type { VNode } from 'preact';
import { z } from 'zod';
import { type Mail, readableText } from '../../../../core/mail/mail.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ButtonForm, Form, TextField } from '../../ui/form.tsx';
import type { Frame } from '../../ui/frame.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { goTo, shown } from '../answer.ts';
import { emailAddress } from '../fields.ts';
import { click, form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import { actorOf, page } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import type { AdminTools } from './admin-tools.ts';
import { MailTag } from './mail-list.tsx';

const { mail: words, mails: listWords } = texts.admin;
const list = 'admin/mails';
const place = { area: 'admin', at: 'mails' } as const;
const aboveOf = ({ root }: Frame) => [{ href: `${root}${list}`, title: listWords.title }];

/** One mail, its repetition, and a mail that says that mails arrive. */
export function mailPages(tools: DashboardTools, { mails }: AdminTools): Endpoint[] {
  return [
    ...form(tools, {
      id: 'admin-test-mail',
      path: `/${list}/test`,
      audience: 'mails:manage',
      fields: z.object({ address: emailAddress }),
      initial: ({ me }) => ({ address: me.login.email }),
      render: ({ frame }, state) => (
        <AreaPage frame={frame} place={place} title={words.testTitle} above={aboveOf(frame)}>
          <p class="intro">{words.testLead}</p>
          <Form state={state} submit={words.testSubmit} cancel={`${frame.root}${list}`}>
            <TextField state={state} name="address" type="email" label={words.testAddress} />
          </Form>
        </AreaPage>
      ),
      async act(visit, { address }) {
        const id = orFail(await mails.sendTest(address, actorOf(visit)));
        return isRefused(id) ? id : goTo(`${list}/${id}`, { notice: 'mail_queued' });
      },
      refusals: { not_an_address: { field: 'address', text: words.notAnAddress } },
    }),

    page(tools, {
      id: 'admin-mail',
      path: `/${list}/:id`,
      audience: 'mails:read',
      async show(visit) {
        const mail = orFail(await mails.show(visit.params.id ?? '', actorOf(visit)));
        return shown(<MailPage frame={visit.frame} mail={mail} />);
      },
    }),

    click(tools, {
      id: 'admin-retry-mail',
      path: `/${list}/:id/retry`,
      audience: 'mails:manage',
      async act(visit) {
        const mail = orFail(await mails.retry(visit.params.id ?? '', actorOf(visit)));
        return isRefused(mail) ? mail : goTo(`${list}/${mail.id}`, { notice: 'mail_queued' });
      },
      refusals: { mail_sent: words.wasSent, mail_queued: words.isQueued },
    }),
  ];
}

function MailPage({ frame, mail }: { readonly frame: Frame; readonly mail: Mail }): VNode {
  const { id, state, subject } = mail;
  const text = readableText(mail);
  const canRetry = state === 'failed' || state === 'kept';
  return (
    <AreaPage
      frame={frame}
      place={place}
      title={subject}
      above={aboveOf(frame)}
      actions={canRetry && <ButtonForm action={`${frame.root}${list}/${id}/retry`} label={words.retry} />}
    >
      <Facts facts={factsOf(mail)} />
      {state === 'kept' && <p class="note">{words.keptLead}</p>}
      {text === undefined ? (
        <p class="note">{words.hidden}</p>
      ) : (
        <section>
          <h2>{words.text}</h2>
          <pre class="mail-text" dir="auto">
            {text}
          </pre>
        </section>
      )}
    </AreaPage>
  );
}

/** The state of a mail, its attempts and its last error. */
function factsOf({ to, state, createdAt, settledAt, dueAt, attempts, error }: Mail): Fact[] {
  const facts: Fact[] = [
    [listWords.state, <MailTag key="state" state={state} />],
    [
      listWords.to,
      <>
        <span dir="auto">{to.name}</span> {to.name === '' ? to.address : `<${to.address}>`}
      </>,
    ],
    [listWords.made, <Time key="made" at={createdAt} />],
  ];
  if (settledAt !== null && state !== 'queued') facts.push([words.settled[state], <Time key="end" at={settledAt} />]);
  if (dueAt !== null) facts.push([words.next, <Time key="next" at={dueAt} />]);
  facts.push([words.attempts, attempts]);
  if (error !== null) facts.push([words.error, error]);
  return facts;
}
