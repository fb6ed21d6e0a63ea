import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { confirmationLife } from '../../../../core/accounts/session.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { referenceOf } from '../../../../core/purchases/reference.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const live = '/selling/live/orders';

describe('the pages of orders', () => {
  let service: SellingService;
  let ada: Person;
  let eve: Person;
  let root: Person;
  beforeEach(async () => {
    service = await startSellingService(payable);
    ({ ada, eve, root } = await service.people());
    await service.product(ada, 'jar', { title: 'Jar', price: 4990, status: 'published', isApproved: true });
  });
  afterEach(() => service.close());

  const place = (more?: Parameters<typeof placeOrder>[2]) => placeOrder(service.parts, 'jar', more);
  const held = () => place({ payment: { status: 'paid', subtotal: 499, total: 499 } });
  const pathOf = ({ id }: Pick<Order, 'id'>, act = '') => `${live}/${id}${act}`;
  const now = async ({ id }: Order) => (await (await service.parts.get(t.orderStore)).find(id)) as Order;

  itLong(
    '303 to the sign-in page without a session, 404 for those of others, of the other mode, and unknown ones',
    async () => {
      const own = pathOf(await held());
      const acts = ['refund', 'paid', 'cancel', 'accept'];
      for (const path of [live, `${live}/export`, `${live}/revenue`, own, ...acts.map((act) => `${own}/${act}`)]) {
        const { status, location } = await service.browser().get(path);
        expect([status, location]).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(path)}`]);
      }
      for (const path of [own, ...acts.map((act) => `${own}/${act}`)]) {
        expect((await eve.browser.get(path)).status, path).to.equal(404);
        expect((await ada.browser.get(path.replace('live', 'test'))).status, path).to.equal(404);
      }
      for (const act of [...acts, 'look']) {
        expect((await eve.browser.post(`${own}/${act}`, { how: 'full' })).status, act).to.be.oneOf([404, 422]);
      }
      expect((await eve.browser.get(live)).text).not.to.include('grace@example.com');
      expect((await eve.browser.get(`${live}/export`)).text).not.to.include('grace@example.com');
      expect((await eve.browser.get('/admin/orders')).status).to.equal(403);
      expect((await ada.browser.get(`${live}/no-number`)).status).to.equal(404);
    },
  );

  itLong('200 without orders, in each mode, with what to do', async () => {
    for (const mode of ['live', 'test']) {
      const page = await ada.browser.get(`/selling/${mode}/orders`);
      expect([page.status, page.heading]).to.deep.equal([200, 'Orders']);
      expect(page.text).to.include('No orders yet');
      expect((await ada.browser.get(`/selling/${mode}/orders/revenue`)).text).to.include('Nothing was paid');
    }
  });

  itLong('200 with a list that is filtered by buyer, state, product and day', async () => {
    await place({ email: 'grace@example.com', name: 'Grace' });
    await place({ email: 'linus@example.com', way: 'manual', isPaid: false });
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    const cases: readonly (readonly [string, boolean, boolean])[] = [
      ['', true, true],
      ['?q=grace', true, false],
      ['?state=open', false, true],
      ['?product=jar', true, true],
      ['?product=cup', false, false],
      [`?from=${today}&to=${today}`, true, true],
      ['?to=2020-01-01', false, false],
    ];
    for (const [query, hasGrace, hasLinus] of cases) {
      const { status, text } = await ada.browser.get(live + query);
      const found = [text.includes('grace@example.com'), text.includes('linus@example.com')];
      expect([status, ...found], query).to.deep.equal([200, hasGrace, hasLinus]);
    }
  });

  itLong('200 for a CSV file with amounts, in which no text is a formula', async () => {
    await place({ email: 'grace@example.com', name: '=1+1', payment: { refunded: 1000 } });
    const file = await ada.browser.get(`${live}/export`);
    expect(file.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8');
    const [head, row, end] = file.html.split('\r\n');
    const cells = Object.fromEntries((head ?? '').split(',').map((name, n) => [name, row?.split(',')[n]]));
    expect(cells).to.include({
      order: '1',
      invoice_number: '1',
      status: 'partly_refunded',
      product: 'jar',
      buyer_email: 'grace@example.com',
      buyer_name: "'=1+1",
      currency: 'USD',
      total: '49.90',
      refunded: '10.00',
    });
    expect(end).to.equal('');
    expect((await ada.browser.get(`${live}/export?state=held`)).html.split('\r\n')).to.have.length(2);
  });

  itLong('200 with the payment, the license, what was agreed and the history of an order', async () => {
    const order = await place({ name: 'Grace' });
    const { status, text, html } = await ada.browser.get(pathOf(order));
    expect(status).to.equal(200);
    for (const part of ['$49.90', 'Grace', 'grace@example.com', 'Paid', 'Jar', '1 domain', 'Order paid']) {
      expect(text).to.include(part);
    }
    expect(html).to.include(`/selling/live/licenses/${order.licenseKey}"`);
    expect(html).not.to.include(order.token);
  });

  it('refunds a part and then the rest, once for each form', async () => {
    const order = await place();
    const form = await ada.browser.open(pathOf(order, '/refund'));
    const fields = { how: 'part', amount: '9.90', reason: 'Late.' };
    expect((await ada.browser.submit(form, fields)).location).to.equal(pathOf(order));
    expect((await ada.browser.submit(form, fields)).location).to.equal(pathOf(order));
    expect((await now(order)).payment.refunded).to.equal(990);
    const page = await ada.browser.get(pathOf(order));
    for (const part of ['$9.90', '$40.00', 'Late.']) expect(page.text).to.include(part);
    await ada.browser.fill(pathOf(order, '/refund'), { how: 'full' });
    expect((await now(order)).state).to.equal('refunded');
    expect((await ada.browser.get(pathOf(order, '/refund'))).text).to.include('not possible');
  });

  itLong('422 beside the field for a wrong amount, and nothing is refunded', async () => {
    const order = await place();
    for (const amount of ['', 'x', '0', '-1', '49.91', '1.234']) {
      const { status } = await ada.browser.fill(pathOf(order, '/refund'), { how: 'part', amount });
      expect(status, amount).to.equal(422);
    }
    expect((await now(order)).payment.refunded).to.equal(0);
  });

  it('asks for the password again before a refund, if it was entered long ago', async () => {
    const order = await place();
    service.clock.advance(confirmationLife);
    const { status, text } = await ada.browser.fill(pathOf(order, '/refund'), { how: 'full' });
    expect(status).to.equal(422);
    expect(text).to.include('password');
    expect((await now(order)).state).to.equal('paid');
    const answer = await ada.browser.fill(pathOf(order, '/refund'), { how: 'full', current_password: ada.password });
    expect(answer.location).to.equal(pathOf(order));
    expect((await now(order)).state).to.equal('refunded');
  });

  itLong('marks a manual order as paid, and cancels one; offers neither for other orders', async () => {
    const [one, other] = [await place({ way: 'manual', isPaid: false }), await place({ way: 'manual', isPaid: false })];
    expect((await ada.browser.fill(pathOf(one, '/paid'), { reason: '' })).location).to.equal(pathOf(one));
    expect((await now(one)).licenseKey).not.to.equal(null);
    expect((await ada.browser.fill(pathOf(other, '/cancel'), { reason: '' })).location).to.equal(pathOf(other));
    expect((await now(other)).state).to.equal('cancelled');
    const test = await place({ isPaid: false });
    for (const act of ['paid', 'cancel']) {
      expect((await ada.browser.get(pathOf(test, `/${act}`))).text).to.include('not possible');
      expect((await ada.browser.post(pathOf(test, `/${act}`), { reason: '' })).status).to.equal(422);
    }
    expect((await now(test)).state).to.equal('open');
  });

  itLong(
    'offers a seller no record of manual payments as soon as somebody else sells too, but an administrator',
    async () => {
      const [open, paid] = [await place({ way: 'manual', isPaid: false }), await place({ way: 'manual' })];
      const acts = [
        [open, 'paid', 'Mark as paid'],
        [open, 'cancel', 'Cancel order'],
        [paid, 'refund', 'Refund'],
      ] as const;
      const left = 'administrators record payments by hand';
      const path = (order: Order, act: string) => pathOf(order, `/${act}`);
      for (const [order, act] of acts) {
        const page = await ada.browser.get(pathOf(order));
        expect(page.html).to.include(`${order.id}/${act}"`).and.not.include(left);
      }
      await service.product(eve, 'cup', { title: 'Cup', status: 'published', isApproved: true });
      for (const [order, act, button] of acts) {
        const page = await ada.browser.get(pathOf(order));
        expect(page.html, act).to.include(left).and.not.include(`${order.id}/${act}"`);
        const form = await ada.browser.get(path(order, act));
        expect(form.html, act).to.include(left).and.not.include('name="reason"');
        const fields = { reason: '', how: 'full', once: 'a'.repeat(36), current_password: ada.password };
        const sent = await ada.browser.post(path(order, act), fields);
        expect([sent.status, sent.text.includes(left)], act).to.deep.equal([422, true]);
        const seen = await root.browser.get(pathOf(order));
        expect(seen.html).to.include(`${order.id}/${act}"`).and.include(button).and.not.include(left);
      }
      expect([(await now(open)).state, (await now(paid)).state]).to.deep.equal(['open', 'paid']);
      expect((await root.browser.fill(path(open, 'paid'), { reason: '' })).location).to.equal(pathOf(open));
      expect((await now(open)).state).to.equal('paid');
    },
  );

  itLong('offers an administrator who sells the record of own orders, whoever sells too', async () => {
    await service.product(root, 'pot', { title: 'Pot', price: 100, status: 'published', isApproved: true });
    const order = await placeOrder(service.parts, 'pot', { way: 'manual', isPaid: false });
    expect((await root.browser.fill(pathOf(order, '/paid'), { reason: '' })).location).to.equal(pathOf(order));
    expect((await now(order)).state).to.equal('paid');
  });

  itLong('shows administrators first the orders of all sellers that wait for them, and how many they are', async () => {
    expect((await root.browser.get('/admin/orders')).text).to.include('No orders yet');
    await place();
    await held();
    await place({ way: 'manual', isPaid: false, email: 'hand@example.com' });
    const page = await root.browser.get('/admin/orders');
    for (const part of ['Wait for you', '2 waiting', 'Ada', '$4.99', '$49.90', 'hand@example.com'])
      expect(page.text).to.include(part);
    expect((await root.browser.get('/admin/orders?mode=test')).text).not.to.include('$49.90');
    expect((await root.browser.get('/admin/users')).text).to.include('2 waiting');
    expect((await root.browser.get(live)).text).to.include('No orders yet');
  });

  itLong(
    'tells those who can record a payment by hand that an order waits for it, and finds it by its reference',
    async () => {
      const told = async ({ browser, email }: Person) => [
        (await browser.get('/account/notifications')).text.includes('“Jar” was ordered for $49.90.'),
        (await service.letters(email)).filter(({ kind }) => kind === 'order-waits').length,
      ];
      const order = await place({ way: 'manual', isPaid: false });
      expect(await Promise.all([ada, eve, root].map(told))).to.deep.equal([
        [true, 1],
        [false, 0],
        [true, 1],
      ]);
      const reference = referenceOf(order);
      expect((await service.letters(ada.email)).at(-1)?.text).to.include(reference);
      expect((await ada.browser.get(pathOf(order))).text).to.include(reference);
      expect((await ada.browser.get('/selling/live')).text).to.include('Mark it as paid when the money is there');
      const others = await place({ way: 'manual', isPaid: false, email: 'linus@example.com' });
      for (const browser of [ada.browser, root.browser]) {
        const path = browser === ada.browser ? live : '/admin/orders';
        const page = await browser.get(`${path}?q=${reference.toLowerCase()}`);
        expect([page.text.includes(`Order ${order.id}`), page.text.includes(`Order ${others.id}`)]).to.deep.equal([
          true,
          false,
        ]);
        const [one, other] = [order, others].map(referenceOf);
        expect((await browser.get(path)).text, 'in the list')
          .to.include(one)
          .and.to.include(other);
      }
      const sheet = (await ada.browser.get(`${live}/export?q=${reference}`)).html;
      expect([sheet.includes('grace@example.com'), sheet.includes('linus@example.com')]).to.deep.equal([true, false]);
      expect((await eve.browser.get(`${live}?q=${reference}`)).text).not.to.include(`Order ${order.id}`);
      await service.product(eve, 'pan', { title: 'Pan', price: 100, status: 'published', isApproved: true });
      await place({ way: 'manual', isPaid: false });
      expect(await Promise.all([ada, root].map(told)), 'as soon as two sell').to.deep.equal([
        [true, 2],
        [true, 3],
      ]);
      expect((await ada.browser.get('/selling/live')).text).not.to.include('Mark it as paid');
    },
  );

  itLong(
    'shows a seller beside "Orders" how many wait: disputes, and transfers if the seller may record them',
    async () => {
      const shown = async ({ browser }: Person, path = live) =>
        /Orders\s*(\d+) waiting/.exec((await browser.get(path)).text)?.[1];
      expect(await shown(ada)).to.equal(undefined);
      await place({ payment: { status: 'paid', dispute: 'open' } });
      await place({ way: 'manual', isPaid: false });
      await held();
      expect(await shown(ada)).to.equal('2');
      expect(await shown(ada, '/selling/live/products')).to.equal('2');
      expect(await shown(ada, '/selling/test/orders')).to.equal(undefined);
      expect(await shown(eve)).to.equal(undefined);
      await service.product(eve, 'pan', { title: 'Pan', price: 100, status: 'published', isApproved: true });
      expect(await shown(ada), 'as soon as somebody else sells').to.equal('1');
    },
  );

  itLong('lets an administrator accept a held order, but not its seller', async () => {
    const order = await held();
    const page = await root.browser.get(pathOf(order));
    for (const part of ['Agreed and paid', '$49.90', '$4.99', 'Accept the payment']) expect(page.text).to.include(part);
    expect((await ada.browser.get(pathOf(order))).text).to.include('An administrator decides');
    expect((await ada.browser.post(pathOf(order, '/accept'), { reason: '' })).status).to.equal(403);
    expect((await now(order)).state).to.equal('held');
    expect((await root.browser.fill(pathOf(order, '/accept'), { reason: 'Rounding.' })).location).to.equal(
      pathOf(order),
    );
    expect((await now(order)).state).to.equal('paid');
    const seen = (await root.browser.get(pathOf(order))).text;
    for (const part of ['Held order accepted', 'Rounding.']) expect(seen).to.include(part);
    // Sellers do not learn who administers the service.
    expect((await ada.browser.get(pathOf(order))).text).not.to.include(root.email);
    expect((await root.browser.post(pathOf(order, '/accept'), { reason: '' })).status).to.equal(422);
  });

  it('lets an administrator refund a held order, which cancels it', async () => {
    const order = await held();
    await root.browser.fill(pathOf(order, '/refund'), { how: 'full' });
    expect(await now(order)).to.include({ state: 'cancelled', licenseKey: null });
  });

  itLong('adds up the revenue of each range and product, also on the overview', async () => {
    await service.product(ada, 'cup', { price: 1000, status: 'published', isApproved: true });
    for (let placed = 0; placed < 2; placed++) await place();
    service.clock.advance(40 * 86_400_000);
    for (const person of [ada, eve]) await service.signIn(person.browser, person);
    await place({ payment: { refunded: 990 } });
    await placeOrder(service.parts, 'cup');
    await place({ isPaid: false });
    const totals: readonly (readonly [string, string])[] = [
      ['', '$50.00'],
      ['?days=90', '$149.80'],
      ['?days=365&product=jar', '$139.80'],
      ['?product=cup', '$10.00'],
    ];
    for (const [query, left] of totals) {
      expect((await ada.browser.get(`${live}/revenue${query}`)).text, query).to.include(left);
    }
    expect((await eve.browser.get(`${live}/revenue?product=jar`)).text).to.include('Nothing was paid');
    const overview = await ada.browser.get('/selling/live');
    for (const part of ['Revenue in 30 days', '$50.00', '$99.80 in the time before', '−50%', 'Newest orders'])
      expect(overview.text).to.include(part);
    const days = overview
      .elements('th')
      .map(({ text }) => Date.parse(text))
      .filter((at) => !Number.isNaN(at));
    expect(days.slice(0, 30), 'newest first').to.deep.equal(days.slice(0, 30).toSorted((a, b) => b - a));
  });

  itLong('shows on the page of a product what needs doing, then its sales, then the facts', async () => {
    const { id } = await service.product(ada, 'cup', { price: 1000, status: 'published', isApproved: true });
    const path = `/selling/live/products/${id}`;
    expect((await ada.browser.get(path)).text).to.not.include('Revenue in 30 days');
    await placeOrder(service.parts, 'cup');
    await place();
    const page = await ada.browser.get(path);
    const parts = ['See the public page', 'Revenue in 30 days$10.00', 'Usage', 'License terms', 'Versions'];
    const places = parts.map((part) => page.text.indexOf(part));
    expect(places).to.not.include(-1);
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other));
    const orders = page.links.find(({ href }) => href.includes('orders?'))?.href ?? '';
    const listed = (await ada.browser.get(new URL(orders, `http://x${path}`).href.slice('http://x'.length))).text;
    expect([listed.includes('$10.00'), listed.includes('$49.90')]).to.deep.equal([true, false]);
  });

  itLong('writes amounts as money in the audit trail too', async () => {
    await place({ payment: { refunded: 990 } });
    const { text } = await root.browser.get('/admin/audit');
    for (const part of ['Price: $49.90', 'Total: $49.90']) expect(text).to.include(part);
  });

  itLong('says on the page of a license that its payment withholds it, and why it is not valid', async () => {
    const order = await place({ payment: { dispute: 'open' } });
    const path = `/selling/live/licenses/${order.licenseKey}`;
    const page = await ada.browser.get(path);
    expect(page.text).to.include('suspended, because its payment is disputed');
    expect(page.html).to.include(`selling/live/orders/${order.id}"`);
    expect(page.html).not.to.include(`${order.licenseKey}/reinstate"`);
    expect((await ada.browser.get(`${path}/reinstate`)).text).to.include(
      'while the payment of the license is disputed, refunded or taken back',
    );
    expect((await ada.browser.get(`${path}?domain=a.example.com`)).text).to.include('works again by itself');
    expect((await service.verify(order.licenseKey ?? '', 'a.example.com')).body.error).to.equal('suspended');
  });

  itLong('lets only administrators choose the template of a product', async () => {
    const template = await service.template({ slug: 'dex', title: 'The Dex' });
    const product = await (await service.parts.get(t.productStore)).findBySlug('jar');
    const path = `/admin/products/${product?.id}/template`;
    expect((await ada.browser.get(path)).status).to.equal(403);
    expect((await root.browser.fill(path, { template: 'unknown' })).status).to.equal(422);
    expect((await root.browser.fill(path, { template: 'dex' })).location).to.equal(`/admin/products/${product?.id}`);
    expect((await ada.browser.get(`/selling/live/products/${product?.id}`)).text).to.include('The Dex');
    const event = (await service.rows('audit_log')).at(-1);
    expect(event).to.include({ type: 'product.template_set', subject: 'jar', actor: root.email });
    expect((await place()).agreed.templateId).to.equal(template.id);
    await root.browser.fill(path, { template: '' });
    expect((await place()).agreed.templateId).to.equal(null);
  });
});
