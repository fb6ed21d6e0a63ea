import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { monthsAfter } from '../../../../core/licensing/ends.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { day } from '../../../../core/time.ts';
import { must } from '../../../support/license-acts.ts';
import { monthly, payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const orders = '/selling/live/orders';
const live = `${orders}/subscriptions`;

describe('the pages of subscriptions for sellers', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  let root: Person;
  beforeEach(async () => {
    service = await startSellingService(payable);
    ({ ada, eve, root } = await service.people());
    const offers = { offers: [monthly], status: 'published', isApproved: true } as const;
    await service.product(ada, 'jar', { ...offers, title: 'Jar' });
    await service.product(ada, 'cup', { ...offers, title: 'Cup' });
  });
  afterEach(() => service.close());

  const place = (more: Parameters<typeof placeOrder>[2] = {}, slug = 'jar') =>
    placeOrder(service.parts, slug, { offer: monthly.slug, way: 'manual', ...more });
  const pathOf = ({ id }: Pick<Order, 'id'>, act = '') => `${orders}/${id}${act}`;
  const look = async ({ id }: Order) => must(await (await service.parts.get(t.settleOrder))(id));
  const now = async ({ id }: Order) => must(await (await service.parts.get(t.orderStore)).find(id));
  /** Lets a month and some days pass, after which Ada signs in again. */
  const pass = async (days: number) => {
    service.clock.set(monthsAfter(1, service.clock.now()) + days * day);
    await service.signIn(ada.browser, ada);
  };

  it('303 to the sign-in page without a session, 404 for those of others, 403 for the list of all', async () => {
    const own = pathOf(await place());
    for (const path of [live, `${own}/unsubscribe`, `${own}/resume`]) {
      expect((await service.browser().get(path)).status, path).to.equal(303);
    }
    for (const act of ['unsubscribe', 'resume']) {
      expect((await eve.browser.get(`${own}/${act}`)).status).to.equal(404);
      expect((await eve.browser.post(`${own}/${act}`, { reason: '' })).status).to.equal(404);
    }
    expect((await eve.browser.get(live)).text).not.to.include('grace@example.com');
    expect((await eve.browser.get('/admin/orders/subscriptions')).status).to.equal(403);
  });

  itLong('200 without subscriptions, in each mode, with what to do; the list of orders leads there', async () => {
    for (const mode of ['live', 'test']) {
      const page = await ada.browser.get(`/selling/${mode}/orders/subscriptions`);
      expect([page.status, page.heading]).to.deep.equal([200, 'Subscriptions']);
      expect(page.text).to.include('No subscriptions yet');
    }
    for (const [{ browser }, path] of [
      [ada, orders],
      [root, '/admin/orders'],
    ] as const) {
      const { links } = await browser.get(path);
      expect(
        links.some(({ href, text }) => href.endsWith('orders/subscriptions') && text === 'Subscriptions'),
      ).to.equal(true);
    }
    expect((await root.browser.get('/admin/orders/subscriptions')).text).to.include('No subscriptions yet');
  });

  itLong('200 with a list that is filtered by buyer, state and product', async () => {
    await place({ email: 'grace@example.com', name: 'Grace' });
    const linus = await place({ email: 'linus@example.com' }, 'cup');
    await ada.browser.fill(pathOf(linus, '/unsubscribe'), { reason: '' });
    const cases: readonly (readonly [string, boolean, boolean])[] = [
      ['', true, true],
      ['?q=grace', true, false],
      ['?state=running', true, false],
      ['?state=cancelled', false, true],
      ['?state=ended', false, false],
      ['?product=cup', false, true],
      ['?product=jar&state=cancelled', false, false],
    ];
    for (const [query, hasGrace, hasLinus] of cases) {
      const { status, text } = await ada.browser.get(live + query);
      const found = [text.includes('grace@example.com'), text.includes('linus@example.com')];
      expect([status, ...found], query).to.deep.equal([200, hasGrace, hasLinus]);
    }
    const { text } = await ada.browser.get(live);
    for (const part of ['$9.90', 'every month', 'Monthly', 'Next payment', must(linus.licenseKey ?? undefined)]) {
      expect(text).to.include(part);
    }
    const all = await root.browser.get('/admin/orders/subscriptions');
    for (const part of ['grace@example.com', 'linus@example.com', 'Ada']) expect(all.text).to.include(part);
    expect((await root.browser.get(live)).text).to.include('No subscriptions yet');
  });

  itLong(
    'shows the subscription on the page of its order, with its payments, and each payment leads back',
    async () => {
      const order = await place();
      await pass(-1);
      await look(order);
      const page = await ada.browser.get(pathOf(order));
      for (const part of ['Running', '$9.90 every month', 'Next payment', 'Subscription started']) {
        expect(page.text).to.include(part);
      }
      const store = await service.parts.get(t.orderStore);
      const payment = must((await store.cyclesOf(order.id))[0]);
      expect(page.links.some(({ text }) => text === `Order ${payment.id}`)).to.equal(true);
      const below = await ada.browser.get(pathOf(payment));
      expect(
        below.links.some(({ href, text }) => text === `Order ${order.id}` && href.endsWith('#subscription')),
      ).to.equal(true);
      expect(below.text).not.to.include('Cancel subscription');
    },
  );

  itLong('cancels for the buyer with a reason, and resumes; offers only what is possible', async () => {
    const order = await place();
    const acts = async () => {
      const { html } = await ada.browser.get(pathOf(order));
      return ['unsubscribe', 'resume'].filter((act) => html.includes(`${order.id}/${act}"`));
    };
    expect(await acts()).to.deep.equal(['unsubscribe']);
    expect((await ada.browser.get(pathOf(order, '/resume'))).text).to.include('is not cancelled');
    const done = await ada.browser.fill(pathOf(order, '/unsubscribe'), { reason: 'Asked by mail.' });
    expect(done.location).to.equal(pathOf(order));
    expect((await now(order)).subscription).to.include({ isCancelled: true, status: 'active' });
    expect((await ada.browser.get(pathOf(order))).text).to.include('Asked by mail.');
    expect(await acts()).to.deep.equal(['resume']);
    expect((await ada.browser.fill(pathOf(order, '/resume'), { reason: '' })).location).to.equal(pathOf(order));
    expect((await now(order)).subscription).to.include({ isCancelled: false });
    await pass(8);
    await look(order);
    expect(await acts()).to.deep.equal([]);
    expect((await ada.browser.post(pathOf(order, '/unsubscribe'), { reason: '' })).status).to.equal(422);
    expect((await ada.browser.get(pathOf(order))).text).to.include('It has ended.');
  });

  itLong('lets administrators cancel those of all sellers', async () => {
    const order = await place();
    await root.browser.fill(pathOf(order, '/unsubscribe'), { reason: '' });
    expect((await now(order)).subscription?.isCancelled).to.equal(true);
  });

  itLong('shows what subscriptions bring in a month beside the revenue, and how many are lost', async () => {
    const revenue = async () => (await ada.browser.get(`${orders}/revenue`)).text;
    expect(await revenue()).not.to.include('Monthly recurring revenue');
    const gone = await place();
    await pass(8);
    await look(gone);
    await place();
    const late = await place({}, 'cup');
    await ada.browser.fill(pathOf(await place(), '/unsubscribe'), { reason: '' });
    const shown = await revenue();
    expect(shown).to.match(/Monthly recurring revenue\s*\$19\.80\s*Running\s*2\s*Payments missing\s*0/);
    expect(shown).to.match(/Cancelled, not ended\s*1\s*Ended in 30 days\s*1/);
    await pass(1);
    await look(late);
    expect(await revenue()).to.match(/Payments missing\s*1/);
    expect((await ada.browser.get(`${orders}/revenue?product=cup`)).text).to.match(/revenue\s*\$9\.90\s*Running\s*0/);
  });
});
