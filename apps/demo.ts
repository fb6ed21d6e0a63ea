import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError } from './commands/describe-error.ts';
import { table } from './commands/table.ts';
import { accountTries, addAccounts } from './demo/account.ts';
import { addLicenses, type Keys, licenseTries, title } from './demo/licenses.ts';
import { addSales, sellingTries } from './demo/selling.ts';
import { clientOf, printTries } from './demo/try.ts';
import { serveAlone } from './server/serve-alone.ts';
import { readConfig } from './wiring/config.ts';

/** Runs a server with sample data in a temporary folder. Of all settings, it uses only PORT. */
async function demo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const database = `sqlite:${join(folder, 'latchkey.db')}`;
  const PORT = String(readConfig().PORT);
  const config = readConfig({
    PORT,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATABASE_URL: database,
    FILES_URL: `disk:${join(folder, 'files')}`,
  });
  await serveAlone(config, async ({ parts, address, port }) => {
    const url = `http://${address}:${port}`;
    const keys = await addLicenses(parts);
    const account = await addAccounts(parts, folder);
    const client = clientOf(url);
    const sold = await addSales(parts);
    const tries = printTries([
      ...licenseTries(client, keys),
      ...accountTries(client, account),
      ...sellingTries(client, account, sold),
    ]);
    process.stdout.write(`${introduce(url, database, keys)}\n${tries}\nCtrl+C stops it.\n`);
  });
}

function introduce(url: string, database: string, keys: Keys): string {
  const states = {
    active: [keys.active, 'active on app.example.com, its only domain'],
    unused: [keys.unused, 'active for a year, with 3 free domains'],
    suspended: [keys.suspended, 'suspended'],
    revoked: [keys.revoked, 'revoked'],
    expired: [keys.expired, 'expired yesterday'],
  } satisfies Record<keyof Keys, string[]>;
  const rows = table(Object.values(states));
  return `Latchkey serves on ${url}, with sample licenses for "${title}". They are deleted when it stops.
To manage them: DATABASE_URL=${database} node dist/apps/latchkey-server.js license list
${url}/docs shows the whole API; ${url}/marketplace/nft-drop is the page of a product.

${rows}
`;
}

try {
  await demo();
} catch (error) {
  process.stderr.write(`latchkey demo: ${describeError(error)}\n`);
  process.exitCode = 1;
}
