import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { monthsAfter } from '../../../../core/licensing/ends.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { day } from '../../../../core/time.ts';
import type { Answer } from '../../../support/http-client.ts';
import { must } from '../../../support/license-acts.ts';
import { payable, placeSubscription } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

describe('subscriptions on the account API', () => {
  let service: AccountService;
  let ada: Account;
  beforeEach(async () => {
    service = await startAccountService(payable);
    ada = await service.account('pro');
  });
  afterEach(() => service.close());

  const place = (more?: Parameters<typeof placeSubscription>[2]) =>
    placeSubscription(service.parts, ada.user.id, { way: 'manual', ...more });
  const at = ({ id }: Pick<Order, 'id'>, act = '') => `/api/subscriptions/${id}${act}`;
  const list = (query: string) => ada.get('/api/subscriptions', Object.fromEntries(new URLSearchParams(query)));
  const idsIn = ({ body, text }: Answer) => {
    expect(body.success, text).to.equal(true);
    return body.data.map((one: { subscription_id: number }) => one.subscription_id);
  };
  const look = async ({ id }: Pick<Order, 'id'>) => must(await (await service.parts.get(t.settleOrder))(id));
  const end = async (order: Order) => {
    service.clock.set(monthsAfter(1, service.clock.now()) + 8 * day);
    return await look(order);
  };

  itLong('200 with what a seller needs to know of a subscription', async () => {
    const order = await place({ email: 'grace@example.com', name: 'Grace' });
    const { status, body } = await ada.get(at(order));
    expect(status).to.equal(200);
    expect(body.subscription).to.deep.equal({
      subscription_id: order.id,
      status: 'active',
      is_cancelled: false,
      paid_until: new Date(monthsAfter(1, service.clock.now())).toISOString(),
      offer: 'monthly',
      next_offer: null,
      amount: 990,
      currency: 'usd',
      interval_months: 1,
      provider: 'manual',
      license_key: order.licenseKey,
      buyer: { email: 'grace@example.com', name: 'Grace' },
      product: { id: order.productId, title: order.agreed.title, slug: order.agreed.slug },
      livemode: true,
      created_at: new Date(order.createdAt).toISOString(),
    });
    // Whoever has the token of the buyer has the license and the downloads.
    expect(JSON.stringify(body)).not.to.include(order.token);
  });

  itLong('200 with the newest first, page by page, and with each filter', async () => {
    const over = await place({ email: 'over@example.com' });
    await end(over);
    const [first, second] = [await place({ email: 'a@example.com' }), await place({ email: 'b@example.com' })];
    await ada.post(at(second, '/cancel'), {});
    const page = await list('limit=2');
    expect(idsIn(page)).to.deep.equal([second.id, first.id]);
    const rest = await list(`limit=2&cursor=${page.body.next_cursor}`);
    expect([idsIn(rest), rest.body.next_cursor]).to.deep.equal([[over.id], null]);
    const cases: readonly (readonly [string, readonly Order[]])[] = [
      ['status=active', [first]],
      ['status=cancelled', [second]],
      ['status=ended', [over]],
      ['status=past_due', []],
      ['status=paused', []],
      [`product=${first.agreed.slug}`, [first]],
      [`product=${second.productId}&status=active`, []],
      ['product=unknown', []],
      ['search=B%40EXAMPLE', [second]],
      [`search=${first.licenseKey}`, [first]],
    ];
    for (const [query, expected] of cases) {
      expect(idsIn(await list(query)), query).to.deep.equal(expected.map(({ id }) => id));
    }
  });

  itLong('lists no order without a subscription, and none of its later payments', async () => {
    const order = await place();
    service.clock.set(monthsAfter(1, service.clock.now()) - day);
    await look(order);
    const orders = (await ada.get('/api/orders')).body.data;
    expect(orders.map((one: { subscription_id: number }) => one.subscription_id)).to.deep.equal([order.id, order.id]);
    expect(idsIn(await list(''))).to.deep.equal([order.id]);
    expect((await ada.get(at(orders[0]))).status, 'the order of a later payment').to.equal(404);
  });

  itLong('422 for a wrong filter or cursor, and for an unknown field of an act', async () => {
    for (const query of ['status=running', 'limit=0', 'cursor=x']) {
      const { status, body } = await list(query);
      expect([status, Object.keys(body.error.fields)], query).to.deep.equal([422, [query.split('=')[0]]]);
    }
    const order = await place();
    expect((await ada.post(at(order, '/cancel'), { now: true })).status).to.equal(422);
    expect((await ada.get(at(order))).body.subscription.is_cancelled).to.equal(false);
  });

  it('404 for those of others, of the other mode, and unknown ones', async () => {
    const order = await place();
    for (const account of [await service.account('pro'), await service.keyOf(ada.user, { mode: 'test' })]) {
      expect((await account.get(at(order))).status).to.equal(404);
      for (const act of ['/cancel', '/resume']) expect((await account.post(at(order, act), {})).status).to.equal(404);
      expect(idsIn(await account.get('/api/subscriptions'))).to.deep.equal([]);
    }
    for (const id of ['0', 'x', '99999999999999999999']) {
      expect((await ada.get(`/api/subscriptions/${id}`)).status).to.equal(404);
    }
  });

  itLong('200 for a cancellation, which keeps what is paid and who did it why; and for taking it back', async () => {
    const order = await place();
    const license = async () => (await ada.get(`/api/licenses/${order.licenseKey}`)).body.license;
    const before = await license();
    const cancelled = await ada.post(at(order, '/cancel'), { reason: 'Asked for by mail.' });
    expect([cancelled.status, cancelled.body.subscription.is_cancelled]).to.deep.equal([200, true]);
    expect((await license()).expires_at).to.equal(cancelled.body.subscription.paid_until);
    const audit = await service.rows('audit_log');
    expect(audit.find(({ type }) => type === 'subscription.cancelled')).to.include({
      subject: String(order.id),
      actor: ada.user.email,
      reason: 'Asked for by mail.',
    });
    const resumed = await ada.post(at(order, '/resume'), {});
    expect([resumed.status, resumed.body.subscription.is_cancelled]).to.deep.equal([200, false]);
    expect((await license()).expires_at).to.equal(before.expires_at);
  });

  itLong('cancels once if the request comes again with the same Idempotency-Key', async () => {
    const order = await place();
    const headers = { 'Idempotency-Key': 'one' };
    for (let n = 0; n < 2; n++) expect((await ada.post(at(order, '/cancel'), {}, headers)).status).to.equal(200);
    const audit = await service.rows('audit_log');
    expect(audit.filter(({ type }) => type === 'subscription.cancelled')).to.have.lengthOf(1);
  });

  itLong('409 for an act on a subscription that has ended', async () => {
    const order = await place();
    await end(order);
    for (const act of ['/cancel', '/resume']) {
      const { status, body } = await ada.post(at(order, act), {});
      expect([status, body.error.code], act).to.deep.equal([409, 'CONFLICT']);
    }
  });

  itLong('shows buyers their subscription with the order that began it', async () => {
    const buyer = await service.account('free');
    const order = await place({ email: buyer.user.email });
    await service.database.write((trx) => trx('orders').where({ id: order.id }).update({ buyer_id: buyer.user.id }));
    const [bought] = (await buyer.get('/api/purchases')).body.data;
    expect(bought).to.deep.include({ id: order.id, subscription_id: order.id });
    expect(bought.subscription).to.include({ status: 'active', is_cancelled: false, amount: 990, interval_months: 1 });
  });
});
