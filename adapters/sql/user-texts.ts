import type { Knex } from 'knex';
import type { User } from '../../core/accounts/user.ts';
import { searchTexts } from '../../core/accounts/user-search.ts';
import { isPostgres } from './database.ts';

const table = 'user_texts';

/** Stores the texts by which a search finds a user, with the columns that lists filter by. */
export async function replaceUserTexts(trx: Knex.Transaction, user: User): Promise<void> {
  await trx(table).where({ user_id: user.id }).delete();
  await insertUserTexts(trx, [user]);
}

/** Stores the texts of users who have none yet, in one statement. */
export async function insertUserTexts(
  trx: Knex.Transaction,
  users: readonly Omit<User, 'createdAt' | 'selling'>[],
): Promise<void> {
  const rows = users.flatMap((user) =>
    searchTexts(user).map((text) => [user.id, text, user.tier, user.role, user.suspendedAt === null ? 0 : 1]),
  );
  const columns = '(user_id, text, tier, role, is_suspended)';
  const [from, type] = isPostgres(trx)
    ? ['json_array_elements(?::json) AS one (value)', (n: number, name: string) => `(value ->> ${n})::${name}`]
    : ['json_each(?)', (n: number) => `json_extract(value, '$[${n}]')`];
  const values = [type(0, 'integer'), type(1, 'text'), type(2, 'text'), type(3, 'text'), type(4, 'smallint')];
  await trx.raw(`INSERT INTO ${table} ${columns} SELECT ${values.join(', ')} FROM ${from}`, [JSON.stringify(rows)]);
}
