import type { Knex } from 'knex';
import { searched } from '../../../core/accounts/user-search.ts';
import type { ListedUser, UserFilter } from '../../../core/ports/account-store.ts';
import { comparableId } from '../database.ts';
import { lastCharacter } from '../last-character.ts';
import { toUser, type UserRow } from './user-rows.ts';

/** Reads one page in the order of `AccountStore.list`. Each statement reads one range of an index. */
export async function listUsers(knex: Knex, filter: UserFilter): Promise<ListedUser[]> {
  const start = searched(filter.search);
  return start === '' ? await listNewest(knex, filter) : await listFound(knex, filter, start);
}

async function listNewest(knex: Knex, { tier, role, isSuspended, after, limit }: UserFilter): Promise<ListedUser[]> {
  const rows: UserRow[] = await knex('users')
    .where({ ...(tier !== undefined && { tier }), ...(role !== undefined && { role }) })
    .modify((query) => {
      if (isSuspended !== undefined) query[isSuspended ? 'whereNotNull' : 'whereNull']('suspended_at');
      if (after) query.where('id', '<', comparableId(after.id));
    })
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(toUser).map((user) => ({ user, place: { id: user.id, text: null } }));
}

type FoundRow = UserRow & { readonly text: string };

async function listFound(
  knex: Knex,
  { tier, role, isSuspended, after, limit }: UserFilter,
  start: string,
): Promise<ListedUser[]> {
  const rows: FoundRow[] = await knex('user_texts as t')
    .join('users as u', 'u.id', 't.user_id')
    .select('u.*', 't.text')
    .where({ ...(tier !== undefined && { 't.tier': tier }), ...(role !== undefined && { 't.role': role }) })
    .whereRaw('t.text >= ? AND t.text <= ?', [start, `${start}${lastCharacter}`])
    .modify((query) => {
      // Written out, because SQLite does not use a partial index for a value that it gets later.
      if (isSuspended !== undefined) query.whereRaw(`t.is_suspended = ${isSuspended ? 1 : 0}`);
      if (after) query.whereRaw('(t.text, t.user_id) > (?, ?)', [after.text ?? '', comparableId(after.id)]);
    })
    // Only under the first text that matches. Postgres asks a scalar subquery for each row. For `NOT EXISTS` alone, it
    // may read all matches.
    .whereRaw(
      '(SELECT NOT EXISTS (SELECT 1 FROM user_texts AS f WHERE f.user_id = t.user_id AND f.text >= ? AND f.text < t.text))',
      [start],
    )
    .orderBy(['t.text', 't.user_id'])
    .limit(limit);
  return rows.map((row) => {
    const user = toUser(row);
    return { user, place: { id: user.id, text: row.text } };
  });
}
