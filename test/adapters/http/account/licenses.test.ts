import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import type { ProductTerms } from '../../../../core/marketplace/product-terms.ts';
import { by, operator } from '../../../support/by.ts';
import { inPlaceOfLookups } from '../../../support/domain-proofs.ts';
import { exampleOffer } from '../../../support/example-product.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';
import { addOwnProduct } from './own-product.ts';

const path = '/api/licenses';
const day = 86_400_000;
const unknown = { error: { code: 'NOT_FOUND', message: 'There is no license with this key.' } };
const start = Date.UTC(2026, 0, 1);
const isoOf = (instant: number) => new Date(instant).toISOString();

describe('licenses over the account API', () => {
  let service: AccountService;
  let ada: Account;
  let adaTest: Account;
  let eve: Account;
  let admin: Account;
  beforeEach(async () => {
    service = await startAccountService();
    [ada, eve, admin] = [await service.account(), await service.account(), await service.account()];
    adaTest = await service.keyOf(ada.user, { mode: 'test' });
    const users = await service.parts.get(t.userAdministration);
    good(await users.setRole(admin.user.email, 'admin', operator));
    await addOwnProduct(service, 'jar', ada);
    await addOwnProduct(service, 'test-jar', ada, 'test');
    await addOwnProduct(service, 'dex', eve);
  });
  afterEach(() => service.close());

  async function setTerms(slug: string, terms: Partial<ProductTerms>): Promise<void> {
    const store = await service.parts.get(t.productStore);
    const found = await store.findBySlug(slug);
    if (found === undefined) throw new Error(slug);
    await store.change(found.id, (before) => ({
      after: { ...before, terms: { ...before.terms, ...terms } },
      event: event('product.approved', slug, by, start),
    }));
  }

  const patch = (account: Account, key: string, body: unknown) =>
    account.send(`${path}/${key}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  async function issue(account: Account, more: object = {}): Promise<LicenseKey> {
    const { status, body, text } = await account.post(path, { product: 'jar', ...more });
    expect(status, text).to.equal(200);
    return body.data[0].key;
  }

  const activate = (key: string, domain: string) =>
    service.send('/activate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key: key, domain }),
    });

  const keysIn = ({ body }: Answer): string[] => body.data.map(({ key }: { key: string }) => key);
  const notes = {
    holder: { email: 'grace@example.com', name: 'Grace Hopper' },
    reference: 'order-4711',
    metadata: { campaign: 'spring' },
  };
  const codeOf = ({ status, body }: Answer) => [status, body.error?.code];

  describe('POST /api/licenses', () => {
    itLong('200 with the terms of the product, or those that are given', async () => {
      await setTerms('jar', { maxDomains: 4, duration: { days: 30, from: 'issue' } });
      const { status, body } = await ada.post(path, { product: 'jar', ...notes });
      expect(status).to.equal(200);
      const { key, product, ...rest } = body.data[0];
      expect(rest).to.deep.equal({
        status: 'active',
        livemode: true,
        holder: notes.holder,
        reference: 'order-4711',
        domains_used: 0,
        max_domains: 4,
        expires_at: isoOf(start + 30 * day),
        updates_until: null,
        entitlements: [],
        created_at: isoOf(start),
        test_clock: null,
      });
      expect(product).to.include({ slug: 'jar' });
      expect(body).to.include({ success: true });
      const given = await ada.post(path, { product: product.id, count: 3, max_domains: 9, expires_at: null });
      expect(new Set([key, ...keysIn(given)]).size).to.equal(4);
      for (const one of given.body.data) expect(one).to.include({ max_domains: 9, expires_at: null, holder: null });
      const { body: later } = await ada.post(path, { product: 'jar', expires_at: '2027-01-01T01:00:00+01:00' });
      expect(later.data[0].expires_at).to.equal('2027-01-01T00:00:00.000Z');
      const { body: dated } = await ada.post(path, { product: 'jar', expires_at: '2027-01-31' });
      expect(dated.data[0].expires_at, 'to the end of the day').to.equal('2027-01-31T23:59:59.999Z');
      const rights = { updates_until: '2027-01-31', entitlements: ['team', 'PRO', 'pro'] };
      const { body: entitled } = await ada.post(path, { product: 'jar', ...rights });
      expect(entitled.data[0]).to.deep.include({
        updates_until: '2027-01-31T23:59:59.999Z',
        entitlements: ['pro', 'team'],
      });
    });

    it('200 with the terms of an offer, or others that are given beside it; 404 without such an offer', async () => {
      await setTerms('jar', { maxDomains: 4, duration: null });
      const offers = await service.parts.get(t.productOffers);
      const offer = { ...exampleOffer, slug: 'year', maxDomains: 7, updatesMonths: null, entitlements: ['pro'] };
      const year = { ...offer, duration: { days: 365, from: 'issue' }, isListed: false } as const;
      good(await offers.add('jar', year, { actor: operator, mode: 'live' }));
      const end = isoOf(start + 365 * day);
      const { body } = await ada.post(path, { product: 'jar', offer: 'year' });
      const terms = { max_domains: 7, expires_at: end, updates_until: end, entitlements: ['pro'] };
      expect(body.data[0]).to.deep.include(terms);
      const { body: other } = await ada.post(path, { product: 'jar', offer: 'year', entitlements: [], max_domains: 1 });
      expect(other.data[0]).to.deep.include({ ...terms, max_domains: 1, entitlements: [] });
      const { body: plain } = await ada.post(path, { product: 'jar' });
      expect(plain.data[0]).to.deep.include({ max_domains: 4, updates_until: null, entitlements: [] });
      expect(codeOf(await ada.post(path, { product: 'jar', offer: 'none' }))).to.deep.equal([404, 'NOT_FOUND']);
    });

    itLong('422 for more licenses than their notes allow, and issues none; usual notes allow all', async () => {
      const usual = { email: 'grace.hopper@shop.example.com', name: 'Grace Brewster Murray Hopper' };
      const all = { product: 'jar', count: 1_000, holder: usual, reference: 'order 4711', metadata: { plan: 'gold' } };
      expect((await ada.post(path, all)).status).to.equal(200);
      const long = { ...all, holder: { name: 'n '.repeat(60) } };
      const { status, body } = await ada.post(path, long);
      expect(status).to.equal(422);
      expect(JSON.stringify(body)).to.match(
        /count.*at most \d+\. Issue fewer licenses in one call, or shorten the notes/,
      );
      expect(await service.rows('licenses')).to.have.length(1_000);
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x'.repeat(500)]));
      expect((await ada.post(path, { ...all, metadata })).status).to.equal(422);
      expect((await ada.post(path, { ...all, count: 300, metadata })).status).to.equal(200);
    });

    itLong('200 once for one Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': 'a' };
      const first = await ada.post(path, { product: 'jar', count: 2 }, headers);
      expect((await ada.post(path, { product: 'jar', count: 2 }, headers)).body).to.deep.equal(first.body);
      expect(await service.rows('licenses')).to.have.length(2);
    });

    it('404 for a product of another seller or of the other mode, as for none', async () => {
      const asked = [
        [ada, 'none'],
        [ada, 'dex'],
        [ada, 'test-jar'],
        [adaTest, 'jar'],
      ] as const;
      for (const [seller, product] of asked) {
        const { status, body } = await seller.post(path, { product });
        expect([status, body]).to.deep.equal([
          404,
          { error: { code: 'NOT_FOUND', message: `No product has the id or slug ${product}.` } },
        ]);
      }
      expect(await service.rows('licenses')).to.deep.equal([]);
    });

    itLong('409 for an archived product', async () => {
      await addOwnProduct(service, 'old', ada, 'live', { archivedAt: start });
      expect(codeOf(await ada.post(path, { product: 'old' }))).to.deep.equal([409, 'CONFLICT']);
    });

    itLong('409 for a bundle, which has no licenses of its own', async () => {
      const { id } = await addOwnProduct(service, 'cup', ada);
      const bundle = [{ productId: id, offer: null }];
      await addOwnProduct(service, 'both', ada, 'live', { zip: null, version: null, bundle });
      const { status, body } = await ada.post(path, { product: 'both' });
      const message = 'A bundle has no licenses of its own. Issue them for its products.';
      expect([status, body]).to.deep.equal([409, { error: { code: 'CONFLICT', message } }]);
      expect(await service.rows('licenses')).to.deep.equal([]);
    });

    itLong('422 for wrong values, and issues nothing', async () => {
      const long = 'x'.repeat(5_000);
      for (const [field, wrong] of [
        ['product', {}],
        ['product', { product: null }],
        ['product', { product: ['jar'] }],
        ['product', { product: long }],
        ...[0, 1_001, 1.5, '2', null, [1]].map((count) => ['count', { count }] as const),
        ...[0, 1_000_001, '3', 1e300].map((max) => ['max_domains', { max_domains: max }] as const),
        ...[
          'tomorrow',
          5,
          '2025-01-01T00:00:00Z',
          isoOf(start),
          '2027-02-30T00:00:00Z',
          '2027-02-30',
          '2025-12-30',
          {},
        ].map((expires) => ['expires_at', { expires_at: expires }] as const),
        ...[
          'a',
          [],
          { email: 'no address' },
          { email: `${long}@example.com` },
          { name: 7 },
          { name: long },
          { name: 'a\0' },
        ].map((holder) => ['holder', { holder }] as const),
        ...[5, long, 'a\0b', '\ud800', {}].map((reference) => ['reference', { reference }] as const),
        ...[
          'a',
          [],
          null,
          { a: 1 },
          { a: long },
          { a: null },
          { a: '\udfff' },
          { a: '\0' },
          { [long]: 'a' },
          { '': 'a' },
          Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])),
        ].map((metadata) => ['metadata', { metadata }] as const),
      ] as const) {
        const body = field === 'product' ? wrong : { product: 'jar', ...wrong };
        const answer = await ada.post(path, body);
        const at = JSON.stringify(body).slice(0, 100);
        expect(codeOf(answer), at).to.deep.equal([422, 'VALIDATION_ERROR']);
        expect(answer.body.error.fields, at).to.have.all.keys(field);
      }
      expect(await service.rows('licenses')).to.deep.equal([]);
    });

    itLong('200 with notes of the largest size', async () => {
      const metadata = Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [String(n).padStart(40, 'k'), 'v'.repeat(500)]),
      );
      const most = { holder: { email: null, name: '𝒳'.repeat(120) }, reference: 'r'.repeat(200), metadata };
      const key = await issue(ada, most);
      expect((await ada.get(`${path}/${key}`)).body.license).to.deep.include(most);
    });
  });

  describe('GET /api/licenses/:key', () => {
    itLong('200 with the notes, the domains and the counts', async () => {
      const key = await issue(ada, notes);
      await activate(key, 'app.example.com');
      await service.send(`/verify?license_key=${key}&domain=app.example.com`);
      const { status, body } = await ada.get(`${path}/${key.toLowerCase()}`);
      expect(status).to.equal(200);
      const at = isoOf(start);
      expect(body.license).to.deep.include({
        ...notes,
        key,
        domains_used: 1,
        verification_count: 1,
        last_verified_at: at,
      });
      expect(body.license.domains).to.have.length(1);
      expect(body.license.domains[0]).to.deep.include({
        domain: 'app.example.com',
        activated_at: at,
        proven_at: null,
        verification_count: 1,
        last_verified_at: at,
      });
      await service.database.write((trx) => trx('activations').update({ proven_at: start }));
      expect((await ada.get(`${path}/${key}`)).body.license.domains[0]).to.include({ proven_at: at });
      // The public license API says nothing of it.
      expect((await service.send(`/status?license_key=${key}`)).text).to.not.include('proven');
    });

    itLong('shows nothing of holder, reference and metadata in the public license API', async () => {
      const key = await issue(ada, notes);
      const answers = [
        await activate(key, 'a.com'),
        await service.send(`/status?license_key=${key}`),
        await service.send(`/verify?license_key=${key}&domain=a.com`),
        await service.send(`/verify?license_key=${key}&domain=b.com`),
      ];
      for (const { text } of answers) {
        expect(text).to.not.match(/grace|hopper|4711|campaign|spring|holder|reference|metadata|livemode/i);
      }
    });
  });

  describe('a license that the caller cannot reach', () => {
    itLong('is answered by every endpoint exactly as an unknown key, and stays as it is', async () => {
      const key = await issue(ada, notes);
      const testKey = await issue(adaTest, { product: 'test-jar' });
      const before = await service.rows('licenses');
      const events = (await service.rows('audit_log')).length;
      for (const [account, wanted] of [
        [eve, key],
        [eve, testKey],
        [ada, testKey],
        [adaTest, key],
        [admin, testKey],
        [ada, 'LIC-0000-0000-0000-0000'],
        [ada, 'nothing'],
      ] as const) {
        const at = `${path}/${wanted}`;
        const answers = [
          await account.get(at),
          await patch(account, wanted, { max_domains: 5, reference: 'x' }),
          await account.get(`${at}/events`),
          await account.get(`${at}/explain`, { domain: 'a.com' }),
        ];
        for (const act of ['suspend', 'reinstate', 'revoke', 'renew'])
          answers.push(await account.post(`${at}/${act}`, {}));
        for (const { status, body } of answers) expect([status, body]).to.deep.equal([404, unknown]);
        const { body } = await account.post(`${path}/bulk`, { action: 'revoke', keys: [wanted] });
        expect(body.data).to.deep.equal([{ key: wanted, success: false, ...unknown }]);
      }
      expect(await service.rows('licenses')).to.deep.equal(before);
      expect((await service.rows('audit_log')).length).to.equal(events);
    });

    it('is reached by an administrator, with a key of its mode', async () => {
      const key = await issue(ada);
      expect((await admin.get(`${path}/${key}`)).status).to.equal(200);
      expect((await admin.post(`${path}/${key}/suspend`, { reason: 'Fraud.' })).body.license.status).to.equal(
        'suspended',
      );
      expect(keysIn(await admin.get(path))).to.deep.equal([key]);
    });
  });

  describe('GET /api/licenses', () => {
    itLong('200 with the own licenses of the mode of the key only', async () => {
      const keys = [await issue(ada), await issue(ada)];
      const testKey = await issue(adaTest, { product: 'test-jar' });
      await issue(eve, { product: 'dex' });
      expect(keysIn(await ada.get(path))).to.deep.equal(keys.toReversed());
      expect(keysIn(await adaTest.get(path))).to.deep.equal([testKey]);
      expect(keysIn(await ada.get(path, { livemode: 'true', sort: 'oldest' }))).to.deep.equal(keys);
      expect(keysIn(await ada.get(path, { livemode: 'false' }))).to.deep.equal([]);
      expect(keysIn(await ada.get(path, { product: 'jar' }))).to.have.length(2);
      for (const product of ['dex', 'test-jar', 'none', '999999']) {
        expect(keysIn(await ada.get(path, { product }))).to.deep.equal([]);
      }
    });

    itLong('200 with what a search, a status or an expiry finds, in pages', async () => {
      const keys: string[] = [];
      for (let n = 0; n < 5; n++)
        keys.push(await issue(ada, { reference: `order-${n}`, expires_at: isoOf(start + (9 - n) * day) }));
      await ada.post(`${path}/${keys[0]}/suspend`, {});
      await activate(keys[3] ?? '', 'shop.example.com');
      expect(keysIn(await ada.get(path, { status: 'suspended' }))).to.deep.equal([keys[0]]);
      expect(keysIn(await ada.get(path, { q: 'Order-' }))).to.deep.equal(keys);
      expect(keysIn(await ada.get(path, { q: keys[2]?.slice(-4) ?? '' }))).to.include(keys[2]);
      expect(keysIn(await ada.get(path, { q: keys[2] ?? '' }))).to.deep.equal([keys[2]]);
      expect(keysIn(await ada.get(path, { q: 'https://shop.example.com/cart' }))).to.deep.equal([keys[3]]);
      expect(keysIn(await eve.get(path, { q: keys[2] ?? '' }))).to.deep.equal([]);
      expect(keysIn(await ada.get(path, { expires_before: isoOf(start + 7 * day), sort: 'expires' }))).to.deep.equal([
        keys[4],
        keys[3],
      ]);
      for (const query of [{ q: 'order' }, { sort: 'oldest' }, { sort: 'expires' }, {}] as const) {
        const found: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: Answer = await ada.get(path, { ...query, limit: '2', ...(cursor && { cursor }) });
          found.push(...keysIn(page));
          cursor = page.body.next_cursor;
        }
        expect(found.toSorted()).to.deep.equal(keys.toSorted());
      }
      const { body } = await ada.get(path, { limit: '2' });
      for (const [query, cursor] of [
        [{ sort: 'expires' }, body.next_cursor],
        [{ q: 'order' }, body.next_cursor],
      ]) {
        expect(codeOf(await ada.get(path, { ...query, cursor }))).to.deep.equal([422, 'VALIDATION_ERROR']);
      }
    });

    itLong('422 for wrong parameters', async () => {
      for (const [field, value] of [
        ['status', 'lost'],
        ['livemode', '1'],
        ['sort', 'price'],
        ['expires_before', 'soon'],
        ['limit', '0'],
        ['limit', '101'],
        ['cursor', 'x'],
        ['cursor', '1~text~%E0'],
        ['cursor', `${'9'.repeat(400)}`],
        ['q', 'a\0'],
        ['q', 'x'.repeat(501)],
      ] as const) {
        const answer = await ada.get(path, { [field]: value });
        expect(codeOf(answer), `${field}=${value}`).to.deep.equal([422, 'VALIDATION_ERROR']);
        expect(answer.body.error.fields).to.have.all.keys(field);
      }
      for (const q of ['%', '_', "'", '\ud800', '\u{10FFFF}', 'lic-', ' '])
        expect((await ada.get(path, { q })).status).to.equal(200);
    });
  });

  describe('PATCH /api/licenses/:key', () => {
    itLong('200 with what was given changed, and the rest as it was', async () => {
      const key = await issue(ada, notes);
      const { status, body } = await patch(ada, key, { max_domains: 7, reference: null });
      expect(status).to.equal(200);
      expect(body.license).to.deep.include({ ...notes, reference: null, max_domains: 7 });
      const other = { holder: { email: null, name: 'Ada' }, metadata: {} };
      await patch(ada, key, other);
      expect((await ada.get(`${path}/${key}`)).body.license).to.deep.include({
        ...other,
        reference: null,
        max_domains: 7,
      });
      const { body: bare } = await patch(ada, key, { holder: null });
      expect(bare.license.holder).to.equal(null);
      const events = (await ada.get(`${path}/${key}/events`)).body.data;
      expect(events.map((one: { data: { changed?: string } }) => one.data.changed)).to.deep.equal([
        'holder',
        'holder metadata',
        'max_domains reference',
        undefined,
      ]);
      await patch(ada, key, {});
      expect((await ada.get(`${path}/${key}/events`)).body.data).to.have.length(4);
    });

    itLong('200 with other updates and entitlements, which the next verification returns', async () => {
      const key = await issue(ada, { entitlements: ['basic'] });
      await activate(key, 'a.com');
      const verified = async () =>
        (await service.send(`/verify?${new URLSearchParams({ license_key: key, domain: 'a.com' })}`)).body.license;
      expect(await verified()).to.deep.include({ updates_until: null, entitlements: ['basic'] });
      const rights = { updates_until: '2027-01-31T23:59:59.999Z', entitlements: ['pro', 'team'] };
      const { body } = await patch(ada, key, { updates_until: '2027-01-31', entitlements: ['Team', 'pro'] });
      expect(body.license).to.deep.include(rights);
      expect(await verified()).to.deep.include(rights);
      await patch(ada, key, { updates_until: null, entitlements: [] });
      expect(await verified()).to.deep.include({ updates_until: null, entitlements: [] });
      const [last, first] = (await ada.get(`${path}/${key}/events`)).body.data;
      expect([first.data, last.data]).to.deep.equal([
        {
          changed: 'updates_until entitlements',
          max_domains: body.license.max_domains,
          updates_until: Date.parse(rights.updates_until),
          entitlements: 'pro team',
        },
        {
          changed: 'updates_until entitlements',
          max_domains: body.license.max_domains,
          updates_until: null,
          entitlements: null,
        },
      ]);
    });

    itLong('409 for fewer domains than are in use', async () => {
      const key = await issue(ada, { max_domains: 3 });
      for (const name of ['a.com', 'b.com']) await activate(key, name);
      const answer = await patch(ada, key, { max_domains: 1, reference: 'x' });
      expect(codeOf(answer)).to.deep.equal([409, 'CONFLICT']);
      expect(answer.body.error.message).to.match(/2 domains/);
      expect((await ada.get(`${path}/${key}`)).body.license).to.include({ max_domains: 3, reference: null });
      expect((await patch(ada, key, { max_domains: 2 })).status).to.equal(200);
    });

    itLong('422 for wrong values', async () => {
      const key = await issue(ada);
      for (const [field, value] of [
        ['max_domains', 0],
        ['max_domains', null],
        ['updates_until', 'soon'],
        ['updates_until', 5],
        ['entitlements', null],
        ['entitlements', 'pro'],
        ['entitlements', Array.from({ length: 21 }, (_, n) => `e${n}`)],
        ['holder', 5],
        ['reference', []],
        ['metadata', null],
      ] as const) {
        const answer = await patch(ada, key, { [field]: value });
        expect(codeOf(answer), field).to.deep.equal([422, 'VALIDATION_ERROR']);
        expect(answer.body.error.fields).to.have.all.keys(field);
      }
    });
  });

  describe('POST /api/licenses/:key/suspend, reinstate, revoke, renew', () => {
    it('200 with the new status, and the reason in the history', async () => {
      const key = await issue(ada);
      for (const [act, status] of [
        ['suspend', 'suspended'],
        ['reinstate', 'active'],
        ['revoke', 'revoked'],
      ] as const) {
        const answer = await ada.post(`${path}/${key}/${act}`, { reason: `Because ${act}.` });
        expect([answer.status, answer.body.license?.status]).to.deep.equal([200, status]);
      }
      const { body } = await ada.get(`${path}/${key}/events`);
      expect(body.data.map((one: { type: string; reason: string }) => [one.type, one.reason])).to.deep.equal([
        ['license.revoked', 'Because revoke.'],
        ['license.reinstated', 'Because reinstate.'],
        ['license.suspended', 'Because suspend.'],
        ['license.issued', null],
      ]);
      expect(body.data[0].actor).to.equal(ada.user.email);
    });

    it('409 for a transition that the status does not allow', async () => {
      const key = await issue(ada);
      const answer = await ada.post(`${path}/${key}/reinstate`, {});
      expect(codeOf(answer)).to.deep.equal([409, 'CONFLICT']);
      expect(answer.body.error.message).to.equal('Cannot reinstate a license that is active.');
      await ada.post(`${path}/${key}/revoke`, {});
      for (const act of ['suspend', 'reinstate', 'revoke', 'renew']) {
        expect(codeOf(await ada.post(`${path}/${key}/${act}`, {}))).to.deep.equal([409, 'CONFLICT']);
      }
    });

    it('renews from the end of the license, or from now if it has ended, by the duration of the product', async () => {
      await setTerms('jar', { duration: { days: 10, from: 'issue' } });
      const key = await issue(ada);
      const renew = async (body: object = {}) => await ada.post(`${path}/${key}/renew`, body);
      expect((await renew()).body.license.expires_at).to.equal(isoOf(start + 20 * day));
      service.clock.advance(25 * day);
      expect((await ada.get(`${path}/${key}`)).body.license.status).to.equal('expired');
      const { body } = await renew();
      expect(body.license).to.include({ status: 'active', expires_at: isoOf(start + 35 * day) });
      const until = isoOf(start + 100 * day);
      expect((await renew({ expires_at: until })).body.license.expires_at).to.equal(until);
      const early = await renew({ expires_at: until });
      expect(codeOf(early)).to.deep.equal([422, 'VALIDATION_ERROR']);
      expect(early.body.error.fields).to.have.all.keys('expires_at');
      expect((await renew({ expires_at: '2031-02-28' })).body.license.expires_at).to.equal('2031-02-28T23:59:59.999Z');
      expect((await renew({ expires_at: null })).body.license.expires_at).to.equal(null);
      expect(codeOf(await renew()), 'a perpetual license').to.deep.equal([409, 'CONFLICT']);
    });

    it('422 for a reason that is too long', async () => {
      const key = await issue(ada);
      const { status } = await ada.post(`${path}/${key}/suspend`, { reason: 'x'.repeat(501) });
      expect(status).to.equal(422);
    });
  });

  describe('POST /api/licenses/bulk', () => {
    itLong('200 with a result for each key, in their order and each once', async () => {
      const { body: issued } = await ada.post(path, { product: 'jar', count: 12 });
      const keys: string[] = issued.data.map(({ key }: { key: string }) => key);
      await ada.post(`${path}/${keys[3]}/revoke`, {});
      const others = await issue(eve, { product: 'dex' });
      const asked = [...keys, others, 'nonsense', keys[0] ?? ''];
      const { status, body } = await ada.post(`${path}/bulk`, { action: 'suspend', keys: asked, reason: 'Late.' });
      expect(status).to.equal(200);
      expect(body.data.map(({ key }: { key: string }) => key)).to.deep.equal([...keys, others, 'nonsense']);
      expect(body.data[0]).to.deep.equal({ key: keys[0], success: true, status: 'suspended', expires_at: null });
      expect(body.data[3]).to.deep.include({ success: false });
      expect(body.data[3].error).to.deep.equal({
        code: 'CONFLICT',
        message: 'Cannot suspend a license that is revoked.',
      });
      for (const one of body.data.slice(12)) expect(one.error).to.deep.equal(unknown.error);
      expect((await eve.get(`${path}/${others}`)).body.license.status).to.equal('active');
      expect((await ada.get(`${path}/${keys[5]}/events`)).body.data[0]).to.include({ reason: 'Late.' });
    });

    itLong('422 for no keys, too many, or an unknown action', async () => {
      for (const wrong of [
        { action: 'suspend', keys: [] },
        { action: 'suspend', keys: Array.from({ length: 1_001 }, (_, n) => `k${n}`) },
        { action: 'delete', keys: ['a'] },
        { action: 'suspend', keys: 'a' },
        { action: 'suspend', keys: [5] },
        {},
      ]) {
        expect((await ada.post(`${path}/bulk`, wrong)).status).to.equal(422);
      }
    });
  });

  describe('GET /api/licenses/:key/events', () => {
    it('200 in pages, and names administrators only to administrators', async () => {
      const key = await issue(ada);
      await activate(key, 'a.com');
      await admin.post(`${path}/${key}/suspend`, { reason: 'Abuse.' });
      const first = await ada.get(`${path}/${key}/events`, { limit: '2' });
      expect(first.body.data.map((one: { actor: string }) => one.actor)).to.deep.equal([
        'administrator',
        'license-api',
      ]);
      const rest = await ada.get(`${path}/${key}/events`, { cursor: first.body.next_cursor });
      expect(rest.body).to.deep.include({ next_cursor: null });
      expect(rest.body.data.map((one: { type: string }) => one.type)).to.deep.equal(['license.issued']);
      expect((await admin.get(`${path}/${key}/events`)).body.data[0].actor).to.equal(admin.user.email);
      expect((await ada.get(`${path}/${key}/events`, { cursor: 'x' })).status).to.equal(422);
    });
  });

  describe('GET /api/licenses/:key/explain', () => {
    itLong('200 with every rule, what fails and what helps, and counts nothing', async () => {
      const key = await issue(ada, { max_domains: 1 });
      await activate(key, 'www.example.com');
      const explain = async (domain: string) => (await ada.get(`${path}/${key}/explain`, { domain })).body.explanation;
      const activations = () => service.database.read((knex) => knex('activations'));
      const before = [await activations(), (await service.rows('audit_log')).length];
      const valid = await explain('https://WWW.Example.com/shop');
      expect(valid).to.deep.include({ valid: true, error: null, domain: 'www.example.com', nearest: null });
      const other = await explain('example.com');
      expect(other).to.deep.include({
        valid: false,
        error: 'invalid_domain',
        domain: 'example.com',
        nearest: { domain: 'www.example.com', resemblance: 'www', distance: 4 },
      });
      expect(other.rules.filter(({ passed }: { passed: boolean }) => !passed)).to.have.length(1);
      expect(other.rules.at(-1).fix).to.match(/www\.example\.com.*no free slot/);
      const illegal = await explain('not a host');
      expect(illegal).to.include({ valid: false, error: 'validation_error', domain: null });
      expect(await activations()).to.deep.equal(before[0]);
      await ada.post(`${path}/${key}/suspend`, {});
      const suspended = await explain('www.example.com');
      expect(suspended.error).to.equal('suspended');
      expect(suspended.rules.map(({ passed }: { passed: boolean }) => passed)).to.deep.equal([
        true,
        true,
        true,
        false,
        true,
        true,
      ]);
      expect((await service.rows('audit_log')).length).to.equal(Number(before[1]) + 1);
    });

    itLong('200 with what is missing, if the product asks for proofs or guards its domains', async () => {
      const { found, lookedUpFor } = await inPlaceOfLookups(service.parts);
      const explain = async (key: string, domain: string) =>
        (await ada.get(`${path}/${key}/explain`, { domain })).body.explanation;
      const key = await issue(ada, { max_domains: 1 });
      expect((await explain(key, 'second-shop.example')).obstacles).to.deep.equal([]);
      expect(lookedUpFor, 'nothing is looked up for other products').to.deep.equal([]);
      await setTerms('jar', { domainProof: 'to_take', deactivation: 'cool_down', coolDownHours: 2 });
      await activate(key, 'old.example');
      lookedUpFor.length = 0;
      const { obstacles, rules } = await explain(key, 'https://second-shop.example/');
      expect(rules.at(-1).fix).to.equal(
        'First do one of what is missing, then activate the license on second-shop.example.',
      );
      expect(obstacles.map(({ code }: { code: string }) => code)).to.deep.equal(['slots_in_use', 'proof_not_found']);
      expect(obstacles[1].fix).to.match(
        /publish the text lk=[\w-]{43} as a TXT record of _latchkey\.second-shop\.example/,
      );
      expect(lookedUpFor).to.deep.equal([`account ${ada.user.id}`]);
      found.set('second-shop.example', 'found');
      const ready = await explain(key, 'second-shop.example');
      expect(ready.obstacles).to.deep.equal([]);
      expect(ready.rules.at(-1).fix).to.include('it takes the slot of old.example.');
      await activate(key, 'second-shop.example');
      expect((await explain(key, 'old.example')).obstacles).to.deep.include({
        code: 'deactivation_cools_down',
        fix: 'The license key has freed a slot a short time ago, and cannot free another one yet. The buyer and the seller can remove a domain at once.',
        until: isoOf(start + 2 * 3_600_000),
      });
    });

    itLong('422 without a domain', async () => {
      expect((await ada.get(`${path}/${await issue(ada)}/explain`)).status).to.equal(422);
    });
  });

  describe('DELETE …/domains/:domain and POST …/domains/:domain/move', () => {
    itLong('200 with the domains after it, and the change in the history', async () => {
      const key = await issue(ada, { max_domains: 1 });
      await activate(key, 'old.com');
      const at = `${path}/${key}/domains`;
      const moved = await ada.post(`${at}/old.com/move`, { to: 'https://new.com/', overlap_hours: 2 });
      expect(moved.status, moved.text).to.equal(200);
      const names = ({ body }: Answer) => body.license.domains.map((one: { domain: string }) => one.domain);
      expect(names(moved)).to.have.members(['old.com', 'new.com']);
      expect(moved.body.license.domains_used).to.equal(1);
      const removed = await ada.send(`${at}/new.com`, { method: 'DELETE' });
      expect([removed.status, names(removed)]).to.deep.equal([200, []]);
      const { body } = await ada.get(`${path}/${key}/events`);
      expect(body.data.slice(0, 2).map((one: { type: string }) => one.type)).to.deep.equal([
        'license.deactivated',
        'license.domain_moved',
      ]);
      expect(body.data[0].actor).to.equal(ada.user.email);
    });

    itLong(
      '404 for a domain that is not activated and for a license of others, 409 for a taken domain, 422 for no host',
      async () => {
        const key = await issue(ada, { max_domains: 2 });
        for (const name of ['a.com', 'b.com']) await activate(key, name);
        const at = `${path}/${key}/domains`;
        const remove = (account: Account, name: string) => account.send(`${at}/${name}`, { method: 'DELETE' });
        expect(codeOf(await remove(ada, 'c.com'))).to.deep.equal([404, 'NOT_FOUND']);
        expect((await remove(eve, 'a.com')).body).to.deep.equal(unknown);
        expect((await eve.post(`${at}/a.com/move`, { to: 'c.com' })).body).to.deep.equal(unknown);
        expect(codeOf(await ada.post(`${at}/a.com/move`, { to: 'b.com' }))).to.deep.equal([409, 'CONFLICT']);
        expect(codeOf(await ada.post(`${at}/a.com/move`, { to: '*.com' }))).to.deep.equal([422, 'VALIDATION_ERROR']);
        for (const hours of [-1, 73, 1.5, '2']) {
          const answer = await ada.post(`${at}/a.com/move`, { to: 'c.com', overlap_hours: hours });
          expect(codeOf(answer)).to.deep.equal([422, 'VALIDATION_ERROR']);
        }
        expect((await ada.get(`${path}/${key}`)).body.license.domains).to.have.length(2);
      },
    );
  });

  it('401 without a key, and 403 without the scope, for reading and for writing', async () => {
    const key = await issue(ada);
    const reader = await service.keyOf(ada.user, { scopes: ['licenses:read'] });
    const writer = await service.keyOf(ada.user, { scopes: ['licenses:write'] });
    expect((await service.send(path)).status).to.equal(401);
    expect((await reader.get(path)).status).to.equal(200);
    expect((await reader.post(path, { product: 'jar' })).status).to.equal(403);
    expect((await patch(reader, key, {})).status).to.equal(403);
    expect((await writer.get(`${path}/${key}`)).status).to.equal(403);
    expect((await writer.post(`${path}/${key}/suspend`, {})).status).to.equal(200);
  });
});
