import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { type Order, orderStates } from '../../../core/purchases/order.ts';
import type { PaymentFacts } from '../../../core/purchases/payment.ts';
import { createLearn, type OrderPorts } from '../../../core/purchases/settle.ts';
import { letterOnEntering } from '../../../core/purchases/state-letters.ts';
import { addUser } from '../../support/backends.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder, createBank, orderPorts } from '../../support/orders.ts';

describe('the mails about the states of an order', () => {
  let stores: StoresInMemory;
  let ports: OrderPorts;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    ports = orderPorts(stores, createBank(), createManualClock(now));
  });
  afterEach(() => stores.close());

  const kinds = async () => (await stores.mails.list({ limit: 99 })).map(({ kind }) => kind).reverse();
  const set = async ({ id }: Order, facts: Partial<PaymentFacts>) =>
    good((await createLearn(ports)(id, ({ payment }) => ({ payment: { ...payment, ...facts } }), by)) ?? { id });

  it('tells once that a slow payment is on its way, and that it failed', async () => {
    const order = await addOrder(stores, await addForSale(stores));
    for (const status of ['processing', 'processing', 'failed', 'failed'] as const) await set(order, { status });
    expect(await kinds()).to.deep.equal(['order-processing', 'order-unpaid']);
  });

  it('tells once that a payment of another amount is checked', async () => {
    const order = await addOrder(stores, await addForSale(stores));
    for (const _ of 'ab') await set(order, { status: 'paid', currency: 'eur' });
    expect(await kinds()).to.deep.equal(['order-held']);
  });

  it('tells the end of an order only to who was told how to pay it', async () => {
    for (const status of ['expired', 'cancelled'] as const) {
      for (const provider of ['manual', 'stripe', 'test'] as const) {
        await set(await addOrder(stores, await addForSale(stores), { provider }), { status });
      }
    }
    expect(await kinds()).to.deep.equal(['order-unpaid', 'order-unpaid']);
  });

  it('tells nothing of a payment that is declined on the page where the buyer pays', async () => {
    for (const provider of ['test', 'stripe'] as const) {
      await set(await addOrder(stores, await addForSale(stores), { provider }), { status: 'failed' });
    }
    expect(await kinds()).to.deep.equal([]);
  });

  it('sends few mails to an address that a guest names, and saves what became known all the same', async () => {
    const product = await addForSale(stores);
    const orders: Order[] = [];
    for (let n = 0; n < 9; n++) orders.push(await addOrder(stores, product));
    for (const order of orders) await set(order, { status: 'processing' });
    expect(await kinds()).to.have.lengthOf(6);
    for (const { id } of orders) expect((await stores.orders.find(id))?.state).to.equal('processing');
    const { id: userId, email } = await addUser(stores, 'Member');
    const member = { userId, email: 'zoe@example.com', name: email };
    for (let n = 0; n < 9; n++) await set(await addOrder(stores, product, { buyer: member }), { status: 'processing' });
    expect(await kinds()).to.have.lengthOf(15);
    ports = { ...ports, isProved: async () => false };
    const unproved = { ...member, email: 'victim@example.com' };
    for (let n = 0; n < 9; n++)
      await set(await addOrder(stores, product, { buyer: unproved }), { status: 'processing' });
    expect(await kinds()).to.have.lengthOf(21);
  });

  it('leaves the later payments of a subscription to their own mails', async () => {
    const first = await addOrder(stores, await addForSale(stores));
    const cycle = { ...first, cycleOf: first.id, state: 'processing' as const };
    for (const state of orderStates) {
      expect(letterOnEntering(cycle, { ...cycle, state })?.kind).to.equal(state === 'held' ? 'order-held' : undefined);
    }
  });
});
