import { expect } from 'chai';
import { encodeFunctionData, parseAbi } from 'viem';
import { t } from '../../../../apps/wiring/tokens.ts';
import { day } from '../../../../core/time.ts';
import { cent } from '../../../../core/usdc/usdc-quote.ts';
import { anvil } from '../../../support/anvil.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { monthly } from '../../../support/placed-orders.ts';
import { needing } from '../../../support/required-service.ts';
import { orderTokenIn, plainText } from '../../../support/shop.ts';
import { contracts } from '../../../support/solidity.ts';
import { amountOn, onSale, startUsdcService, type UsdcService, usdc } from './usdc-service.ts';

const safe = parseAbi(['function payTwice(address token, address to, uint256 one, uint256 other)']);

needing(anvil.skip).describe('buying with USDC', () => {
  let started: UsdcService;
  let { chain, service, ada, wallet, look, order, pay } = {} as UsdcService;
  before(async () => {
    started = await startUsdcService();
    ({ chain, service, ada, wallet, look, order, pay } = started);
  });
  after(() => started?.[Symbol.asyncDispose]());

  const see = async (path: string) => plainText(await service.browser().get(path));

  it('shows amount, address, chain, token and time, each as a text and together as a picture', async () => {
    const { page, amount } = await order();
    expect(amount)
      .to.be.greaterThan(4_900 * cent)
      .and.lessThan(4_901 * cent);
    for (const text of [wallet.address, usdc, 'Base', 'chain id 8453', 'Pay until']) expect(page.text).to.include(text);
    const uri = `ethereum:${usdc}@8453/transfer?address=${wallet.address}&amp;uint256=${amount}`;
    expect(page.html).to.include(uri).and.to.include('class="qr"');
  });

  it('says that a payment is seen, and issues the key when it is final', async () => {
    const { path, amount } = await order();
    await look();
    const txHash = await pay(amount);
    await look();
    const seen = await see(path);
    expect(seen).to.include('Seen, not final yet').and.to.include('Payment on its way');
    for (const early of ['Your license key', 'I have paid']) expect(seen).not.to.include(early);
    await chain.mine(2);
    await look();
    const paid = await service.browser().get(path);
    expect(paid.text).to.include('Arrived').and.to.include('Your license key');
    expect(paid.html).to.include(`https://basescan.org/tx/${txHash}`);
    // What was bought comes first.
    expect(paid.text.indexOf('What has arrived')).to.be.greaterThan(paid.text.indexOf('Your license key'));
    expect(paid.html).not.to.include('id="amount-8453"');
  });

  it('takes a payment back that a reorganization has removed', async () => {
    const { path, amount } = await order();
    await look();
    await pay(amount);
    await look();
    expect(await see(path)).to.include('Seen, not final yet');
    await chain.reorganize(1);
    await look();
    const page = await see(path);
    expect(page).to.include('Not paid yet').and.not.to.include('Seen');
    await chain.mine(4);
    await look();
    expect(await see(path)).to.include('Not paid yet');
  });

  const restOf = (amount: number) => `10.00${String(amount % cent).padStart(4, '0')}`;

  it('asks for the rest after too little, and says what was too much', async () => {
    const { path, amount } = await order();
    await pay(amount - 1_000 * cent);
    await chain.mine(2);
    await look();
    const short = await see(path);
    // Its last digits still say which order it pays.
    expect(short).to.include(`Send another ${restOf(amount)} USDC`);
    await pay(1_200 * cent);
    await chain.mine(2);
    await look();
    // Two dollars too much are no rounding: nobody knows whose they are.
    expect(await see(path)).to.include(`Send another ${restOf(amount)} USDC`);
    await pay(1_000 * cent);
    await chain.mine(2);
    await look();
    expect(await see(path)).to.include('Your license key');
    const other = await order();
    await pay(other.amount + 500 * cent);
    await chain.mine(2);
    await look();
    expect(await see(other.path))
      .to.include('This is 5.00 USDC more than the price')
      .and.to.include('Your license key');
  });

  it('takes two payments of a contract in one transaction, for two orders of one price', async () => {
    const [one, other] = [await order(), await order()];
    const { address } = await chain.deploy(`${contracts().Safe.creation}${'0'.repeat(24)}${wallet.address.slice(2)}`);
    const args = [usdc, wallet.address, BigInt(one.amount), BigInt(other.amount)] as const;
    await chain.send({ to: address, data: encodeFunctionData({ abi: safe, args: args as never }) });
    await chain.mine(2);
    await look();
    for (const { path } of [one, other]) expect(await see(path)).to.include('Your license key');
  });

  it('says what a transaction does that the buyer names', async () => {
    const { path, amount } = await order();
    const ask = async (tx: string) => see(`${path}?tx=${encodeURIComponent(tx)}`);
    expect(await ask('0x12')).to.include('This is no hash of a transaction');
    expect(await ask(`0x${'0'.repeat(64)}`)).to.include('It is in no block of this chain');
    const { address } = await chain.deploy(contracts().Dex.creation);
    const other = await pay(amount, address);
    expect(await ask(other)).to.include('It has moved no USDC to the address above');
    const failed = await chain.send({ to: address, data: '0x12345678' });
    expect(await ask(failed)).to.include('It has failed, and moved nothing');
    const own = await pay(amount);
    expect(await ask(own)).to.include(`It has moved ${(amount / 1_000_000).toFixed(6)} USDC`);
    await look();
    expect(await ask(`https://basescan.org/tx/${own}`)).to.include('It is among what has arrived');
  });

  it('shows the seller what has come', async () => {
    const { path, amount } = await order();
    const txHash = await pay(amount);
    await chain.mine(2);
    await look();
    const found = must(await (await service.parts.get(t.orderStore)).findByToken(path.slice(-24)));
    const page = await ada.browser.get(`/selling/live/orders/${found.id}`);
    expect(page.text).to.include('USDC, to your own wallet').and.to.include('What has arrived');
    expect(page.html).to.include(txHash);
  });

  it('lets an order end after a day, and says that a late payment still counts', async () => {
    const { path } = await order();
    service.clock.advance(day);
    const found = must(await (await service.parts.get(t.orderStore)).findByToken(path.slice(-24)));
    await (await service.parts.get(t.settleOrder))(found.id);
    expect(await see(path)).to.include('it still counts if it arrives until');
  });

  it('asks for the rest also after the order has ended', async () => {
    const { path, amount } = await order();
    await pay(amount - 1_000 * cent);
    await chain.mine(2);
    await look();
    service.clock.advance(day);
    const found = must(await (await service.parts.get(t.orderStore)).findByToken(path.slice(-24)));
    await (await service.parts.get(t.settleOrder))(found.id);
    const page = await see(path);
    expect(page)
      .to.include(`Send another ${restOf(amount)} USDC`)
      .and.to.include('It counts if it arrives until');
    expect(page.indexOf('This is too little')).to.be.lessThan(page.indexOf('Send the rest'));
    for (const wrong of ['Nothing was paid', 'Pay until']) expect(page).not.to.include(wrong);
    await pay(1_000 * cent);
    await chain.mine(2);
    await look();
    expect(await see(path)).to.include('Your license key');
  });

  it('never says that nothing was paid if too little was, and the time for the rest is over', async () => {
    const { path, amount } = await order();
    await pay(amount - 1_000 * cent);
    await chain.mine(2);
    await look();
    service.clock.advance(9 * day);
    const found = must(await (await service.parts.get(t.orderStore)).findByToken(path.slice(-24)));
    await (await service.parts.get(t.settleOrder))(found.id);
    const page = await see(path);
    expect(page).to.include('it was not paid in full in time').and.to.include('send nothing more');
    expect(page).not.to.include('Nothing was paid');
  });

  it('asks for each payment of a subscription before the paid time ends, by mail', async () => {
    const email = 'subscriber@example.com';
    const { slug } = await service.product(ada, 'subscribed', { ...onSale, offers: [monthly] });
    const guest = service.browser();
    const begun = await guest.fill(`/marketplace/${slug}/buy`, { email });
    const kinds = async () => (await service.letters(email)).map(({ kind }) => kind);
    expect(await kinds()).to.deep.equal(['order-usdc']);
    const first = must(await (await service.parts.get(t.orderStore)).findByToken(orderTokenIn(begun)));
    const payAsShown = async (path: string) => {
      await pay(amountOn(await guest.get(path)));
      await chain.mine(2);
      await look();
      expect(await see(path)).to.include('Paid');
    };
    await payAsShown(`/orders/${first.token}`);
    service.clock.advance(27 * day);
    await (await service.parts.get(t.settleOrder))(first.id);
    expect((await kinds()).at(-1)).to.equal('order-payment-due');
    const next = must((await (await service.parts.get(t.orderStore)).cyclesOf(first.id))[0]);
    expect(next).to.include({ provider: 'usdc', state: 'open' });
    // It is chosen when the buyer comes: not every payment that is asked for is made.
    const chosen = await guest.post(`/orders/${next.token}/usdc/8453`, {});
    expect(chosen.status).to.equal(303);
    await payAsShown(`/orders/${next.token}`);
    const { licenseKey } = must(await (await service.parts.get(t.orderStore)).find(first.id));
    const { license } = must(await (await service.parts.get(t.licenseStore)).find(must(licenseKey ?? undefined)));
    expect(license.expiresAt).to.be.greaterThan(service.clock.now() + 30 * day);
  });

  it('shows no address while the seller is suspended, and counts what was sent all the same', async () => {
    const { path, amount } = await order();
    const users = await service.parts.get(t.userAdministration);
    good(await users.suspend(ada.email, operator));
    const paused = await service.browser().get(path);
    expect(paused.text).to.include('The seller cannot take payments at the moment. Send nothing now.');
    for (const shown of [wallet.address, 'Send exactly', 'Pay with']) expect(paused.html).not.to.include(shown);
    await pay(amount);
    await chain.mine(2);
    await look();
    expect(await see(path)).to.include('Your license key');
    good(await users.reinstate(ada.email, operator));
  });

  it('is not offered in another currency, in test mode, or by a seller without a wallet', async () => {
    const eve = await service.signedInUser({ name: 'Eve' });
    const { slug } = await service.product(eve, 'no-wallet', onSale);
    expect((await service.browser().get(`/marketplace/${slug}/buy`)).text).not.to.include('USDC');
    const test = await service.product(ada, 'in-test-mode', { ...onSale, isLive: false });
    expect((await ada.browser.get(`/marketplace/${test.slug}/buy`)).text).not.to.include('USDC');
    const euro = await service.product(ada, 'in-euro', { ...onSale, prices: { eur: 4_500 } });
    expect((await service.browser().get(`/marketplace/${euro.slug}/buy?currency=eur`)).text).not.to.include('USDC');
    expect((await service.browser().get(`/marketplace/${euro.slug}/buy`)).text).to.include('USDC');
  });
});
