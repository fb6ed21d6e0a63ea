import { expect } from 'chai';
import { accountRoutes } from '../../../../apps/wiring/modules/account-api.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { type Scope, scopeNames } from '../../../../core/accounts/scope.ts';
import { addBundle } from '../../../support/bundles.ts';
import { operator } from '../../../support/by.ts';
import { exampleAlias, prepareLicense } from '../../../support/example-license.ts';
import { formOf, listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { keyNumber } from '../../../support/license-acts.ts';
import { itLong, runsLong } from '../../../support/required-service.ts';
import { pngOf, zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

/** The scope that each endpoint needs. */
const needed: Readonly<Record<string, Scope | null>> = {
  'GET /api/auth/me': 'account:read',
  'GET /api/keys': 'account:read',
  'DELETE /api/keys/:id': null,
  'GET /api/templates': 'templates:read',
  'GET /api/templates/categories': 'templates:read',
  'GET /api/templates/:id': 'templates:read',
  'GET /api/templates/:id/download': 'templates:read',
  'POST /api/marketplace/publish': 'marketplace:write',
  'GET /api/marketplace/my-products': 'marketplace:read',
  'POST /api/marketplace/upload': 'marketplace:write',
  'GET /api/licenses': 'licenses:read',
  'POST /api/licenses': 'licenses:write',
  'GET /api/licenses/:key': 'licenses:read',
  'PATCH /api/licenses/:key': 'licenses:write',
  'POST /api/licenses/:key/suspend': 'licenses:write',
  'POST /api/licenses/:key/reinstate': 'licenses:write',
  'POST /api/licenses/:key/revoke': 'licenses:write',
  'POST /api/licenses/:key/renew': 'licenses:write',
  'DELETE /api/licenses/:key/domains/:domain': 'licenses:write',
  'POST /api/licenses/:key/domains/:domain/move': 'licenses:write',
  'GET /api/licenses/:key/aliases': 'licenses:read',
  'POST /api/licenses/:key/aliases': 'licenses:write',
  'DELETE /api/licenses/:key/aliases/:alias': 'licenses:write',
  'POST /api/licenses/:key/rotate': 'licenses:write',
  'POST /api/licenses/:key/clock': 'licenses:write',
  'POST /api/licenses/bulk': 'licenses:write',
  'POST /api/licenses/import': 'licenses:write',
  'GET /api/licenses/import': 'licenses:write',
  'GET /api/licenses/export': 'licenses:read',
  'GET /api/licenses/:key/events': 'licenses:read',
  'GET /api/licenses/:key/explain': 'licenses:read',
  'GET /api/licenses/:key/strays': 'licenses:read',
  'GET /api/licenses/:key/usage': 'licenses:read',
  'GET /api/products': 'marketplace:read',
  'GET /api/products/:id': 'marketplace:read',
  'PATCH /api/products/:id': 'marketplace:write',
  'GET /api/products/:id/offers': 'marketplace:read',
  'POST /api/products/:id/offers': 'marketplace:write',
  'PATCH /api/products/:id/offers/:offer': 'marketplace:write',
  'DELETE /api/products/:id/offers/:offer': 'marketplace:write',
  'POST /api/products/bundles': 'marketplace:write',
  'POST /api/products/:id/bundle': 'marketplace:write',
  'GET /api/products/:id/codes': 'marketplace:read',
  'POST /api/products/:id/codes': 'marketplace:write',
  'DELETE /api/products/:id/codes/:code': 'marketplace:write',
  'GET /api/products/:id/adapters/lemonsqueezy': 'marketplace:read',
  'PUT /api/products/:id/adapters/lemonsqueezy': 'marketplace:write',
  'GET /api/products/:id/adapters/edd': 'marketplace:read',
  'PUT /api/products/:id/adapters/edd': 'marketplace:write',
  'GET /api/products/:id/adapters/gumroad': 'marketplace:read',
  'PUT /api/products/:id/adapters/gumroad': 'marketplace:write',
  'GET /api/products/:id/adapters/slm': 'marketplace:read',
  'PUT /api/products/:id/adapters/slm': 'marketplace:write',
  'GET /api/products/:id/versions': 'marketplace:read',
  'POST /api/products/:id/versions': 'marketplace:write',
  'DELETE /api/products/:id/versions/:version': 'marketplace:write',
  'POST /api/products/:id/thumbnail': 'marketplace:write',
  'GET /api/products/:id/download': 'marketplace:read',
  'GET /api/products/:id/strays': 'marketplace:read',
  'GET /api/products/:id/usage': 'marketplace:read',
  'POST /api/products/:id/unlist': 'marketplace:write',
  'POST /api/products/:id/relist': 'marketplace:write',
  'POST /api/products/:id/resubmit': 'marketplace:write',
  'POST /api/products/:id/archive': 'marketplace:write',
  'POST /api/products/:id/approve': 'marketplace:write',
  'POST /api/products/:id/reject': 'marketplace:write',
  'GET /api/customers': 'orders:read',
  'GET /api/coupons': 'marketplace:read',
  'POST /api/coupons': 'marketplace:write',
  'GET /api/coupons/:id': 'marketplace:read',
  'POST /api/coupons/:id/end': 'marketplace:write',
  'GET /api/orders': 'orders:read',
  'GET /api/orders/:id': 'orders:read',
  'POST /api/orders/:id/refund': 'orders:write',
  'POST /api/orders/:id/refund/undo': 'orders:write',
  'GET /api/payment-claims': 'orders:read',
  'GET /api/payment-claims/:id': 'orders:read',
  'POST /api/payment-claims/:id/take': 'orders:write',
  'POST /api/payment-claims/:id/reject': 'orders:write',
  'GET /api/wallets': 'orders:read',
  'POST /api/orders/:id/paid': 'orders:write',
  'POST /api/orders/:id/cancel': 'orders:write',
  'GET /api/subscriptions': 'orders:read',
  'GET /api/subscriptions/:id': 'orders:read',
  'POST /api/subscriptions/:id/cancel': 'orders:write',
  'POST /api/subscriptions/:id/resume': 'orders:write',
  'GET /api/webhooks': 'webhooks:write',
  'POST /api/webhooks': 'webhooks:write',
  'GET /api/webhooks/:id': 'webhooks:write',
  'PATCH /api/webhooks/:id': 'webhooks:write',
  'DELETE /api/webhooks/:id': 'webhooks:write',
  'POST /api/webhooks/:id/rotate-secret': 'webhooks:write',
  'POST /api/webhooks/:id/test': 'webhooks:write',
  'GET /api/webhooks/:id/deliveries': 'webhooks:write',
  'GET /api/webhooks/:id/deliveries/:delivery': 'webhooks:write',
  'POST /api/webhooks/:id/deliveries/:delivery/redeliver': 'webhooks:write',
  'POST /api/webhooks/:id/replay': 'webhooks:write',
  'POST /api/webhooks/:id/fetch': 'webhooks:write',
  'POST /api/deploy/preflight': 'deployments:write',
  'POST /api/deploy/register': 'deployments:write',
  'GET /api/deployments': 'deployments:write',
  'GET /api/deployments/export': 'deployments:write',
  'GET /api/deployments/figures': 'marketplace:read',
  'GET /api/deployments/figures/export': 'marketplace:read',
  'GET /api/purchases': 'purchases:read',
};

const deployment = {
  chain: 'sepolia',
  chain_id: 11_155_111,
  address: `0x${'5f'.repeat(20)}`,
  tx_hash: `0x${'a1'.repeat(32)}`,
};

/** A license for each endpoint, because the calls run at the same time. */
const licenses = new Map(Object.keys(needed).map((endpoint, n) => [endpoint, keyNumber(n)]));
/** Takes a form with files. */
const isForm = (endpoint: string) => /^POST .*\/(?:publish|upload|versions|thumbnail|import)$/.test(endpoint);
/** Is sent for a key, a product or an import that does not exist. */
const findsNothing = (endpoint: string) =>
  /^GET .*\/import$|\/(?:keys|products|coupons|orders|payment-claims|subscriptions|webhooks)\/:id/.test(endpoint);

/** No scope, each scope alone, all but each, and all. `test/core/accounts/scope.test.ts` tries random sets. */
const subsets: readonly (readonly Scope[])[] = [
  [],
  scopeNames,
  ...scopeNames.flatMap((one) => [[one], scopeNames.filter((other) => other !== one)]),
];

/** Whether the set has no scope, all, only the needed one, or all but this one. The other sets are tried with TEST_LONG. */
function isTelling(scopes: readonly Scope[], needed: Scope | null): boolean {
  if (scopes.length === 0 || scopes.length === scopeNames.length) return true;
  if (needed === null) return false;
  return scopes.length === 1 ? scopes.includes(needed) : !scopes.includes(needed);
}

describe('scopes of API keys', () => {
  let service: AccountService;
  let owner: Account;
  /** What a bundle of the owner can contain. */
  let contents: object[];
  before(async () => {
    service = await startAccountService();
    owner = await service.account('pro');
    await service.template({ slug: 'dex' });
    const product = good(await service.products.add({ title: 'Jar', ownerId: owner.user.id }, operator));
    const products = await service.parts.get(t.productStore);
    const { inside } = await addBundle({ products }, [1_000, 2_000], { ownerId: owner.user.id });
    contents = inside.map(({ id }) => ({ product: id }));
    const issuing = await service.parts.get(t.issuing);
    for (const key of licenses.values()) {
      good(await issuing.issueAs(key, { productId: product.id, maxDomains: 9, expiresAt: null }, operator));
    }
  });
  after(() => service.close());

  /** The address of an endpoint, for a template that exists and a key that does not exist. */
  const pathOf = (endpoint: string) =>
    endpoint
      .replace(/^\w+ /, '')
      .replace(':alias', String(exampleAlias))
      .replace('keys/:id', 'keys/999')
      .replace('coupons/:id', 'coupons/999')
      .replace('orders/:id', 'orders/999')
      .replace('subscriptions/:id', 'subscriptions/999')
      .replace('webhooks/:id', 'webhooks/999')
      .replace(':delivery', '1')
      .replace(':version', '1')
      .replace(':code', '1')
      .replace(':offer', 'team')
      .replace(':id', 'dex')
      .replace(':key', licenses.get(endpoint) ?? '')
      .replace(':domain', 'app.example.com')
      .replace(/explain$/, 'explain?domain=a.com')
      .replace(/^(\/api\/licenses\/import)$/, '$1?idempotency_key=none');

  /** Sends a request that succeeds if the key allows it. Revoking finds no key. */
  async function call(account: Account, endpoint: string): Promise<Answer> {
    const license = licenses.get(endpoint);
    if (license !== undefined) await prepareLicense(service.database, license, endpoint);
    const [method = ''] = endpoint.split(' ');
    const address = pathOf(endpoint);
    if (address.endsWith('publish')) return account.submit(address, listingForm());
    if (address.endsWith('upload')) return account.submit(address, formOf({ file: pngOf() }));
    if (address === '/api/licenses' && method === 'POST') return account.post(address, { product: 'jar' });
    if (address.endsWith('move')) return account.post(address, { to: 'new.example.com' });
    if (endpoint === 'POST /api/licenses/import') {
      const headers = { 'Content-Type': 'text/csv' };
      return account.send(address, { method, headers, body: 'product\r\njar\r\n' });
    }
    if (/rotate$|clock$/.test(address)) return account.post(address, {});
    if (method === 'POST' && address.endsWith('aliases')) {
      return account.post(address, { kind: 'other', value: `a key for ${endpoint}` });
    }
    if (address.endsWith('bulk')) return account.post(address, { action: 'suspend', keys: ['x'] });
    if (endpoint.endsWith('versions') && method === 'POST') {
      return account.submit(address, formOf({ product_zip: await zipOf() }));
    }
    if (endpoint.endsWith('bundles')) {
      const texts = { title: 'Both', tagline: 'Both', description: 'Two products in one.' };
      return account.post(address, { ...texts, price: '1', products: contents });
    }
    if (endpoint.endsWith('bundle')) return account.post(address, { products: null });
    if (endpoint === 'POST /api/products/:id/codes')
      return account.post(address, { version: '1', contract: 'Dex', runtime_code: '0x00' });
    if (endpoint === 'POST /api/products/:id/offers') return account.post(address, { name: 'Team', price: '1' });
    if (endpoint.endsWith('thumbnail')) return account.submit(address, formOf({ thumbnail: pngOf() }));
    if (endpoint.endsWith('undo')) return account.post(address, { transaction: '0x1' });
    if (endpoint.endsWith('take')) return account.post(address, {});
    if (endpoint.endsWith('reject')) return account.post(address, { reason: 'No.' });
    if (address === '/api/webhooks' && method === 'POST') {
      return account.post(address, { url: 'https://hooks.example.com', events: '*' });
    }
    if (endpoint.endsWith(':id/test')) return account.post(address, { event: 'license.issued' });
    if (endpoint.endsWith('fetch')) return account.post(address, {});
    if (endpoint.endsWith('replay')) return account.post(address, { since: '2026-01-01T00:00:00Z' });
    if (address === '/api/coupons' && method === 'POST') {
      return account.post(address, { percent_off: 10, max_uses: 3 });
    }
    if (/^\/api\/(?:orders|subscriptions|coupons)\//.test(address) && method === 'POST')
      return account.post(address, {});
    if (method === 'PATCH' || method === 'PUT') {
      const body = method === 'PUT' ? '{"enabled": true}' : '{}';
      return account.send(address, { method, headers: { 'Content-Type': 'application/json' }, body });
    }
    if (method === 'POST') return account.post(address, deployment);
    return account.send(address, { method });
  }

  const stored = () => Promise.all(['products', 'licenses', 'uploads', 'deployments', 'kept_files'].map(service.rows));

  it('are declared by every endpoint of the account API that needs a key', async () => {
    const routes = (await service.parts.get(accountRoutes)).filter(({ needsKey }) => needsKey);
    const declared = routes.flatMap(({ method, paths, scope }) =>
      paths.map((path) => [`${method.toUpperCase()} ${path}`, scope]),
    );
    expect(Object.fromEntries(declared)).to.deep.equal(needed);
  });

  // `authorization.test.ts` checks each endpoint with its scope alone and with all others.
  it('allow exactly the calls whose scope the key has, whatever its other scopes are', async () => {
    for (const scopes of subsets) {
      const account = await service.keyOf(owner.user, { scopes });
      const checks = Object.entries(needed).map(async ([endpoint, scope]) => {
        if (!runsLong && !isTelling(scopes, scope)) return;
        const at = `${endpoint} with ${scopes}`;
        // Uploads are slow. The next tests send complete ones.
        const isFast = !isForm(endpoint);
        const { status, body } = await (isFast ? call(account, endpoint) : account.post(pathOf(endpoint), {}));
        if (scope === null) expect(status, at).to.equal(404);
        else if (scopes.includes(scope)) {
          expect(status, at).to.equal(isFast ? (findsNothing(endpoint) ? 404 : 200) : 415);
        } else {
          expect(status, at).to.equal(403);
          const message = `The API key lacks the scope ${scope}.`;
          expect(body, at).to.deep.equal({ error: { code: 'FORBIDDEN', message } });
        }
      });
      await Promise.all(checks);
    }
  });

  itLong(
    'allow everything for a key with all of them, and for a key with one scope what that scope allows',
    async () => {
      const all = await service.keyOf(owner.user, { scopes: null });
      const ofScope = new Map<string | null, Account>();
      for (const [endpoint, scope] of Object.entries(needed)) {
        const one = ofScope.get(scope) ?? (await service.keyOf(owner.user, { scopes: scope === null ? [] : [scope] }));
        ofScope.set(scope, one);
        for (const account of [all, one]) {
          expect((await call(account, endpoint)).status, endpoint).to.equal(findsNothing(endpoint) ? 404 : 200);
        }
      }
    },
  );

  it('refuse a call before its body is read, and store nothing', async () => {
    const account = await service.keyOf(owner.user, { scopes: [] });
    for (const [endpoint, key] of licenses) await prepareLicense(service.database, key, endpoint);
    const before = [await stored(), await service.files()];
    for (const endpoint of Object.keys(needed)) {
      if (needed[endpoint] !== null) expect((await call(account, endpoint)).status, endpoint).to.equal(403);
    }
    expect((await account.post('/api/deploy/register', '{')).status).to.equal(403);
    expect([await stored(), await service.files()]).to.deep.equal(before);
  });

  it('refuse a call also if its Idempotency-Key already has an answer', async () => {
    const headers = { 'Idempotency-Key': 'same' };
    expect((await owner.post('/api/deploy/register', deployment, headers)).status).to.equal(200);
    const account = await service.keyOf(owner.user, { scopes: ['account:read'] });
    expect((await account.post('/api/deploy/register', deployment, headers)).status).to.equal(403);
  });

  it('do not change which templates the plan allows', async () => {
    await service.template({ slug: 'paid', tier: 'enterprise' });
    const account = await service.keyOf(owner.user, { scopes: ['templates:read'] });
    expect((await account.get('/api/templates/paid')).status).to.equal(404);
  });
});
