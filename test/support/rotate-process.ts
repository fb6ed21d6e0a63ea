import { systemClock } from '../../adapters/node/clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { openPostgres } from '../../adapters/sql/postgres/database.ts';
import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { createSqlLicenseAliases } from '../../adapters/sql/stores/license-aliases.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import { createRotateBoughtKey } from '../../core/purchases/bought-keys.ts';
import { writeLetter } from './letters.ts';
import { must } from './license-acts.ts';

// A process that replaces the key of a license. Usage: rotate-process.ts <database> <key> [step]. Kills itself at that step.

const [place = '', key = '', step] = process.argv.slice(2);
const database = place.startsWith('sqlite:')
  ? await openSqlite(place.slice('sqlite:'.length))
  : await openPostgres({ url: place, poolSize: 2, statementTimeout: 10_000 });

/** Ends the process like a crash, if its settings name this step. Waits for the signal. */
async function dieAt(reached: string): Promise<void> {
  if (step !== reached) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

const aliases = createSqlLicenseAliases({
  ...database,
  write: (work) =>
    database.write(async (trx) => {
      const result = await work(trx);
      await dieAt('before the commit');
      return result;
    }),
});
const rotate = createRotateBoughtKey({ aliases, clock: systemClock, secrets: systemSecrets, write: writeLetter });
const buyer = { userId: null, email: 'buyer@example.com', name: null };
await rotate({ licenseKey: must(parseLicenseKey(key)), buyer }, 7);
await dieAt('after the commit');
await database.close();
