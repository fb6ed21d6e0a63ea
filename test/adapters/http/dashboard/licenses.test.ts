import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../../../core/licensing/license-key.ts';
import { operator } from '../../../support/by.ts';
import { exampleOffer } from '../../../support/example-product.ts';
import { good } from '../../../support/good.ts';
import { domain } from '../../../support/license-acts.ts';
import { itLong } from '../../../support/required-service.ts';
import type { Fields, WebAnswer } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const list = '/selling/live/licenses';
const hostile = '<script>alert(1)</script>"\'&';
const grace = { holder: { name: 'Grace Hopper', email: 'grace@example.com' }, reference: 'order-4711' };

describe('the pages about licenses', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  let root: Person;
  beforeEach(async () => {
    service = await startSellingService();
    ({ ada, eve, root } = await service.people());
    await service.product(ada, 'jar', { title: 'Cookie Jar', terms: { maxDomains: 3 } });
    await service.product(eve, 'dex', { title: 'Simple DEX' });
    await service.product(ada, 'test-jar', { title: 'Test Jar', isLive: false });
  });
  afterEach(() => service.close());

  const keysIn = ({ text }: WebAnswer) => [...new Set(text.match(/LIC(?:-[A-Z0-9]{4}){4}/g))];
  const pathOf = (key: LicenseKey) => `${list}/${key}`;
  const pagesOf = (key: LicenseKey) => {
    const path = pathOf(key);
    const acts = [
      'suspend',
      'reinstate',
      'revoke',
      'renew',
      'edit',
      'domains/a.com/move',
      'domains/a.com/remove',
      'rotate',
      'aliases/add',
      'aliases/1/remove',
    ];
    return [path, ...acts.map((act) => `${path}/${act}`)];
  };
  const valuesOf = (page: WebAnswer, name: string) =>
    page.forms.find(({ names }) => names.includes(name))?.values ?? {};

  itLong('303 to the sign-in page for people who are not signed in', async () => {
    const key = await service.license('jar');
    for (const path of [list, `${list}/new`, `${list}/bulk`, ...pagesOf(key), '/admin/licenses']) {
      const { status, location } = await service.browser().get(path);
      expect([status, location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    }
  });

  it('404 for the license of somebody else, of the other mode, an unknown key and an unknown mode', async () => {
    const [theirs, test] = [await service.license('dex'), await service.license('test-jar', {}, 'test')];
    const unknown = 'LIC-0000-0000-0000-0000' as LicenseKey;
    for (const path of [theirs, test, unknown].flatMap(pagesOf)) {
      expect((await ada.browser.get(path)).status, path).to.equal(404);
      if (path.endsWith(test) || path.endsWith(theirs) || path.endsWith(unknown)) continue;
      const sent = { to: 'b.com', overlap: '0', expiry: 'never', reason: '' };
      expect((await ada.browser.post(path, sent)).status, `POST ${path}`).to.equal(404);
    }
    expect((await service.licenseNow(theirs)).status).to.equal('active');
    for (const path of ['/selling/other/licenses', '/selling/other/licenses/new', `${list}?after=x`]) {
      expect((await ada.browser.get(path)).status, path).to.equal(404);
    }
  });

  it('403 from another site', async () => {
    const key = await service.license('jar');
    const other = { 'Sec-Fetch-Site': 'cross-site' };
    for (const path of [`${list}/new`, `${list}/bulk`, ...pagesOf(key).slice(1)]) {
      expect((await ada.browser.post(path, { reason: '' }, other)).status, path).to.equal(403);
    }
    expect((await service.licenseNow(key)).status).to.equal('active');
  });

  describe('the list', () => {
    itLong('200 with an empty list that leads to the first license', async () => {
      const page = await ada.browser.get(list);
      expect([page.status, page.heading]).to.deep.equal([200, 'Licenses']);
      expect(page.text).to.include('Issue your first license');
    });

    itLong('200 with the licenses of the own products, also for administrators', async () => {
      const [own] = [await service.license('jar', grace), await service.license('dex')];
      const page = await ada.browser.get(list);
      expect(keysIn(page)).to.deep.equal([own]);
      for (const text of ['Cookie Jar', 'Grace Hopper', 'grace@example.com', 'order-4711', '0 / 3', 'Never']) {
        expect(page.text).to.include(text);
      }
      expect(keysIn(await root.browser.get(list))).to.deep.equal([]);
    });

    itLong('200 with what is true after each form, and at each time of the clock', async () => {
      const expiresAt = service.clock.now() + 60_000;
      const [key] = [await service.license('jar'), await service.license('jar', { expiresAt })];
      const tags = async () =>
        (await ada.browser.get(list))
          .elements('span')
          .flatMap(({ attributes, text }) => (/^tag( |$)/.test(attributes.class ?? '') ? text : []));
      expect(await tags()).to.deep.equal(['Active', 'Active']);
      await ada.browser.submit(await ada.browser.get(`${pathOf(key)}/suspend`), { reason: '' });
      expect(await tags()).to.deep.equal(['Active', 'Suspended']);
      service.clock.advance(60_000);
      expect(await tags()).to.deep.equal(['Expired', 'Suspended']);
    });

    itLong('200 with test licenses in their own list, marked', async () => {
      await service.license('jar');
      const test = await service.license('test-jar', {}, 'test');
      const page = await ada.browser.get('/selling/test/licenses');
      expect(keysIn(page)).to.deep.equal([test]);
      expect(page.elements('span').filter(({ text }) => text === 'Test')).to.have.lengthOf(1);
    });

    itLong('200 with what the filters in the address leave, which the fields show again', async () => {
      await service.product(ada, 'cup', { title: 'Cup' });
      const [found] = [
        await service.license('jar', { ...grace, expiresAt: start + 10 * day }),
        await service.license('jar', { expiresAt: start + 50 * day }),
      ];
      const cup = await service.license('cup');
      const keysAt = async (query: string) => keysIn(await ada.browser.get(`${list}?${query}`));
      for (const query of [
        'q=grace',
        'q=ORDER-47',
        `q=${found}`,
        `q=${found.slice(-4)}`,
        'expires_before=2026-01-20',
      ]) {
        expect(await keysAt(query), query).to.deep.equal([found]);
      }
      expect(await keysAt('product=cup')).to.deep.equal([cup]);
      expect(await keysAt('product=dex')).to.deep.equal([]);
      expect((await keysAt('sort=expires'))[0]).to.equal(found);
      expect((await keysAt('sort=oldest')).at(-1)).to.equal(cup);
      expect(await keysAt('status=revoked')).to.deep.equal([]);
      expect(await keysAt('status=nonsense&sort=nonsense')).to.have.lengthOf(3);
      const page = await ada.browser.get(`${list}?q=gra%00ce&status=active&product=cup&sort=oldest`);
      expect(valuesOf(page, 'q')).to.deep.include({
        q: ['grace'],
        status: ['active'],
        product: ['cup'],
        sort: ['oldest'],
      });
      expect(page.text).to.include('Nothing found');
    });

    itLong('folds all filters but the first, until one of them is chosen; the mode stays', async () => {
      await service.license('jar');
      const foldedIn = async (person: Person, path: string) => {
        const { html } = await person.browser.get(path);
        const [, attributes = '', inside = ''] =
          /<details class="folded-filters"([^>]*)>(.*?)<\/details>/s.exec(html) ?? [];
        const names = [...inside.matchAll(/<(?:input|select)[^>]* name="(\w+)"/g)].map(([, name]) => name);
        return { isOpen: attributes.includes('open'), names };
      };
      const names = ['product', 'status', 'expires_before', 'sort'];
      expect(await foldedIn(ada, list)).to.deep.equal({ isOpen: false, names });
      const sent = '?q=&product=&status=&expires_before=&sort=';
      expect(await foldedIn(ada, list + sent)).to.deep.equal({ isOpen: false, names });
      expect(await foldedIn(ada, `${list}?status=active`)).to.deep.equal({ isOpen: true, names });
      expect((await foldedIn(root, '/admin/licenses')).names).to.not.include('mode');
      expect(await foldedIn(ada, '/selling/live/products'), 'with two filters').to.deep.equal({
        isOpen: false,
        names: [],
      });
    });

    itLong('200 with pages that keep the filters and show each license once', async () => {
      const issued = await service.issue('jar', { count: 120, reference: 'batch' });
      const seen: string[] = [];
      let path: string | undefined = `${list}?q=batch`;
      for (let pages = 0; path !== undefined && pages < 10; pages++) {
        const page: WebAnswer = await ada.browser.get(path);
        seen.push(...keysIn(page));
        const more = page.links.find(({ text }) => text === 'More');
        path = more && `${list}?${more.href.split('?')[1]?.replaceAll('&amp;', '&')}`;
        if (path !== undefined) expect(path).to.include('q=batch');
      }
      expect(seen).to.have.lengthOf(120).and.to.have.members(issued);
    });

    itLong('shows the reference in one line with the address below a name', async () => {
      await service.license('jar', grace);
      expect((await ada.browser.get(list)).text).to.match(/Grace Hopper\s*grace@example\.com · order-4711/);
    });

    itLong('shows hostile names as text', async () => {
      await service.license('jar', { holder: { name: hostile, email: null }, reference: hostile });
      await service.product(ada, 'bad', { title: hostile });
      const page = await ada.browser.get(
        `${list}?q=${encodeURIComponent(hostile)}&product=${encodeURIComponent(hostile)}`,
      );
      const all = await ada.browser.get(list);
      for (const { html } of [page, all]) expect(html).to.not.include('<script>alert');
      expect(all.text).to.include(hostile);
    });
  });

  describe('the list of all licenses', () => {
    itLong('200 for administrators, with the seller of each license', async () => {
      await service.product(null, 'own', { title: 'Of the site' });
      for (const slug of ['jar', 'dex', 'own']) await service.license(slug);
      const page = await root.browser.get('/admin/licenses');
      expect(keysIn(page)).to.have.lengthOf(3);
      for (const text of ['Ada', 'Eve', 'This site']) expect(page.text).to.include(text);
      const test = await service.license('test-jar', {}, 'test');
      expect(keysIn(await root.browser.get('/admin/licenses?mode=test'))).to.deep.equal([test]);
    });

    it('403 for others', async () => {
      expect((await ada.browser.get('/admin/licenses')).status).to.equal(403);
    });

    itLong('leads to licenses that administrators change in the same way, named with their seller', async () => {
      const key = await service.license('jar');
      const page = await root.browser.get(pathOf(key));
      expect([page.status, page.text.includes('Seller')]).to.deep.equal([200, true]);
      expect(page.links.find(({ text }) => text === 'Ada')?.href).to.match(/admin\/users\/\d+$/);
      await root.browser.fill(`${pathOf(key)}/suspend`, { reason: 'abuse' });
      expect((await service.licenseNow(key)).status).to.equal('suspended');
      const seen = await ada.browser.get(pathOf(key));
      expect(seen.text).to.include('An administrator').and.to.include('abuse').and.to.not.include(root.email);
    });
  });

  describe('issuing', () => {
    const issue = (fields: Fields) => ada.browser.fill(`${list}/new`, fields);

    itLong('200 with keys on the terms of the product, which stay visible', async () => {
      const answer = await issue({ product: 'jar', count: '2' });
      const keys = [...new Set(answer.html.match(/LIC(?:-[A-Z0-9]{4}){4}/g))];
      expect([answer.status, answer.heading, keys.length]).to.deep.equal([200, '2 licenses issued', 2]);
      const file = answer.links.find(({ href }) => href.startsWith('data:'))?.href ?? '';
      expect(decodeURIComponent(file)).to.equal(`data:text/plain;charset=utf-8,${keys.join('\n')}\n`);
      expect(keysIn(await ada.browser.get(list))).to.have.members(keys);
      const { license, notes } = await service.licenseNow(keys[0] ?? '');
      expect([license.maxDomains, license.expiresAt, notes.holder]).to.deep.equal([3, null, null]);
    });

    it('200 with keys on other terms, with holder, reference and metadata', async () => {
      const answer = await issue({
        product: 'jar',
        count: '1',
        max_domains: '7',
        expiry: 'date',
        until: '2026-03-31',
        updates_until: '2026-06-30',
        entitlements: 'team, PRO',
        name: ' غريس ',
        email: 'grace@example.com',
        reference: '№ 7',
        metadata: 'plan = gold\r\n\r\nurl = a=b\r\n"a=b" = "two\\nlines"',
        reason: 'sold by phone',
      });
      const [key = ''] = answer.html.match(/LIC(?:-[A-Z0-9]{4}){4}/) ?? [];
      const { license, notes } = await service.licenseNow(key);
      expect([license.maxDomains, license.expiresAt]).to.deep.equal([7, Date.UTC(2026, 3, 1) - 1]);
      expect([license.updatesUntil, license.entitlements]).to.deep.equal([Date.UTC(2026, 6, 1) - 1, ['pro', 'team']]);
      expect(notes).to.deep.equal({
        holder: { name: 'غريس', email: 'grace@example.com' },
        reference: '№ 7',
        metadata: { plan: 'gold', url: 'a=b', 'a=b': 'two\nlines' },
      });
      expect((await ada.browser.get(`${list}/${key}`)).text).to.include('sold by phone');
    });

    itLong('200 with keys on the terms of an offer; 422 if there is no such offer', async () => {
      const offers = await service.parts.get(t.productOffers);
      const offer = { ...exampleOffer, slug: 'crew', maxDomains: 9, updatesMonths: 12, entitlements: ['pro'] };
      good(await offers.add('jar', offer, { actor: operator, mode: 'live' }));
      const [key = ''] = (await issue({ product: 'jar', offer: 'crew' })).html.match(/LIC(?:-[A-Z0-9]{4}){4}/) ?? [];
      const { license } = await service.licenseNow(key);
      expect(license).to.deep.include({ maxDomains: 9, entitlements: ['pro'] });
      expect(license.updatesUntil).to.be.greaterThan(license.createdAt);
      expect((await issue({ product: 'jar', offer: 'none' })).faults).to.deep.equal({
        offer: 'The product has no such offer.',
      });
    });

    itLong('422 for the same form again, which issues nothing', async () => {
      const page = await ada.browser.get(`${list}/new`);
      const answers = await Promise.all([1, 2, 3].map(() => ada.browser.submit(page, { product: 'jar', count: '5' })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422]);
      const late = await ada.browser.submit(page, { product: 'jar', count: '5' });
      expect([late.status, late.heading]).to.deep.equal([422, 'This form was already sent']);
      expect(keysIn(await ada.browser.get(list))).to.have.lengthOf(5);
    });

    itLong('422 with everything that was typed, and a message beside each field', async () => {
      const typed = {
        product: 'jar',
        count: '1001',
        offer: 'team',
        max_domains: 'many',
        expiry: 'date',
        until: '2025-12-01',
        updates_until: '2025-13-01',
        entitlements: 'pro -x',
        name: hostile,
        email: 'no address',
        reference: 'x'.repeat(201),
        metadata: 'a = 1\r\nwithout',
        reason: 'because',
      };
      const answer = await issue(typed);
      expect([answer.status, answer.faults]).to.deep.equal([
        422,
        {
          count: 'Enter a whole number from 1 to 1,000.',
          max_domains: 'Enter a whole number from 1 to 1,000,000.',
          updates_until: 'Choose a date, or leave it empty.',
          entitlements:
            '"-x" is no code: use at most 40 letters (a to z), digits and the characters . _ : -, and begin with a letter or digit.',
          email: 'Enter one e-mail address, such as ada@example.com.',
          reference: 'Use at most 200 characters.',
          metadata: 'Line 2: Write an entry as name = text.',
        },
      ]);
      const { once: _, ...values } = valuesOf(answer, 'count');
      expect(values).to.deep.equal(Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, [text]])));
      const faults = async (fields: Fields) => (await issue({ product: 'jar', count: '1', ...fields })).faults;
      expect(await faults({ expiry: 'date', until: '2025-12-30' })).to.deep.equal({
        until: 'Choose today or a later date.',
      });
      expect(await faults({ expiry: 'date' })).to.deep.equal({ until: 'Choose a date.' });
      expect(await faults({ metadata: 'a = 1\na = 2' })).to.deep.equal({
        metadata: 'Line 2: The name a is used twice.',
      });
      expect(await faults({ metadata: 'a = "\\u0000"' })).to.deep.equal({
        metadata: 'Line 1: It contains a character that is not allowed.',
      });
      const noProduct = await ada.browser.fill(`${list}/new`, { product: '' });
      expect(noProduct.faults).to.deep.equal({ product: 'Choose a product.' });
      expect(keysIn(await ada.browser.get(list))).to.deep.equal([]);
    });

    itLong('422 for a product of somebody else, of the other mode, and an archived one', async () => {
      await service.product(ada, 'old', { archivedAt: start });
      const page = await ada.browser.get(`${list}/new`);
      for (const product of ['dex', 'test-jar', 'unknown', '999999']) {
        const { status, faults } = await ada.browser.submit(page, { product, count: '1' });
        expect([status, faults], product).to.deep.equal([422, { product: 'You have no such product.' }]);
      }
      const { faults } = await ada.browser.submit(page, { product: 'old', count: '1' });
      expect(faults).to.deep.equal({ product: 'This product is archived, so no licenses can be issued for it.' });
    });

    itLong('422 for a bundle, which the form does not offer', async () => {
      const { id } = await service.product(ada, 'cup');
      const bundle = [{ productId: id, offer: null }];
      await service.product(ada, 'both', { title: 'Both', zip: null, version: null, bundle });
      const page = await ada.browser.get(`${list}/new`);
      expect(page.text).to.include('cup').and.not.to.include('Both');
      const { status, faults } = await ada.browser.submit(page, { product: 'both', count: '1' });
      const product = 'A bundle has no licenses of its own. Issue them for its products.';
      expect([status, faults]).to.deep.equal([422, { product }]);
      expect(keysIn(await ada.browser.get(list))).to.deep.equal([]);
    });

    itLong(
      '200 with the product in the address, with a field for its slug if there are many, and without a form if there is none',
      async () => {
        await service.product(ada, 'cup');
        expect(valuesOf(await ada.browser.get(`${list}/new?product=cup`), 'product')).to.deep.include({
          product: ['cup'],
        });
        for (let n = 0; n < 50; n++) await service.product(ada, `more-${n}`);
        const many = await ada.browser.get(`${list}/new`);
        expect(many.elements('select').map(({ attributes }) => attributes.name)).to.deep.equal(['expiry']);
        const stranger = await service.signedInUser();
        expect((await stranger.browser.get(`${list}/new`)).text).to.include('You have no products yet');
      },
    );
  });

  describe('many licenses at once', () => {
    const ask = (action: string, keys: readonly string[], more = {}) =>
      ada.browser.post(`${list}/bulk/ask`, { action, key: keys, ...more });

    itLong('200 with a page that asks first, then with an answer for each key', async () => {
      const [one, two, gone, theirs] = [
        await service.license('jar'),
        await service.license('jar'),
        await service.license('jar'),
        await service.license('dex'),
      ];
      const licenses = await service.parts.get(t.sellerLicenses);
      good(await licenses.transit(gone, 'revoke', { actor: operator, mode: 'live' }));
      const page = await ask('suspend', [one, two, gone, theirs, 'nonsense']);
      expect([page.status, page.heading]).to.deep.equal([200, 'Suspend 5 licenses?']);
      expect((await service.licenseNow(one)).status).to.equal('active');
      const done = await ada.browser.submit(page, { reason: 'not paid' });
      expect([done.status, done.heading]).to.deep.equal([200, '2 of 5 licenses suspended']);
      expect(done.elements('tr').map(({ text }) => text)).to.deep.equal([
        'LicenseResult',
        `${one}Suspended`,
        `${two}Suspended`,
        `${gone}Cannot suspend a license that is revoked.`,
        `${theirs}There is no license with this key.`,
        'nonsenseThere is no license with this key.',
      ]);
      expect((await service.licenseNow(theirs)).status).to.equal('active');
      expect((await ada.browser.get(pathOf(one))).text).to.include('not paid');
    });

    itLong('are chosen by the filters of the list, also on other pages, and their number is said before', async () => {
      await service.product(ada, 'many', { title: 'Many' });
      const keys = await service.issue('many', { count: 60 });
      const page = await ada.browser.get(`${list}?product=many`);
      expect(page.text).to.include('Select all that match, also on other pages');
      const button = page.forms.find(({ action }) => action.endsWith('bulk/ask'));
      expect(button?.method).to.equal('POST');
      const asked = await ask('suspend', [], { all: 'yes', list_product: 'many' });
      expect(asked.heading).to.equal('Suspend 60 licenses?');
      const done = await ada.browser.submit(asked);
      expect([done.heading, done.path]).to.deep.equal(['60 licenses suspended', `${list}/bulk`]);
      const statuses = await Promise.all(keys.map(async (key) => (await service.licenseNow(key)).status));
      expect(new Set(statuses)).to.deep.equal(new Set(['suspended']));
      const few = await ada.browser.get(`${list}?product=many&q=${keys[0]}`);
      expect(few.text).to.include('Select all 1 license');
    });

    itLong('are at most 1,000 of those that match; never those of others', async () => {
      await service.product(ada, 'lots', { title: 'Lots' });
      await service.issue('lots', { count: 1_000 });
      await service.issue('lots', { count: 1 });
      const asked = await ask('revoke', [], { all: 'yes', list_product: 'lots' });
      expect([asked.heading, asked.text.includes('More licenses match')]).to.deep.equal([
        'Revoke 1,000 licenses?',
        true,
      ]);
      const theirs = await service.license('dex');
      const own = await ask('revoke', [], { all: 'yes', list_q: theirs });
      expect(own.text).to.include('Select at least one license.');
    });

    itLong(
      '200 without a form if nothing is selected, 404 for an unknown act, 422 for none and for too many keys',
      async () => {
        expect((await ask('revoke', [])).text).to.include('Select at least one license.');
        expect((await ask('renew', [])).status).to.equal(404);
        const none = await ada.browser.post(`${list}/bulk`, { action: 'revoke', reason: '' });
        expect(none.status).to.equal(422);
        const keys = Array.from({ length: 1001 }, (_, n) => `LIC-${String(n).padStart(4, '0')}`);
        const many = await ada.browser.post(`${list}/bulk`, { action: 'revoke', key: keys, reason: '' });
        expect([many.status, many.alert?.includes('at most 1,000')]).to.deep.equal([422, true]);
      },
    );
  });

  describe('one license', () => {
    itLong('200 with its facts, notes and domains; those without a slot and those being moved apart', async () => {
      await service.product(ada, 'free', {
        title: 'Free',
        terms: { maxDomains: 2, duration: { days: 30, from: 'first_activation' }, hosts: freeHosts },
      });
      const key = await service.license('free', { ...grace, metadata: { plan: 'gold', [hostile]: hostile } });
      const fresh = await ada.browser.get(pathOf(key));
      expect(fresh.text).to.include('30 days after the first activation').and.to.include('not activated on any domain');
      expect(fresh.html).to.not.include('<script>alert');
      for (const host of ['shop.com', 'localhost', 'pr-1.vercel.app']) await service.activate(key, host);
      await service.verify(key, 'shop.com');
      await (await service.parts.get(t.sellerLicenses)).domains.move(
        key,
        { from: domain('shop.com'), to: domain('store.com'), overlapHours: 24 },
        { actor: operator, mode: 'live' },
      );
      const { text, elements } = await ada.browser.get(pathOf(key));
      for (const one of ['1 of 2 in use', 'Grace Hopper', 'gold', 'Moving to store.com', 'Local', 'Preview']) {
        expect(text).to.include(one);
      }
      expect(text).to.match(/Without a slot[\s\S]*pr-1\.vercel\.app/);
      expect(elements('table')).to.have.lengthOf(3);
      expect(text).to.include('A site, by the license API');
      service.clock.advance(day);
      expect((await ada.browser.get(pathOf(key))).text).to.not.include('Moving to');
    });

    itLong('200 with only the acts that its status allows', async () => {
      const key = await service.license('jar', { expiresAt: start + day });
      const acts = async () =>
        (await ada.browser.get(pathOf(key))).links
          .map(({ text }) => text)
          .filter((text) => ['Renew', 'Suspend', 'Reinstate', 'Revoke'].includes(text));
      expect(await acts()).to.deep.equal(['Renew', 'Suspend', 'Revoke']);
      await ada.browser.fill(`${pathOf(key)}/suspend`, {});
      expect(await acts()).to.deep.equal(['Reinstate', 'Revoke']);
      await ada.browser.fill(`${pathOf(key)}/reinstate`, {});
      service.clock.advance(day);
      expect(await acts()).to.deep.equal(['Renew', 'Revoke']);
      await ada.browser.fill(`${pathOf(key)}/revoke`, {});
      expect(await acts()).to.deep.equal([]);
      const refused = await ada.browser.get(`${pathOf(key)}/reinstate`);
      expect(refused.text).to.include('not possible, because the license is revoked');
      expect((await ada.browser.post(`${pathOf(key)}/reinstate`, { reason: '' })).status).to.equal(422);
      expect((await service.licenseNow(key)).status).to.equal('revoked');
    });

    itLong('303 with a message after an act, whose reason stands in the history', async () => {
      const key = await service.license('jar');
      const answer = await ada.browser.fill(`${pathOf(key)}/suspend`, { reason: hostile });
      expect([answer.status, answer.location]).to.deep.equal([303, pathOf(key)]);
      const page = await ada.browser.follow(answer);
      expect(page.notice).to.equal('The license is suspended. It is invalid on all domains.');
      expect(page.text).to.include(hostile).and.to.include('License suspended');
      expect(page.html).to.not.include('<script>alert');
    });

    itLong('200 with pages of the history', async () => {
      const key = await service.license('jar');
      for (let n = 0; n < 12; n++) {
        await ada.browser.fill(`${pathOf(key)}/suspend`, {});
        await ada.browser.fill(`${pathOf(key)}/reinstate`, {});
      }
      const page = await ada.browser.get(pathOf(key));
      const older = page.links.find(({ text }) => text === 'Older changes')?.href.split('?')[1] ?? '';
      const rest = await ada.browser.get(`${pathOf(key)}?${older.split('#')[0]}`);
      expect(page.text).to.not.include('License issued');
      expect(rest.text).to.include('License issued').and.to.include('Newest changes');
    });

    itLong('200 with every rule for a domain, and what would help', async () => {
      const key = await service.license('jar');
      await service.activate(key, 'shop.example.com');
      const explained = async (text: string) =>
        (await ada.browser.get(`${pathOf(key)}?domain=${encodeURIComponent(text)}`)).text;
      expect(await explained('https://SHOP.example.com/x')).to.include('Valid. The license works on this domain.');
      const near = await explained('shpo.example.com');
      expect(near).to.include('Not valid. The license is not activated on this domain.');
      expect(near).to.include('shop.example.com perhaps a typing mistake').and.to.include('Passed: The key is known');
      expect(near).to.include('Failed: The license is activated on this domain');
      expect(near, 'without a rule of the product').to.not.include('What is missing');
      expect(await explained('mailto:a@b.com')).to.include('The text is not the address of a site.');
      expect(await explained(hostile)).to.include('Not valid.');
      expect((await service.licenseNow(key)).verifications.verificationCount).to.equal(0);
    });
  });

  itLong('200 with what keeps a domain from being activated, if the product has a rule for that', async () => {
    await service.product(ada, 'guarded', { terms: { maxDomains: 1, deactivation: 'holder' } });
    const key = await service.license('guarded');
    await service.activate(key, 'shop.example.com');
    const { text } = await ada.browser.get(`${pathOf(key)}?domain=new.example.com`);
    expect(text).to.include('What is missing').and.include('All domains of the license are in use');
  });

  describe('renewing', () => {
    itLong('303 as the product says, on a date, or for ever', async () => {
      await service.product(ada, 'year', { terms: { duration: { days: 365, from: 'issue' } } });
      const key = await service.license('year');
      const path = `${pathOf(key)}/renew`;
      const end = async () => (await service.licenseNow(key)).license.expiresAt;
      expect((await ada.browser.get(path)).text).to.include('365 days more, as the product says');
      await ada.browser.fill(path, { expiry: 'product' });
      expect(await end()).to.equal(start + 730 * day);
      await ada.browser.fill(path, { expiry: 'date', until: '2028-12-31' });
      expect(await end()).to.equal(Date.UTC(2029, 0, 1) - 1);
      const early = await ada.browser.fill(path, { expiry: 'date', until: '2026-12-31', reason: 'kept' });
      expect([early.status, early.faults]).to.deep.equal([
        422,
        { until: 'Choose a day after the current expiry, and not in the past.' },
      ]);
      expect(valuesOf(early, 'until')).to.deep.equal({ expiry: ['date'], until: ['2026-12-31'], reason: ['kept'] });
      const last = await ada.browser.fill(path, { expiry: 'never' });
      expect([last.status, await end()]).to.deep.equal([303, null]);
      expect((await ada.browser.get(path)).text).to.include('never expires');
    });
  });

  describe('editing', () => {
    itLong('303 with other updates and entitlements; a day that stays keeps its time', async () => {
      const at = Date.UTC(2026, 5, 30, 8, 0, 0, 123);
      const key = await service.license('jar', { updatesUntil: at, entitlements: ['pro'] });
      const path = `${pathOf(key)}/edit`;
      const now = async () => {
        const { updatesUntil, entitlements } = (await service.licenseNow(key)).license;
        return [updatesUntil, entitlements];
      };
      expect((await ada.browser.fill(path, { entitlements: 'pro team' })).status).to.equal(303);
      expect(await now()).to.deep.equal([at, ['pro', 'team']]);
      const page = await ada.browser.get(pathOf(key));
      expect(page.text)
        .to.match(/Updates until.*Jun 30, 2026/)
        .and.to.include('pro, team');
      await ada.browser.fill(path, { updates_until: '2026-07-31', entitlements: '' });
      expect(await now()).to.deep.equal([Date.UTC(2026, 7, 1) - 1, []]);
      await ada.browser.fill(path, { updates_until: '' });
      expect(await now()).to.deep.equal([null, []]);
      expect((await ada.browser.get(pathOf(key))).text).to.include('All, for ever');
    });

    itLong('303 with the changes, of which the history names only those', async () => {
      const key = await service.license('jar', { ...grace, metadata: { plan: 'gold', note: 'two\nlines' } });
      const path = `${pathOf(key)}/edit`;
      expect((await ada.browser.fill(path, {})).status).to.equal(303);
      expect((await ada.browser.get(pathOf(key))).text).to.not.include('License changed');
      await ada.browser.fill(path, { reference: 'order-4712', name: '', reason: 'typing mistake' });
      const { notes } = await service.licenseNow(key);
      expect(notes).to.deep.equal({
        holder: { name: null, email: 'grace@example.com' },
        reference: 'order-4712',
        metadata: { plan: 'gold', note: 'two\nlines' },
      });
      const { text } = await ada.browser.get(pathOf(key));
      expect(text).to.include('Holder, Reference').and.to.include('typing mistake');
    });

    itLong('422 for fewer domains than are in use, with everything that was typed', async () => {
      const key = await service.license('jar');
      for (const host of ['a.com', 'b.com']) await service.activate(key, host);
      const answer = await ada.browser.fill(`${pathOf(key)}/edit`, { max_domains: '1', reference: 'typed' });
      expect([answer.status, answer.faults]).to.deep.equal([
        422,
        { max_domains: 'More domains than that are in use. Remove domains first.' },
      ]);
      expect(valuesOf(answer, 'max_domains')).to.deep.include({ max_domains: ['1'], reference: ['typed'] });
    });
  });

  describe('domains', () => {
    itLong('303 after a move; both work until its end, and then only the new one', async () => {
      const key = await service.license('jar');
      await service.activate(key, 'old.com');
      const answer = await ada.browser.fill(`${pathOf(key)}/domains/old.com/move`, {
        to: 'https://NEW.com/path',
        overlap: '24',
      });
      expect((await ada.browser.follow(answer)).notice).to.equal('The domain is moved.');
      const valid = async () =>
        await Promise.all(['old.com', 'new.com'].map(async (host) => (await service.verify(key, host)).body.valid));
      expect(await valid()).to.deep.equal([true, true]);
      service.clock.advance(day);
      expect(await valid()).to.deep.equal([false, true]);
    });

    itLong('422 for a move that is not possible, with what was typed', async () => {
      await service.product(ada, 'fixed', { terms: { maxDomains: 2, movesPerMonth: 0 } });
      const key = await service.license('fixed');
      for (const host of ['a.com', 'b.com']) await service.activate(key, host);
      const move = (to: string, from = 'a.com') =>
        ada.browser.fill(`${pathOf(key)}/domains/${from}/move`, { to, overlap: '72' });
      const refused = await move('c.com');
      expect([refused.status, refused.alert]).to.deep.equal([422, 'The domains of this product cannot be moved.']);
      expect(valuesOf(refused, 'to')).to.deep.equal({ to: ['c.com'], overlap: ['72'], reason: [''] });
      expect((await move('a.com')).faults).to.deep.equal({ to: 'For this product, this is the same domain.' });
      expect((await move('b.com')).faults).to.deep.equal({ to: 'The license is already activated on this domain.' });
      expect((await move('*.c.com')).faults).to.deep.equal({
        to: 'Enter the address of a site, such as app.example.com.',
      });
      expect((await move('c.com', 'd.com')).alert).to.include('not activated on this domain any more');
      const wrong = await ada.browser.fill(`${pathOf(key)}/domains/a.com/move`, { to: 'c.com', overlap: '48' });
      expect(wrong.status).to.equal(422);
      expect((await ada.browser.get(`${pathOf(key)}/domains/%2A/move`)).status).to.equal(404);
      await ada.browser.fill(`${pathOf(key)}/suspend`, {});
      const suspended = await ada.browser.get(`${pathOf(key)}/domains/a.com/move`);
      expect(suspended.text).to.include('because the license is suspended');
    });

    itLong('303 after a removal, also of an address in brackets; 422 for a domain that is gone', async () => {
      const key = await service.license('jar');
      for (const host of ['a.com', '[2001:db8::1]']) {
        await service.activate(key, host);
        const page = await ada.browser.get(pathOf(key));
        const link = page.links.find(({ text }) => text === `Remove ${host}`)?.href ?? '';
        const path = link.slice(link.indexOf('selling') - 1).replace(/^.*?selling/, '/selling');
        const answer = await ada.browser.fill(path, { reason: 'closed' });
        expect([answer.status, answer.location], host).to.deep.equal([303, pathOf(key)]);
        expect((await ada.browser.fill(path, {})).status).to.equal(422);
      }
      expect((await service.licenseNow(key)).license.domainsUsed).to.equal(0);
    });
  });
});

const freeHosts = { localHostsAreFree: true, previewHosts: ['*.vercel.app'], wwwIsApex: false };
