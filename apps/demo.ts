import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError } from './commands/describe-error.ts';
import { table } from './commands/table.ts';
import { accountTries, addAccounts } from './demo/account.ts';
import { addLeased, type LeasedLicense, leaseTries } from './demo/leases.ts';
import { addLicenses, licenseTries, title } from './demo/licenses.ts';
import { addOrders, orderTries, type Sold } from './demo/orders.ts';
import { addPeople, password, people } from './demo/people.ts';
import { addSales, sellingTries } from './demo/selling.ts';
import { addShop } from './demo/shop.ts';
import { clientOf, printTries } from './demo/try.ts';
import type { SampleKeys } from './samples/licenses.ts';
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
    PAYMENTS_URL: 'test:demo',
  });
  await serveAlone(config, async ({ parts, address, port }) => {
    const url = `http://${address}:${port}`;
    const keys = await addLicenses(parts);
    const account = await addAccounts(parts, folder);
    const client = clientOf(url);
    const sold = await addSales(parts);
    await addPeople(parts);
    const sellerKey = await addShop(parts);
    const orders = await addOrders(parts);
    const leased = await addLeased(parts, orders.bought);
    const tries = printTries([
      ...licenseTries(client, keys),
      ...accountTries(client, account),
      ...sellingTries(client, account, sold),
      ...orderTries(client, orders, sellerKey),
      ...leaseTries(client, leased),
    ]);
    process.stdout.write(
      `${introduce(url, database, keys)}\n${tries}\n${introduceShop(url, orders)}\n${introduceLeases(url, orders, leased)}\nCtrl+C stops it.\n`,
    );
  });
}

function introduce(url: string, database: string, keys: SampleKeys): string {
  const states = {
    active: [keys.active, 'active on app.example.com, its only domain'],
    unused: [keys.unused, 'active for a year, with 3 free domains'],
    suspended: [keys.suspended, 'suspended'],
    revoked: [keys.revoked, 'revoked'],
    expired: [keys.expired, 'expired yesterday'],
  } satisfies Record<keyof SampleKeys, string[]>;
  const rows = table(Object.values(states));
  return `Latchkey serves on ${url}, with sample licenses for "${title}". They are deleted when it stops.
To manage them: DATABASE_URL=${database} node dist/apps/latchkey-server.js license list
${url}/docs shows the whole API; ${url}/marketplace/nft-drop is the page of a product.

${rows}
`;
}

/** Describes the storefront: the pages to look at, and the accounts. Printed last, so that people see it. */
function introduceShop(url: string, { disputed, held, bought }: Sold): string {
  const rows = Object.entries(people).map(([who, { email, place }]) => [who, email, `${url}/${place}`]);
  const orders = [
    ['a purchase', `${url}/orders/${bought.token}`],
    ['a disputed order', `${url}/selling/live/orders/${disputed.id}`],
    ['an order that an administrator decides about', `${url}/selling/live/orders/${held.id}`],
  ];
  return `The storefront is ${url}/marketplace. Everything costs play money only.
Sign in on ${url}/sign-in with the password ${password}:

${table(rows)}

${table(orders)}
`;
}

/** Describes a license whose sites check leases and prove their domains, and whose key has leaked. */
function introduceLeases(url: string, { bought }: Sold, { key, productId, publicKey }: LeasedLicense): string {
  const facts = [
    ['a license with leases, a proven domain and foreign domains', key],
    ['the public key of its leases, to build into a program', publicKey],
    ['its page for the seller', `${url}/selling/live/licenses/${key}`],
    ['its product, which asks for proofs', `${url}/selling/live/products/${productId}`],
    ['its page for the buyer', `${url}/orders/${bought.token}`],
    ['why a new domain does not work yet', `${url}/orders/${bought.token}?domain=new-shop.example.net#explain`],
  ];
  return `${table(facts)}
`;
}

try {
  await demo();
} catch (error) {
  process.stderr.write(`latchkey demo: ${describeError(error)}\n`);
  process.exitCode = 1;
}
