import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import type { Answer } from '../../../support/http-client.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const day = 86_400_000;

describe('orders on the account API', () => {
  let service: AccountService;
  let ada: Account;
  beforeEach(async () => {
    service = await startAccountService(payable);
    ada = await service.account('pro');
    await publish(ada, 'Jar');
  });
  afterEach(() => service.close());

  /** Publishes a product for 49.90 dollars. */
  async function publish(account: Account, title: string): Promise<void> {
    const published = await account.submit('/api/marketplace/publish', listingForm({ title, price: '49.90' }));
    expect(published.status, published.text).to.equal(200);
    const products = await service.parts.get(t.products);
    await products.change(published.body.product.slug, 'approve', operator);
  }
  const place = (more?: Parameters<typeof placeOrder>[2], slug = 'jar') => placeOrder(service.parts, slug, more);
  const at = ({ id }: Pick<Order, 'id'>, act = '') => `/api/orders/${id}${act}`;
  const list = (query: string) => ada.get('/api/orders', Object.fromEntries(new URLSearchParams(query)));
  const idsIn = ({ body, text }: Answer) => {
    expect(body.success, text).to.equal(true);
    return body.data.map(({ id }: { id: number }) => id);
  };

  itLong('200 with all that the seller needs to know of an order', async () => {
    const order = await place({ email: 'grace@example.com', name: 'Grace' });
    const { status, body } = await ada.get(at(order));
    expect(status).to.equal(200);
    expect(body.order).to.deep.include({
      id: order.id,
      status: 'paid',
      livemode: true,
      provider: 'test',
      invoice_number: 1,
      buyer: { email: 'grace@example.com', name: 'Grace' },
      license_key: order.licenseKey,
      currency: 'usd',
      price: 4990,
      amount: 4990,
      amount_refunded: 0,
      amount_refundable: 4990,
      dispute: null,
    });
    expect(body.order.product.slug).to.equal('jar');
    // Whoever has the token of the buyer has the license and the downloads.
    expect(JSON.stringify(body)).not.to.include(order.token);
  });

  itLong('200 with the newest first, page by page, and with each filter', async () => {
    await publish(ada, 'Cup');
    const first = await place({ email: 'a@example.com' });
    service.clock.advance(day);
    const second = await place({ email: 'b@example.com', isPaid: false, way: 'manual' });
    const third = await place({ email: 'c@example.com' }, 'cup');
    const page = await list('limit=2');
    expect(idsIn(page)).to.deep.equal([third.id, second.id]);
    const rest = await list(`limit=2&cursor=${page.body.next_cursor}`);
    expect([idsIn(rest), rest.body.next_cursor]).to.deep.equal([[first.id], null]);
    const since = new Date(second.createdAt).toISOString();
    const cases: readonly (readonly [string, readonly Order[]])[] = [
      ['status=open', [second]],
      ['status=held', []],
      ['product=cup', [third]],
      [`product=${first.productId}`, [second, first]],
      ['product=unknown', []],
      ['search=B%40EXAMPLE', [second]],
      [`search=${first.licenseKey}`, [first]],
      ['search=Cu', [third]],
      [`from=${since}`, [third, second]],
      [`to=${since}`, [first]],
    ];
    for (const [query, expected] of cases) {
      expect(idsIn(await list(`${query}`)), query).to.deep.equal(expected.map(({ id }) => id));
    }
  });

  itLong('422 for a wrong filter or cursor, also for the cursor of a search without that search', async () => {
    await place();
    await place();
    for (const query of ['status=sold', 'from=today', 'to=1', 'limit=0', 'cursor=x']) {
      const { status, body } = await list(`${query}`);
      expect([status, Object.keys(body.error.fields)], query).to.deep.equal([422, [query.split('=')[0]]]);
    }
    const { body } = await list('search=grace&limit=1');
    const cursor = encodeURIComponent(body.next_cursor);
    expect((await list(`search=grace&cursor=${cursor}`)).status).to.equal(200);
    expect((await list(`cursor=${cursor}`)).status).to.equal(422);
  });

  it('404 for orders of others, of the other mode, and unknown ones', async () => {
    const order = await place();
    const eve = await service.account('pro');
    const otherMode = await service.keyOf(ada.user, { mode: 'test' });
    for (const account of [eve, otherMode]) {
      expect((await account.get(at(order))).status).to.equal(404);
      for (const act of ['/refund', '/paid', '/cancel']) {
        expect((await account.post(at(order, act), {})).status).to.equal(404);
      }
      expect(idsIn(await account.get('/api/orders'))).to.deep.equal([]);
      expect(idsIn(await account.get('/api/orders', { product: 'jar' }))).to.deep.equal([]);
    }
    for (const id of ['0', 'x', '99999999999999999999'])
      expect((await ada.get(`/api/orders/${id}`)).status).to.equal(404);
  });

  itLong(
    '200 for refunds in part and then of the rest, which revokes the license; 409 for more than is left',
    async () => {
      const order = await place();
      const part = await ada.post(at(order, '/refund'), { amount: 1000, reason: 'Was late.' });
      expect(part.body.order).to.include({ status: 'partly_refunded', amount_refunded: 1000, amount_refundable: 3990 });
      const tooMuch = await ada.post(at(order, '/refund'), { amount: 3991 });
      expect([tooMuch.status, tooMuch.body.error.code]).to.deep.equal([409, 'CONFLICT']);
      const rest = await ada.post(at(order, '/refund'), {});
      expect(rest.body.order).to.include({ status: 'refunded', amount_refunded: 4990, amount_refundable: 0 });
      expect((await ada.get(`/api/licenses/${order.licenseKey}`)).body.license.status).to.equal('revoked');
      expect((await ada.post(at(order, '/refund'), {})).status).to.equal(409);
      const audit = await service.rows('audit_log');
      expect(audit.find(({ reason }) => reason === 'Was late.')).to.include({
        type: 'order.refunded',
        subject: String(order.id),
        actor: ada.user.email,
      });
    },
  );

  it('422 for a wrong amount or an unknown field, and nothing is refunded', async () => {
    const order = await place();
    for (const body of [
      { amount: 0 },
      { amount: -1 },
      { amount: 1.5 },
      { amount: '10' },
      { all: true },
      { to: '0x1' },
      { amount: 1, transaction: '0x1' },
    ]) {
      expect((await ada.post(at(order, '/refund'), body)).status, JSON.stringify(body)).to.equal(422);
    }
    expect((await ada.post(at(order, '/refund'), { transaction: '0x1' })).status, 'not paid in USDC').to.equal(409);
    expect((await ada.get(at(order))).body.order.amount_refunded).to.equal(0);
  });

  it('refunds once if the request comes again with the same Idempotency-Key', async () => {
    const order = await place();
    const headers = { 'Idempotency-Key': 'one' };
    for (let n = 0; n < 2; n++) {
      const { body } = await ada.post(at(order, '/refund'), { amount: 1000 }, headers);
      expect(body.order.amount_refunded).to.equal(1000);
    }
  });

  itLong(
    '200 when a manual order is paid, which issues the license; 409 for a second time and for canceling',
    async () => {
      const order = await place({ way: 'manual', isPaid: false });
      const paid = await ada.post(at(order, '/paid'), {});
      expect(paid.body.order).to.include({ status: 'paid', invoice_number: 1 });
      const { license } = (await ada.get(`/api/licenses/${paid.body.order.license_key}`)).body;
      expect(license).to.deep.include({ status: 'active', holder: { email: 'grace@example.com', name: null } });
      for (const act of ['/paid', '/cancel']) expect((await ada.post(at(order, act), {})).status).to.equal(409);
    },
  );

  itLong('200 when a manual order is cancelled, and when it is paid after that', async () => {
    const order = await place({ way: 'manual', isPaid: false });
    expect((await ada.post(at(order, '/cancel'), {})).body.order.status).to.equal('cancelled');
    expect((await ada.post(at(order, '/paid'), {})).body.order.status).to.equal('paid');
  });

  itLong(
    '403 for recording a manual payment as soon as somebody else sells too; administrators still can',
    async () => {
      const [one, two, three] = [
        await place({ way: 'manual', isPaid: false }),
        await place({ way: 'manual', isPaid: false }),
        await place({ way: 'manual' }),
      ];
      expect((await ada.post(at(one, '/paid'), {})).status).to.equal(200);
      await publish(await service.account('pro'), 'Cup');
      for (const [order, act] of [
        [two, '/paid'],
        [two, '/cancel'],
        [three, '/refund'],
      ] as const) {
        const { status, body } = await ada.post(at(order, act), {});
        expect([status, body.error.code], act).to.deep.equal([403, 'FORBIDDEN']);
        expect(body.error.message).to.include('only administrators record payments by hand');
      }
      expect((await ada.get(at(two))).body.order.status).to.equal('open');
      expect((await ada.get(at(three))).body.order.status).to.equal('paid');
      const orders = await service.parts.get(t.orders);
      const administrator = { actor: operator, mode: 'live' } as const;
      expect(await orders.pay(String(two.id), administrator)).to.include({ state: 'paid' });
      const played = await place();
      expect((await ada.post(at(played, '/refund'), {})).status, 'what is not paid by hand').to.equal(200);
    },
  );

  for (const [by, count, status] of [
    ['seller', 2, 200],
    ['operator', 1, 403],
  ] as const) {
    itLong(`${status} for recording a manual payment with MANUAL_PAYMENTS_BY=${by} and ${count} who sell`, async () => {
      await using other = await startAccountService({ ...payable, MANUAL_PAYMENTS_BY: by });
      const accounts = [];
      for (let made = 0; made < count; made++) {
        const account = await other.account('pro');
        await account.submit('/api/marketplace/publish', listingForm({ title: `Jar ${made}`, price: '49.90' }));
        await (await other.parts.get(t.products)).change(`jar-${made}`, 'approve', operator);
        accounts.push(account);
      }
      const order = await placeOrder(other.parts, 'jar-0', { way: 'manual', isPaid: false });
      expect((await accounts[0]?.post(at(order, '/paid'), {}))?.status).to.equal(status);
    });
  }

  itLong(
    '409 for paying or canceling an order that the buyer pays elsewhere, and for refunding an unpaid one',
    async () => {
      const order = await place({ isPaid: false });
      for (const act of ['/paid', '/cancel', '/refund']) {
        expect((await ada.post(at(order, act), {})).status, act).to.equal(409);
      }
    },
  );

  itLong('shows the template of a product, and what happens to licenses after a refund', async () => {
    const { id } = await service.template({ slug: 'dex' });
    const templates = await service.parts.get(t.productTemplates);
    expect((await ada.get('/api/products/jar')).body.product.template).to.equal(null);
    await templates.link('jar', 'dex', operator);
    const changed = await ada.send('/api/products/jar', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ terms: { on_refund: 'keep' } }),
    });
    expect(changed.body.product.template).to.equal(id);
    expect(changed.body.product.terms.on_refund).to.equal('keep');
    const order = await place();
    await ada.post(at(order, '/refund'), {});
    expect((await ada.get(`/api/licenses/${order.licenseKey}`)).body.license.status).to.equal('active');
  });
});
