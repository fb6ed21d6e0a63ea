import type { Database } from './database.ts';

/** What is stored under a name; what `make` makes where there is nothing yet, the same for every process that asks. */
export function settingOf({ write }: Database, name: string, make: () => string): Promise<string> {
  return write(async (trx) => {
    await trx('settings').insert({ name, value: make() }).onConflict('name').ignore();
    const { value } = await trx('settings').where({ name }).first('value');
    return value;
  });
}
