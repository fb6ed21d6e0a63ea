import type { FileLedger } from '../../../core/ports/file-ledger.ts';
import { fileColumns } from '../archive/tables.ts';
import { builtOnce } from '../built-once.ts';
import { type Database, returned } from '../database.ts';

interface KeptFileRow {
  readonly key: string;
  readonly user_id: number;
  readonly size: number;
  readonly at: number;
}

interface KeepingUserRow {
  readonly id: number;
  readonly bytes_kept: number;
}

/** Templates belong to the operator. Their files do not count towards the storage limit of any account. */
const accountFiles = fileColumns.filter(({ table }) => table !== 'templates');

const keptBy = builtOnce<'', Pick<KeepingUserRow, 'bytes_kept'> | undefined, [number]>((knex, _, userId) =>
  knex<KeepingUserRow>('users').where('id', userId).first('bytes_kept'),
);

/** The user's row stores the total size of the user's files, so that one statement can check and increase it. */
export function createSqlFileLedger({ read, write }: Database): FileLedger {
  return {
    add: (userId, files, allowed, at) =>
      write(async (trx) => {
        const bytes = files.reduce((sum, { size }) => sum + size, 0);
        const [user] = await trx<KeepingUserRow>('users')
          .where({ id: userId })
          .whereRaw('bytes_kept + ? <= ?', [bytes, allowed])
          .update({ bytes_kept: trx.raw('bytes_kept + ?', [bytes]) })
          .returning('bytes_kept');
        if (user === undefined) {
          const { bytes_kept } = returned(await trx<KeepingUserRow>('users').where({ id: userId }));
          return { isAdded: false, used: bytes_kept };
        }
        await trx<KeptFileRow>('kept_files').insert(files.map(({ key, size }) => ({ key, user_id: userId, size, at })));
        return { isAdded: true, used: user.bytes_kept };
      }),
    remove: (keys) =>
      write(async (trx) => {
        const removed = await trx<KeptFileRow>('kept_files').whereIn('key', keys).orderBy('key').forUpdate();
        await trx('kept_files').whereIn('key', keys).delete();
        const freed = new Map<number, number>();
        for (const { user_id, size } of removed) freed.set(user_id, (freed.get(user_id) ?? 0) + size);
        for (const [id, bytes] of [...freed].sort(([one], [other]) => one - other))
          await trx('users').where({ id }).decrement('bytes_kept', bytes);
      }),
    async used(userId) {
      const user = await read((knex) => keptBy(knex, '', userId));
      return user?.bytes_kept ?? 0;
    },
    unreferenced: (before) =>
      read((knex) => {
        const lost = knex('kept_files').where('at', '<', before);
        for (const { table, column } of accountFiles) {
          lost.whereNotExists(knex(table).where(`${table}.${column}`, knex.ref('kept_files.key')));
        }
        return lost.pluck('key');
      }),
  };
}
