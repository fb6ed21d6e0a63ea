import { expect } from 'chai';
import { encodeFunctionData, parseAbi } from 'viem';
import { t } from '../../../../apps/wiring/tokens.ts';
import { minute } from '../../../../core/time.ts';
import { cent } from '../../../../core/usdc/usdc-quote.ts';
import { anvil } from '../../../support/anvil.ts';
import { operator } from '../../../support/by.ts';
import { until } from '../../../support/eventually.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { needing } from '../../../support/required-service.ts';
import { contracts } from '../../../support/solidity.ts';
import { startUsdcService, type UsdcService, usdc } from './usdc-service.ts';

const token = parseAbi(['function transfer(address to, uint256 amount)']);
/** The first account of anvil, which pays the orders. */
const payer = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

needing(anvil.skip).describe('USDC that a seller has sent back', () => {
  let market: UsdcService;
  before(async () => {
    market = await startUsdcService();
    await market.chain.call('anvil_impersonateAccount', market.wallet.address);
    await market.chain.call('anvil_setBalance', market.wallet.address, '0xde0b6b3a7640000');
  });
  after(async () => {
    await market[Symbol.asyncDispose]();
  });

  /** Sends from the address of the seller. */
  async function sendBack(amount: number, to: string = payer, contract: string = usdc): Promise<string> {
    const data = encodeFunctionData({ abi: token, args: [to as `0x${string}`, BigInt(amount)] });
    const { chain, wallet } = market;
    const sent = { from: wallet.address, gas: '0x4c4b40', to: contract, data };
    const hash = await chain.call('eth_sendTransaction', sent);
    await until(async () => (await chain.call<object | null>('eth_getTransactionReceipt', hash)) !== null);
    return hash;
  }
  async function ordered() {
    const { path, amount } = await market.order();
    const found = must(await (await market.service.parts.get(t.orderStore)).findByToken(path.slice(-24)));
    const orders = `/selling/live/orders/${found.id}`;
    return {
      ...{ path, amount, orders },
      stateOf: async () => {
        const now = must(await (await market.service.parts.get(t.orderStore)).find(found.id));
        return { state: now.state, refunded: now.payment.refunded, pending: now.payment.refundsPending };
      },
      enter: async (transaction: string, more: Record<string, string> = {}) =>
        await market.ada.browser.fill(`${orders}/return`, { transaction, ...more }),
      see: async () => (await market.service.browser().get(path)).text,
    };
  }
  async function final() {
    await market.chain.mine(2);
    await market.look();
  }
  async function paid(more = 0) {
    const order = await ordered();
    await market.pay(order.amount + more);
    await final();
    expect((await order.stateOf()).state).to.equal('paid');
    return order;
  }

  it('is on its way until it is final, and then refunds the order', async () => {
    const { amount, stateOf, enter, see, orders } = await paid();
    const asked = await market.ada.browser.get(`${orders}/return`);
    expect(asked.html, 'the address to send to, to copy').to.include(`data-whole="${payer.toLowerCase()}"`);
    const answer = await enter(await sendBack(amount));
    expect(answer.status, answer.text).to.equal(303);
    expect(await stateOf()).to.deep.equal({ state: 'refunding', refunded: 0, pending: 4_900 });
    expect(await see())
      .to.include('What was sent back')
      .and.to.include('Seen, not final yet')
      .and.not.to.include('bank');
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'refunded', refunded: 4_900, pending: 0 });
    expect(await see()).not.to.include('bank');
    expect((await market.ada.browser.get(orders)).text).to.include('Sent back');
  });

  it('refunds a part, and then the rest; what people record is kept apart', async () => {
    const { stateOf, enter, orders } = await paid();
    await enter(await sendBack(1_000 * cent));
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'partly_refunded', refunded: 1_000, pending: 0 });
    const byHand = await market.ada.browser.fill(`${orders}/refund`, { how: 'part', amount: '5' });
    expect(byHand.status, byHand.text).to.equal(303);
    expect((await market.ada.browser.get(orders)).text).to.include('Recorded by hand');
    await enter(await sendBack(3_400 * cent + 7));
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'refunded', refunded: 4_900, pending: 0 });
  });

  it('is named in the API by its transaction: 200, 409 for that of another order, 422 for one that moved nothing', async () => {
    const [one, two] = [await paid(), await paid()];
    const terms = { name: 'test', mode: 'live', scopes: null, expiresAt: null } as const;
    const { secret: key } = good(await market.service.accounts.createKey(market.ada.email, terms, operator));
    const refund = async (orders: string, body: object) => {
      const response = await fetch(`${market.service.url}/api/orders/${orders.split('/').at(-1)}/refund`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    const transaction = await sendBack(one.amount);
    await market.chain.mine(2);
    const done = await refund(one.orders, { transaction, reason: 'Bought twice.' });
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    expect(done.body.order).to.include({ status: 'refunded', amount_refunded: 4_900 });
    expect((await refund(one.orders, { transaction })).status).to.equal(200);
    expect((await refund(two.orders, { transaction })).status).to.equal(409);
    expect((await refund(two.orders, { transaction: '0x12' })).body.error.fields).to.have.property('transaction');
    expect((await refund(two.orders, { transaction, to: '0x12' })).body.error.fields).to.have.property('to');
  });

  it('first takes away what was too much', async () => {
    const { stateOf, enter, see } = await paid(500 * cent);
    expect(await see()).to.include('more than the price');
    await enter(await sendBack(500 * cent));
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'paid', refunded: 0, pending: 0 });
    expect(await see()).not.to.include('more than the price');
  });

  it('is refused if it has moved more than the order can get back', async () => {
    const [one, two] = [await paid(), await paid()];
    const both = await sendBack(one.amount + two.amount);
    expect((await one.enter(both)).text).to.include('It has moved more than this order can get back');
    expect(await one.stateOf()).to.include({ state: 'paid', refunded: 0, pending: 0 });
  });

  it('counts once, and for one order', async () => {
    const [one, two] = [await paid(), await paid()];
    const hash = await sendBack(one.amount);
    await one.enter(hash);
    expect((await one.enter(hash.toUpperCase().replace('0X', '0x'))).status).to.equal(303);
    const again = await two.enter(hash);
    expect([again.status, again.text]).to.satisfy(([, text]: [number, string]) => text.includes('for another order'));
    await final();
    expect([await one.stateOf(), await two.stateOf()].map(({ refunded }) => refunded)).to.deep.equal([4_900, 0]);
  });

  it('is not taken from strangers, of another token, to somebody else, or from before the order', async () => {
    const old = await sendBack(4_900 * cent);
    market.service.clock.advance(5 * minute);
    const { amount, enter, stateOf } = await paid();
    const { address: fake } = await market.chain.deploy(contracts().Token.creation);
    const hashes = [
      await market.pay(amount, payer),
      await market.pay(amount, other),
      await sendBack(amount, payer, fake),
      await sendBack(amount, other),
      await sendBack(amount, market.wallet.address),
    ];
    for (const hash of hashes)
      expect((await enter(hash)).text, hash).to.include('It has moved no USDC from an address');
    expect((await enter(old)).text).to.include('older than the order');
    expect((await enter('0x12')).text).to.include('This is no hash');
    expect((await enter(`0x${'0'.repeat(64)}`)).text).to.include('in no block');
    const named = must(hashes[3]);
    expect((await enter(named, { to: other.replace('fB', 'FB') })).text).to.include('copied from your wallet');
    expect((await enter(named, { to: other.toLowerCase() })).status).to.equal(303);
    await final();
    expect(await stateOf()).to.include({ state: 'refunded' });
  });

  it('does not count any more if a reorganization has removed it', async () => {
    const { amount, enter, stateOf } = await paid();
    await enter(await sendBack(amount));
    expect((await stateOf()).state).to.equal('refunding');
    await market.chain.reorganize(1);
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'paid', refunded: 0, pending: 0 });
  });

  it('can be undone until it is final, with an entry in the history, and not after that', async () => {
    const { amount, enter, stateOf, see, orders } = await paid();
    const hash = await sendBack(amount);
    const undo = async () => await market.ada.browser.fill(`${orders}/undo-return`, { transaction: hash });
    expect((await market.ada.browser.get(`${orders}/undo-return`)).text).to.include('There is no such entry');
    await enter(hash);
    expect((await stateOf()).state).to.equal('refunding');
    expect((await market.ada.browser.get(orders)).text).to.include('Undo an entry');
    const undone = await undo();
    expect(undone.status, undone.text).to.equal(303);
    expect(await stateOf()).to.deep.equal({ state: 'paid', refunded: 0, pending: 0 });
    expect(await see()).not.to.include('What was sent back');
    expect((await market.ada.browser.get(orders)).text).to.include('Entry of what was sent back undone');
    await enter(hash);
    await final();
    expect((await market.ada.browser.get(`${orders}/undo-return`)).text).to.include('There is no such entry');
    const undoing = await market.service.parts.get(t.undoSendBack);
    const seller = { actor: operator, mode: 'live' } as const;
    const id = must(orders.split('/').at(-1));
    expect(await undoing(id, { transaction: hash }, seller)).to.include({ reason: 'transaction_final' });
    expect(await undoing(id, { transaction: '0x1' }, seller)).to.include({ reason: 'transaction_invalid' });
    expect(await stateOf()).to.deep.equal({ state: 'refunded', refunded: 4_900, pending: 0 });
  });

  it('refunds nothing any more if what was too much is undone: the order stays paid, and so does its license', async () => {
    const { amount, enter, stateOf, orders } = await paid();
    await market.pay(amount);
    await final();
    const first = await sendBack(amount);
    await enter(first);
    await enter(await sendBack(amount));
    expect(await stateOf()).to.deep.equal({ state: 'refunding', refunded: 0, pending: 4_900 });
    const undone = await market.ada.browser.fill(`${orders}/undo-return`, { transaction: first });
    expect(undone.status, undone.text).to.equal(303);
    expect(await stateOf()).to.deep.equal({ state: 'paid', refunded: 0, pending: 0 });
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'paid', refunded: 0, pending: 0 });
  });

  it('asks the chain only so often for one account', async () => {
    const { orders } = await paid();
    const enter = await market.service.parts.get(t.sendBack);
    const seller = { actor: { kind: 'operator', by: { actor: 'busy' } }, mode: 'live' } as const;
    const transaction = `0x${'0'.repeat(64)}`;
    const once = async () => await enter(must(orders.split('/').at(-1)), { transaction }, seller);
    for (let n = 0; n < 60; n++) expect(await once()).to.include({ reason: 'transaction_invalid' });
    expect(await once()).to.include({ reason: 'too_many_attempts' });
  });

  it('takes back what came for an order that was never paid', async () => {
    const { amount, enter, see, stateOf, orders } = await ordered();
    expect((await market.ada.browser.get(orders)).text).not.to.include('Enter what you sent back');
    await market.pay(amount - 1_000 * cent);
    await final();
    expect(await see()).to.include('Send another 10.00');
    await enter(await sendBack(amount - 1_000 * cent));
    await final();
    expect(await see()).not.to.include('Send another 10.00');
    await market.pay(amount);
    await final();
    expect(await stateOf()).to.deep.equal({ state: 'paid', refunded: 0, pending: 0 });
    expect(await see()).not.to.include('more than the price');
  });
});
