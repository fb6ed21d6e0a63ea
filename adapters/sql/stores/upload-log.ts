import type { UploadLog } from '../../../core/ports/upload-log.ts';
import type { Database } from '../database.ts';

export function createSqlUploadLog({ read, write }: Database): UploadLog {
  return {
    add: ({ userId, isLive, key, size, at }) =>
      write(async (trx) => {
        await trx('uploads').insert({ user_id: userId, is_live: Number(isLive), key, size, at });
      }),
    async count({ userId, isLive }) {
      const where = { user_id: userId, is_live: Number(isLive) };
      const counted = await read((knex) => knex('uploads').where(where).count({ total: '*' }).first());
      return Number(counted?.total);
    },
  };
}
