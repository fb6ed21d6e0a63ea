import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { type ProductId, toOrderId } from '../../../../core/id.ts';
import { freeDomainsLimit } from '../../../../core/licensing/activations.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import type { Terms } from '../../../../core/licensing/terms.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { addBundle } from '../../../support/bundles.ts';
import { operator } from '../../../support/by.ts';
import { codeOf, codesOf, createConformance, type Json, operationsOf } from '../../../support/conformance.ts';
import { prepareClaim } from '../../../support/example-claim.ts';
import { prepareCoupon } from '../../../support/example-coupon.ts';
import { exampleKey, prepareLicense } from '../../../support/example-license.ts';
import {
  exampleOffer,
  exampleSlug,
  isAboutProduct,
  newestVersion,
  prepareProduct,
} from '../../../support/example-product.ts';
import { prepareWebhook } from '../../../support/example-webhook.ts';
import { formOf, listingForm, type Part } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { payable, placeOrder, placeSubscription } from '../../../support/placed-orders.ts';
import { itLong, needing, skipLong } from '../../../support/required-service.ts';
import { pngOf, zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';

const second = 1_000;
const minute = 60 * second;
const quarter = 15 * minute;
const day = 86_400 * second;
const limit = 20_000;

/** The terms of a license that has the entitlement of the examples. */
const exampleTerms = { maxDomains: 9, expiresAt: null, entitlements: ['pro'] };

/** A request that a test may change before it is sent. */
interface Draft {
  readonly method: string;
  readonly path: string;
  readonly params: Record<string, string>;
  readonly query: [name: string, value: string][];
  readonly headers: Record<string, string>;
  json?: Json | undefined;
  form?: Record<string, Part | undefined> | undefined;
  /** A body that replaces `json` and `form`. */
  raw?: string | undefined;
}

const settings = {
  ...payable,
  RATE_LIMIT_URL: 'memory:',
  RATE_LIMIT_ACTIVATE: '2',
  RATE_LIMIT_DEACTIVATE: '2',
  RATE_LIMIT_STATUS: '2',
  RATE_LIMIT_VERIFY: '2',
  MAX_ZIP_SIZE: String(limit),
  MAX_IMAGE_SIZE: String(limit),
  MAX_CSV_SIZE: String(limit),
};

const unpaid = { way: 'manual', isPaid: false } as const;
/** The operations that get odd requests and general failures without TEST_LONG too: one with JSON, one with a form, and one with neither. */
const samples = ['/activate', '/api/marketplace/publish', '/api/marketplace/my-products'];
const document = await servedDocument();
const operations = operationsOf(document);
/** A product that the example of a search finds. */
const exampleListing = listingForm({
  title: 'Uniswap-style DEX',
  category: 'defi-dex',
  subcategory: 'amm',
  blockchains: '["base"]',
});
const files = { product_zip: await zipOf(), thumbnail: pngOf(), file: pngOf() };

describe('every answer matches /openapi.json', () => {
  const conformance = createConformance(document);
  let service: AccountService;
  let key: string;
  let testKey: string;
  let seller: Account;
  /** A key of the seller without any right. */
  let powerless: Account | undefined;
  /** The parameters of paths to things that the seller has. */
  const ownIds: Record<string, Record<string, string>> = {};
  let productId: ProductId;
  /** What a bundle of the seller can contain. */
  let contents: Json[] = [];

  before(async () => {
    service = await startAccountService(settings);
    seller = await service.account('pro');
    key = seller.key;
    testKey = (await service.keyOf(seller.user, { mode: 'test' })).key;
    ownIds['/api/keys/{id}'] = { id: String((await service.keyOf(seller.user)).keyId) };
    await service.template({ slug: 'paid', tier: 'pro' });
    await service.template({
      slug: 'simple-dex',
      parameters: [
        { name: 'a', type: 'select', label: 'A', description: '', required: true, default: null, options: ['b'] },
        { name: 'c', type: 'number', label: 'C', description: '', required: false, default: 1 },
      ],
    });
    productId = good(await service.products.add({ title: 'Simple DEX', ownerId: seller.user.id }, operator)).id;
    const offers = await service.parts.get(t.productOffers);
    good(await offers.add('simple-dex', exampleOffer, { actor: operator, mode: 'live' }));
    const issuing = await service.parts.get(t.issuing);
    good(await issuing.issueAs(exampleKey, { productId, ...exampleTerms }, operator));
    // Administrators may use every operation.
    good(await (await service.parts.get(t.userAdministration)).setRole(seller.user.email, 'admin', operator));
    const published = await seller.submit('/api/marketplace/publish', exampleListing);
    expect(published.body.product.slug).to.equal(exampleSlug);
    await service.products.change(exampleSlug, 'approve', operator);
    await seller.submit('/api/marketplace/publish', listingForm({ title: 'For sale', price: '49.90' }));
    good(await service.products.change('for-sale', 'approve', operator));
    const products = await service.parts.get(t.productStore);
    const { bundle, inside } = await addBundle({ products }, [1_000, 2_000], { ownerId: seller.user.id });
    ownIds['/api/products/{id}/bundle'] = { id: bundle.slug };
    contents = inside.map(({ id }) => ({ product: id, offer: null }));
  });
  after(() => service.close());

  /** Returns the example in the document of a request to this operation. */
  function exampleOf({ method, path, parameters, requestBody, needsKey }: (typeof operations)[number]): Draft {
    const of = (place: string): [string, string][] =>
      parameters
        .filter((one) => one.in === place && one.name !== 'cursor')
        .map(({ name, example }) => [name, String(example)]);
    const csv = requestBody?.content['text/csv'] && 'product\r\nsimple-dex\r\n';
    const form = csv === undefined ? requestBody?.content['multipart/form-data']?.example : undefined;
    const json = csv === undefined ? structuredClone(requestBody?.content['application/json']?.example) : undefined;
    if (/\/bundles?$/.test(path)) json.products = contents;
    return {
      method,
      path,
      params: { ...Object.fromEntries(of('path')), ...ownIds[path] },
      // The file has our own columns, so it is no export of another system.
      query: csv === undefined ? of('query') : [],
      headers: { ...(needsKey && { 'X-API-Key': key }), ...(csv && { 'Content-Type': 'text/csv' }) },
      json,
      ...(csv && { raw: csv }),
      form:
        form &&
        Object.fromEntries(
          Object.entries<string>(form).map(([name, text]) => [name, files[name as keyof typeof files] ?? text]),
        ),
    };
  }

  const isCsv = ({ headers }: Draft) => headers['Content-Type'] === 'text/csv';

  /** Sends each request in a new minute, so that no rate limit refuses it. */
  async function send(draft: Draft): Promise<Answer> {
    service.clock.advance(draft.path.startsWith('/api/device/code') ? quarter : minute);
    // The clock has moved on, so the example is older than the oldest events that are kept. A repeated request has the
    // same time.
    if (typeof draft.json?.since === 'string') {
      const now = service.clock.now();
      draft.json.since = new Date(now - (now % day)).toISOString();
    }
    if ('key' in draft.params) await prepareLicense(service.database, exampleKey, draft.path);
    if ('key' in draft.params) await makeTest(draft);
    // Each call gets an order of its own in the place of the example.
    if (draft.path.startsWith('/api/orders/') && draft.params.id === '1042') {
      const isPaid = draft.path.includes('/refund');
      draft.params.id = String((await placeOrder(service.parts, 'for-sale', { way: 'manual', isPaid })).id);
    }
    if (draft.path.startsWith('/api/payment-claims') || draft.path.endsWith('/refund/undo')) {
      const id = Number(draft.params.id);
      const order = draft.path.endsWith('/undo') ? id : (await placeOrder(service.parts, 'for-sale', unpaid)).id;
      // Some requests name no order at all.
      if (Number.isInteger(order)) await prepareClaim(service.parts, toOrderId(order));
    }
    if (draft.path.startsWith('/api/subscriptions/') && draft.params.id === '1043') {
      draft.params.id = String((await placeSubscription(service.parts, seller.user.id)).id);
    }
    if (isAboutProduct(draft.path)) await prepareProduct(service.database, exampleSlug, draft.path);
    if (draft.path.startsWith('/api/coupons')) await prepareCoupon(service.database, seller.user.id);
    if (draft.path.startsWith('/api/webhooks')) {
      await prepareWebhook(service.database, seller.user.id, service.clock.now(), draft.path.endsWith('/fetch'));
    }
    return await sendAtOnce(draft);
  }

  /** Only test licenses have a clock, and only test keys reach them. */
  async function makeTest({ path, headers }: Draft): Promise<void> {
    const isTest = path.endsWith('/clock');
    if (isTest && headers['X-API-Key'] === key) headers['X-API-Key'] = testKey;
    await service.database.write((trx) =>
      trx('licenses')
        .where({ key: exampleKey })
        .update({ is_live: isTest ? 0 : 1 }),
    );
  }

  function sendAtOnce({ method, path, params, query, headers, json, form, raw }: Draft): Promise<Answer> {
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const body = raw ?? (form ? formOf(form) : json && JSON.stringify(json));
    return service.send(`${address}?${new URLSearchParams(query)}`, {
      method,
      headers: { ...(json && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Issues a new license, activates it on `domain` if there is one, and puts its key into the request. */
  async function withLicense(
    draft: Draft,
    domain: string | undefined,
    terms: Partial<Terms> = {},
  ): Promise<LicenseKey> {
    const issuing = await service.parts.get(t.issuing);
    const [license] = good(await issuing.issue({ productId, ...exampleTerms, maxDomains: 1, ...terms }, 1, operator));
    if (license === undefined) throw new Error('No license was issued.');
    setKey(draft, license);
    if (domain !== undefined) {
      service.clock.advance(minute);
      const answer = await service.send('/activate', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ license_key: license, domain }),
      });
      expect(answer.status).to.equal(200);
    }
    return license;
  }

  function setKey(draft: Draft, license: string): void {
    if (draft.json) draft.json.license_key = license;
    for (const pair of draft.query) if (pair[0] === 'license_key') pair[1] = license;
  }

  async function sendAfterChange(draft: Draft, transition: 'suspend' | 'revoke'): Promise<Answer> {
    const license = await withLicense(draft, 'app.example.com');
    await (await service.parts.get(t.issuing)).change(license, transition, operator);
    return await send(draft);
  }

  /** Sends the call for a host that nobody can prove, so that nothing is looked up. */
  async function guarded(draft: Draft, rules: object): Promise<Answer> {
    const license = await withLicense(draft, '8.8.8.8', { maxDomains: 3 });
    const database = await service.parts.get(t.database);
    const set = (row: object) =>
      database.write(async (trx) => await trx('products').where({ id: productId }).update(row));
    await database.write(async (trx) => {
      await trx('licenses').where({ key: license }).update({ key_removal_at: service.clock.now() });
    });
    await set(rules);
    if (draft.json) draft.json.domain = draft.path.endsWith('/activate') ? '8.8.4.4' : '8.8.8.8';
    return await send(draft).finally(() => set({ domain_proof: 'never', deactivation: 'key' }));
  }
  async function activatedElsewhere(draft: Draft): Promise<Answer> {
    await withLicense(draft, 'another.example.com');
    return await send(draft);
  }

  /** Sends the request while `instead` replaces a method of `part`. */
  async function sendWhile<Name extends string, Broken extends { [N in Name]: unknown }>(
    draft: Draft,
    part: Broken,
    method: Name,
    instead: Broken[Name],
  ): Promise<Answer> {
    const sound = part[method];
    part[method] = instead;
    try {
      return await send(draft);
    } finally {
      part[method] = sound;
    }
  }

  /** Sends an import, about which the draft asks from now on. */
  async function withImport(draft: Draft): Promise<void> {
    const { path, headers, params } = draft;
    const key = 'an import of the test';
    draft.query.splice(0, 1, ['idempotency_key', key]);
    const more = { 'Content-Type': 'text/csv', 'Idempotency-Key': key };
    const raw = 'product\nsimple-dex\n';
    const answer = await send({ method: 'post', path, params, query: [], headers: { ...headers, ...more }, raw });
    expect(answer.status, answer.text).to.equal(200);
  }

  /** Adds a program that waits for its key, and sends its code. */
  async function withDevice(draft: Draft, more: object = {}): Promise<Answer> {
    if (draft.json && 'device_code' in draft.json) {
      const devices = await service.parts.get(t.deviceLogins);
      const [{ digest }] = [await service.parts.get(t.secrets)];
      service.clock.advance(quarter);
      const { deviceCode } = good(await devices.start({ clientName: 'x', mode: 'live', scopes: null }, 'nowhere'));
      const row = { answer: 'waiting', ...more };
      await service.database.write((trx) =>
        trx('device_logins')
          .where({ digest: digest(deviceCode) })
          .update(row),
      );
      draft.json.device_code = deviceCode;
    }
    return await send(draft);
  }

  const failing = (error: Error) => async () => {
    throw error;
  };

  /** For each error code of the license API: how to make a valid request fail with this code. */
  const provocations: Readonly<Record<string, (draft: Draft) => Promise<Answer>>> = {
    bad_request(draft) {
      if (isCsv(draft)) return send({ ...draft, headers: { ...draft.headers, 'Content-Encoding': 'gzip' } });
      const type = draft.form ? 'multipart/form-data' : 'application/json';
      return send({ ...draft, raw: '{', headers: { ...draft.headers, 'Content-Type': type } });
    },
    unauthorized: (draft) => send({ ...draft, headers: { 'X-API-Key': `lk_sk_live_${'0'.repeat(32)}` } }),
    async conflict(draft) {
      if (draft.method.toLowerCase() === 'patch' && 'key' in draft.params) {
        await prepareLicense(service.database, exampleKey, draft.path);
        await service.database.write((trx) => trx('licenses').where({ key: exampleKey }).update({ domains_used: 2 }));
        service.clock.advance(minute);
        return await sendAtOnce({ ...draft, json: { max_domains: 1 } });
      }
      if (isAboutProduct(draft.path) && (/^p(?:atch|ut)$/i.test(draft.method) || 'offer' in draft.params)) {
        service.clock.advance(minute);
        await service.database.write((trx) => trx('products').where({ slug: exampleSlug }).update({ archived_at: 1 }));
        return await sendAtOnce(draft);
      }
      if ('version' in draft.params)
        return await send({ ...draft, params: { ...draft.params, version: newestVersion } });
      if (draft.path.endsWith('/fetch')) {
        await prepareWebhook(service.database, seller.user.id, service.clock.now());
        return await sendAtOnce(draft);
      }
      draft.headers['Idempotency-Key'] = 'in flight';
      const store = await service.parts.get(t.idempotencyStore);
      const { keep } = store;
      let meanwhile: Answer | undefined;
      const first = await sendWhile(draft, store, 'keep', async (...record) => {
        meanwhile = await send(draft);
        return await keep(...record);
      });
      expect(first.status).to.equal(200);
      if (meanwhile === undefined) throw new Error('The answer to the first request was not stored.');
      return meanwhile;
    },
    authorization_pending: (draft) => withDevice(draft),
    slow_down: async (draft) => withDevice(draft, { polled_at: service.clock.now() + quarter + minute - 1000 }),
    access_denied: (draft) => withDevice(draft, { answer: 'denied' }),
    expired_token: (draft) => withDevice(draft, { expires_at: 0 }),
    payload_too_large(draft) {
      const large = 'x'.repeat(300_000);
      if (isCsv(draft)) return send({ ...draft, raw: large });
      if (draft.form) {
        const [field = ''] = ['file', 'product_zip', 'thumbnail'].filter((name) => draft.form?.[name]);
        draft.form[field] = Buffer.from(large);
      } else draft.json = { ...draft.json, more: large };
      return send(draft);
    },
    unsupported_media_type: (draft) =>
      send({ ...draft, raw: 'a', headers: { ...draft.headers, 'Content-Type': 'text/plain' } }),
    validation_error(draft) {
      const [name] = Object.keys(draft.params);
      if (name !== undefined) draft.params[name] = 'x'.repeat(201);
      draft.query.push(...draft.query);
      if (draft.json) draft.json = {};
      if (draft.form) draft.form = { other: 'field' };
      if (isCsv(draft)) draft.raw = 'product\r\nno-such-product\r\n';
      return send(draft);
    },
    async rate_limit_exceeded(draft) {
      if ('X-API-Key' in draft.headers) draft.headers['X-API-Key'] = (await service.account('free')).key;
      const limiter = await service.parts.get(t.rateLimiter);
      const { count } = limiter;
      // As if the client had sent 30 requests before. No limit here allows one more.
      return await sendWhile(draft, limiter, 'count', async (...request) => {
        for (let call = 0; call < 30; call++) await count(...request);
        return await count(...request);
      });
    },
    async internal_error(draft) {
      const limiter = await service.parts.get(t.rateLimiter);
      return await sendWhile(draft, limiter, 'count', failing(new Error('planted')));
    },
    async service_unavailable(draft) {
      const limiter = await service.parts.get(t.rateLimiter);
      return await sendWhile(draft, limiter, 'count', failing(new Unavailable('planted')));
    },

    invalid_key(draft) {
      setKey(draft, 'LIC-0000-0000-0000-0000');
      return send(draft);
    },
    suspended: (draft) => sendAfterChange(draft, 'suspend'),
    revoked: (draft) => sendAfterChange(draft, 'revoke'),
    async expired(draft) {
      await withLicense(draft, 'app.example.com', { expiresAt: service.clock.now() + day });
      service.clock.advance(day);
      return await send(draft);
    },
    async not_entitled(draft) {
      await withLicense(draft, 'app.example.com', { entitlements: [] });
      return await send(draft);
    },
    invalid_domain: activatedElsewhere,
    domain_limit_reached: activatedElsewhere,
    domain_not_found: activatedElsewhere,
    domain_not_proven: (draft) => guarded(draft, { domain_proof: 'always', deactivation: 'proof' }),
    deactivation_not_allowed: (draft) => guarded(draft, { deactivation: 'holder' }),
    deactivation_too_soon: (draft) => guarded(draft, { deactivation: 'cool_down' }),
    async free_domain_limit_reached(draft) {
      const license = await withLicense(draft, 'another.example.com');
      const database = await service.parts.get(t.database);
      await database.write(async (trx) => {
        await trx('licenses').where({ key: license }).update({ free_domains: freeDomainsLimit });
        await trx('products').update({ local_hosts_are_free: 1 });
      });
      if (draft.json) draft.json.domain = 'localhost';
      return await send(draft);
    },

    async quota_exceeded(draft) {
      const seller = await service.account('free');
      const ledger = await service.parts.get(t.fileLedger);
      const published = isAboutProduct(draft.path)
        ? await seller.submit('/api/marketplace/publish', listingForm())
        : undefined;
      if (published) draft.params.id = String(published.body.product.id);
      await ledger.add(
        seller.user.id,
        [{ key: `media/${seller.key}.zip`, size: 2 ** 30 }],
        2 ** 31,
        service.clock.now(),
      );
      draft.headers['X-API-Key'] = seller.key;
      return await send(draft);
    },
    async forbidden(draft) {
      powerless ??= await service.keyOf(seller.user, { scopes: [] });
      draft.headers['X-API-Key'] = powerless.key;
      return await send(draft);
    },
    not_found(draft) {
      for (const name of Object.keys(draft.params)) draft.params[name] = 'no-such-thing';
      for (const name of ['product', 'owners_of']) {
        if (draft.json && name in draft.json) draft.json[name] = 'no-such-thing';
      }
      if (draft.path.startsWith('/api/deployments/figures'))
        for (const one of draft.query) if (one[0] === 'product') one[1] = 'no-such-thing';
      return send(draft);
    },
    not_purchased(draft) {
      draft.params.id = 'paid';
      return send(draft);
    },
    async purchase_check_failed(draft) {
      draft.params.id = 'paid';
      const check = await service.parts.get(t.purchaseCheck);
      return await sendWhile(draft, check, 'has', failing(new Unavailable('planted')));
    },
  };

  /** Returns the license API's name for an error code of any surface. */
  const reasonOf = (code: string) =>
    ({ RATE_LIMITED: 'rate_limit_exceeded', INTERNAL: 'internal_error' })[code] ?? code.toLowerCase();

  /** Returns changes to a valid request. */
  type Spoil = (draft: Draft) => Partial<Draft>;
  const withHeader =
    (name: string, value: string): Spoil =>
    ({ headers }) => ({ headers: { ...headers, [name]: value } });

  const oddRequests: Record<string, Spoil> = {
    'an unknown parameter': ({ query }) => ({ query: [...query, ['unknown', '1']] }),
    'an Idempotency-Key that is too long': withHeader('Idempotency-Key', 'x'.repeat(256)),
    'an unknown Content-Encoding': withHeader('Content-Encoding', 'none'),
  };
  const oddJson: Record<string, Spoil> = {
    'an empty body': () => ({ raw: '' }),
    'a body that is not an object': () => ({ raw: '[1]' }),
    'values of other types': ({ json = {} }) => ({ json: mapTo(json, { a: [null] }) }),
    'a body that is not gzip, although its header says so': withHeader('Content-Encoding', 'gzip'),
    'an unknown charset': withHeader('Content-Type', 'application/json; charset=none'),
  };
  const oddForms: Record<string, Spoil> = {
    'an empty body': () => ({ form: undefined }),
    'an empty form': () => ({ form: {} }),
    'a file in every field': ({ form = {} }) => ({ form: mapTo(form, files.file) }),
    'a text in every field': ({ form = {} }) => ({ form: mapTo(form, 'text') }),
    'every field twice': ({ form = {} }) => ({ form: mapTo(form, ['text', 'text']) }),
    'a file of another kind': ({ form = {} }) => ({
      form: Object.fromEntries(
        Object.entries(form).map(([name, part]) => [name, part instanceof Uint8Array ? Buffer.from('no file') : part]),
      ),
    }),
  };

  /** Failures that this test can cause only on operations that declare them. */
  const needingBody = ['bad_request', 'payload_too_large', 'unsupported_media_type', 'conflict'];

  /** Failures that take too long to test. */
  const unreachable: Readonly<Record<string, string>> = { request_timeout: 'A JSON body has ten seconds to arrive.' };

  /** Failures that are made before any operation looks at its request. */
  const general = [
    'bad_request',
    'payload_too_large',
    'unsupported_media_type',
    'rate_limit_exceeded',
    'internal_error',
    'service_unavailable',
  ];

  for (const operation of operations) {
    const inShortRuns = needing(samples.includes(operation.path) ? undefined : skipLong);
    describe(`${operation.method} ${operation.path}`, () => {
      const holds = (answer: Answer) =>
        expect(conformance.faultsOf(operation.id, answer), answer.text).to.deep.equal([]);

      it('200 for the example request', async () => {
        const draft = exampleOf(operation);
        const names = [...draft.query.map(([name]) => name), ...Object.keys(draft.json ?? {})];
        if (names.includes('license_key')) await withLicense(draft, 'app.example.com');
        if (names.includes('idempotency_key')) await withImport(draft);
        const answer = names.includes('device_code')
          ? await withDevice(draft, { answer: 'approved', user_id: seller.user.id, generation: 0, key_name: 'x' })
          : await send(draft);
        expect(answer.status, answer.text).to.equal(200);
        expect(codeOf(answer.body)).to.equal(undefined);
        holds(answer);
      });

      for (const status of Object.keys(operation.responses)) {
        for (const code of codesOf(operation, status)) {
          if (reasonOf(code) in unreachable) continue;
          const test = general.includes(reasonOf(code)) ? inShortRuns.it : it;
          test(`${status} ${code}`, async () => {
            const provoke = provocations[reasonOf(code)];
            if (provoke === undefined) throw new Error(`There is no provocation of ${code}.`);
            const answer = await provoke(exampleOf(operation));
            expect([String(answer.status), codeOf(answer.body)], answer.text).to.deep.equal([status, code]);
            holds(answer);
            if (answer.status < 500) expect(answer.headers.has('X-RateLimit-Remaining')).to.equal(true);
          });
        }
      }

      const declared = Object.keys(operation.responses).flatMap((status) => codesOf(operation, status).map(reasonOf));
      itLong('returns declared answers to requests that other operations refuse', async () => {
        for (const [reason, provoke] of Object.entries(provocations)) {
          if (declared.includes(reason) || needingBody.includes(reason)) continue;
          const answer = await provoke(exampleOf(operation));
          expect(answer.status, `${reason}: ${answer.text}`).to.be.below(500);
          holds(answer);
        }
      });

      const { json, form } = exampleOf(operation);
      for (const [what, spoil] of Object.entries({ ...oddRequests, ...(json && oddJson), ...(form && oddForms) })) {
        inShortRuns.it(`returns a declared answer to a request with ${what}`, async () => {
          const draft = exampleOf(operation);
          Object.assign(draft, spoil(draft));
          const answer = await send(draft);
          expect(answer.status, answer.text).to.be.below(500);
          holds(answer);
        });
      }
    });
  }

  describe('an answer with unusual content', () => {
    const answered = async (id: string, change: (draft: Draft) => unknown) => {
      const operation = operations.find((one) => one.id === id);
      if (operation === undefined) throw new Error(`There is no operation ${id}.`);
      const draft = exampleOf(operation);
      await change(draft);
      const answer = await send(draft);
      expect(answer.status, answer.text).to.equal(200);
      expect(conformance.faultsOf(id, answer), answer.text).to.deep.equal([]);
      return answer;
    };

    it('matches for a blocked preflight', async () => {
      const { body } = await answered('preflight', async (draft) => {
        draft.headers['X-API-Key'] = (await service.account('free')).key;
        Object.assign(draft.json ?? {}, { chain_id: 1 });
      });
      expect(body.allowed).to.equal(false);
    });

    it('matches for the status of a license without a domain, and of a license that expires', async () => {
      const bare = await answered('status', (draft) => withLicense(draft, undefined));
      expect(bare.body.license.domain).to.equal(null);
      const expiring = await answered('status', (draft) =>
        withLicense(draft, 'a.example.com', { expiresAt: service.clock.now() + day }),
      );
      expect(expiring.body.license.expires_at).to.be.a('string');
    });

    it('matches for a verification of a license that expires', async () => {
      const { body } = await answered('verify', (draft) =>
        withLicense(draft, 'app.example.com', { expiresAt: service.clock.now() + day }),
      );
      expect(body.license.expires_at).to.be.a('string');
    });

    it('matches for a page with a product that has every field, and for an empty page', async () => {
      const full = await answered('myProducts', () => undefined);
      expect(full.body.data).not.to.have.length(0);
      const empty = await answered('myProducts', async (draft) => {
        draft.headers['X-API-Key'] = (await service.account('free')).key;
      });
      expect(empty.body.data).to.have.length(0);
    });

    it('matches for a repeated request with the same Idempotency-Key', async () => {
      const again = (draft: Draft) => Object.assign(draft.headers, { 'Idempotency-Key': 'again' });
      const first = await answered('register', again);
      expect(first.headers.has('Idempotency-Replayed')).to.equal(false);
      const second = await answered('register', again);
      expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    });
  });

  describe('the requests above', () => {
    itLong('got every declared status and code, except those that take too long to test', () => {
      const unseen = conformance.unseen().filter((answer) => !(reasonOf(answer.split(' ')[2] ?? '') in unreachable));
      expect(unseen).to.deep.equal([]);
    });
  });
});

describe('the check of answers against the document', () => {
  /** A document with one operation, and with each kind of schema that the real document has. */
  const small: Json = {
    paths: {
      '/things': {
        get: {
          operationId: 'things',
          security: [],
          responses: {
            200: {
              headers: { 'X-Id': { $ref: '#/components/headers/X-Id' } },
              content: {
                'application/json': {
                  schema: {
                    oneOf: [
                      {
                        type: 'object',
                        properties: {
                          things: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
                          at: { type: ['string', 'null'], format: 'date-time' },
                        },
                        required: ['things'],
                      },
                      { type: 'object', properties: { error: { enum: ['none'] } }, required: ['error'] },
                    ],
                  },
                  examples: { good: { value: { things: [] } }, none: { value: { error: 'none' } } },
                },
              },
            },
            404: { $ref: '#/components/responses/Lost' },
          },
        },
      },
    },
    components: {
      schemas: { Thing: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
      headers: {
        'X-Id': { required: true, schema: { type: 'string' } },
        'X-Count': { schema: { type: 'integer', minimum: 0 } },
      },
      responses: {
        Lost: {
          headers: { 'X-Count': { $ref: '#/components/headers/X-Count' } },
          content: {
            'application/json': {
              schema: { type: 'object', properties: { error: { enum: ['lost'] } }, required: ['error'] },
              examples: { lost: { value: { error: 'lost' } } },
            },
          },
        },
      },
    },
  };
  const json = { 'Content-Type': 'application/json; charset=utf-8', 'X-Id': '1' };
  const lost = { 'Content-Type': 'application/json' };
  const faults = (status: number, body: Json | undefined, headers: Record<string, string> = json) =>
    createConformance(small).faultsOf('things', { status, body, headers: new Headers(headers) });

  it('finds no fault in answers that match', () => {
    expect(faults(200, { things: [{ id: 1 }], at: null })).to.deep.equal([]);
    expect(faults(200, { error: 'none' })).to.deep.equal([]);
    expect(faults(404, { error: 'lost' }, { ...lost, 'X-Count': '3' })).to.deep.equal([]);
  });

  const planted: Record<string, string[]> = {
    'a status that is not declared': faults(201, { things: [] }),
    'a failure with a status that is not declared': faults(410, { error: 'lost' }),
    'a field that is not declared': faults(200, { things: [], more: 1 }),
    'a field that is not declared, in a component in a list': faults(200, { things: [{ id: 1, name: 'x' }] }),
    'a field that is not declared, in a failure': faults(404, { error: 'lost', message: 'x' }, lost),
    'a field that is missing': faults(200, { things: [{}] }),
    'a value of another type': faults(200, { things: [{ id: '1' }] }),
    'an invalid time': faults(200, { things: [], at: 'today' }),
    'a code that is not declared': faults(404, { error: 'gone' }, lost),
    'a code that is declared for another status': faults(404, { error: 'none' }, lost),
    'a missing body': faults(200, undefined),
    'another content type': faults(404, { error: 'lost' }, { 'Content-Type': 'text/html' }),
    'a missing content type': faults(404, { error: 'lost' }, {}),
    'a missing header': faults(200, { things: [] }, lost),
    'a header that this response does not declare': faults(200, { things: [] }, { ...json, 'X-Count': '1' }),
    'a header of another type': faults(404, { error: 'lost' }, { ...lost, 'X-Count': 'many' }),
    'an operation that is not declared': createConformance(small).faultsOf('other', {
      status: 200,
      headers: new Headers(json),
    }),
  };
  for (const [what, found] of Object.entries(planted)) {
    it(`finds ${what}`, () => {
      expect(found).not.to.deep.equal([]);
    });
  }

  it('lists every status and code that it has not seen', () => {
    const conformance = createConformance(small);
    expect(conformance.unseen()).to.deep.equal(['things 200 none', 'things 200', 'things 404 lost']);
    conformance.faultsOf('things', { status: 200, headers: new Headers(json), body: { things: [] } });
    expect(conformance.unseen()).to.deep.equal(['things 200 none', 'things 404 lost']);
  });

  describe('with the served document', () => {
    let service: AccountService;
    before(async () => {
      service = await startAccountService();
    });
    after(() => service.close());

    /** Returns the faults that it finds in an answer of `me` if the document is changed. */
    async function faultsBy(change: (document: Json) => unknown): Promise<string[]> {
      const changed = structuredClone(document);
      change(changed);
      const answer = await (await service.account()).get('/api/auth/me');
      return createConformance(changed).faultsOf('me', answer);
    }
    const responses = (changed: Json) => changed.paths['/api/auth/me'].get.responses;

    it('finds no fault in a real answer', async () => {
      expect(await faultsBy(() => undefined)).to.deep.equal([]);
    });

    it('finds a field that is missing in the document', async () => {
      const found = await faultsBy(({ components: { schemas } }) => {
        delete schemas.AccountUser.properties.email;
        schemas.AccountUser.required = ['id'];
      });
      expect(found).to.have.length(1);
    });

    it('finds a status that is missing in the document', async () => {
      expect(await faultsBy((changed) => delete responses(changed)[200])).to.deep.equal([
        'Status 200 is not declared.',
      ]);
    });

    it('finds a header that is missing in the document', async () => {
      const found = await faultsBy((changed) => delete responses(changed)[200].headers['X-Request-Id']);
      expect(found).to.deep.equal(['Header X-Request-Id is not declared.']);
    });
  });
});

async function servedDocument(): Promise<Json> {
  await using service = await startAccountService();
  return (await service.send('/openapi.json')).body;
}

function mapTo<T>(object: object, value: T): Record<string, T> {
  return Object.fromEntries(Object.keys(object).map((name) => [name, value]));
}
