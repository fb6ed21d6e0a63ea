import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { cent } from '../../../../core/usdc/usdc-quote.ts';
import { anvil } from '../../../support/anvil.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { needing } from '../../../support/required-service.ts';
import { plainText } from '../../../support/shop.ts';
import { softBlocks, startUsdcService, type UsdcService } from './usdc-service.ts';

/** A block is final after so many more, long after it is soft. */
const finalAfter = 80;

needing(anvil.skip).describe('USDC that is not final yet', () => {
  let started: UsdcService;
  let { chain, service, ada, look, order, pay } = {} as UsdcService;
  before(async () => {
    started = await startUsdcService({ rpcs: 2, safeAfter: finalAfter / 2 });
    ({ chain, service, ada, look, order, pay } = started);
  });
  after(() => started?.[Symbol.asyncDispose]());

  const see = async (path: string) => plainText(await service.browser().get(path));
  const found = async (path: string) =>
    must(await (await service.parts.get(t.orderStore)).findByToken(path.slice(-24)));
  async function pass(blocks: number) {
    await chain.mine(blocks);
    await look();
  }
  async function verdictOf(key: string) {
    const { status, text } = await service.verify(key, 'app.example.com');
    return status === 200 && text.includes('"valid":true') ? 'valid' : (/suspended/.exec(text)?.[0] ?? text);
  }
  async function ordered(more?: Parameters<UsdcService['order']>[0]) {
    const { path, amount } = await order(more);
    await look();
    const email = must(await found(path)).buyer.email;
    return {
      ...{ path, amount },
      orders: `/selling/live/orders/${(await found(path)).id}`,
      now: async () => await found(path),
      mails: async () => (await service.letters(email)).map(({ kind }) => kind),
      ofSeller: async () => (await ada.browser.get(`/selling/live/orders/${(await found(path)).id}`)).text,
    };
  }

  it('has the key after some blocks, and is paid when it is final', async () => {
    const { path, amount, now, mails, ofSeller, orders } = await ordered();
    await pay(amount);
    await pass(softBlocks - 1);
    expect(await see(path))
      .to.include('Payment on its way')
      .and.not.to.include('Your license key');
    await pass(1);
    const soft = await see(path);
    expect(soft)
      .to.include('Payment arrived')
      .and.to.include('your license works already')
      .and.to.include('Your license key')
      .and.to.include('Seen, not final yet');
    for (const early of ['I have paid', 'Send the key again', 'Receipt']) expect(soft).not.to.include(early);
    expect(await ofSeller())
      .to.include('Almost paid')
      .and.not.to.include('Enter what you sent back');
    expect((await ada.browser.get(`${orders}/refund`)).text).not.to.include('Refund this order?');
    const { licenseKey, paidAt, number } = await now();
    const key = must(licenseKey ?? undefined);
    expect([paidAt, number, await mails()]).to.deep.equal([null, null, ['order-usdc']]);
    await service.activate(key, 'app.example.com');
    expect(await verdictOf(key)).to.equal('valid');
    await pass(finalAfter);
    expect(await see(path))
      .to.include('Arrived')
      .and.not.to.include('Payment arrived');
    expect(await now()).to.include({ state: 'paid', licenseKey: key });
    expect(await mails()).to.deep.equal(['order-usdc', 'order-paid']);
    expect(await verdictOf(key)).to.equal('valid');
  });

  it('is taken back by a reorganization, and works again with the same key when it comes again', async () => {
    const { path, amount, now, mails, ofSeller } = await ordered();
    await pay(amount);
    await pass(softBlocks);
    const key = must((await now()).licenseKey ?? undefined);
    await service.activate(key, 'app.example.com');
    await chain.reorganize(softBlocks + 1);
    await look();
    expect(await verdictOf(key)).to.equal('suspended');
    const gone = await see(path);
    expect(gone)
      .to.include('Not paid yet')
      .and.to.include('The chain has taken your payment back')
      .and.to.include('Amount in USDC')
      .and.to.include('Your license key');
    expect(await ofSeller()).to.include('The chain has taken the payment back');
    const license = await ada.browser.get(`/selling/live/licenses/${key}`);
    expect(license.text).to.include('or taken back by its chain').and.to.include('Not paid');
    expect(await mails()).to.deep.equal(['order-usdc', 'order-unpaid']);
    await pay(amount);
    await pass(softBlocks - 1);
    expect([(await now()).state, await verdictOf(key)]).to.deep.equal(['processing', 'suspended']);
    await pass(1);
    expect([(await now()).state, (await now()).licenseKey, await verdictOf(key)]).to.deep.equal(['soft', key, 'valid']);
    await pass(finalAfter);
    expect([(await now()).state, (await now()).licenseKey, await verdictOf(key)]).to.deep.equal(['paid', key, 'valid']);
    expect((await mails()).filter((kind) => kind === 'order-paid')).to.have.length(1);
  });

  it('needs no claim of another payment, unless a reorganization takes it back', async () => {
    const { path, amount, now } = await ordered();
    const other = await pay(4_712 * cent);
    await pass(finalAfter);
    await pay(amount);
    await pass(softBlocks);
    expect((await now()).state).to.equal('soft');
    const claim = `${path}/claim?tx=${other}`;
    expect(await see(`${path}?tx=${other}`)).not.to.include('Sign that it is for this order');
    expect(await see(claim))
      .to.include('it is paid, or will be in some minutes')
      .and.not.to.include('Text to sign');
    await chain.reorganize(softBlocks + 1);
    await look();
    expect((await now()).state).to.equal('open');
    expect(await see(`${path}?tx=${other}`)).to.include('Sign that it is for this order');
    expect(await see(claim)).to.include('Text to sign');
  });

  it('is not believed above the limit', async () => {
    const { path, amount, now } = await ordered({ price: 5_001 });
    await pay(amount);
    await pass(softBlocks);
    expect(await now()).to.include({ state: 'processing', licenseKey: null });
    await pass(finalAfter);
    expect(await see(path)).to.include('Your license key');
  });

  it('is found by its state in the API and in the list of the seller', async () => {
    const { amount, now } = await ordered();
    await pay(amount - 1_000 * cent);
    await pay(1_000 * cent + (amount % cent));
    await pass(softBlocks + 1);
    const { id, licenseKey } = await now();
    const terms = { name: 'test', mode: 'live', scopes: null, expiresAt: null } as const;
    const { secret } = good(await service.accounts.createKey(ada.email, terms, operator));
    const answer = await fetch(`${service.url}/api/orders?status=soft`, { headers: { 'x-api-key': secret } });
    const { data } = (await answer.json()) as { data: object[] };
    expect(data).to.have.length(1);
    const fields = { id, status: 'soft', license_key: licenseKey, paid_at: null, invoice_number: null };
    expect(data[0]).to.deep.include(fields);
    expect((await ada.browser.get('/selling/live/orders?state=soft')).text).to.include('Almost paid');
    await pass(finalAfter);
    expect((await now()).state).to.equal('paid');
  });

  it('is sold with a bundle: each product has its key, and all wait together if it is taken back', async () => {
    const parts = [await service.product(ada, 'part-one', onShelf), await service.product(ada, 'part-two', onShelf)];
    const inside = parts.map(({ id }) => ({ productId: id, offer: null }));
    const { path, amount, now } = await ordered({ zip: null, version: null, bundle: inside });
    const store = await service.parts.get(t.orderStore);
    const ofParts = async () => {
      const all = await store.partsOf([(await now()).id]);
      const licenses = await service.parts.get(t.licenseStore);
      return await Promise.all(
        all.map(async ({ state, licenseKey }) => [
          state,
          licenseKey && (await licenses.find(licenseKey))?.license.standing,
        ]),
      );
    };
    await pay(amount);
    await pass(softBlocks);
    expect(await ofParts()).to.deep.equal([
      ['soft', 'active'],
      ['soft', 'active'],
    ]);
    expect(await see(path))
      .to.include('your license keys work already')
      .and.to.include('part-one');
    await chain.reorganize(softBlocks + 1);
    await look();
    expect(await ofParts()).to.deep.equal([
      ['open', 'suspended'],
      ['open', 'suspended'],
    ]);
    await pay(amount);
    await pass(finalAfter);
    expect(await ofParts()).to.deep.equal([
      ['paid', 'active'],
      ['paid', 'active'],
    ]);
  });
});

const onShelf = { status: 'published', archivedAt: null, price: 3_000 } as const;

needing(anvil.skip).describe('USDC on a chain with a single RPC', () => {
  it('waits until it is final', async () => {
    await using market = await startUsdcService({ rpcs: 1, safeAfter: finalAfter / 2 });
    const { path, amount } = await market.order();
    await market.look();
    await market.pay(amount);
    await market.chain.mine(softBlocks + 1);
    await market.look();
    const see = async () => plainText(await market.service.browser().get(path));
    expect(await see())
      .to.include('Payment on its way')
      .and.not.to.include('Your license key');
    await market.chain.mine(finalAfter);
    await market.look();
    expect(await see()).to.include('Your license key');
  });
});
