import type { Tier } from '../../core/accounts/tier.ts';
import type { User } from '../../core/accounts/user.ts';
import type { AccountStore } from '../../core/ports/account-store.ts';
import { refuse } from '../../core/refusal.ts';
import { record } from './audit-log.ts';
import type { Database } from './database.ts';

interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly tier: string;
  readonly created_at: number;
}

export function createSqlAccountStore({ read, write }: Database): AccountStore {
  const findWhere = async (where: Partial<UserRow>) => {
    const row = await read((knex) => knex<UserRow>('users').where(where).first());
    return row && toUser(row);
  };
  return {
    add: ({ name, email, tier, createdAt }, event) =>
      write(async (trx) => {
        const [row] = await trx<UserRow>('users')
          .insert({ name, email, tier, created_at: createdAt })
          .onConflict('email')
          .ignore()
          .returning('*');
        if (row === undefined) return refuse('email_taken', `A user has the e-mail address ${email} already.`);
        await record(trx, [event]);
        return toUser(row);
      }),
    findById: (id) => findWhere({ id }),
    findByEmail: (email) => findWhere({ email }),
  };
}

function toUser({ id, name, email, tier, created_at }: UserRow): User {
  return { id, name, email, tier: tier as Tier, createdAt: created_at };
}
