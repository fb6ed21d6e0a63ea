import type { Knex } from 'knex';
import { toUserId } from '../../../core/id.ts';
import type { SandboxStore } from '../../../core/ports/sandbox-store.ts';
import { isRefused, refuse } from '../../../core/refusal.ts';
import { holdLock } from '../advisory-locks.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';
import { insertLogin, raiseGeneration } from './login-rows.ts';
import { closedAccounts, removeRows } from './sandbox-rows.ts';
import { keepFindable } from './user-rows.ts';

export function createSqlSandboxStore({ read, write }: Database): SandboxStore {
  return {
    count: () => read(countAll),

    add: (login, most, event) =>
      write(async (trx) => {
        await holdLock(trx, 'sandbox');
        if ((await countAll(trx)) >= most) return refuse('sandbox_full');
        const added = await insertLogin(trx, login);
        if (!isRefused(added)) await record(trx, [event]);
        return added;
      }),

    async close(now, which) {
      const open = (knex: Knex) =>
        knex('users')
          .whereNotNull('sandbox_until')
          .whereRaw('(suspended_at IS NULL OR suspended_at < sandbox_until)')
          .where('sandbox_until', '<=', which === 'all' ? Number.MAX_SAFE_INTEGER : now);
      const ids: number[] = await read((knex) => open(knex).pluck('id'));
      for (const id of ids) {
        await write(async (trx) => {
          await trx('users').where({ id }).whereNotNull('sandbox_until').update({ suspended_at: now });
          await trx('users').where({ id }).where('sandbox_until', '>', now).update({ sandbox_until: now });
          await trx('sessions').where({ user_id: id }).delete();
          await raiseGeneration(trx, id);
          await keepFindable(trx, id);
        });
      }
      return ids.length;
    },

    async closedBy(time) {
      const ids: number[] = await read((knex) =>
        closedAccounts(knex).where('suspended_at', '<=', time).orderBy('sandbox_until').pluck('id'),
      );
      return ids.map(toUserId);
    },

    filesOf: (id, most) =>
      read(async (knex) => {
        const owner = closedAccounts(knex).where({ id }).select('id');
        return await knex('kept_files').whereIn('user_id', owner).limit(most).pluck('key');
      }),

    async remove(id, goOn) {
      if (!(await removeRows({ read, write }, id, goOn))) return false;
      return await write(async (trx) => {
        const own = await closedAccounts(trx).where({ id }).forUpdate().first('id');
        if (own === undefined) return false;
        // What it has bought of others stays with them, as the purchase of somebody without an account.
        await trx('orders').where({ buyer_id: id }).update({ buyer_id: null });
        await trx('credentials').where({ user_id: id }).delete();
        await trx('user_texts').where({ user_id: id }).delete();
        await trx('users').where({ id }).delete();
        return true;
      });
    },
  };
}

async function countAll(knex: Knex): Promise<number> {
  const found = await knex('users').whereNotNull('sandbox_until').count({ accounts: '*' }).first();
  return Number(found?.accounts);
}
