import type { Knex } from 'knex';
import { searchable } from '../../../core/search-texts.ts';
import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

const usersAtOnce = 1_000;

/**
 * Role and suspension of users, and indexes for all lists of users. The lists search and sort by bytes, so that the
 * beginning of a text is one range of an index.
 */
export const roles: Migration = {
  name: '0011-roles',
  async up(trx) {
    const byBytes = isPostgres(trx) ? ' COLLATE "C"' : '';
    await trx.schema.alterTable('users', (table) => {
      table.string('role');
      table.bigInteger('suspended_at');
    });
    await trx.raw(`ALTER TABLE users ADD COLUMN search_name text${byBytes} NOT NULL DEFAULT ''`);
    await fillSearchNames(trx);
    await trx.raw('CREATE INDEX users_role ON users (role, id) WHERE role IS NOT NULL');
    await trx.raw('CREATE INDEX users_role_tier ON users (role, tier, id) WHERE role IS NOT NULL');
    await trx.raw('CREATE INDEX users_tier ON users (tier, id)');
    for (const [name, columns] of [
      ['email', `email${byBytes}`],
      ['name', 'search_name, id'],
    ]) {
      await trx.raw(`CREATE INDEX users_by_${name} ON users (${columns})`);
      await trx.raw(`CREATE INDEX users_of_tier_by_${name} ON users (tier, ${columns})`);
    }
  },
};

/** The database makes most names, because that is faster. Its lower case may lack letters outside of ASCII. */
async function fillSearchNames(trx: Knex.Transaction): Promise<void> {
  await trx.raw('UPDATE users SET search_name = lower(name)');
  for (let last = 0; ; ) {
    const rows: { id: number; name: string; search_name: string }[] = await trx('users')
      .select('id', 'name', 'search_name')
      .where('id', '>', last)
      .orderBy('id')
      .limit(usersAtOnce);
    for (const { id, name, search_name } of rows) {
      if (search_name !== searchable(name))
        await trx('users')
          .where({ id })
          .update({ search_name: searchable(name) });
    }
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}
