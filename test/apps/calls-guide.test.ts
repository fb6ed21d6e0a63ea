import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { columnNames } from '../../adapters/csv/columns.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { type OpenService, openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { accountRoutes } from '../../apps/wiring/modules/account-api.ts';
import { storefrontRoutes } from '../../apps/wiring/modules/storefront.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { startDashboardService } from '../adapters/http/dashboard/dashboard-service.ts';
import { operator } from '../support/by.ts';
import { exampleClaim, prepareClaim } from '../support/example-claim.ts';
import { addFiles } from '../support/fill-service.ts';
import { good } from '../support/good.ts';
import { createHttpClient } from '../support/http-client.ts';
import { payable, placeOrder, placeSubscription } from '../support/placed-orders.ts';
import { itLong } from '../support/required-service.ts';

/** Returns the part of a guide under a heading, to the next heading of the second level. */
async function partOf(guide: string, heading: string): Promise<string> {
  const text = await readFile(new URL(`../../apps/docs/${guide}.md`, import.meta.url), 'utf8');
  const [, part = ''] = text.split(`## ${heading}\n`);
  return part.split(/\n## /)[0] ?? '';
}

/** Returns the first cells of the rows of a table, and the cells after them. */
const rowsOf = (part: string) =>
  Array.from(part.matchAll(/^ *\| (`.*?) \|(.*)\|$/gm), ([, first = '', rest = '']) => ({ first, rest }));

const namesIn = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

/** Names of parameters do not matter, nor what stands after `?`. */
const plain = (path: string) => path.replace(/\?.*/, '').replace(/:\w+/g, ':');

/** Returns the calls in a cell: `GET`, `PATCH /a`, or `POST /a/one`, `/two`, or `…/two`. */
function callsIn(cell: string): string[] {
  const methods: string[] = [];
  let method = '';
  let last = '';
  return namesIn(cell).flatMap((text) => {
    if (/^[A-Z]+$/.test(text)) {
      methods.push(text);
      return [];
    }
    const [, given, path = ''] = /^(?:([A-Z]+) )?(.+)$/.exec(text) ?? [];
    if (given !== undefined) [method, last] = [given, path];
    const full = given === undefined ? path.replace(/^…?\//, `${last.slice(0, last.lastIndexOf('/'))}/`) : path;
    return [...methods.splice(0), method].map((one) => `${one} ${plain(full)}`);
  });
}

describe('the guides to calls', () => {
  let service: OpenService;
  let isStale = false;
  before(async () => {
    const settings = { ...payable, DATABASE_URL: 'memory:', FILES_URL: 'temporary:', RATE_LIMIT_URL: 'off:' };
    const config = readConfig({ ...settings, LOG_LEVEL: 'silent', PORT: '0' });
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    service = await openService(
      config,
      async (wanted) => {
        const parts = await compose(wanted, { clock });
        // Before the stores are made. Only Postgres has replicas.
        const database = await parts.get(t.database);
        const readStale: typeof database.read = (work) => {
          isStale = true;
          return database.read(work);
        };
        Object.assign(database, { readStale });
        return parts;
      },
      'localhost',
    );
  });
  after(() => service?.close(0));

  /** The calls of all APIs, with the scope of each. Those of the license API are at its short paths. */
  const routes = async () => {
    const lists = [accountRoutes, storefrontRoutes, t.licenseRoutes].map((list) => service.parts.get(list));
    return (await Promise.all(lists)).flat().map(({ method, paths: [path = ''], scope }) => ({
      call: `${method.toUpperCase()} ${plain(path)}`,
      path,
      scope,
    }));
  };

  itLong('list every call of the account API with its scope, and no other', async () => {
    const account = rowsOf(await partOf('account-api', 'Endpoints')).flatMap(({ first, rest }) => {
      const [scope] = namesIn(rest.split('|')[0] ?? '');
      if (first === '`/api/webhooks…`') return [];
      return callsIn(first).map((call) => `${call} ${scope}`);
    });
    const webhooks = rowsOf(await partOf('webhooks', 'Calls')).flatMap(({ first }) =>
      callsIn(first).map((call) => `${call} webhooks:write`),
    );
    const made = (await routes()).filter(({ path }) => path.startsWith('/api/'));
    expect([...account, ...webhooks].toSorted()).to.deep.equal(
      made.map(({ call, scope }) => `${call} ${scope ?? undefined}`).toSorted(),
    );
  });

  it('name the calls that take no Idempotency-Key, of those that change something with a key', async () => {
    const [, named = ''] = /takes it, except\n(.*?),? which/s.exec(await partOf('account-api', 'Idempotency')) ?? [];
    const posts = (await service.parts.get(accountRoutes)).filter(
      ({ method, needsKey }) => method === 'post' && needsKey,
    );
    const without = posts.filter(({ isIdempotent }) => !isIdempotent).flatMap(({ paths }) => paths);
    expect(namesIn(named)).to.have.members(without);
  });

  itLong('list every call that can read the replica, and no other', async () => {
    const { parts, port } = service;
    const url = `http://localhost:${port}`;
    const { caller, product, template } = await addFiles(parts, 'ada');
    const accounts = await parts.get(t.accounts);
    const terms = { name: 'test', mode: 'live', scopes: null, expiresAt: null } as const;
    const { secret } = good(await accounts.createKey(caller.user.email, terms, operator));
    const ada = createHttpClient(url, { 'X-API-Key': secret });
    good(await (await parts.get(t.products)).change(product.slug, 'approve', operator));
    const order = await placeOrder(parts, product.slug);
    await prepareClaim(parts, order.id);
    const webhook = (await ada.post('/api/webhooks', { url: 'https://hooks.example.com', events: '*' })).body.webhook;
    const { delivery } = (await ada.post(`/api/webhooks/${webhook.id}/test`, { event: 'license.issued' })).body;
    const ids: Readonly<Record<string, string | number>> = {
      products: product.id,
      templates: template.id,
      orders: order.id,
      'payment-claims': exampleClaim,
      coupons: (await ada.post('/api/coupons', { percent_off: 10 })).body.coupon.id,
      subscriptions: (await placeSubscription(parts, caller.user.id)).id,
      webhooks: webhook.id,
      ':delivery': delivery.id,
      ':key': order.licenseKey ?? '',
      ':slug': product.slug,
    };
    const addressOf = (path: string) =>
      path
        .replace(/([\w-]+)\/:id/, (_, thing) => `${thing}/${ids[thing] ?? 1}`)
        .replace(/:\w+/g, (name) => `${ids[name]}`);
    const query = new URLSearchParams({
      license_key: order.licenseKey ?? '',
      domain: 'a.com',
      idempotency_key: 'none',
    });
    const found: string[] = [];
    for (const { call, path } of await routes()) {
      if (!call.startsWith('GET ')) continue;
      isStale = false;
      const { status } = await ada.get(addressOf(path), Object.fromEntries(query));
      expect([status, call]).to.deep.equal([call === 'GET /api/licenses/import' ? 404 : 200, call]);
      if (isStale) found.push(call);
    }
    const [, table = ''] = /((?:\|.*\n)+)/.exec(await partOf('scaling', 'A replica for lists and status')) ?? [];
    const listed = namesIn(table).filter((name) => name.startsWith('GET '));
    expect(listed.map(plain)).to.have.members(found);
  });
});

describe('the guide to files of licenses', () => {
  it('has a row for each column, in the order of an export', async () => {
    const rows = rowsOf(await partOf('selling', 'Many licenses at once')).flatMap(({ first }) => namesIn(first));
    expect(rows).to.have.members(columnNames);
  });
});

describe('the guide to administration', () => {
  itLong('lists every page that the menu of administrators has', async () => {
    await using service = await startDashboardService();
    const { browser } = await service.signedInUser({ role: 'admin' });
    const { html } = await browser.get('/admin/users');
    const menu = Array.from(html.matchAll(/href="(?:\.\.\/)*(admin(?:\/[\w-]+)?)"/g), ([, path = '']) => `/${path}`);
    const listed = rowsOf(await partOf('administration', 'Administration in the browser')).flatMap(({ first }) =>
      namesIn(first),
    );
    expect(new Set(listed.filter((path) => !path.includes('<')))).to.deep.equal(new Set(menu));
  });
});
