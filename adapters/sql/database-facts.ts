import type { Knex } from 'knex';
import type { MailState } from '../../core/mail/mail.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { DatabaseReport } from '../../core/ports/system-facts.ts';
import { minute } from '../../core/time.ts';
import { type Database, isPostgres } from './database.ts';

/** The counted tables. */
const tables = [
  'users',
  'api_keys',
  'products',
  'licenses',
  'activations',
  'templates',
  'purchases',
  'uploads',
  'deployments',
  'audit_log',
  'mails',
] as const;

/** On Postgres, larger tables are estimated and not counted. */
const countedExactly = 10_000;
/** How long the facts are cached, in milliseconds. */
const keptFor = minute;

export interface DatabaseFacts extends Omit<DatabaseReport, 'kind'> {
  readonly mails: Readonly<Record<MailState, number>>;
}

/** Returns a function that reads the size of the database, at most once in a minute. */
export function createDatabaseFacts({ read }: Pick<Database, 'read'>, clock: Clock): () => Promise<DatabaseFacts> {
  let latest: { readonly facts: Promise<DatabaseFacts>; readonly at: number } | undefined;
  return () => {
    const now = clock.now();
    if (latest === undefined || now - latest.at >= keptFor || now < latest.at) {
      const facts = read(async (knex) => ({
        ...(isPostgres(knex) ? await ofPostgres(knex) : await ofSqlite(knex)),
        mails: await mailsByState(knex),
      }));
      latest = { facts, at: now };
      // A failure is not cached.
      facts.catch(() => {
        latest = undefined;
      });
    }
    return latest.facts;
  };
}

async function ofSqlite(knex: Knex): Promise<Omit<DatabaseFacts, 'mails'>> {
  const [size]: { bytes: number }[] = await knex.raw(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  );
  const counts = tables.map((name) => `(SELECT count(*) FROM ${name}) AS ${name}`);
  const [rows]: Record<string, number>[] = await knex.raw(`SELECT ${counts.join(', ')}`);
  return { bytes: size?.bytes ?? 0, rows: rows ?? {}, areEstimates: false };
}

async function ofPostgres(knex: Knex): Promise<Omit<DatabaseFacts, 'mails'>> {
  const counts = tables.map(
    (name) => `SELECT '${name}' AS name, (SELECT count(*) FROM (SELECT FROM ${name} LIMIT ${countedExactly}) AS first)
      AS counted, (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('${name}')) AS estimated`,
  );
  const size: { rows: { bytes: number }[] } = await knex.raw(
    'SELECT pg_database_size(current_database())::bigint AS bytes',
  );
  const found: { rows: { name: string; counted: number; estimated: number | null }[] } = await knex.raw(
    counts.join(' UNION ALL '),
  );
  const rows = found.rows.map(({ name, counted, estimated }): [string, number] => [
    name,
    counted < countedExactly ? counted : Math.max(counted, estimated ?? 0),
  ]);
  return { bytes: size.rows[0]?.bytes ?? 0, rows: Object.fromEntries(rows), areEstimates: true };
}

async function mailsByState(knex: Knex): Promise<DatabaseFacts['mails']> {
  const counts: { state: string; count: number }[] = await knex('mails')
    .select('state')
    .count({ count: '*' })
    .groupBy('state');
  const of = (state: MailState) => Number(counts.find((one) => one.state === state)?.count ?? 0);
  return { queued: of('queued'), sent: of('sent'), kept: of('kept'), failed: of('failed') };
}
