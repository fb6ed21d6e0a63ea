import { expect } from 'chai';
import type { Route } from '../../../../adapters/http/route.ts';
import { accountRoutes } from '../../../../apps/wiring/modules/account-api.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { type Scope, scopeNames } from '../../../../core/accounts/scope.ts';
import type { ProductId } from '../../../../core/id.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { operator } from '../../../support/by.ts';
import { prepareClaim } from '../../../support/example-claim.ts';
import { exampleAlias, prepareLicense } from '../../../support/example-license.ts';
import { exampleOffer } from '../../../support/example-product.ts';
import { listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { type Answer, createHttpClient, type HttpClient } from '../../../support/http-client.ts';
import { keyNumber, must } from '../../../support/license-acts.ts';
import { payable, placeOrder, placeSubscription } from '../../../support/placed-orders.ts';
import { runsLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';
import { type About, type Caller, calls, rules, type Thing } from './authorization-rules.ts';

/** A word that occurs nowhere else. */
const title = 'Qxzvgrlk';
const unknown: Thing = {
  product: '999999',
  other: '999998',
  license: keyNumber(999_999),
  key: '999999',
  webhook: '999999',
  delivery: '999999',
  coupon: '999999',
  order: '999999',
};

/** Calls that change nothing if they are made again. */
const repeatable: ReadonlySet<string> = new Set(['register', 'redeliver-webhook', 'replay-webhook']);

const service = await startAccountService({ ...payable, MANUAL_PAYMENTS_BY: 'seller' });
const routes = (await service.parts.get(accountRoutes)).filter(({ needsKey }) => needsKey);

describe('who may call what: the account API', () => {
  let owner: Account;
  let suspended: Account;
  let ownOfSuspended: Thing;
  let callers: Record<Caller, Account>;
  /** Keys of the owner: with each scope alone, and with all scopes but each. */
  const limited: { scopes: readonly Scope[]; account: Account }[] = [];
  before(async () => {
    owner = await service.account('pro');
    suspended = await service.account('pro');
    callers = {
      owner,
      stranger: await service.account('enterprise'),
      administrator: await service.account('pro'),
      otherMode: await service.keyOf(owner.user, { mode: 'test' }),
    };
    await service.template({ slug: 'dex' });
    for (const scope of scopeNames) {
      for (const scopes of [[scope], scopeNames.filter((one) => one !== scope)]) {
        limited.push({ scopes, account: await service.keyOf(owner.user, { scopes }) });
      }
    }
    const users = await service.parts.get(t.userAdministration);
    ownOfSuspended = await addThing(suspended, 'get-product');
    good(await users.suspend(suspended.user.email, operator));
    good(await users.setRole(callers.administrator.user.email, 'admin', operator));
  });
  after(() => service.close());

  /** Adds a product, a license and a key of an account, in the state in which the call succeeds. */
  async function addThing(account: Account, id: string, isPublished = calls[id]?.needsListing): Promise<Thing> {
    const product = await addProduct(account, isPublished);
    const issuing = await service.parts.get(t.issuing);
    const [license] = good(await issuing.issue({ productId: product, maxDomains: 9, expiresAt: null }, 1, operator));
    if (license === undefined) throw new Error('No license was issued.');
    const { from: status = 'published' } = calls[id] ?? {};
    await service.database.write(async (trx) => {
      const offers = calls[id]?.needsOffer ? JSON.stringify([exampleOffer]) : null;
      const bundle = calls[id]?.needsBundle ? JSON.stringify([{ productId: product, offer: null }]) : null;
      await trx('products').where({ id: product }).update({ status, is_approved: 1, offers, bundle });
    });
    if (calls[id]?.about === 'testLicense') await makeTest(product);
    if (calls[id]?.needsVersions) await addVersions(product);
    if (id === 'delete-release-code') await addCode(product);
    await prepareLicense(
      service.database,
      license,
      id.startsWith('reinstate')
        ? '/reinstate'
        : id.startsWith('remove-license-alias')
          ? `/aliases/${exampleAlias}`
          : '',
    );
    // An account can have only so many keys.
    const { keyId } = calls[id]?.about === 'key' ? await service.keyOf(account.user) : account;
    const hook = await addWebhook(account, id);
    if (calls[id]?.about === 'import') await addImport(account, String(product));
    const order = await addOrder(account, id, String(product));
    const coupon = await addCouponOf(account, id);
    const other = calls[id]?.needsOther ? await addProduct(account) : product;
    if (other !== product) {
      await service.database.write((trx) => trx('products').where({ id: other }).update({ status: 'published' }));
    }
    return { product: String(product), other: String(other), license, key: String(keyId), order, coupon, ...hook };
  }

  /** Adds a product of the account. If it is not published, which is faster, it has no file and no price. */
  async function addProduct({ user, submit }: Account, isPublished = false): Promise<ProductId> {
    if (!isPublished) return good(await service.products.add({ title, ownerId: user.id }, operator)).id;
    const published = await submit('/api/marketplace/publish', listingForm({ title }));
    expect(published.status, published.text).to.equal(200);
    return published.body.product.id;
  }

  /** Imports a license. Only once, because the key of the request is always the same. */
  async function addImport({ send }: Account, product: string): Promise<void> {
    const headers = { 'Content-Type': 'text/csv', 'Idempotency-Key': 'mine' };
    await send('/api/licenses/import', { method: 'POST', headers, body: `product\n${product}\n` });
  }

  async function makeTest(product: ProductId): Promise<void> {
    await service.database.write(async (trx) => {
      await trx('products').where({ id: product }).update({ is_live: 0 });
      await trx('licenses').where({ product_id: product }).update({ is_live: 0 });
    });
  }

  async function addVersions(product: ProductId): Promise<void> {
    await service.database.write(async (trx) => {
      await trx('product_versions').where({ product_id: product }).delete();
      const row = { product_id: product, notes: '', zip: 'products/none.zip', created_at: 1 };
      for (const [n, number] of ['0.1.0', '0.2.0'].entries()) {
        await trx('product_versions').insert({ ...row, ordinal: n + 1, number });
      }
    });
  }

  const codeId = 77;

  async function addCode(product: ProductId): Promise<void> {
    await service.database.write(async (trx) => {
      await trx('release_codes').where({ id: codeId }).delete();
      const row = { id: codeId, product_id: product, version: '0.1.0', contract: 'Dex' };
      await trx('release_codes').insert({ ...row, hash: `0x${'ab'.repeat(32)}`, created_at: 1 });
    });
  }

  async function addOrder({ user }: Account, id: string, product: string): Promise<string> {
    const about = calls[id]?.about;
    if (about === 'subscription') {
      const placed = String((await placeSubscription(service.parts, user.id)).id);
      const subscriptions = await service.parts.get(t.sellerSubscriptions);
      if (id.startsWith('resume')) good(await subscriptions.cancel(placed, { actor: operator, mode: 'live' }));
      return placed;
    }
    if (about !== 'order' && about !== 'claim') return unknown.order;
    const placed = await placeOrder(service.parts, product, { way: 'manual', isPaid: id === 'refund-order' });
    if (about === 'claim' || id === 'undo-refund') await prepareClaim(service.parts, placed.id);
    return String(placed.id);
  }

  async function addCouponOf({ post }: Account, id: string): Promise<string> {
    if (calls[id]?.about !== 'coupon') return unknown.coupon;
    return String((await post('/api/coupons', { percent_off: 10 })).body.coupon.id);
  }

  /** Adds a webhook with a delivery. An account can have only so many, so it replaces all others of the account. */
  async function addWebhook(account: Account, id: string): Promise<Pick<Thing, 'webhook' | 'delivery'>> {
    await service.database.write(async (trx) => {
      await trx('webhook_endpoints').where({ owner_id: account.user.id }).delete();
    });
    if (calls[id]?.about !== 'webhook') return { webhook: unknown.webhook, delivery: unknown.delivery };
    const webhooks = await service.parts.get(t.webhooks);
    const seller: Seller = { actor: { kind: 'user', user: account.user }, mode: 'live' };
    const url = id === 'fetch-webhook-deliveries' ? null : `https://${title}.example.com`;
    const terms = { url, events: '*', product: null, description: '' } as const;
    const made = good(await webhooks.create(terms, seller)).endpoint.id;
    const sent = good(await webhooks.sendSample(String(made), 'license.issued', seller));
    return { webhook: String(made), delivery: String(sent.id) };
  }

  function send(
    client: HttpClient,
    { id, method, paths: [path = ''] }: Route,
    thing: Thing,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const call = calls[id];
    if (call === undefined) throw new Error(`${id} is missing in authorization-rules.ts.`);
    const ids: Partial<Record<About, string>> = {
      key: thing.key,
      webhook: thing.webhook,
      coupon: thing.coupon,
      order: thing.order,
      subscription: thing.order,
    };
    const address = path
      .replace(':id', call.id ?? ids[call.about] ?? thing.product)
      .replace(':delivery', thing.delivery)
      .replace(':alias', String(exampleAlias))
      .replace(':version', '0.1.0')
      .replace(':code', String(codeId))
      .replace(':offer', exampleOffer.slug)
      .replace(':key', thing.license)
      .replace(':domain', 'app.example.com');
    if (call.form) return client.submit(address, call.form(), headers);
    if (call.csv) {
      const all = { 'Content-Type': 'text/csv', ...headers };
      return client.send(address, { method, headers: all, body: call.csv(thing) });
    }
    return client.send(`${address}${call.query ?? ''}`, {
      method: method.toUpperCase(),
      headers: { ...(call.json && { 'Content-Type': 'application/json' }), ...headers },
      ...(call.json && { body: JSON.stringify(call.json(thing)) }),
    });
  }

  it('has a rule for each route', () => {
    expect(Object.keys(calls).toSorted()).to.deep.equal(routes.map(({ id }) => id).toSorted());
  });

  for (const route of routes) {
    const { id, scope } = route;
    const { about } = calls[id] ?? { about: 'caller' as const };
    const rule = rules[about];

    describe(id, () => {
      /** A thing that all calls must leave as it is. */
      let thing: Thing;
      before(async () => {
        thing = await addThing(owner, id, true);
      });

      /** Returns the shared thing, or a new one if the call may change it. */
      const thingToCall = async () => (route.method === 'get' ? thing : await addThing(owner, id));

      const succeeding = (['owner', 'administrator', 'stranger', 'otherMode'] as const).filter(
        (name) => rule[name] === 200,
      );
      for (const name of succeeding) {
        it(`200 for ${name}`, async () => {
          const answer = await send(callers[name], route, await thingToCall());
          expect(answer.status, answer.text).to.equal(200);
          if (about === 'licenses') expect(answer.body.data[0].success).to.equal(true);
        });
      }

      for (const name of ['stranger', 'otherMode'] as const) {
        if (about !== 'caller') continue;
        it(`shows ${name} no product and no license of the owner`, async () => {
          const { text } = await send(callers[name], route, unknown);
          expect(text).to.not.match(new RegExp(`${title}|${thing.license}`, 'i'));
        });
      }

      if (scope) {
        it('200 for a key of the owner with the scope only', async () => {
          for (const { scopes, account } of limited) {
            if (scopes.length > 1 || !scopes.includes(scope)) continue;
            expect((await send(account, route, await thingToCall())).status, scope).to.equal(rule.owner);
          }
        });
      }

      if (route.isIdempotent && !repeatable.has(id)) {
        it('saves with its change that the Idempotency-Key was used, so that no retry makes the change again', async () => {
          const client = callers[must(succeeding[0])];
          const marked = await watchMarks(id);
          const answer = await send(client, route, await addThing(owner, id), { 'Idempotency-Key': id });
          expect(answer.status, answer.text).to.equal(200);
          expect(await marked()).to.equal(true);
        });
      }

      it('changes nothing for all others: 404, 403 without the scope, and 401 without a key that works', async () => {
        const before = await stored(service);
        await tellOthersNothing();
        await refuseOtherScopes();
        await refuseWithoutKey();
        expect(await stored(service)).to.deep.equal(before);
      });

      /** Others learn no more than that there is no such thing. */
      async function tellOthersNothing(): Promise<void> {
        for (const name of ['owner', 'stranger', 'administrator', 'otherMode'] as const) {
          const due = rule[name];
          if (due === 200) continue;
          const answer = await send(callers[name], route, thing);
          expect(answer.status, `${name}: ${answer.text}`).to.equal(due === 'none' ? 200 : due);
          if (due === 403) continue;
          const asUnknown = await send(callers[name], route, unknown);
          expect(shown(answer, thing), name).to.deep.equal(shown(asUnknown, unknown));
        }
      }

      async function refuseOtherScopes(): Promise<void> {
        for (const { scopes, account } of limited) {
          if (scope && scopes.includes(scope)) continue;
          // Each other scope alone only with TEST_LONG.
          if (!runsLong && scopes.length === 1) continue;
          expect((await send(account, route, thing)).status, scopes.join()).to.equal(403);
        }
      }

      async function refuseWithoutKey(): Promise<void> {
        const wrong = createHttpClient(service.url, { 'X-API-Key': `lk_sk_live_${'0'.repeat(32)}` });
        for (const client of [createHttpClient(service.url), wrong, suspended]) {
          const [own, other] = client === suspended ? [ownOfSuspended, thing] : [thing, unknown];
          // Only with TEST_LONG, each client tries each thing.
          for (const one of runsLong ? [thing, ownOfSuspended, unknown] : [own, other]) {
            expect((await send(client, route, one)).status).to.equal(401);
          }
        }
      }
    });
  }

  it('shows the owner and the administrator in lists what it hides from others', async () => {
    const { license } = await addThing(owner, 'list-products');
    for (const name of ['owner', 'administrator'] as const) {
      expect((await callers[name].get('/api/products')).text, name).to.include(title);
      expect((await callers[name].get('/api/licenses')).text, name).to.include(license);
    }
  });
});

/** Returns a function that tells if a change has marked the key of a request since, before the request had an answer. */
async function watchMarks(operation: string): Promise<() => Promise<boolean>> {
  await service.database.write(async (trx) => {
    await trx.raw('CREATE TEMP TABLE IF NOT EXISTS marks (key text)');
    await trx.raw(`CREATE TEMP TRIGGER IF NOT EXISTS mark AFTER INSERT ON main.idempotency_changes BEGIN
      INSERT INTO marks SELECT key FROM main.idempotency WHERE owner = NEW.owner AND status IS NULL; END`);
  });
  return async () => {
    const keys: string[] = await service.database.read((knex) => knex('marks').pluck('key'));
    return keys.some((key) => key.endsWith(`:${operation}:${operation}`));
  };
}

/** All rows of all tables and the paths of all files, but not when and how often keys are used, nor the counters of ids. */
async function stored({ database, files }: AccountService): Promise<unknown> {
  // JSON cannot hold blobs, so each value is quoted.
  const tables: { name: string; fields: string }[] = await database.read((knex) =>
    knex.raw(`
      SELECT m.name, group_concat('quote("' || c.name || '")') AS fields
      FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT IN ('account_usage', 'sqlite_sequence') AND c.name <> 'last_used_at'
      GROUP BY m.name`),
  );
  // One query for all tables is faster than one for each.
  const selects = tables.map(
    ({ name, fields }) =>
      `SELECT '${name}' AS name, json_group_array(json_array(${fields})) AS rows FROM "${name}" ${changesOf[name] ?? ''}`,
  );
  const found: { name: string; rows: string }[] = await database.read((knex) => knex.raw(selects.join(' UNION ALL ')));
  return [found.map(({ name, rows }) => [name, JSON.parse(rows)]), await files()];
}

/** The trail also has each file of licenses that was refused: of those who sent it. */
const changesOf: Readonly<Record<string, string>> = { audit_log: "WHERE type <> 'user.licenses_checked'" };

const changing = /^(?:x-request-id|date|content-length|.*ratelimit.*)$/;

/** The answer as the caller sees it, without the license, the product, the webhook, the order and the coupon that the request names. */
function shown({ status, headers, text }: Answer, { license, product, webhook, order, coupon }: Thing): unknown {
  const neutral = text
    .replaceAll(license, 'KEY')
    .replaceAll(new RegExp(`\\b(?:${product}|${webhook}|${order}|${coupon})\\b`, 'g'), 'ID');
  return [status, [...headers].filter(([name]) => !changing.test(name)), neutral];
}
