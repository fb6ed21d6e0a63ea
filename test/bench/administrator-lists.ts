import type { Knex } from 'knex';
import type { Database } from '../../adapters/sql/database.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { toAuditId } from '../../core/id.ts';
import type { UserFilter, UserPlace } from '../../core/ports/account-store.ts';
import type { AuditFilter } from '../../core/ports/audit-log.ts';
import { compare, type List, numbers } from './compare.ts';
import type { DatabaseKind } from './databases.ts';
import { withParts } from './seed.ts';

interface Filled {
  readonly url: string;
}

/** The default size of a page. */
const perPage = 15;

/** One user of 500 is called Rare. One of five is on another plan, and one of a hundred is suspended or an administrator. */
async function insertUsers(trx: Knex.Transaction, from: number, to: number): Promise<void> {
  const name = "CASE number % 500 WHEN 0 THEN 'rare' ELSE 'other' END || ' ' || number";
  const plan = "CASE number % 5 WHEN 0 THEN 'pro' ELSE 'free' END";
  const role = "CASE number % 100 WHEN 1 THEN 'admin' END";
  const suspendedAt = 'CASE number % 100 WHEN 2 THEN 1 END';
  await trx.raw(`${numbers(from, to)} INSERT INTO users (name, email, tier, created_at, role, suspended_at)
    SELECT ${name}, 'other-' || number || '@example.com', ${plan}, 0, ${role}, ${suspendedAt} FROM numbers`);
  const texts = [
    'u.name',
    'substr(u.name, 1 + length(u.name) - length(rest))',
    'email',
    "rest || '@example.com'",
    "'example.com'",
  ];
  await trx.raw(`INSERT INTO user_texts (user_id, text, tier, role, is_suspended)
    ${texts
      .map(
        (text) => `SELECT id, ${text}, tier, role, CASE WHEN suspended_at IS NULL THEN 0 ELSE 1 END
          FROM (SELECT *, replace(substr(email, 7), '@example.com', '') AS rest FROM users WHERE id > (SELECT coalesce(max(user_id), 0) FROM user_texts) AND email LIKE 'other-%') AS u`,
      )
      .join(' UNION ')}`);
}

const rowsAtOnce = 5_000;

/** Fills users and audit trail in steps that no timeout of a statement ends. */
export async function fillForAdministrators(
  { write }: Pick<Database, 'write'>,
  users: number,
  events: number,
): Promise<void> {
  for (const [insert, count] of [
    [insertUsers, users],
    [insertEvents, events],
  ] as const) {
    for (let from = 1; from <= count; from += rowsAtOnce) {
      await write((trx) => insert(trx, from, Math.min(count, from + rowsAtOnce - 1)));
    }
  }
}

/** Events one second apart, by ten actors, of four kinds. */
async function insertEvents(trx: Knex.Transaction, from: number, to: number): Promise<void> {
  const type =
    "CASE number % 4 WHEN 0 THEN 'user.added' WHEN 1 THEN 'key.created' WHEN 2 THEN 'key.revoked' ELSE 'license.issued' END";
  await trx.raw(`${numbers(from, to)} INSERT INTO audit_log (at, type, actor, subject, data)
    SELECT number * 1000, ${type}, 'actor ' || (number % 10), 'subject ' || (number / 20), '{}' FROM numbers`);
}

/** The pages of users that administrators see, by filter. */
const userPages = {
  'all users': {},
  'users on a plan': { tier: 'pro' },
  administrators: { role: 'admin' },
  'suspended users': { isSuspended: true },
  'users who are not suspended': { isSuspended: false },
  'search of users that finds many': { search: 'example' },
  'search of users that finds some': { search: 'other-5' },
  'search of users that finds few': { search: 'rare' },
  'search of users that finds one': { search: '4711@' },
  'search of users on a plan': { search: 'other 5', tier: 'pro' },
  'search of administrators': { search: 'example', role: 'admin' },
  'search of suspended users on a plan': { search: 'example', tier: 'free', isSuspended: true },
} as const satisfies Record<string, Omit<UserFilter, 'limit'>>;

export async function compareUsers(kind: DatabaseKind, few: Filled, many: Filled): Promise<List[]> {
  const listOf = async (parts: Parts, filter: Omit<UserFilter, 'limit'>, page: number) => {
    const store = await parts.get(t.accountStore);
    let after: UserPlace | undefined;
    for (let turn = 1; turn < page; turn++) after = (await store.list({ ...filter, limit: perPage })).at(-1)?.place;
    return async () => {
      const { length } = await store.list({ ...filter, after, limit: perPage });
      if (length === 0) throw new Error('The list is empty.');
    };
  };
  return await withParts(few.url, (fewer) =>
    withParts(many.url, async (more) => {
      const all: List[] = [];
      for (const [name, filter] of Object.entries(userPages)) {
        for (const page of 'search' in filter && filter.search === '4711@' ? [1] : [1, 2]) {
          const lists = [await listOf(fewer, filter, page), await listOf(more, filter, page)] as const;
          all.push(await compare(`${kind}: ${name}, page ${page}`, ...lists));
        }
      }
      return all;
    }),
  );
}

const auditPages = {
  'audit trail': {},
  'audit trail, second page': { before: toAuditId(5_000) },
  'audit trail of a subject': { subject: 'subject 3' },
  'audit trail of an actor': { actor: 'actor 3' },
  'audit trail of a kind': { type: 'user.added' },
  'audit trail of a time': { from: 2_000_000, to: 3_000_000 },
  'audit trail of an actor in a time': { actor: 'actor 3', from: 2_000_000, to: 3_000_000 },
} as const satisfies Record<string, Omit<AuditFilter, 'limit'>>;

export async function compareAudit(kind: DatabaseKind, few: Filled, many: Filled): Promise<List[]> {
  const listOf = async (parts: Parts, filter: Omit<AuditFilter, 'limit'>) => {
    const log = await parts.get(t.auditLog);
    return async () => {
      const { length } = await log.list({ ...filter, limit: perPage });
      if (length !== perPage) throw new Error(`The list contains ${length} entries.`);
    };
  };
  return await withParts(few.url, (fewer) =>
    withParts(many.url, async (more) => {
      const all: List[] = [];
      for (const [name, filter] of Object.entries(auditPages)) {
        all.push(await compare(`${kind}: ${name}`, await listOf(fewer, filter), await listOf(more, filter)));
      }
      return all;
    }),
  );
}
