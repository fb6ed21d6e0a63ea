import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

const md5 = 'cc22c1ec86304b36883440e2e84cddff';
const item = { item_id: '8' };
const site = { url: 'https://shop.example' };
const noFacts = { requires: null, tested: null, requires_php: null };
const settings = { enabled: true, item_id: 8, item_name: 'Tip Jar & Co', ...noFacts };
const adapter = '/api/products/jar/adapters/edd';
const day = 86_400_000;
const json = { 'Content-Type': 'application/json' };
const put = (body: object) => ({ method: 'PUT', headers: json, body: JSON.stringify(body) });

describe('clients of EDD Software Licensing', () => {
  let service: AccountService;
  let ada: Account;
  let root: Account;
  let key: LicenseKey;
  beforeEach(async () => {
    service = await startAccountService();
    ada = await service.account();
    root = await service.administrator();
    await addOwnProduct(service, 'jar', ada, 'live', { title: 'Tip Jar' });
    expect((await root.send(adapter, put(settings))).status).to.equal(200);
    key = await issue();
  });
  afterEach(() => service.close());

  async function issue(more: object = {}): Promise<LicenseKey> {
    const { body, text } = await ada.post('/api/licenses', {
      ...{ product: 'jar', max_domains: 2, holder: { email: 'grace@example.com', name: 'Grace' } },
      ...more,
    });
    expect(body.data, text).to.have.lengthOf(1);
    return body.data[0].key;
  }
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    service.send('/edd/', { method: 'POST', headers, body: new URLSearchParams(fields) });
  const ask = (action: string, more: Record<string, string> = {}) =>
    post({ edd_action: action, license: key, ...item, ...site, ...more });
  const activate = (more?: Record<string, string>) => ask('activate_license', more);
  const check = async (more?: Record<string, string>) => (await ask('check_license', more)).body.license;

  describe('on the API', () => {
    it('are let in by administrators only', async () => {
      expect((await ada.get(adapter)).body.adapter).to.deep.equal(settings);
      expect((await ada.send(adapter, put({ ...settings, item_id: 9 }))).status).to.equal(403);
      expect((await ada.send(adapter, put({ ...settings, item_name: 'Other' }))).status).to.equal(403);
      expect((await ada.send(adapter, put({ enabled: false, item_id: 9 }))).body.adapter).to.deep.equal({
        ...{ enabled: false, item_id: 9, item_name: null, ...noFacts },
      });
      expect((await ada.send(adapter, put({ enabled: true, item_id: 9 }))).status).to.equal(403);
      expect((await (await service.account()).get(adapter)).status).to.equal(404);
    });

    itLong('do not change what is set for clients of other systems', async () => {
      const other = '/api/products/jar/adapters/lemonsqueezy';
      await root.send(other, put({ enabled: true, store_id: 5 }));
      await ada.send(adapter, put({ enabled: false }));
      expect((await ada.get(other)).body.adapter).to.include({ enabled: true, store_id: 5 });
      expect((await ada.send(adapter, put({ enabled: false, item_id: 0 }))).status).to.equal(422);
    });
  });

  itLong('activate a site once, check it, and deactivate it', async () => {
    expect(await check()).to.equal('inactive');
    for (const url of ['https://Shop.example/wp/', 'http://shop.example']) {
      const { status, body } = await activate({ url });
      expect([status, body.success, body.license, body.site_count]).to.deep.equal([200, true, 'valid', 1]);
    }
    expect(await check()).to.equal('valid');
    expect(await check({ url: 'https://other.example' })).to.equal('site_inactive');
    const own = { license_key: key, domain: 'shop.example' };
    expect((await service.send(`/verify?${new URLSearchParams(own)}`)).body.valid).to.equal(true);
    const { license } = (await service.send(`/status?license_key=${key}`)).body;
    expect(license.verification_count, 'valid checks count').to.equal(2);
    expect((await ask('deactivate_license')).body).to.include({ success: true, license: 'deactivated' });
    expect((await ask('deactivate_license')).body).to.include({ success: false, license: 'failed' });
    expect(await check()).to.equal('inactive');
  });

  itLong('name a machine by any text, which takes one place and stays the same', async () => {
    const url = 'System “7”/ü';
    for (const _ of [1, 2]) expect((await activate({ url })).body.site_count).to.equal(1);
    expect(await check({ url })).to.equal('valid');
    expect(await check({ url: 'System “8”/ü' })).to.equal('site_inactive');
    const { domains } = (await ada.get(`/api/licenses/${key}`)).body.license;
    expect(domains[0].domain).to.match(/^instance:[\da-f-]{36}$/);
    expect((await service.rows('license_instances')).map(({ name }) => name)).to.deep.equal([url]);
    expect((await ask('deactivate_license', { url })).body.license).to.equal('deactivated');
  });

  itLong('name the site in the header User-Agent if they are old, and otherwise miss it', async () => {
    const fields = { license: key, ...item };
    const agent = { 'User-Agent': 'WordPress/6.4; https://old.example' };
    expect((await post({ edd_action: 'activate_license', ...fields }, agent)).body.license).to.equal('valid');
    expect((await post({ edd_action: 'check_license', ...fields }, agent)).body.license).to.equal('valid');
    const none = await post({ edd_action: 'activate_license', ...fields });
    expect([none.status, none.body.error]).to.deep.equal([200, 'missing_url']);
    expect((await post({ edd_action: 'check_license', ...fields })).body.license).to.equal('site_inactive');
  });

  it('are refused for another product, by id or by name, and nothing is activated', async () => {
    const errorOf = async (more: Record<string, string>) => (await activate(more)).body.error;
    expect(await errorOf({ item_id: '9' })).to.equal('invalid_item_id');
    expect(await errorOf({ item_id: '9', item_name: 'Tip Jar & Co' }), 'the id decides').to.equal('invalid_item_id');
    const named = await activate({ item_id: '', item_name: '<b>"Jar"</b> & Co' });
    expect(named.body.item_name, 'as HTML').to.equal('&lt;b&gt;&quot;Jar&quot;&lt;/b&gt; &amp; Co');
    for (const item_name of ['', 'Other', 'Tip Jar']) {
      expect(await errorOf({ item_id: '0', item_name })).to.equal('item_name_mismatch');
      expect(await check({ item_id: '', item_name })).to.equal('item_name_mismatch');
    }
    expect((await ask('deactivate_license', { item_id: '9' })).body.license).to.equal('failed');
    expect((await service.send(`/status?license_key=${key}`)).body.license.domains_used).to.equal(0);
    for (const item_name of ['tip jar & co', 'Tip%20Jar%20%26%20Co', 'Tip+Jar+%26+Co']) {
      expect((await activate({ item_id: '', item_name })).body.license, item_name).to.equal('valid');
    }
    await root.send(adapter, put({ enabled: true }));
    expect(await errorOf({}), 'what is not set never matches').to.equal('invalid_item_id');
    expect(await errorOf({ item_id: '', item_name: 'null' })).to.equal('item_name_mismatch');
  });

  it('are refused by status and limit', async () => {
    await activate();
    await activate({ url: 'https://two.example' });
    const full = await activate({ url: 'https://three.example' });
    expect(full.body).to.include({ success: false, license: 'invalid', error: 'no_activations_left' });
    expect(full.body).to.include({ license_limit: 2, site_count: 2, activations_left: 0 });
    for (const act of ['suspend', 'revoke']) {
      await ada.post(`/api/licenses/${key}/${act}`, {});
      expect((await activate()).body.error, act).to.equal('disabled');
      expect(await check(), act).to.equal('disabled');
    }
    expect((await ask('deactivate_license')).body.license, 'in every status').to.equal('deactivated');
    const license = await issue({ expires_at: new Date(service.clock.now() + day).toISOString() });
    expect((await activate({ license })).body.expires).to.equal('2026-01-02 00:00:00');
    service.clock.advance(day);
    expect((await activate({ license })).body.error).to.equal('expired');
    expect(await check({ license })).to.equal('expired');
  });

  it('find no license of a product that does not let them in, nor one that does not exist', async () => {
    await addOwnProduct(service, 'cup', ada);
    const { body: issued } = await ada.post('/api/licenses', { product: 'cup' });
    for (const license of [issued.data[0].key, md5, 'LIC-0000-0000-0000-0000', '', 'x'.repeat(5000)]) {
      const { body } = await activate({ license });
      const { checksum, ...rest } = body;
      expect(rest).to.deep.equal({ success: false, license: 'invalid', item_id: 8, item_name: '', error: 'missing' });
      expect(checksum).to.match(/^[\da-f]{32}$/);
      expect((await ask('check_license', { license })).body).to.include({ success: false, license: 'invalid' });
      expect((await ask('deactivate_license', { license })).body).to.include({ success: false, license: 'failed' });
      // Without a license, everybody may know the version of a public product.
      const latest = (await ask('get_version', { license })).body;
      expect([latest.new_version, latest.package]).to.deep.equal([license === '' ? '1' : '', '']);
    }
  });

  itLong('go on with their key and their sites after an import', async () => {
    const csv = `product,max_domains,alias,alias_kind,domains\njar,3,${md5},edd,shop.example\n`;
    const init = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: csv };
    expect((await ada.send('/api/licenses/import', init)).status).to.equal(200);
    expect(await check({ license: md5 })).to.equal('valid');
    expect((await activate({ license: md5, url: 'https://two.example' })).body.site_count).to.equal(2);
  });

  itLong('send a form, or the query of GET, and the body has precedence', async () => {
    const query = new URLSearchParams({ edd_action: 'activate_license', license: key, ...item, ...site });
    expect((await service.send(`/edd?${query}`)).body.license).to.equal('valid');
    expect((await service.send(`/edd/?${query}`)).body.license).to.equal('valid');
    const both = await service.send(`/edd?${query}`, {
      method: 'POST',
      body: new URLSearchParams({ edd_action: 'check_license', url: 'https://other.example' }),
    });
    expect(both.body.license).to.equal('site_inactive');
    for (const init of [{}, { method: 'POST' }, { method: 'POST', body: new URLSearchParams({ edd_action: 'x' }) }]) {
      const { status, body } = await service.send('/edd', init);
      expect([status, body.success, 'license' in body]).to.deep.equal([400, false, false]);
    }
    expect((await service.send('/edd', { method: 'POST', body: '{}', headers: json })).status).to.equal(415);
    expect((await service.send('/edd', { method: 'PUT' })).status).to.equal(405);
    expect((await service.send('/edd/other')).status).to.equal(404);
  });

  itLong('change nothing with HEAD', async () => {
    for (const edd_action of ['activate_license', 'check_license', 'get_version', 'deactivate_license']) {
      const query = new URLSearchParams({ edd_action, license: key, ...item, ...site });
      const { status, headers } = await service.send(`/edd?${query}`, { method: 'HEAD' });
      expect([status, headers.get('Allow')]).to.deep.equal([405, 'GET, POST']);
    }
    expect(await check()).to.equal('inactive');
  });

  itLong('never learn whose the license is', async () => {
    for (const action of ['activate_license', 'check_license', 'get_version', 'deactivate_license']) {
      const { text } = await ask(action);
      expect(text).to.not.match(/grace|user1/i);
    }
  });

  itLong('share the limits of the license API, wherever the action stands', async () => {
    await using limited = await startAccountService({
      ...{ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_ACTIVATE: '2', RATE_LIMIT_VERIFY: '3', RATE_LIMIT_DEACTIVATE: '9' },
      RATE_LIMIT_STATUS: '9',
    });
    const fields = (action: string) => new URLSearchParams({ edd_action: action, license: md5 });
    const inBody = (action: string) => limited.send('/edd', { method: 'POST', body: fields(action) });
    const domain = { license_key: md5, domain: 'a.example' };
    const own = { method: 'POST', headers: json, body: JSON.stringify(domain) };
    expect((await limited.send('/activate', own)).status).to.equal(404);
    expect((await limited.send(`/edd?${fields('activate_license')}`)).status).to.equal(200);
    const refused = await inBody('activate_license');
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'rate_limit_exceeded']);
    expect(refused.headers.get('X-RateLimit-Limit')).to.equal('2');
    expect(Number(refused.headers.get('Retry-After'))).to.be.greaterThan(0);
    expect((await limited.send('/activate', own)).status, 'the same count').to.equal(429);
    for (const action of ['check_license', 'get_version']) expect((await inBody(action)).status).to.equal(200);
    expect((await limited.send(`/verify?${new URLSearchParams(domain)}`)).status).to.equal(404);
    expect((await inBody('check_license')).status).to.equal(429);
    const others = Array.from({ length: 9 }, () => limited.send('/edd'));
    expect(
      (await Promise.all(others)).map(({ status }) => status),
      'calls that ask nothing',
    ).to.include(429);
  });

  it('meet the rights of administrators on products of the operator', async () => {
    good(await service.products.add({ title: 'House', ownerId: null }, operator));
    const stored = await (await service.parts.get(t.productStore)).findBySlug('house');
    expect(stored?.adapters.edd.isOn).to.equal(false);
    expect((await ada.send('/api/products/house/adapters/edd', put({ enabled: true }))).status).to.equal(404);
  });
});
