import type { MailState } from '../../../../core/mail/mail.ts';
import type { DatabaseReport, SystemReport } from '../../../../core/ports/system-facts.ts';
import type { HourOfAttempts } from '../../../../core/ports/webhook-store.ts';
import type { WorkKind } from '../../../../core/work/work.ts';
import { readableNumber } from '../../ui/numbers.ts';

export const audit = {
  list: 'Changes',
  pages: 'Pages of the audit trail',
  subject: 'About',
  actor: 'By',
  type: 'What',
  typeAndSubject: 'What, about',
  from: 'From day (UTC)',
  to: 'To day (UTC)',
  at: 'Time',
  details: 'Details',
  none: 'No change found',
  order: (id: string) => `Order ${id}`,
  /** Those who are no people. */
  actors: {
    free: 'Free order',
    test: 'Play money',
    stripe: 'Stripe',
    server: 'The server',
    'license-api': 'License API',
  } as Readonly<Record<string, string>>,
  noneAdvice: 'Enter the full e-mail address, license key or short name.',
} as const;

export const mails = {
  list: 'Mails',
  pages: 'Pages of mails',
  test: 'Send a test mail',
  state: 'State',
  address: 'Recipient',
  to: 'To',
  subject: 'Subject',
  made: 'Written',
  states: { queued: 'Queued', sent: 'Sent', kept: 'Only kept', failed: 'Failed' } satisfies Record<MailState, string>,
  none: 'No mail yet',
  noneFound: 'No mail found',
  noneAdvice: 'E-mails of the last 30 days appear here. Send a test e-mail to check the mail settings.',
  noneFoundAdvice: 'Enter the full address. E-mails are deleted after 30 days.',
} as const;

export const mail = {
  settled: { sent: 'Sent', kept: 'Kept', failed: 'Given up' },
  attempts: 'Attempts',
  error: 'Last error',
  next: 'Next attempt',
  text: 'Text',
  showText: 'Show the text',
  textLead: (address: string) =>
    `It may contain a link that opens an account. Give it only to the person who has the address ${address}.`,
  keptLead: 'No mail server is set up, so this e-mail was not sent. It can only be read here.',
  hidden:
    'The text of a queued or sent e-mail is not shown, because it may contain a link that only the recipient may use.',
  retry: 'Try to send it',
  wasSent: 'This mail has been sent already.',
  isQueued: 'This mail is queued already.',
  testTitle: 'Send a test mail',
  testLead: 'The next page shows whether the mail server accepted it.',
  testAddress: 'To',
  testSubmit: 'Send the mail',
  notAnAddress: 'Enter one e-mail address, such as ada@example.com.',
} as const;

export const system = {
  software: 'Software',
  version: 'Latchkey',
  node: 'Node.js',
  started: 'This process started',
  database: 'Database',
  kind: 'Kind',
  kinds: { sqlite: 'SQLite', memory: 'In memory, lost at the end', postgres: 'PostgreSQL' } satisfies Record<
    DatabaseReport['kind'],
    string
  >,
  size: 'Size',
  rows: 'Rows',
  table: 'Table',
  estimates: 'Numbers of large tables are estimates.',
  age: 'Sizes and numbers may be a minute old.',
  files: 'Files',
  places: {
    disk: 'Folder of the server',
    s3: 'S3 bucket',
    temporary: 'Temporary folder, lost at the end',
  } satisfies Record<SystemReport['files'], string>,
  limits: 'Rate limits',
  counters: {
    redis: 'Counted in Redis',
    memory: 'Counted in memory',
    off: 'Off',
  } satisfies Record<SystemReport['limiter']['kind'], string>,
  limiterDown: 'Redis cannot be reached. Each process counts on its own.',
  checks: 'Checks',
  checkNames: {
    database: 'Database',
    files: 'Files',
    clock: 'Clock of the file storage',
    redis: 'Redis',
    replica: 'Read replica',
  } as Readonly<Record<string, string>>,
  needed: 'Needed',
  optional: 'Optional',
  works: '✓ Works',
  isDown: '✗ Does not work',
  work: 'Waiting work',
  workKinds: {
    mail: 'Mails to send',
    order: 'Payments to look at',
    deployment: 'Deployments to check',
    usdc: 'Chains to watch for payments',
  } satisfies Record<WorkKind, string>,
  nothingWaits: 'Nothing waits',
  waiting: (count: string) => `${count} waiting, the oldest since`,
  mails: 'Mails of the last 30 days',
  webhooks: {
    title: 'Webhooks',
    due: 'Events to send',
    lastHour: 'Last full hour',
    thisHour: 'This hour so far',
    attempts: ({ delivered, failed }: Pick<HourOfAttempts, 'delivered' | 'failed'>) =>
      `${readableNumber(delivered)} delivered, ${readableNumber(failed)} failed`,
  },
} as const;
