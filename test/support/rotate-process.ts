import { systemClock } from '../../adapters/node/clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createSqlLicenseAliases } from '../../adapters/sql/stores/license-aliases.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import { createRotateBoughtKey } from '../../core/purchases/bought-keys.ts';
import { writeLetter } from './letters.ts';
import { must } from './license-acts.ts';
import { dyingAt, dyingBeforeCommit, openAt } from './process-parts.ts';

// A process that replaces the key of a license. Usage: rotate-process.ts <database> <key> [step]. Kills itself at that step.

const [place = '', key = '', step] = process.argv.slice(2);
const database = await openAt(place);

const dieAt = dyingAt(step);
const aliases = createSqlLicenseAliases(dyingBeforeCommit(database, dieAt));
const rotate = createRotateBoughtKey({ aliases, clock: systemClock, secrets: systemSecrets, write: writeLetter });
const buyer = { userId: null, email: 'buyer@example.com', name: null };
await rotate({ licenseKey: must(parseLicenseKey(key)), buyer }, 7);
await dieAt('after the commit');
await database.close();
