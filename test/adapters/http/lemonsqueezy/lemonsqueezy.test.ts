import { activateLicense, deactivateLicense, lemonSqueezySetup, validateLicense } from '@lemonsqueezy/lemonsqueezy.js';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const uuid = '38b1460a-5104-4067-a91d-77b872934d51';
const unknown = '00000000-0000-4000-8000-000000000000';
const holder = { email: 'grace@example.com', name: 'Grace Hopper' };
const ids = { store_id: 1234, product_id: 56_789, variant_id: 98_765 };
const day = 86_400_000;
const adapter = '/api/products/jar/adapters/lemonsqueezy';

describe('clients of Lemon Squeezy', () => {
  let service: AccountService;
  let ada: Account;
  let root: Account;
  let key: LicenseKey;
  beforeEach(async () => {
    service = await startAccountService();
    ada = await service.account();
    root = await service.administrator();
    await addOwnProduct(service, 'jar', ada);
    expect((await root.send(adapter, put({ enabled: true, ...ids }))).status).to.equal(200);
    key = await issue();
  });
  afterEach(() => service.close());

  const put = (body: object) => ({
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  async function issue(more: object = {}): Promise<LicenseKey> {
    const { body, text } = await ada.post('/api/licenses', { product: 'jar', max_domains: 2, holder, ...more });
    expect(body.data, text).to.have.lengthOf(1);
    return body.data[0].key;
  }
  const form = (operation: string, fields: Record<string, string>) =>
    service.send(`/v1/licenses/${operation}`, { method: 'POST', body: new URLSearchParams(fields) });
  const activate = (name: string, of: string = key) => form('activate', { license_key: of, instance_name: name });
  const validate = (id?: string, of: string = key) =>
    form('validate', { license_key: of, ...(id !== undefined && { instance_id: id }) });
  const deactivate = (id: string, of: string = key) => form('deactivate', { license_key: of, instance_id: id });
  const errorOf = ({ status, body }: Answer) => [status, body.error];

  describe('on the API', () => {
    itLong('are let in product by product, and the seller can switch it off', async () => {
      expect((await ada.get(adapter)).body.adapter).to.deep.equal({ enabled: true, ...ids });
      expect((await ada.send(adapter, put({ enabled: false, store_id: 5 }))).body.adapter).to.deep.equal({
        ...{ enabled: false, store_id: 5, product_id: null, variant_id: null },
      });
      const { body } = await ada.get('/api/products/jar');
      expect(body.product).to.not.have.property('adapters');
      const events = await service.rows('audit_log');
      const told = events.filter(({ type, data }) => type === 'product.changed' && String(data).includes('adapters'));
      expect(told).to.have.lengthOf(2);
      expect((await ada.send(adapter, put({ enabled: false, store_id: 5 }))).status, 'the same again').to.equal(200);
      expect(await service.rows('audit_log')).to.have.lengthOf(events.length);
    });

    it('are let in by administrators only, so that nobody can enter the ids of another store', async () => {
      const change = async (account: Account, body: object) => (await account.send(adapter, put(body))).status;
      const refused = await ada.send(adapter, put({ enabled: true, ...ids, store_id: 99 }));
      expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'FORBIDDEN']);
      expect(refused.body.error.message).to.include('Only an administrator can let clients of another system in');
      expect((await validate()).body.meta.store_id, 'the ids stay').to.equal(ids.store_id);
      expect(await change(ada, { enabled: true, ...ids }), 'as it is').to.equal(200);
      expect(await change(ada, { enabled: false, ...ids, store_id: 99 })).to.equal(200);
      expect(await change(ada, { enabled: true, ...ids, store_id: 99 })).to.equal(403);
      expect(await change(ada, { enabled: true, ...ids })).to.equal(403);
      expect((await validate()).status).to.equal(404);
      expect(await change(root, { enabled: true, ...ids, store_id: 99 })).to.equal(200);
      expect((await validate()).body.meta.store_id).to.equal(99);
    });

    itLong('cannot be let in with wrong ids, nor to products of others, nor to archived ones', async () => {
      for (const body of [{}, { enabled: 'yes' }, { enabled: true, store_id: 0 }, { enabled: true, shop: 1 }]) {
        expect((await ada.send(adapter, put(body))).status, JSON.stringify(body)).to.equal(422);
      }
      const other = await service.account();
      expect((await other.send(adapter, put({ enabled: true }))).status).to.equal(404);
      expect((await other.get(adapter)).status).to.equal(404);
      expect((await ada.post('/api/products/jar/archive', {})).status).to.equal(200);
      expect((await ada.send(adapter, put({ enabled: true }))).status).to.equal(409);
      expect((await validate()).body.valid, 'its licenses still work').to.equal(true);
    });
  });

  describe('activate', () => {
    itLong('makes one more instance with each call if the name is no host', async () => {
      const [one, two] = [await activate('MacBook'), await activate('MacBook')];
      expect([one.status, one.body.activated, one.body.error], one.text).to.deep.equal([200, true, null]);
      expect(one.body.instance.id).to.not.equal(two.body.instance.id);
      expect(two.body.license_key).to.include({ activation_limit: 2, activation_usage: 2, status: 'active', key });
      expect(errorOf(await activate('MacBook'))).to.deep.equal([
        400,
        'This license key has reached the activation limit.',
      ]);
      for (const { body } of [one, two]) expect((await validate(body.instance.id)).body.valid).to.equal(true);
    });

    itLong('activates a domain if the name is a host, with the same instance each time', async () => {
      const [one, two] = [await activate('https://Shop.example/wp/'), await activate('shop.example')];
      expect(two.body.instance).to.deep.equal(one.body.instance);
      expect(one.body.instance.name, 'no more of the address').to.equal('shop.example');
      expect(two.body.license_key.activation_usage).to.equal(1);
      const domain = { license_key: key, domain: 'shop.example' };
      expect((await service.send(`/verify?${new URLSearchParams(domain)}`)).body.valid).to.equal(true);
    });

    itLong('gives an instance to a domain that was activated in another way', async () => {
      const own = { license_key: key, domain: 'shop.example' };
      await service.send('/activate', { ...put(own), method: 'POST' });
      const { body } = await activate('https://shop.example');
      expect(body.license_key.activation_usage).to.equal(1);
      expect((await validate(body.instance.id)).body.instance).to.deep.equal(body.instance);
    });

    itLong('starts the days of a license that starts with its first activation', async () => {
      await ada.send('/api/products/jar', {
        ...put({ terms: { duration: { days: 10, from: 'first_activation' } } }),
        method: 'PATCH',
      });
      const starting = await issue();
      expect((await validate(unknown, starting)).body.license_key).to.include({ expires_at: null, status: 'inactive' });
      const { body } = await activate('MacBook', starting);
      const expires = new Date(service.clock.now() + 10 * day).toISOString();
      expect(Date.parse(body.license_key.expires_at)).to.equal(Date.parse(expires));
      const validated = await issue();
      for (const later of [0, day]) {
        service.clock.advance(later);
        const { license_key } = (await validate(undefined, validated)).body;
        expect(Date.parse(license_key.expires_at), 'from the first validation').to.equal(Date.parse(expires));
        expect(license_key.status).to.equal('inactive');
      }
      service.clock.advance(9 * day);
      expect(errorOf(await validate(undefined, validated))).to.deep.equal([400, 'This license key has expired.']);
    });
  });

  describe('validate', () => {
    itLong('is valid without an instance as long as the license is active', async () => {
      const before = await validate();
      expect([before.body.valid, before.body.instance]).to.deep.equal([true, null]);
      expect(before.body.license_key.status).to.equal('inactive');
      await activate('MacBook');
      expect((await validate('')).body.license_key.status).to.equal('active');
    });

    itLong('counts as a verification if it names an instance', async () => {
      const { body } = await activate('MacBook');
      await validate(body.instance.id);
      await validate();
      const { license } = (await service.send(`/status?license_key=${key}`)).body;
      expect(license.verification_count).to.equal(1);
      expect(license.domains_used).to.equal(1);
      expect([license.domain, license.domains], 'its id is for its client only').to.deep.equal([null, []]);
    });

    itLong('says that an instance is unknown: of another license, deactivated, or no id at all', async () => {
      const { body } = await activate('MacBook');
      const other = await issue();
      const wrong = [404, 'instance_id not found.'];
      expect(errorOf(await validate(body.instance.id, other))).to.deep.equal(wrong);
      expect(errorOf(await validate('MacBook'))).to.deep.equal(wrong);
      expect(errorOf(await validate(unknown))).to.deep.equal(wrong);
      await deactivate(body.instance.id);
      expect(errorOf(await validate(body.instance.id))).to.deep.equal(wrong);
    });

    itLong('is not valid while the license is suspended, revoked or expired, and says who it would be', async () => {
      const { body } = await activate('MacBook');
      await ada.post(`/api/licenses/${key}/suspend`, {});
      const suspended = await validate(body.instance.id);
      expect(errorOf(suspended)).to.deep.equal([400, 'This license key is disabled.']);
      expect(suspended.body.license_key.status).to.equal('disabled');
      expect(suspended.body.instance).to.deep.equal(body.instance);
      expect(errorOf(await validate())).to.deep.equal([400, 'This license key is disabled.']);
      const short = await issue({ expires_at: new Date(service.clock.now() + day).toISOString() });
      service.clock.advance(2 * day);
      const expired = await validate(undefined, short);
      expect(errorOf(expired)).to.deep.equal([400, 'This license key has expired.']);
      expect(expired.body.license_key.status).to.equal('expired');
    });
  });

  describe('deactivate', () => {
    itLong('frees the place of an instance and of a domain', async () => {
      for (const name of ['MacBook', 'shop.example']) {
        const { body } = await activate(name);
        const done = await deactivate(body.instance.id);
        expect([done.status, done.body.deactivated], done.text).to.deep.equal([200, true]);
        expect(done.body.license_key).to.include({ activation_usage: 0, status: 'inactive' });
        expect(done.body).to.not.have.property('instance');
        expect(errorOf(await deactivate(body.instance.id))).to.deep.equal([404, 'instance_id not found.']);
      }
      expect(await service.rows('license_instances')).to.deep.equal([]);
    });

    itLong('works in every status of the license', async () => {
      const { body } = await activate('MacBook');
      await ada.post(`/api/licenses/${key}/revoke`, {});
      expect((await deactivate(body.instance.id)).body.deactivated).to.equal(true);
    });
  });

  describe('of products that do not let them in', () => {
    itLong('find no license, and change nothing', async () => {
      const { body } = await activate('MacBook');
      await addOwnProduct(service, 'cup', ada);
      const { body: issued } = await ada.post('/api/licenses', { product: 'cup' });
      await ada.send(adapter, put({ enabled: false, ...ids }));
      const nothing = { error: 'license_key not found.', license_key: null, instance: null, meta: null };
      for (const of of [key, issued.data[0].key, uuid, 'LIC-0000-0000-0000-0000']) {
        const answers = [
          await activate('Other', of),
          await validate(undefined, of),
          await deactivate(body.instance.id, of),
        ];
        expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404]);
        expect(answers.map((one) => one.body)).to.deep.equal([
          { activated: false, ...nothing },
          { valid: false, ...nothing },
          { deactivated: false, ...nothing },
        ]);
      }
      await root.send(adapter, put({ enabled: true, ...ids }));
      expect((await validate(body.instance.id)).body.valid).to.equal(true);
    });
  });

  itLong('go on with their key after an import, and with the instances that they have', async () => {
    const csv = `product,max_domains,alias,alias_kind,domains\njar,3,${uuid},lemonsqueezy,instance:${unknown} shop.example\n`;
    const imported = await ada.send('/api/licenses/import', {
      ...{ method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv },
    });
    expect(imported.status, imported.text).to.equal(200);
    const { body } = await validate(unknown.toUpperCase(), uuid.toUpperCase());
    expect(body.valid, JSON.stringify(body)).to.equal(true);
    expect(body.instance).to.include({ id: unknown, name: '' });
    expect(body.license_key).to.include({ key: uuid.toUpperCase(), activation_usage: 2 });
    expect((await deactivate(unknown, uuid)).body.license_key.activation_usage).to.equal(1);
  });

  itLong('have instances that sellers see and remove', async () => {
    const { body } = await activate('MacBook');
    const shown = await ada.get(`/api/licenses/${key}`);
    const name = `instance:${body.instance.id}`;
    expect(shown.body.license.domains.map(({ domain }: { domain: string }) => domain)).to.deep.equal([name]);
    const removed = await ada.send(`/api/licenses/${key}/domains/${encodeURIComponent(name)}`, { method: 'DELETE' });
    expect(removed.status, removed.text).to.equal(200);
    expect((await validate(body.instance.id)).status).to.equal(404);
  });

  itLong('get no valid answer beyond the end of a replaced key', async () => {
    const { body } = await activate('MacBook');
    await ada.post(`/api/licenses/${key}/rotate`, { overlap_days: 2 });
    const during = await validate(body.instance.id);
    expect(during.body.license_key.key).to.equal(key);
    expect(Date.parse(during.body.license_key.expires_at)).to.equal(service.clock.now() + 2 * day);
    service.clock.advance(2 * day);
    for (const answer of [await validate(body.instance.id), await activate('Other')]) {
      expect(errorOf(answer)).to.deep.equal([404, 'license_key not found.']);
    }
  });

  itLong('never learn whose the license is', async () => {
    const { body } = await activate('MacBook');
    for (const { text } of [
      await activate('Two'),
      await validate(body.instance.id),
      await deactivate(body.instance.id),
    ]) {
      expect(text).to.not.match(/grace|hopper|user1/i);
    }
  });

  itLong('can send a form, JSON, JSON:API or a query, and get errors in their form', async () => {
    const fields = { license_key: key, instance_name: 'shop.example' };
    const json = JSON.stringify(fields);
    const sendings: readonly RequestInit[] = [
      { body: new URLSearchParams(fields) },
      { body: json, headers: { 'Content-Type': 'application/json' } },
      { body: json, headers: { 'Content-Type': 'application/vnd.api+json' } },
    ];
    for (const init of sendings) {
      expect((await service.send('/v1/licenses/activate', { method: 'POST', ...init })).body.activated).to.equal(true);
    }
    const query = new URLSearchParams(fields);
    expect((await service.send(`/v1/licenses/activate?${query}`, { method: 'POST' })).body.activated).to.equal(true);
    const wrong = await form('activate', { license_key: key });
    expect(errorOf(wrong)).to.deep.equal([422, 'instance_name: It is required.']);
    const text = await service.send('/v1/licenses/validate', { method: 'POST', body: 'license_key' });
    expect([text.status, text.body.valid]).to.deep.equal([415, false]);
    const other = await service.send('/v1/licenses/other', { method: 'POST' });
    expect([other.status, other.body.valid]).to.deep.equal([404, false]);
    expect((await service.send('/v1/licenses/validate')).status).to.equal(405);
  });

  itLong('share the limits of the license API', async () => {
    await using limited = await startAccountService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_VERIFY: '2' });
    const call = () =>
      limited.send('/v1/licenses/validate', { method: 'POST', body: new URLSearchParams({ license_key: uuid }) });
    expect((await limited.send(`/verify?license_key=${uuid}&domain=a.example`)).status).to.equal(404);
    expect((await call()).status).to.equal(404);
    const refused = await call();
    expect([refused.status, refused.body.valid, refused.body.license_key]).to.deep.equal([429, false, null]);
    expect(Number(refused.headers.get('Retry-After'))).to.be.greaterThan(0);
  });

  itLong('work with the official client package', async () => {
    const real = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      const address = new URL(String(input));
      return real(
        address.hostname === 'api.lemonsqueezy.com' ? service.url + address.pathname + address.search : input,
        init,
      );
    };
    try {
      lemonSqueezySetup({ apiKey: 'none' });
      const activated = await activateLicense(key, 'MacBook');
      expect(activated.error).to.equal(null);
      expect(activated.data?.meta).to.include(ids);
      const id = activated.data?.instance?.id ?? '';
      const valid = await validateLicense(key, id);
      expect([valid.data?.valid, valid.data?.instance?.name]).to.deep.equal([true, 'MacBook']);
      expect((await validateLicense(key)).data?.instance).to.equal(null);
      const done = await deactivateLicense(key, id);
      expect([done.statusCode, done.data?.deactivated]).to.deep.equal([200, true]);
      const gone = await validateLicense(key, id);
      expect([gone.statusCode, gone.error === null]).to.deep.equal([404, false]);
    } finally {
      globalThis.fetch = real;
    }
  });

  it('meet the rights of administrators on products of the operator', async () => {
    good(await service.products.add({ title: 'House', ownerId: null }, operator));
    const stored = await (await service.parts.get(t.productStore)).findBySlug('house');
    expect(stored?.adapters.lemonsqueezy.isOn).to.equal(false);
    expect((await ada.send('/api/products/house/adapters/lemonsqueezy', put({ enabled: true }))).status).to.equal(404);
  });
});
