import { expect } from 'chai';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const orders = '/selling/live/orders';
const live = `${orders}/customers`;

describe('the list of customers for sellers', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  let root: Person;
  beforeEach(async () => {
    service = await startSellingService(payable);
    ({ ada, eve, root } = await service.people());
    await service.product(ada, 'jar', { status: 'published', isApproved: true, price: 4_900 });
  });
  afterEach(() => service.close());

  const place = (more: Parameters<typeof placeOrder>[2] = {}) =>
    placeOrder(service.parts, 'jar', { way: 'manual', ...more });

  itLong(
    '303 to the sign-in page without a session, 403 for the list of all, and nobody of other sellers',
    async () => {
      await place();
      for (const path of [live, `${live}/export`]) expect((await service.browser().get(path)).status).to.equal(303);
      for (const path of [live, `${live}/export`]) {
        expect((await eve.browser.get(path)).text).not.to.include('grace@example.com');
      }
      for (const end of ['', '/export']) {
        expect((await eve.browser.get(`/admin/orders/customers${end}`)).status).to.equal(403);
      }
    },
  );

  itLong('200 without customers, in each mode, with what to do; the list of orders leads there', async () => {
    await place({ isPaid: false });
    for (const mode of ['live', 'test']) {
      const page = await ada.browser.get(`/selling/${mode}/orders/customers`);
      expect([page.status, page.heading]).to.deep.equal([200, 'Customers']);
      expect(page.text).to.include('No customers yet');
    }
    expect((await root.browser.get('/admin/orders/customers')).text).to.include('No customers yet');
    for (const [{ browser }, path] of [
      [ada, orders],
      [root, '/admin/orders'],
    ] as const) {
      const { links } = await browser.get(path);
      expect(links.some(({ href, text }) => href.endsWith('orders/customers') && text === 'Customers')).to.equal(true);
    }
  });

  itLong('200 with the sums of each customer, whose name leads to the orders, and whose order leads back', async () => {
    const first = await place({ name: 'Grace' });
    await place({ name: 'Grace', payment: { refunded: 1_000 } });
    await place({ email: 'linus@example.com' });
    const { status, text, links } = await ada.browser.get(live);
    expect(status).to.equal(200);
    for (const part of ['Grace', 'grace@example.com', '$88.00', '$49.00', 'Never']) expect(text).to.include(part);
    const own = links.find(({ text }) => text === 'Grace');
    expect(own?.href).to.match(/orders\?q=grace%40example\.com$/);
    const page = await ada.browser.get(`${orders}/${first.id}`);
    const back = page.links.find(({ text }) => text === 'Sums of all orders');
    expect(back?.href).to.match(/orders\/customers\?q=grace%40example\.com$/);
    const found = await ada.browser.get(`${live}?q=GRACE`);
    expect(found.text).to.include('grace@example.com').and.not.to.include('linus@example.com');
    expect((await ada.browser.get(`${live}?q=nobody`)).text).to.include('Type the start of another address.');
    expect((await root.browser.get('/admin/orders/customers')).text).to.include('grace@example.com');
    expect((await root.browser.get('/admin/orders/customers?mode=test')).text).not.to.include('grace@example.com');
    const all = await root.browser.get(`${orders}/${first.id}`);
    expect(all.links.find(({ text }) => text === 'Sums of all orders')?.href).to.include('admin/orders/customers?q=');
  });

  itLong('200 with a file of these customers, in which no name is a formula', async () => {
    await place({ name: '=1+2' });
    await place({ email: 'linus@example.com' });
    const file = await ada.browser.get(`${live}/export?q=grace`);
    expect(file.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8');
    const [head, line, ...rest] = file.html.split('\r\n');
    expect(head).to.equal(
      'email,name,orders,licenses,currency,kept,first_order_at,last_order_at,last_visit_at,may_have_more',
    );
    expect(line).to.match(/^grace@example\.com,'=1\+2,1,1,USD,49\.00,\d{4}-[^,]+Z,\d{4}-[^,]+Z,,$/);
    expect(rest).to.deep.equal(['']);
  });

  it('404 for a place that is none', async () => {
    expect((await ada.browser.get(`${live}?after=%25`)).status).to.equal(404);
  });
});
