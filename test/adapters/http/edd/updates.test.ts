import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { formOf, listingForm } from '../../../support/forms.ts';
import { itLong } from '../../../support/required-service.ts';
import { zipOf } from '../../../support/samples.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';

const day = 86_400_000;
const url = 'https://shop.example';

describe('updates of clients of EDD Software Licensing', () => {
  let service: AccountService;
  let ada: Account;
  let path: string;
  let key: string;
  beforeEach(async () => {
    service = await startAccountService();
    ada = await service.account();
    const root = await service.administrator();
    const { body } = await ada.submit('/api/marketplace/publish', listingForm({ title: 'Jar' }));
    path = `/api/products/${body.product.id}`;
    await service.products.change('jar', 'approve', operator);
    await root.send(`${path}/adapters/edd`, {
      ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ enabled: true, item_id: 8 }),
    });
    key = (await ada.post('/api/licenses', { product: 'jar', max_domains: 2 })).body.data[0].key;
    await ask('activate_license');
  });
  afterEach(() => service.close());

  const ask = (action: string, more: Record<string, string> = {}) =>
    service.send('/edd', {
      method: 'POST',
      body: new URLSearchParams({ edd_action: action, license: key, item_id: '8', url, slug: 'tip-jar', ...more }),
    });
  const latest = async (more?: Record<string, string>) => (await ask('get_version', more)).body;
  async function release(number: string, more: Record<string, string> = {}): Promise<void> {
    const product_zip = await zipOf([{ name: 'jar.php', content: number }]);
    const { status, text } = await ada.submit(`${path}/versions`, formOf({ product_zip, number, ...more }));
    expect(status, text).to.equal(200);
    await service.products.change('jar', 'approve', operator);
  }
  const fetched = async (link: string) => (await fetch(link)).status;
  const endUpdates = (at: number) =>
    service.database.write((trx) => trx('licenses').where({ key }).update({ updates_until: at }));

  itLong('name the newest version, with a link to its file', async () => {
    await release('1.2.0', { notes: 'Works with **Base** & “ü”.' });
    const body = await latest();
    expect(body).to.include({ new_version: '1.2.0', stable_version: '1.2.0', name: 'Jar', slug: 'tip-jar' });
    expect(body.last_updated).to.equal('2026-01-01 00:00:00');
    expect(body.url).to.equal(`${service.url}/marketplace/jar`);
    expect(body.sections).to.include('s:9:"changelog"').and.to.include('<strong>Base</strong> &amp; “ü”.');
    expect(body.download_link).to.equal(body.package);
    const answer = await fetch(body.package);
    expect([answer.status, answer.headers.get('Content-Disposition')]).to.deep.equal([
      200,
      'attachment; filename="jar-1.2.0.zip"',
    ]);
    expect((await answer.text()).slice(0, 2)).to.equal('PK');
  });

  itLong('say with which WordPress and PHP they work, as the seller may say without an administrator', async () => {
    expect(await latest()).to.not.have.any.keys('requires', 'tested', 'requires_php');
    const set = (facts: object) =>
      ada.send(`${path}/adapters/edd`, {
        ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
        body: JSON.stringify({ enabled: true, item_id: 8, ...facts }),
      });
    const facts = { requires: '6.0', tested: '6.5.2', requires_php: '8.1' };
    expect((await set(facts)).body.adapter).to.deep.equal({ enabled: true, item_id: 8, item_name: null, ...facts });
    expect(await latest()).to.include(facts);
    const { body } = await service.send(`/edd/jar/info.json?${new URLSearchParams({ license: key, url })}`);
    expect(body).to.include(facts);
    const faulty = await set({ tested: '6.5-RC1' });
    expect(faulty.status).to.equal(422);
    expect(faulty.text).to.include('It must be a version such as 6.5 or 8.1.2.');
  });

  itLong('have a banner if a picture of the product has its shape', async () => {
    const set = (width: number, height: number) => {
      const pictures = JSON.stringify([{ key: 'media/banner.png', alt: 'A jar', shape: { width, height } }]);
      return service.database.write((trx) => trx('products').update({ pictures }));
    };
    const banner = `${service.url}/media/banner.png`;
    await set(772, 250);
    expect((await latest()).banners).to.equal(`a:2:{s:4:"high";s:0:"";s:3:"low";s:${banner.length}:"${banner}";}`);
    await set(1544, 500);
    const { body } = await service.send(`/edd/jar/info.json?${new URLSearchParams({ license: key, url })}`);
    expect(body.banners).to.deep.equal({ low: banner, high: banner });
    await set(800, 800);
    expect((await latest()).banners).to.equal('a:2:{s:4:"high";s:0:"";s:3:"low";s:0:"";}');
  });

  itLong('have a link that serves for a day, and only while the license is active', async () => {
    const { package: link } = await latest();
    const other = (await ada.post('/api/licenses', { product: 'jar' })).body.data[0].key;
    await ada.post(`/api/licenses/${other}/revoke`, {});
    expect(await fetched(link)).to.equal(200);
    expect(await fetched(link.replace(/license=\d+/, 'license=99'))).to.equal(404);
    await ada.post(`/api/licenses/${key}/suspend`, {});
    expect(await fetched(link)).to.equal(403);
    await ada.post(`/api/licenses/${key}/reinstate`, {});
    service.clock.advance(day - 1000);
    expect(await fetched(link)).to.equal(200);
    service.clock.advance(1000);
    expect(await fetched(link)).to.equal(403);
  });

  itLong('have a link that serves no more after they are not let in any more', async () => {
    const { package: link } = await latest();
    await ada.send(`${path}/adapters/edd`, {
      ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ enabled: false, item_id: 8 }),
    });
    expect(await fetched(link)).to.equal(403);
  });

  itLong('have a link that serves no more after the license has no activation', async () => {
    const { package: link } = await latest();
    await ask('deactivate_license');
    expect(await fetched(link)).to.equal(403);
    await ask('activate_license');
    expect(await fetched(link)).to.equal(200);
  });

  itLong('have a link that serves no more after the product was taken down, or its version deleted', async () => {
    const { package: link } = await latest();
    const set = (row: object) => service.database.write((trx) => trx('products').update(row));
    await set({ status: 'rejected', is_approved: 0 });
    expect(await fetched(link)).to.equal(403);
    await set({ status: 'published', is_approved: 1 });
    await release('2');
    expect(await fetched(link), 'an older version').to.equal(200);
    const { package: newer } = await latest();
    expect((await ada.send(`${path}/versions/1`, { method: 'DELETE' })).status).to.equal(200);
    expect([await fetched(link), await fetched(newer)]).to.deep.equal([403, 200]);
  });

  itLong('have no markup in what WordPress prints as HTML', async () => {
    const title = '<script>alert("1")</script> & Co';
    await service.database.write((trx) => trx('products').update({ title }));
    const name = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; Co';
    expect(await latest({ slug: '"><script>' })).to.include({ name, slug: '&quot;&gt;&lt;script&gt;' });
    const { body } = await service.send(`/edd/jar/info.json?${new URLSearchParams({ license: key, url })}`);
    expect(body.name).to.equal(name);
  });

  itLong('have a link that ends with a key that was replaced', async () => {
    expect((await ada.post(`/api/licenses/${key}/rotate`, { overlap_days: 0 })).status).to.equal(200);
    expect((await latest()).package).to.equal('');
    const { body } = await ada.get('/api/licenses');
    key = body.data[0].key;
    expect((await ada.post(`/api/licenses/${key}/rotate`, { overlap_days: 2 })).status).to.equal(200);
    service.clock.advance(1.5 * day);
    const { package: link } = await latest();
    expect(await fetched(link)).to.equal(200);
    service.clock.advance(day / 2);
    expect(await fetched(link)).to.equal(403);
  });

  itLong('have no file where the license is not active, but are shown', async () => {
    for (const more of [{ url: 'https://other.example' }, { url: '' }]) {
      expect(await latest(more)).to.include({
        new_version: '1',
        package: '',
        msg: 'The license is not active on this site.',
      });
    }
    await ada.post(`/api/licenses/${key}/revoke`, {});
    expect(await latest()).to.include({ new_version: '1', package: '', download_link: '' });
  });

  it('say nothing to other products, and nothing of a version that waits for a review', async () => {
    for (const more of [{ item_id: '9' }, { item_id: '', item_name: 'Jar' }, { license: '', item_id: '' }]) {
      const body = await latest(more);
      expect(body).to.include({ new_version: '', stable_version: '', package: '', sections: '' });
      expect(body.msg).to.not.equal('');
    }
    await service.database.write((trx) => trx('products').update({ status: 'pending', is_approved: 0 }));
    expect(await latest()).to.include({ new_version: '', package: '', msg: 'Nothing is released yet.' });
  });

  itLong(
    'end with the updates of the license: then the newest is shown without a file, and fixes for everybody have one',
    async () => {
      service.clock.advance(day);
      await endUpdates(service.clock.now());
      service.clock.advance(day);
      await release('2.0.0');
      const before = await latest({ version: '0.9' });
      expect([before.new_version, before.package === ''], 'what it may still fetch').to.deep.equal(['1', false]);
      const ended = await latest({ version: '1' });
      expect(ended).to.include({ new_version: '2.0.0', package: '' });
      expect(ended.msg).to.equal('The updates of this license ended on 2026-01-02 (UTC).');
      await release('1.0.1', { for_everybody: 'true' });
      const fix = await latest({ version: '1' });
      expect([fix.new_version, fix.package === '']).to.deep.equal(['1.0.1', false]);
    },
  );

  itLong('are shown without a license too, if the product is public, but without a file', async () => {
    await release('1.2.0', { notes: 'Faster.' });
    const known = await latest({ license: '' });
    expect(known).to.include({ new_version: '1.2.0', name: 'Jar', package: '', download_link: '' });
    expect(known).to.include({ msg: 'No license key was sent.' });
    expect(known.sections).to.include('Faster.');
    const unknown = [{ item_id: '9' }, { item_id: '', item_name: 'Jar' }];
    for (const more of unknown) expect((await latest({ license: '', ...more })).new_version).to.equal('');
    const hidden = [{ status: 'unlisted' }, { status: 'published', is_live: 0 }, { is_live: 1, adapters: null }];
    for (const row of hidden) {
      await service.database.write((trx) => trx('products').update(row));
      expect((await latest({ license: '' })).new_version, JSON.stringify(row)).to.equal('');
    }
  });

  describe('of several products at once', () => {
    const askAll = (fields: Record<string, string>) =>
      service.send('/edd', { method: 'POST', body: new URLSearchParams({ edd_action: 'get_version', ...fields }) });
    const products = (name: string, more: Record<string, string>) =>
      Object.fromEntries(Object.entries(more).map(([field, value]) => [`products[${name}][${field}]`, value]));

    itLong('are answered by the name that the client gives each, as single ones are', async () => {
      const own = { license: key, item_id: '8', url, slug: 'tip-jar' };
      const fields = { ...products('tip-jar', own), ...products('__proto__', { ...own, license: '' }) };
      const { status, body, text } = await askAll({ ...fields, ...products('cup', { license: key, item_id: '9' }) });
      expect([status, Object.keys(JSON.parse(text))]).to.deep.equal([200, ['tip-jar', '__proto__', 'cup']]);
      const { package: link, download_link: _, ...facts } = body['tip-jar'];
      expect(await fetched(link)).to.equal(200);
      expect(await latest()).to.deep.include(facts);
      expect(body.cup).to.include({ new_version: '', msg: 'The license is for another product.' });
      const shared = await askAll({ url, ...products('tip-jar', { ...own, url: '' }) });
      expect(shared.body['tip-jar'].package, 'without a site').to.equal('');
      const { url: __, ...withoutUrl } = own;
      expect((await askAll({ url, ...products('a', withoutUrl) })).body.a.package, 'of the call').to.not.equal('');
    });

    itLong('are refused without one, and if they are too many', async () => {
      expect((await askAll({ products: '' })).body).to.deep.equal({ msg: 'No item provided' });
      expect((await askAll({ 'products[]': '8' })).body).to.deep.equal({ msg: 'No item provided' });
      const many = Object.assign({}, ...Array.from({ length: 21 }, (_, n) => products(`p${n}`, { item_id: '8' })));
      const { status, body } = await askAll(many);
      expect([status, body.msg]).to.deep.equal([400, 'At most 20 products can be asked for at once.']);
    });

    itLong('count as one call each', async () => {
      await using limited = await startAccountService({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_VERIFY: '4' });
      const statusOf = async (...names: string[]) => {
        const fields = Object.assign(
          { edd_action: 'get_version' },
          ...names.map((one) => products(one, { item_id: '8' })),
        );
        return (await limited.send('/edd', { method: 'POST', body: new URLSearchParams(fields) })).status;
      };
      expect([await statusOf('a', 'b', 'c'), await statusOf('a', 'b'), await statusOf('a')]).to.deep.equal([
        200, 429, 429,
      ]);
    });
  });

  describe('with plugin-update-checker', () => {
    const metadata = (more: Record<string, string> = {}, slug = 'jar', init: RequestInit = {}) =>
      service.send(`/edd/${slug}/info.json?${new URLSearchParams({ license: key, url, ...more })}`, init);

    itLong('have the metadata of the newest version, with the same link', async () => {
      await release('1.2.0', { notes: 'Works with **Base**.' });
      const { status, body } = await metadata({ installed_version: '1' });
      expect([status, body.name, body.slug, body.version]).to.deep.equal([200, 'Jar', 'jar', '1.2.0']);
      expect(body.last_updated).to.equal('2026-01-01 00:00:00');
      expect(body.homepage).to.equal(`${service.url}/marketplace/jar`);
      expect(body.sections.changelog).to.include('<strong>Base</strong>');
      expect(body.sections.description).to.not.equal('');
      expect(Object.keys(body.icons)).to.deep.equal(['1x']);
      expect(await fetched(body.download_url)).to.equal(200);
      await ada.post(`/api/licenses/${key}/suspend`, {});
      expect(await fetched(body.download_url)).to.equal(403);
    });

    itLong('follow the rules of get_version', async () => {
      const other = (await metadata({ url: 'https://other.example' })).body;
      expect(other).to.include({ version: '1', download_url: '' });
      expect(other.upgrade_notice).to.equal('The license is not active on this site.');
      service.clock.advance(day);
      await endUpdates(service.clock.now());
      service.clock.advance(day);
      await release('2.0.0');
      const ended = (await metadata({ installed_version: '1' })).body;
      expect(ended).to.include({ version: '2.0.0', download_url: '' });
      const before = (await metadata({ installed_version: '0.9' })).body;
      expect([before.version, before.download_url === '', 'upgrade_notice' in before]).to.deep.equal([
        '1',
        false,
        false,
      ]);
    });

    itLong('get no metadata with an unknown key, of another product, or while they are not let in', async () => {
      const answers = [await metadata({ license: 'LIC-0000-0000-0000-0000' }), await metadata({ license: '' })];
      answers.push(await metadata({}, 'cup'));
      await service.database.write((trx) => trx('products').update({ adapters: null }));
      answers.push(await metadata());
      for (const { status, body } of answers)
        expect([status, body.success, 'name' in body]).to.deep.equal([404, false, false]);
    });

    itLong('name the site in the header User-Agent, count as verifications, and change nothing with HEAD', async () => {
      expect((await metadata({}, 'jar', { method: 'HEAD' })).status).to.equal(405);
      const headers = { 'User-Agent': `WordPress/6.4; ${url}` };
      expect((await metadata({ url: '' }, 'jar', { headers })).body.download_url).to.not.equal('');
      const { license } = (await service.send(`/status?license_key=${key}`)).body;
      expect(license.verification_count).to.equal(1);
    });
  });

  itLong('count as verifications of the site', async () => {
    await latest();
    await latest({ url: 'https://other.example' });
    const { license } = (await service.send(`/status?license_key=${key}`)).body;
    expect(license.verification_count).to.equal(1);
  });
});
