import { expect } from 'chai';
import { createPageMemory } from '../../../../adapters/http/page-memory.ts';
import { textOf } from '../../../../adapters/http/ui/send-page.ts';
import type { Database } from '../../../../adapters/sql/database.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, startDashboardService } from '../dashboard/dashboard-service.ts';

describe('the pages that visitors see', () => {
  let service: DashboardService;
  let product: Product;
  let database: Database;
  before(async () => {
    service = await startDashboardService();
    database = await service.parts.get(t.database);
    product = good(await service.products.add({ title: 'Jar', ownerId: null }, operator));
    good(await service.products.change(String(product.id), 'approve', operator));
  });
  after(() => service.close());

  const visit = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers: { Accept: 'text/html', 'Cache-Control': 'max-age=0', ...headers } });
  const textAt = async (path: string, headers?: Record<string, string>) => (await visit(path, headers)).text();
  /** Changes a title as another process does: this one does not know of it. */
  const retitle = (title: string) =>
    database.write((trx) => trx('products').where({ id: product.id }).update({ title }));
  /** Makes the same change again through this process. */
  const change = async (changes: object) =>
    good(
      await (await service.parts.get(t.sellerProducts)).change(String(product.id), changes, {
        actor: operator,
        mode: 'live',
      }),
    );

  it('are rendered once for all of them, and anew after a change by this process', async () => {
    const path = `/marketplace/${product.slug}`;
    await change({ title: 'First' });
    const first = await visit(path);
    expect(await first.text()).to.include('First');
    await retitle('Second');
    const again = await visit(path);
    expect(await again.text(), 'the page that is kept').to.include('First');
    for (const name of ['Content-Security-Policy', 'Vary', 'ETag', 'Content-Type', 'Cache-Control'])
      expect(again.headers.get(name), name).to.equal(first.headers.get(name));
    const etag = again.headers.get('ETag') ?? '';
    expect((await visit(path, { 'If-None-Match': etag })).status).to.equal(304);
    await change({ tagline: 'It changed' });
    const now = await textAt(path);
    expect(now).to.include('Second').and.to.include('It changed');
  });

  itLong('are rendered once if many ask at the same time', async () => {
    await change({ title: 'Rush' });
    const etags = await Promise.all(
      Array.from({ length: 20 }, async () => (await visit('/marketplace')).headers.get('ETag')),
    );
    expect(new Set(etags).size).to.equal(1);
    await retitle('After the rush');
    expect(await textAt('/marketplace'))
      .to.include('Rush')
      .and.to.not.include('After the rush');
  });

  itLong('are rendered anew after every change of what they show: sellers, accounts and settings', async () => {
    const ada = await service.signedInUser({ name: 'Ada' });
    const login = (await ada.me()).login;
    const owned = good(await service.products.add({ title: 'Owned', ownerId: login.id }, operator));
    good(await service.products.change(String(owned.id), 'approve', operator));
    const path = `/marketplace/${owned.slug}`;
    const seen = new Set([await textAt(path)]);
    const changes = [
      () =>
        ada.browser.fill('/selling/live/products/seller-page', { name: 'Ada & Co', slug: 'ada-co', about: 'Hello' }),
      async () => (await service.parts.get(t.userAdministration)).suspend(login.email, operator),
      async () => (await service.parts.get(t.userAdministration)).reinstate(login.email, operator),
      async () => {
        const root = await service.signedInUser({ role: 'admin' });
        await root.browser.fill('/admin/settings/appearance', { site_name: 'New name' });
      },
    ];
    for (const [at, make] of changes.entries()) {
      await make();
      const now = await textAt(path);
      // After the reinstatement it is as before.
      if (at !== 2) expect(seen.has(now), String(at)).to.equal(false);
      else expect(seen.has(now)).to.equal(true);
      seen.add(now);
    }
  });

  it('are kept apart by address and by what the client accepts', async () => {
    await change({ title: 'Apart' });
    const pages = ['/marketplace', '/marketplace?q=nothing', '/', `/marketplace/${product.slug}`];
    const texts = await Promise.all(pages.map((path) => textAt(path)));
    expect(new Set(texts).size).to.equal(pages.length);
    expect(await Promise.all(pages.map((path) => textAt(path)))).to.deep.equal(texts);
    expect(JSON.parse(await textAt('/', { Accept: 'application/json' }))).to.be.an('object');
    expect(await textAt('/')).to.equal(texts[2]);
  });

  it('are not those of people who are signed in, and theirs are never kept', async () => {
    const ada = await service.signedInUser();
    const cookie = { Cookie: [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    await change({ title: 'For all' });
    const hers = await textAt('/marketplace', cookie);
    const theirs = await textAt('/marketplace');
    expect(hers).to.not.equal(theirs);
    expect(theirs).to.not.include('sign-out');
    expect(await textAt('/marketplace', cookie)).to.equal(hers);
    await retitle('New for her');
    expect(await textAt('/marketplace', cookie)).to.include('New for her');
    expect(await textAt('/marketplace')).to.equal(theirs);
  });

  it('keep no preview, no page with another status, and none of a long address', async () => {
    await change({ title: 'Short' });
    const long = `/marketplace?more=${'x'.repeat(1_000)}`;
    expect((await visit('/marketplace/none')).status).to.equal(404);
    expect((await visit('/marketplace/none')).status).to.equal(404);
    expect(await textAt(long)).to.include('Short');
    await retitle('Long');
    expect(await textAt(long)).to.include('Long');
    const hidden = good(await service.products.add({ title: 'Hidden', ownerId: null }, operator));
    const preview = new URL((await service.parts.get(t.addresses)).product(hidden));
    const path = preview.pathname + preview.search;
    expect(await textAt(path)).to.include('Hidden');
    await database.write((trx) => trx('products').where({ id: hidden.id }).update({ title: 'Other' }));
    expect(await textAt(path)).to.include('Other');
  });
});

describe('the memory of pages', () => {
  const page = (text: string) => ({ text: textOf(text, 'briefly'), headers: {} });

  it('keeps no page that was begun before a change', () => {
    const memory = createPageMemory();
    const begun = memory.changes();
    memory.forget();
    memory.keep('a', page('old'), begun);
    expect(memory.find('a')).to.equal(undefined);
    memory.keep('a', page('new'), memory.changes());
    expect(memory.find('a')?.text.bytes.toString()).to.equal('new');
    memory.forget();
    expect(memory.find('a')).to.equal(undefined);
  });

  itLong('is bounded', () => {
    const memory = createPageMemory();
    for (let n = 0; n < 300; n++) memory.keep(String(n), page('x'.repeat(100_000)), 0);
    const kept = Array.from({ length: 300 }, (_, n) => memory.find(String(n))).filter(Boolean);
    expect(kept.length).to.be.within(1, 42);
  });
});
