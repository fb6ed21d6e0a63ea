import type { LoginStore } from '../../../core/ports/login-store.ts';
import { isRefused } from '../../../core/refusal.ts';
import { type Database, isRowId } from '../database.ts';
import { record } from './audit-log.ts';
import { type LoginRow, lockLogin, saveCredentials, selectLogins, toLogin } from './login-rows.ts';
import { tell } from './tell.ts';
import { hasAdministrator } from './user-rows.ts';

export function createSqlLoginStore({ read, write }: Database): LoginStore {
  const find = async (where: Readonly<Record<string, number | string>>) => {
    const row: LoginRow | undefined = await read((knex) => selectLogins(knex).where(where).first());
    return row && toLogin(row);
  };
  return {
    find: async (id) => (isRowId(id) ? await find({ 'u.id': id }) : undefined),
    findByEmail: (email) => find({ 'u.email': email }),
    hasAdministrator: () => read(hasAdministrator),
    change: (id, decide) =>
      write(async (trx) => {
        const before = isRowId(id) ? await lockLogin(trx, id) : undefined;
        if (before === undefined) return undefined;
        const decision = decide(before);
        if (isRefused(decision)) return decision;
        const { after, event } = decision;
        if (event === undefined) return before;
        await saveCredentials(trx, after);
        await record(trx, [event]);
        await tell(trx, decision);
        const { name, email, role, selling, suspendedAt } = before;
        return { ...after, id, name, email, role, selling, suspendedAt };
      }),
  };
}
