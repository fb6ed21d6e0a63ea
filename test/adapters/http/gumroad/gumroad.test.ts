import { expect } from 'chai';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const theirs = '85DB562A-C11D4B06-A2335A6B-8C079166';
const product_id = '32-nPAicqbLj8B_WswVlMw==';
const settings = { enabled: true, product_id, permalink: 'pencil' };
const adapter = '/api/products/jar/adapters/gumroad';
const path = '/v2/licenses/verify';
const day = 86_400_000;
const json = { 'Content-Type': 'application/json' };
const put = (body: object) => ({ method: 'PUT', headers: json, body: JSON.stringify(body) });
const unknown = [404, { success: false, message: 'That license does not exist for the provided product.' }];

describe('clients of Gumroad', () => {
  let service: AccountService;
  let ada: Account;
  let root: Account;
  let key: string;
  beforeEach(async () => {
    service = await startAccountService();
    ada = await service.account();
    root = await service.administrator();
    await addOwnProduct(service, 'jar', ada, 'live', { title: 'Tip Jar' });
    expect((await root.send(adapter, put(settings))).status).to.equal(200);
    key = await issue();
  });
  afterEach(() => service.close());

  async function issue(more: object = {}): Promise<string> {
    const wish = { product: 'jar', holder: { email: 'grace@example.com', name: 'Grace' }, ...more };
    return (await ada.post('/api/licenses', wish)).body.data[0].key;
  }
  const ask = (fields: Record<string, string> = {}) =>
    service.send(path, { method: 'POST', body: new URLSearchParams({ license_key: key, product_id, ...fields }) });
  const told = async (fields: Record<string, string>) => {
    const { status, body } = await ask(fields);
    return [status, body];
  };
  const verifications = async () =>
    (await service.send(`/status?license_key=${key}`)).body.license.verification_count as number;

  it('are let in by administrators only, and the seller can switch it off', async () => {
    expect((await ada.get(adapter)).body.adapter).to.deep.equal(settings);
    expect((await ada.send(adapter, put({ ...settings, permalink: 'pen' }))).status).to.equal(403);
    expect((await ada.send(adapter, put({ enabled: false, permalink: 'pen' }))).body.adapter).to.deep.equal({
      ...{ enabled: false, product_id: null, permalink: 'pen' },
    });
    expect(await told({})).to.deep.equal(unknown);
    expect((await ada.send(adapter, put(settings))).status).to.equal(403);
    expect((await (await service.account()).get(adapter)).status).to.equal(404);
  });

  itLong('count each use as a verification, and only uses of valid licenses', async () => {
    expect((await ask({ increment_uses_count: 'false' })).body.uses).to.equal(0);
    expect((await ask()).body.uses).to.equal(1);
    expect((await ask({ increment_uses_count: 'true' })).body.uses).to.equal(2);
    await ask({ product_id: 'other' });
    await ada.post(`/api/licenses/${key}/suspend`, {});
    await ask();
    await ada.post(`/api/licenses/${key}/reinstate`, {});
    expect((await ask({ increment_uses_count: 'false' })).body.uses).to.equal(2);
    expect(await verifications()).to.equal(2);
  });

  itLong('lose no use if many come at once, also while the license changes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        if (n % 5 === 0) {
          const own = { license_key: key, domain: 'a.example' };
          await service.send('/activate', { method: 'POST', headers: json, body: JSON.stringify(own) });
        }
        return (await ask()).body.uses;
      }),
    );
    expect(answers.sort((one, other) => one - other)).to.deep.equal(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(await verifications()).to.equal(20);
  });

  itLong('find a license by id, or by permalink in each of its names, in any case', async () => {
    for (const name of ['product_permalink', 'link_id', 'id'])
      expect((await ask({ product_id: '', [name]: 'Pencil' })).status, name).to.equal(200);
    expect(await told({ product_id: 'other', product_permalink: 'pencil' }), 'the id decides').to.deep.equal(unknown);
    expect(await told({ product_id: product_id.toLowerCase() })).to.deep.equal(unknown);
    expect(await told({ product_id: '' })).to.deep.equal(unknown);
    await root.send(adapter, put({ enabled: true }));
    expect(await told({ product_id: '', product_permalink: 'null' }), 'not set').to.deep.equal(unknown);
    expect(await told({}), 'not set').to.deep.equal(unknown);
  });

  it('find no license of another product, nor one that does not exist', async () => {
    await addOwnProduct(service, 'cup', ada);
    const other = await issue({ product: 'cup' });
    for (const license_key of [other, theirs, 'LIC-0000-0000-0000-0000', '', 'x'.repeat(5000)])
      expect(await told({ license_key })).to.deep.equal(unknown);
  });

  it('are refused by status', async () => {
    const expires = new Date(service.clock.now() + day).toISOString();
    const license_key = await issue({ expires_at: expires });
    expect((await ask({ license_key })).status).to.equal(200);
    service.clock.advance(day);
    expect((await ask({ license_key })).body.message).to.match(/has expired\.$/);
    for (const act of ['suspend', 'revoke']) {
      await ada.post(`/api/licenses/${key}/${act}`, {});
      expect((await ask()).body.message, act).to.match(/has been disabled\.$/);
    }
  });

  itLong('start the days of a license that start with its first activation, once', async () => {
    await ada.send('/api/products/jar', {
      ...put({ terms: { duration: { days: 10, from: 'first_activation' } } }),
      method: 'PATCH',
    });
    for (const increment_uses_count of ['true', 'false']) {
      const license_key = await issue();
      const end = service.clock.now() + 10 * day;
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask({ license_key, increment_uses_count })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      const { license } = (await service.send(`/status?license_key=${license_key}`)).body;
      expect(Date.parse(license.expires_at)).to.equal(end);
      const events = await service.rows('audit_log');
      const told = events.filter(({ type, subject }) => type === 'license.changed' && subject === license_key);
      expect(told, 'the history says it').to.have.lengthOf(1);
      service.clock.advance(10 * day - 1);
      expect((await ask({ license_key, increment_uses_count })).status).to.equal(200);
      service.clock.advance(1);
      expect((await ask({ license_key })).body.message).to.match(/has expired\.$/);
    }
    const stopped = await issue();
    await ada.post(`/api/licenses/${stopped}/suspend`, {});
    await ask({ license_key: stopped });
    await ask({ license_key: stopped, product_id: 'other' });
    const { license } = (await service.send(`/status?license_key=${stopped}`)).body;
    expect(license.expires_at, 'not while it is refused').to.equal(null);
  });

  itLong('go on with their key after an import, in any case', async () => {
    const csv = `product,alias,alias_kind\njar,${theirs},gumroad\n`;
    const init = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv };
    expect((await ada.send('/api/licenses/import', init)).status).to.equal(200);
    const { body } = await ask({ license_key: theirs });
    expect([body.uses, body.purchase.license_key]).to.deep.equal([1, theirs]);
    expect((await ask({ license_key: ` ${theirs.toLowerCase()}` })).body.uses).to.equal(2);
  });

  itLong('never learn whose the license is', async () => {
    expect((await ask()).text).to.not.match(/grace|user1/i);
  });

  itLong('send a form, JSON or the query, and get failures in their form', async () => {
    const fields = { license_key: key, product_id, increment_uses_count: false };
    const sent = (body: object) => service.send(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    expect((await sent(fields)).body.uses).to.equal(0);
    const query = new URLSearchParams({ license_key: key, product_id });
    expect((await service.send(`${path}?${query}`, { method: 'POST' })).body.uses).to.equal(1);
    const wrong = await sent({ ...fields, license_key: ['a'] });
    const message = "The 'license_key' parameter must be a string.";
    expect([wrong.status, wrong.body]).to.deep.equal([400, { success: false, message }]);
    for (const [at, method, status] of [
      [path, 'GET', 405],
      ['/v2/licenses/disable', 'PUT', 404],
    ] as const) {
      const failed = await service.send(at, { method });
      expect([failed.status, failed.body.success]).to.deep.equal([status, false]);
    }
  });

  itLong('share the limits of the license API', async () => {
    await using limited = await startAccountService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_VERIFY: '2' });
    const domain = new URLSearchParams({ license_key: theirs, domain: 'a.example' });
    expect((await limited.send(`/verify?${domain}`)).status).to.equal(404);
    expect((await limited.send(path, { method: 'POST' })).status).to.equal(404);
    const { status, body } = await limited.send(path, { method: 'POST' });
    expect([status, body.success]).to.deep.equal([429, false]);
    expect((await limited.send(`/verify?${domain}`)).status).to.equal(429);
  });
});
