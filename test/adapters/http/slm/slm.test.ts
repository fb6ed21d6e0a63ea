import { expect } from 'chai';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const settings = { enabled: true, secret_key: '5f8b3e0a.12', item_reference: 'Tip Jar' };
const adapter = '/api/products/jar/adapters/slm';
const theirs = '5f8b3e0a9c1d2';
const day = 86_400_000;
const put = (body: object) => ({
  ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
});
const unknown = { result: 'error', message: 'Invalid license key', error_code: 60 };
const activated = { result: 'success', message: 'License key activated' };

describe('clients of Software License Manager', () => {
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
    const wish = { product: 'jar', max_domains: 2, holder: { email: 'grace@example.com', name: 'Grace' }, ...more };
    return (await ada.post('/api/licenses', wish)).body.data[0].key;
  }
  const own = () => ({ license_key: key, secret_key: settings.secret_key, registered_domain: 'shop.example' });
  const ask = (action: string, fields: Record<string, string> = {}) =>
    service.send('/slm', {
      method: 'POST',
      body: new URLSearchParams({ slm_action: `slm_${action}`, ...own(), ...fields }),
    });
  const told = async (action: string, fields?: Record<string, string>) => (await ask(action, fields)).body;
  const codeOf = async (action: string, fields?: Record<string, string>) => (await told(action, fields)).error_code;
  const stateOf = async () => (await service.send(`/status?license_key=${key}`)).body.license;

  it('are let in by administrators only, and the seller can switch it off', async () => {
    expect((await ada.get(adapter)).body.adapter).to.deep.equal(settings);
    expect((await ada.send(adapter, put({ ...settings, item_reference: 'Cup' }))).status).to.equal(403);
    expect((await ada.send(adapter, put({ enabled: false }))).body.adapter).to.deep.equal({
      ...{ enabled: false, secret_key: null, item_reference: null },
    });
    expect(await told('check')).to.deep.equal(unknown);
    expect((await ada.send(adapter, put(settings))).status).to.equal(403);
    expect((await (await service.account()).get(adapter)).status).to.equal(404);
  });

  itLong('activate domains up to the limit, and say if one is activated already', async () => {
    expect(await told('activate')).to.deep.equal(activated);
    expect(await told('activate', { registered_domain: 'https://shop.example/a' })).to.deep.equal({
      ...{ result: 'error', message: 'License key already in use on https://shop.example/a', error_code: 40 },
    });
    expect(await told('activate', { registered_domain: 'blog.example' })).to.deep.equal(activated);
    expect(await codeOf('activate', { registered_domain: 'blog.example' })).to.equal(110);
    expect(await codeOf('activate', { registered_domain: 'third.example' })).to.equal(50);
    expect((await stateOf()).domains_used).to.equal(2);
    expect(await told('deactivate')).to.include({ result: 'success' });
    expect(await codeOf('deactivate')).to.equal(80);
    expect(await told('activate', { registered_domain: 'third.example' })).to.deep.equal(activated);
  });

  itLong('activate a machine under its name, which only itself is told of', async () => {
    const machine = { registered_domain: 'machine 7' };
    expect(await told('activate', machine)).to.deep.equal(activated);
    expect(await told('activate', { registered_domain: 'shop.example' })).to.deep.equal(activated);
    const names = async (fields: Record<string, string>) =>
      (await told('check', fields)).registered_domains.map(
        (one: { registered_domain: string }) => one.registered_domain,
      );
    expect(await names(machine)).to.deep.equal(['machine 7', 'shop.example']);
    expect(await names({})).to.deep.equal(['shop.example']);
    expect(await names({ registered_domain: 'machine 8' })).to.deep.equal(['shop.example']);
    expect(await told('deactivate', machine)).to.include({ result: 'success' });
    expect(await names(machine)).to.deep.equal(['shop.example']);
  });

  itLong(
    'are told the newest 100 domains, and of a license with more than 1,000 only the one that they name',
    async () => {
      const many = Array.from({ length: 1_000 }, (_, n) => `shop${n}.example`);
      const csv = `product,alias,max_domains,domains\njar,${theirs},1002,${many.join(' ')}\n`;
      const init = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv };
      expect((await ada.send('/api/licenses/import', init)).status).to.equal(200);
      const names = async (registered_domain: string) =>
        (await told('check', { license_key: theirs, registered_domain })).registered_domains.map(
          (one: { registered_domain: string }) => one.registered_domain,
        );
      expect(await names('shop7.example')).to.have.lengthOf(100);
      for (const registered_domain of ['machine 7', 'last.example']) {
        expect(await told('activate', { license_key: theirs, registered_domain })).to.deep.equal(activated);
      }
      for (const one of ['shop7.example', 'last.example', 'machine 7']) expect(await names(one)).to.deep.equal([one]);
      expect(await names('HTTPS://Shop7.example/a')).to.deep.equal(['shop7.example']);
      for (const one of ['other.example', 'machine 8', '']) expect(await names(one), one).to.deep.equal([]);
    },
  );

  itLong('look at a license in every status, and count only verifications of an activated domain', async () => {
    expect(await told('check')).to.include({ result: 'success', status: 'pending' });
    await ask('activate');
    expect(await told('check')).to.include({ status: 'active', max_allowed_domains: '2', date_created: '2026-01-01' });
    await ask('check', { registered_domain: '' });
    await ask('check', { registered_domain: 'other.example' });
    expect((await stateOf()).verification_count).to.equal(1);
    for (const act of ['suspend', 'revoke']) {
      await ada.post(`/api/licenses/${key}/${act}`, {});
      expect(await told('check'), act).to.include({ result: 'success', status: 'blocked' });
      expect(await codeOf('activate'), act).to.equal(20);
    }
    expect((await stateOf()).verification_count).to.equal(1);
    expect(await told('deactivate'), 'in every status').to.include({ result: 'success' });
  });

  it('are told when a license ends, and are refused then', async () => {
    expect((await told('check')).date_expiry).to.equal('0000-00-00');
    const license_key = await issue({ expires_at: new Date(service.clock.now() + day).toISOString() });
    expect((await told('check', { license_key })).date_expiry).to.equal('2026-01-01');
    service.clock.advance(day);
    expect(await told('check', { license_key })).to.include({ status: 'expired', date: '2026-01-02' });
    expect(await codeOf('activate', { license_key })).to.equal(30);
  });

  it('find no license with another secret key or reference, nor one of another product', async () => {
    await addOwnProduct(service, 'cup', ada);
    const { body: issued } = await ada.post('/api/licenses', { product: 'cup' });
    const wrong = [issued.data[0].key, theirs, 'LIC-0000-0000-0000-0000', '', 'x'.repeat(5000)].map((license_key) => ({
      license_key,
    }));
    for (const fields of [...wrong, { secret_key: '5F8B3E0A.12' }, { item_reference: 'Cup' }]) {
      expect(await told('activate', fields)).to.deep.equal(unknown);
      expect(await told('check', fields)).to.deep.equal(unknown);
      expect(await told('deactivate', fields)).to.deep.equal(unknown);
    }
    expect(await codeOf('check', { secret_key: '' })).to.equal(90);
    for (const item_reference of [' tip  jar', 'Tip%20Jar', 'Tip+Jar', '']) {
      expect(await told('check', { item_reference }), item_reference).to.include({ result: 'success' });
    }
    await root.send(adapter, put({ ...settings, item_reference: null }));
    expect(await told('check', { item_reference: 'Cup' })).to.include({ result: 'success' });
    await root.send(adapter, put({ enabled: true }));
    for (const secret_key of [settings.secret_key, 'null']) {
      expect(await told('check', { secret_key }), 'not set').to.deep.equal(unknown);
    }
  });

  itLong('go on with their key after an import', async () => {
    const csv = `product,alias,alias_kind,domains\njar,${theirs},slm,shop.example\n`;
    const init = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv };
    expect((await ada.send('/api/licenses/import', init)).status).to.equal(200);
    expect(await told('check', { license_key: theirs })).to.include({ license_key: theirs, status: 'active' });
    expect(await codeOf('activate', { license_key: theirs })).to.equal(110);
    expect(await told('check', { license_key: theirs.toUpperCase() })).to.include({ status: 'active' });
  });

  itLong('never learn whose the license is, and get no markup', async () => {
    await ask('activate');
    expect((await ask('check')).text).to.not.match(/grace|user1/i);
    const registered_domain = '<b>7</b>';
    await ask('activate', { registered_domain });
    expect((await told('activate', { registered_domain })).message).to.match(/&lt;b&gt;7&lt;\/b&gt;$/);
  });

  itLong('send a form or the query, and get failures in their form', async () => {
    const query = new URLSearchParams({ slm_action: 'slm_check', ...own() });
    expect((await service.send(`/slm/?${query}`)).body.status).to.equal('pending');
    for (const [init, status] of [
      [{ method: 'HEAD' }, 405],
      [{ method: 'PUT' }, 405],
      [{ method: 'GET' }, 400],
    ] as const) {
      expect((await service.send('/slm', init)).status, init.method).to.equal(status);
    }
    const { status, body } = await ask('create_new');
    expect([status, body]).to.deep.equal([
      ...[400, { result: 'error', message: 'Licenses are not made here with slm_create_new: use the account API.' }],
    ]);
  });

  itLong('share the limits of the license API', async () => {
    await using limited = await startAccountService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_VERIFY: '2' });
    const query = new URLSearchParams({ slm_action: 'slm_check', ...own() });
    const verified = `/verify?${new URLSearchParams({ license_key: key, domain: 'a.example' })}`;
    expect((await limited.send(verified)).status).to.equal(404);
    expect((await limited.send(`/slm?${query}`)).body).to.deep.equal(unknown);
    const { status, body } = await limited.send(`/slm?${query}`);
    expect([status, body.result, 'error_code' in body]).to.deep.equal([429, 'error', false]);
    expect((await limited.send(verified)).status).to.equal(429);
  });
});
