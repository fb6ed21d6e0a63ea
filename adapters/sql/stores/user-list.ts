import type { Knex } from 'knex';
import { searchable, type User } from '../../../core/accounts/user.ts';
import type { UserFilter } from '../../../core/ports/account-store.ts';
import { isPostgres } from '../database.ts';
import { toUser, type UserRow } from './user-rows.ts';

/** No text that begins with `search` is greater than `search` with this character, the last one of Unicode. */
const lastCharacter = '\u{10FFFF}';

/** Reads one page in the order of `AccountStore.list`. Each statement reads one range of an index. */
export async function listUsers(knex: Knex, { search = '', tier, role, after, limit }: UserFilter): Promise<User[]> {
  const start = searchable(search);
  const wanted = { ...(tier !== undefined && { tier }), ...(role !== undefined && { role }) };
  const users = () => knex<UserRow>('users').where(wanted).limit(limit);
  if (start === '') {
    const rows = await users()
      .modify((query) => after && query.where('id', '<', after.id))
      .orderBy('id', 'desc');
    return rows.map(toUser);
  }
  const end = `${start}${lastCharacter}`;
  const email = isPostgres(knex) ? 'email COLLATE "C"' : 'email';
  const isMatch = (address: string) => address.startsWith(start);
  const rows =
    after && !isMatch(after.email)
      ? []
      : await users()
          .whereRaw(`${email} >= ? AND ${email} <= ?`, [start, end])
          .modify((query) => after && query.whereRaw(`${email} > ?`, [after.email]))
          .orderByRaw(email);
  if (rows.length === limit) return rows.map(toUser);
  const named = await users()
    .whereRaw('search_name >= ? AND search_name <= ?', [start, end])
    .whereRaw(`NOT (${email} >= ? AND ${email} <= ?)`, [start, end])
    .modify((query) => {
      if (after && !isMatch(after.email))
        query.whereRaw('(search_name, id) > (?, ?)', [searchable(after.name), after.id]);
    })
    .orderBy([{ column: 'search_name' }, { column: 'id' }])
    .limit(limit - rows.length);
  return [...rows, ...named].map(toUser);
}
