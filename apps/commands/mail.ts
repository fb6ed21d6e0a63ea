import { setTimeout } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type MailId, toMailId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import { type Mail, type MailEntry, type MailState, mailStates } from '../../core/mail/mail.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { minute } from '../../core/time.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import {
  type Answer,
  type AnswerOptions,
  administer,
  answering,
  type ChangeOptions,
  changing,
  operator,
  reads,
} from './action.ts';
import { email, wholeNumber } from './fields.ts';
import { counted, table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds that a command waits for an attempt of the server. */
const patience = minute;

interface ListOptions extends AnswerOptions {
  readonly state?: MailState;
  readonly to?: string;
  readonly before?: number;
  readonly limit: number;
}

export function addMailCommands(program: Command, terminal: Terminal): void {
  const mail = program.command('mail').description('Mails of the last 30 days');

  answering(mail.command('list'))
    .description('List mails, newest first')
    .addOption(new Option('--state <state>', 'only mails in this state').choices(mailStates))
    .option('--to <address>', 'only mails to this address', reads(email))
    .option('--before <id>', 'only mails before this one, for the next page', reads(wholeNumber(1, 2_147_483_647)))
    .option('--limit <n>', 'the largest number of mails, 1 to 1000', reads(wholeNumber(1, 1_000)), 50)
    .action((options: ListOptions) => administer(terminal, options, (parts) => list(parts, options)));

  answering(mail.command('show'))
    .description('Show a mail with its text')
    .argument('<id>')
    .action((id: string, options: AnswerOptions) =>
      administer(terminal, options, async (parts) => {
        const shown = await (await parts.get(t.mails)).show(id, operator());
        return isRefused(shown) ? shown : { json: { mail: shown }, text: describe(shown) };
      }),
    );

  changing(mail.command('retry'))
    .description('Send a failed or kept mail again')
    .argument('<id>')
    .action((id: string, options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const queued = await (await parts.get(t.mails)).retry(id, operator(options));
        return isRefused(queued) ? queued : await attempt(parts, queued.id);
      }),
    );

  changing(mail.command('test'))
    .description('Send a test mail, and report the result')
    .argument('<address>', 'the recipient', reads(email))
    .action((address: string, options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const id = await (await parts.get(t.mails)).sendTest(address, operator(options));
        return isRefused(id) ? id : await attempt(parts, id);
      }),
    );
}

async function list(parts: Parts, { state, to, before, limit }: ListOptions): Promise<Answer | Refused> {
  const filter = { state, address: to, before: before === undefined ? undefined : toMailId(before), limit };
  const mails = await (await parts.get(t.mails)).list(filter, operator());
  if (isRefused(mails)) return mails;
  return {
    json: { mails },
    text: table([
      ['ID', 'TIME', 'STATE', 'KIND', 'TO', 'SUBJECT', 'ERROR'],
      ...mails.map((one) => [
        String(one.id),
        iso(one.createdAt),
        one.state,
        one.kind,
        one.to.address,
        one.subject,
        one.error ?? '-',
      ]),
    ]),
  };
}

/**
 * Makes an attempt to send a queued mail, unless the server is already doing so, and waits for its result. Fails if it
 * was not sent.
 */
async function attempt(parts: Parts, id: MailId): Promise<Answer | Refused> {
  const [mails, create] = [await parts.get(t.mails), await parts.get(t.createWorker)];
  await create(new AbortController().signal).takeOnly('mail', id);
  for (let waited = 0; ; waited += 100) {
    const mail = await mails.show(String(id), operator());
    if (isRefused(mail)) return mail;
    const isTried = mail.state !== 'queued' || mail.attempts > 0;
    if (!isTried && waited < patience) {
      await setTimeout(100);
      continue;
    }
    const { text: _, html: __, ...entry } = mail;
    const isFine = mail.error === null;
    return {
      json: { mail: entry },
      text: isFine ? outcome(mail) : `Mail ${id} is ${mail.state}.`,
      failure: isFine ? undefined : outcome(mail),
    };
  }
}

/** Describes the state of a mail in one line. */
function outcome({ id, to: { address }, state, error, dueAt }: MailEntry): string {
  switch (state) {
    case 'sent':
      return `Mail ${id} to ${address} was handed to the mail server.`;
    case 'kept':
      return `Mail ${id} to ${address} was kept and not sent, because MAIL_URL names no mail server. Read it with: latchkey-server mail show ${id}`;
    case 'failed':
      return `Mail ${id} to ${address} was not sent: ${error ?? ''}`;
    case 'queued':
      return error === null
        ? `Mail ${id} to ${address} is still being sent.`
        : `Mail ${id} to ${address} was not sent yet: ${error} Next attempt: ${dueAt === null ? 'now' : iso(dueAt)}.`;
  }
}

function describe(mail: Mail): string {
  const { id, kind, to, subject, text, state, attempts, error, createdAt, settledAt, dueAt } = mail;
  const times = {
    Made: createdAt,
    ...(settledAt !== null && { [state === 'failed' ? 'Failed' : 'Sent']: settledAt }),
    ...(dueAt !== null && { 'Next attempt': dueAt }),
  };
  const head = table([
    ['Mail', `${id}, ${kind}`],
    ['To', to.name === '' ? to.address : `${to.name} <${to.address}>`],
    ['Subject', subject],
    ['State', `${state}, ${counted(attempts, 'attempt')}`],
    ...(error === null ? [] : [['Error', error]]),
    ...Object.entries(times).map(([name, at]) => [name, iso(at)]),
  ]);
  // Texts may contain what people typed in.
  const body = text.replace(/[^\P{Cc}\n]/gu, ' ').trimEnd();
  return `${head}\n\n${body}`;
}
