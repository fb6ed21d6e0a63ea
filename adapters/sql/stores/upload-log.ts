import type { UploadLog } from '../../../core/ports/upload-log.ts';
import type { Database } from '../database.ts';

export function createSqlUploadLog({ write }: Database): UploadLog {
  return {
    add: ({ userId, isLive, key, size, at }) =>
      write(async (trx) => {
        await trx('uploads').insert({ user_id: userId, is_live: Number(isLive), key, size, at });
      }),
  };
}
