import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import type { User } from '../../../core/accounts/user.ts';
import type { Coupon } from '../../../core/purchases/coupon.ts';
import { lookAtOrder } from '../../../core/purchases/settle.ts';
import { isRefused } from '../../../core/refusal.ts';
import { hour } from '../../../core/time.ts';
import { createWorker } from '../../../core/work/worker.ts';
import { addUser } from '../../support/backends.ts';
import { addCoupon } from '../../support/coupons.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { must, issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, createBank } from '../../support/orders.ts';
import { createShop } from '../../support/subscriptions.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });

describe('the uses of a coupon', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  let shop: ReturnType<typeof createShop>;
  let slug: string;
  let guests = 0;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(now);
    shop = createShop(stores, clock, createBank());
    ({ slug } = await addForSale(stores, { price: 1_000 }));
  });
  afterEach(() => stores.close());

  interface Asked {
    readonly client?: string;
    readonly email?: string;
    readonly user?: User;
  }
  const buy = ({ client = `192.0.2.${++guests}`, email = `guest${++guests}@example.com`, user }: Asked = {}) =>
    shop.checkout.begin(
      { product: slug, way: 'manual', coupon: 'launch', name: null, client, email },
      user && { kind: 'user', user },
      addresses,
    );
  const usesOf = async ({ id }: Coupon) => must(await stores.coupons.find(id)).uses;
  async function work() {
    const attempts = { mail: async () => 'sent' as const, order: lookAtOrder(shop.settle, stores.coupons, clock) };
    const worker = createWorker(stores.work, attempts, clock, { places: 1, stop: new AbortController().signal });
    while (await worker.take()) await worker.idle();
  }

  it('are held by an unpaid order for an hour, and are then free for others, while the order keeps its price', async () => {
    const coupon = await addCoupon(stores, { mostUses: 1 });
    const { order } = good(await buy());
    clock.advance(hour - 1);
    await work();
    expect(await buy()).to.include({ reason: 'coupon_used_up' });
    clock.advance(1);
    await work();
    expect(await usesOf(coupon)).to.equal(0);
    const other = good(await buy());
    await shop.pay(other.order);
    const paid = await shop.pay(order);
    expect([paid.state, paid.agreed.price]).to.deep.equal(['paid', 800]);
    expect(await usesOf(coupon)).to.equal(2);
    clock.advance(40 * 24 * hour);
    await work();
    expect(await usesOf(coupon), 'paid orders keep theirs').to.equal(2);
  });

  it('cannot be used up from one network, by one address or by one account', async () => {
    const coupon = await addCoupon(stores);
    const all = async (asked: (n: number) => Asked) => {
      const answers = [];
      for (let n = 0; n < 20; n++) answers.push(await buy(asked(n)));
      for (const one of answers) if (isRefused(one)) expect(one.reason).to.equal('too_many_attempts');
      return answers.filter((one) => !isRefused(one)).length;
    };
    expect(await all(() => ({ client: '198.51.100.7' }))).to.equal(10);
    expect(await all(() => ({ email: 'victim@example.com' }))).to.equal(5);
    const user = await addUser(stores, 'Grace');
    expect(await all(() => ({ user }))).to.equal(5);
    expect(await usesOf(coupon)).to.equal(20);
    clock.advance(hour);
    await work();
    expect(await usesOf(coupon)).to.equal(0);
  });

  it('of each buyer are bounded only for accounts, so a guest learns nothing of an address and uses up nothing', async () => {
    await addCoupon(stores, { mostPerBuyer: 1 });
    const user = await addUser(stores, 'Grace');
    const answers = [await buy({ email: user.email }), await buy({ email: 'nobody@example.com' })];
    await shop.pay(good(await buy({ user })).order);
    answers.push(await buy({ email: user.email }), await buy({ email: 'nobody@example.com' }));
    for (const answer of answers) expect(answer).to.include({ reason: 'coupon_for_accounts' });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    expect(await buy({ user })).to.include({ reason: 'coupon_used_up' });
  });

  it('cost one attempt of an hour, however many pages send the code', async () => {
    await addCoupon(stores);
    const offered = good(await shop.checkout.offer(slug, undefined));
    const client = '203.0.113.9';
    const guess = (code: string) => shop.checkout.withCoupon(offered, code, undefined, client);
    for (let n = 0; n < 200; n++) expect(isRefused(await guess('launch'))).to.equal(false);
    for (let n = 0; n < 119; n++) expect(await guess(`WRONG-${n}`)).to.include({ reason: 'unknown_coupon' });
    for (const _ of 'ab') expect(await guess('ONE-MORE')).to.include({ reason: 'too_many_attempts' });
    expect(isRefused(await guess('launch')), 'whoever has begun to buy can go on').to.equal(false);
  });

  it('count the codes that an account tries from all networks', async () => {
    const user = await addUser(stores, 'Grace');
    const offered = good(await shop.checkout.offer(slug, undefined));
    const guess = (n: number) =>
      shop.checkout.withCoupon(offered, `WRONG-${n}`, { kind: 'user', user }, `203.0.113.${n % 50}`);
    for (let n = 0; n < 120; n++) expect(await guess(n)).to.include({ reason: 'unknown_coupon' });
    expect(await guess(120)).to.include({ reason: 'too_many_attempts' });
  });
});
