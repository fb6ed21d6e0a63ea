import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { takeSnapshot } from '../../../../core/selling/usage-snapshot.ts';
import { itLong } from '../../../support/required-service.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const hour = 3_600_000;
const day = 24 * hour;
const live = '/selling/live';
const test = '/selling/test';

describe('the overview of sellers', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  let root: Person;
  beforeEach(async () => {
    service = await startSellingService();
    ({ ada, eve, root } = await service.people());
  });
  afterEach(() => service.close());

  const snapshot = async () => await takeSnapshot(await service.parts.get(t.usageSnapshots), service.clock);
  /** Activates a license and verifies it so many times. */
  async function use(key: string, count: number, domain = 'a.com') {
    await service.activate(key, domain);
    for (let done = 0; done < count; done++) await service.verify(key, domain);
  }
  /** The four numbers of the page: active licenses, issued ones, active domains, verifications. */
  const numbersIn = ({ elements }: WebAnswer) => elements('dd').map(({ text }) => text.trim());
  /** The values of each plot that are not 0. */
  const plotsIn = ({ elements }: WebAnswer) =>
    elements('figure').map(({ text }) =>
      [...text.matchAll(/([A-Z][a-z]{2} \d+, \d{4}) ?(\d+?)(?= ?[A-Z]|$)/g)]
        .filter(([, , value]) => value !== '0')
        .map(([, at, value]) => `${at}: ${value}`),
    );

  itLong('303 to the live data, and to the sign-in page for people who are not signed in', async () => {
    const { status, location } = await ada.browser.get('/selling');
    expect([status, location]).to.deep.equal([303, '/selling/live']);
    for (const path of ['/selling', live, test]) {
      const answer = await service.browser().get(path);
      expect([answer.status, answer.location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    }
  });

  it('404 for an unknown mode', async () => {
    for (const path of ['/selling/other', '/selling/Live']) expect((await ada.browser.get(path)).status).to.equal(404);
  });

  itLong('200 with three steps for a new seller, whose links lead to pages that exist', async () => {
    for (const path of [live, test]) {
      const page = await ada.browser.get(path);
      expect([page.status, page.heading]).to.deep.equal([200, 'Overview']);
      for (const text of ['Publish a product', 'Get it approved', 'Issue a license'])
        expect(page.text).to.include(text);
      expect(page.elements('figure')).to.deep.equal([]);
      expect(numbersIn(page)).to.deep.equal([]);
      expect((await ada.browser.get(`${path}/products/new`)).status).to.equal(200);
    }
  });

  itLong('200 with the steps that are left, until the first license', async () => {
    await service.product(ada, 'jar', { status: 'pending', title: 'Cookie Jar' });
    const first = await ada.browser.get(live);
    expect(first.text.match(/Done/g)).to.have.lengthOf(1);
    for (const path of ['products', 'licenses/new'])
      expect((await ada.browser.get(`${live}/${path}`)).status).to.equal(200);
    await service.product(ada, 'cup', { status: 'published' });
    expect((await ada.browser.get(live)).text.match(/Done/g)).to.have.lengthOf(2);
    await service.license('cup');
    const last = await ada.browser.get(live);
    expect(last.text).to.not.include('Get it approved');
    expect(numbersIn(last)).to.deep.equal(['1', '1', '0', '0']);
  });

  itLong('200 with the numbers and plots of 30 days', async () => {
    for (const slug of ['jar', 'cup']) await service.product(ada, slug, { terms: { maxDomains: 3 } });
    const [one, two] = [await service.license('jar'), await service.license('cup')];
    await snapshot();
    await use(one, 3);
    await use(two, 4);
    service.clock.advance(hour);
    await snapshot();
    service.clock.advance(day);
    await service.license('jar', { expiresAt: service.clock.now() + hour });
    await use(two, 2, 'b.com');
    service.clock.advance(hour);
    await snapshot();
    const page = await ada.browser.get(live);
    expect(page.status).to.equal(200);
    expect(numbersIn(page)).to.deep.equal(['2', '3', '3', '9']);
    expect(plotsIn(page)).to.deep.equal([
      ['Jan 2, 2026: 2', 'Jan 1, 2026: 7'],
      ['Jan 2, 2026: 3', 'Jan 1, 2026: 2'],
      ['Jan 2, 2026: 1', 'Jan 1, 2026: 2'],
    ]);
    service.clock.advance(5 * day);
    expect(numbersIn(await ada.browser.get(live))).to.deep.equal(['2', '3', '3', '9']);
  });

  it('never counts or shows what belongs to others, to administrators neither, nor to the other mode', async () => {
    await service.product(ada, 'jar', { title: 'Cookie Jar' });
    await service.product(ada, 'waiting', { title: 'Waiting Jar', status: 'pending' });
    await service.product(ada, 'test-jar', { title: 'Test Jar', isLive: false });
    await service.product(eve, 'dex', { title: 'Simple DEX' });
    await service.product(root, 'own', { title: 'Tools of Root' });
    const soon = { expiresAt: service.clock.now() + 5 * day };
    const [hers, tested] = [await service.license('jar', soon), await service.license('test-jar', soon, 'test')];
    await service.license('dex');
    await service.license('own');
    await snapshot();
    await use(hers, 6);
    await use(tested, 2);
    service.clock.advance(hour);
    await snapshot();

    expect(numbersIn(await ada.browser.get(live))).to.deep.equal(['1', '1', '1', '6']);
    expect(numbersIn(await ada.browser.get(test))).to.deep.equal(['1', '1', '1', '2']);
    for (const { browser } of [eve, root]) {
      const page = await browser.get(live);
      expect(numbersIn(page)).to.deep.equal(['1', '1', '0', '0']);
      for (const text of ['Cookie Jar', 'Waiting Jar', hers]) expect(page.text).to.not.include(text);
    }
    expect((await root.browser.get(live)).text).to.not.include('Simple DEX');
    for (const text of ['Cookie Jar', 'Waiting Jar', hers]) {
      expect((await ada.browser.get(test)).text).to.not.include(text);
    }
    expect((await ada.browser.get(live)).text).to.not.include(tested);
  });

  itLong('200 with the newest licenses, those that expire soon, and products that are not published yet', async () => {
    const now = service.clock.now();
    await service.product(ada, 'jar', { title: 'Cookie Jar', status: 'published' });
    await service.product(ada, 'no', { title: 'Bad Jar', status: 'rejected', rejectionReason: 'No description.' });
    await service.product(ada, 'wait', { title: 'New Jar', status: 'pending' });
    await service.product(ada, 'gone', { title: 'Old Jar', status: 'pending', archivedAt: now });
    const later = await service.license('jar', { expiresAt: now + 40 * day });
    const sooner = await service.license('jar', { expiresAt: now + 20 * day });
    const first = await service.license('jar', { expiresAt: now + 2 * day });
    const perpetual = await service.license('jar');
    const page = await ada.browser.get(live);
    const [attention = '', newest = '', expiring = ''] = page
      .elements('table')
      .filter(({ text }) => !text.includes('Day (UTC)'))
      .map(({ text }) => text);
    expect(attention).to.match(/Bad Jar.*Rejected.*change the product and send it again.*New Jar.*Waits for approval/);
    expect(attention).to.not.match(/Cookie Jar|Old Jar/);
    expect(newest.match(/LIC(?:-[A-Z0-9]{4}){4}/g)).to.deep.equal([perpetual, first, sooner, later]);
    expect(expiring.match(/LIC(?:-[A-Z0-9]{4}){4}/g)).to.deep.equal([first, sooner]);
    const link = page.elements('a').find(({ text }) => text === 'All that expire');
    const [, path = ''] = link?.attributes.href?.split('/live/') ?? [];
    const all = await ada.browser.get(`${live}/${path}`);
    expect(all.text).to.include(sooner).and.to.not.include(later);
  });

  itLong('lists at most five of each, and leads to all', async () => {
    await service.product(ada, 'jar');
    for (const n of [1, 2, 3, 4, 5, 6]) await service.product(ada, `p${n}`, { status: 'rejected' });
    await service.issue('jar', { count: 7, expiresAt: service.clock.now() + day });
    const page = await ada.browser.get(live);
    // Each list has a row of titles. Of the three plots, only that of the issued licenses has something to show.
    expect(page.elements('tr')).to.have.lengthOf(3 * (5 + 1) + (30 + 1));
  });

  itLong('has no empty parts: they are left out, or say what to do', async () => {
    await service.product(ada, 'jar');
    await service.license('jar');
    const page = await ada.browser.get(live);
    expect(page.text).to.not.match(/Nothing in this time|expire in the next|Newest orders|Revenue/);
    expect(page.elements('figure')).to.have.lengthOf(1);
    const link = page.links.find(({ text }) => text === 'How your code checks the license key');
    expect((await ada.browser.get(new URL(link?.href ?? '', `http://x${live}`).pathname)).status).to.equal(200);
  });

  describe('the use of one', () => {
    let product: string;
    let license: string;
    beforeEach(async () => {
      product = `${live}/products/${(await service.product(ada, 'jar')).id}`;
      const key = await service.license('jar');
      license = `${live}/licenses/${key}`;
      await snapshot();
      await use(key, 3);
      service.clock.advance(2 * hour);
      await snapshot();
    });

    itLong('200 with the last 30 days of a product and of a license', async () => {
      for (const path of [product, license]) {
        const page = await ada.browser.get(path);
        expect(page.status).to.equal(200);
        expect(page.text).to.include('3 verifications.');
        expect(plotsIn(page)).to.deep.equal([['Jan 1, 2026: 3'], ['Jan 1, 2026: 1']]);
      }
    });

    itLong('200 with other ranges, and with 30 days for a range that does not exist', async () => {
      const points = async (path: string) => {
        const page = await ada.browser.get(path);
        expect(page.status, path).to.equal(200);
        const chosen = page
          .elements('a')
          .filter(({ attributes }) => attributes.href?.includes('usage=') && attributes['aria-current']);
        return [page.elements('data').length / 2, ...chosen.map(({ text }) => text)];
      };
      expect(await points(`${product}?usage=24h`)).to.deep.equal([24, '24 hours']);
      expect(await points(`${product}?usage=7d`)).to.deep.equal([168, '7 days']);
      expect(await points(`${product}?usage=90d`)).to.deep.equal([90, '90 days']);
      expect(await points(`${product}?usage=x`)).to.deep.equal([30, '30 days']);
      expect(await points(`${license}?usage=90d`)).to.deep.equal([90, '90 days']);
      expect(await points(`${license}?usage=24h`)).to.deep.equal([30, '30 days']);
    });

    itLong('200 with words instead of plots for what was not used', async () => {
      const page = await ada.browser.get(`${live}/licenses/${await service.license('jar')}`);
      expect(page.text).to.include('Not used in this time.');
      expect(page.elements('figure')).to.deep.equal([]);
    });
  });
});
