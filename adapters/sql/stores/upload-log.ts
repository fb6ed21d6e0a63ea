import type { UploadLog } from '../../../core/ports/upload-log.ts';
import type { Database } from '../database.ts';
import { markChanged } from '../keyed-requests.ts';

export function createSqlUploadLog({ write }: Database): UploadLog {
  return {
    add: ({ userId, isLive, key, size, at, request }) =>
      write(async (trx) => {
        if (request !== undefined) await markChanged(trx, request);
        await trx('uploads').insert({ user_id: userId, is_live: Number(isLive), key, size, at });
      }),
  };
}
