import type { PurchaseLedger } from '../../../core/ports/purchase-ledger.ts';
import type { Database } from '../database.ts';
import { record } from './audit-log.ts';

export function createSqlPurchaseLedger({ read, write }: Database): PurchaseLedger {
  return {
    add: ({ userId, templateId, at }, event) =>
      write(async (trx) => {
        const added = await trx('purchases')
          .insert({ user_id: userId, template_id: templateId, at })
          .onConflict(['user_id', 'template_id'])
          .ignore()
          .returning('user_id');
        if (added.length > 0) await record(trx, [event]);
        return added.length > 0;
      }),
    async has(user, template) {
      const where = { user_id: user.id, template_id: template.id };
      return (await read((knex) => knex('purchases').where(where).first('user_id'))) !== undefined;
    },
  };
}
