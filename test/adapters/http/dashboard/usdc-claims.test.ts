import { expect } from 'chai';
import { encodeFunctionData, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { passwordField } from '../../../../adapters/http/ui/form-state.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { orderLimits } from '../../../../core/purchases/order-limits.ts';
import { day, minute } from '../../../../core/time.ts';
import { mostClaims } from '../../../../core/usdc/claim.ts';
import { cent } from '../../../../core/usdc/usdc-quote.ts';
import { anvil } from '../../../support/anvil.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { createHttpClient } from '../../../support/http-client.ts';
import { must } from '../../../support/license-acts.ts';
import { needing } from '../../../support/required-service.ts';
import { contracts, word } from '../../../support/solidity.ts';
import { startUsdcService, type UsdcService, usdc } from './usdc-service.ts';

const safe = parseAbi(['function payTwice(address token, address to, uint256 one, uint256 other)']);
/** The first account of anvil, which pays. Everybody knows its key. */
const payer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const stranger = privateKeyToAccount(generatePrivateKey());
/** No quote has the millionths of this amount. */
const odd = 4_712 * cent;

needing(anvil.skip).describe('a payment in USDC that fits no order', () => {
  let market: UsdcService;
  before(async () => {
    market = await startUsdcService();
  });
  after(async () => {
    await market[Symbol.asyncDispose]();
  });

  async function ordered(email?: string) {
    const { path, amount } = await market.order({}, email);
    const guest = market.service.browser();
    const orders = await market.service.parts.get(t.orderStore);
    const { id, buyer } = must(await orders.findByToken(path.slice(-24)));
    const claim = (hash: string) => `${path}/claim?tx=${hash}`;
    /** The text that the page asks to sign. */
    const textOf = async (hash: string) => {
      const { html } = await guest.get(claim(hash));
      return (/<textarea[^>]*id="text-0"[^>]*>([^<]*)</.exec(html)?.[1] ?? '').replaceAll('&#10;', '\n');
    };
    const send = async (hash: string, signature: string) =>
      await guest.post(claim(hash), { transaction: hash, signature });
    return {
      ...{ id, path, amount, textOf, send },
      /** Signs as the page says. */
      sign: async (hash: string, by: PrivateKeyAccount = payer) =>
        await send(hash, await by.signMessage({ message: await textOf(hash) })),
      stateOf: async () => must(await orders.find(id)).state,
      see: async (query = '') => (await guest.get(path + query)).text,
      lettersOf: async () => (await market.service.letters(buyer.email)).map(({ kind }) => kind),
      end: async () => {
        await (await market.service.parts.get(t.settleOrder))(id);
      },
    };
  }
  async function final() {
    await market.chain.mine(2);
    await market.look();
  }
  const newest = async () => {
    const claims = await market.service.parts.get(t.usdcClaims);
    const [one] = await claims.list({ isLive: true, limit: 1 });
    return must(one).claim;
  };
  const at = (id: number, act = '') => `/selling/live/orders/claims/${id}${act}`;
  async function decide(act: 'take' | 'reject', fields: Record<string, string> = {}, who = market.ada) {
    const page = at((await newest()).id, `/${act}`);
    const asksPassword = (await who.browser.get(page)).html.includes(`name="${passwordField}"`);
    return await who.browser.fill(page, { ...fields, ...(asksPassword && { [passwordField]: who.password }) });
  }

  it('is claimed by its sender when it is final, and then counts if the seller takes it: here as a part', async () => {
    const order = await ordered();
    await market.look();
    const hash = await market.pay(odd + 300 * cent);
    await market.look();
    expect(await order.see(`?tx=${hash}`)).to.include('Sign that it is for this order');
    expect((await order.send(hash, '0x12')).text).to.include('The chain can still take it back');
    await market.chain.mine(2);
    // The watcher has not looked yet: it could still find an order for it.
    expect((await order.sign(hash)).text).to.include('The chain can still take it back');
    await market.look();
    expect(await order.stateOf()).to.equal('open');
    const text = await order.textOf(hash);
    const { host } = new URL(market.service.url);
    for (const part of [`order ${order.id}.`, hash, payer.address, 'Chain ID: 8453']) expect(text).to.include(part);
    expect(text.startsWith(`${(await hostOf()) ?? host} wants you to sign in`)).to.equal(true);
    expect((await order.sign(hash, stranger)).text).to.include('The sender has not signed this text');
    const done = await order.sign(hash);
    expect([done.status, done.text]).to.satisfy(([status]: [number]) => status === 303);
    expect(await order.see()).to.include('The seller decides');
    expect((await market.service.letters(market.ada.email)).at(-1)?.kind).to.equal('order-payment-claimed');
    expect((await market.ada.browser.get('/account/notifications')).text).to.include('Payment claimed');
    const list = await market.ada.browser.get('/selling/live/orders/claims');
    const { id } = await newest();
    expect(list.html).to.include(`claims/${id}"`).and.to.include(`https://basescan.org/tx/${hash}`);
    expect((await market.ada.browser.get(at(id))).text).to.include('Take the payment');
    const question = await market.ada.browser.get(at(id, '/take'));
    expect(question.text, 'what it changes').to.include('The order is paid with them');
    const taken = await decide('take');
    expect(taken.status, taken.text).to.equal(303);
    expect(await order.stateOf()).to.equal('paid');
    expect(await order.see())
      .to.include('Your license key')
      .and.to.include('Taken');
    expect(await order.lettersOf())
      .to.include('order-claim-decided')
      .and.to.include('order-paid');
    const again = await market.ada.browser.post(at(id, '/reject'), { reason: 'No.' });
    expect([again.status, again.text.includes('Somebody has decided this meanwhile')]).to.deep.equal([422, true]);
    expect((await market.ada.browser.get(`/selling/live/orders/${order.id}`)).text)
      .to.include('Payment without a match claimed')
      .and.to.include('Claimed payment taken');
  });

  /** The host of the public address of the service. */
  async function hostOf(): Promise<string | undefined> {
    return new URL((await market.service.parts.get(t.config)).BASE_URL).host;
  }

  it('asks for the rest if it is too little, and names the surplus if it is too much', async () => {
    const short = await ordered();
    const hash = await market.pay(3_000 * cent + 123);
    await final();
    await short.sign(hash);
    const asked = await market.ada.browser.get(at((await newest()).id, '/take'));
    expect(asked.text).to.match(/19\.00\d{4} USDC are missing even then/);
    await decide('take');
    expect(await short.stateOf()).to.equal('open');
    expect(await short.see()).to.include('This is too little');
    const over = await ordered();
    const much = await market.pay(9_000 * cent + 123);
    await final();
    await over.sign(much);
    await decide('take');
    expect(await over.stateOf()).to.equal('paid');
    expect(await over.see()).to.include('more than the price');
  });

  it('is taken after it came later than a week, and after the order has ended', async () => {
    const order = await ordered();
    await market.look();
    market.service.clock.advance(9 * day);
    await order.end();
    const hash = await market.pay(order.amount);
    await final();
    await final();
    expect(await order.stateOf()).to.equal('expired');
    const done = await order.sign(hash);
    expect(done.status, done.text).to.equal(303);
    const taken = await decide('take');
    expect(taken.status, taken.text).to.equal(303);
    expect(await order.stateOf()).to.equal('paid');
    expect(await order.see()).to.include('Your license key');
  });

  it('of a contract wallet is claimed by the signature of its owner, each of two transfers once, also after a rejection', async () => {
    const { address } = await market.chain.deploy(contracts().Safe.creation + word(stranger.address));
    const args = [usdc, market.wallet.address, BigInt(odd), BigInt(odd + 1)] as const;
    const order = await ordered();
    await market.chain.call('evm_increaseTime', 1);
    const hash = await market.chain.send({
      to: address,
      data: encodeFunctionData({ abi: safe, args: args as never }),
    });
    await final();
    expect((await order.textOf(hash)).toLowerCase()).to.include(address);
    expect((await order.sign(hash)).text).to.include('The sender has not signed this text');
    for (const _ of ['one', 'two']) {
      const done = await order.sign(hash, stranger);
      expect(done.status, done.text).to.equal(303);
      await decide('reject', { reason: 'No.' });
    }
    expect((await order.send(hash, '0x12')).text).to.include('was claimed before');
  });

  it('is not claimed with a signature for another order, another server or another transaction', async () => {
    const [one, two] = [await ordered(), await ordered()];
    const hash = await market.pay(odd);
    const next = await market.pay(odd + 1);
    await final();
    const text = await one.textOf(hash);
    const signed = async (message: string) => await payer.signMessage({ message });
    const host = must(await hostOf());
    for (const signature of [
      await signed(await two.textOf(hash)),
      await signed(await one.textOf(next)),
      await signed(text.replaceAll(host, 'evil.example')),
      await signed(text.replace(host, 'evil.example')),
      await signed(`${text}\n`),
      '0x',
      'no',
    ]) {
      expect((await one.send(hash, signature)).text).to.include('The sender has not signed this text');
    }
    expect((await one.send(hash, await signed(text))).status).to.equal(303);
    // Nobody else gets what is claimed.
    expect((await two.send(hash, await signed(text))).text).to.include('was claimed before');
  });

  it('is not claimed if it counts already, is older than the order, went elsewhere, or does not exist', async () => {
    const paid = await ordered();
    const old = await market.pay(odd);
    const paying = await market.pay(paid.amount);
    const elsewhere = await market.pay(odd, stranger.address);
    await final();
    expect(await paid.stateOf()).to.equal('paid');
    market.service.clock.advance(5 * minute);
    const order = await ordered();
    const refused = async (hash: string) => (await order.send(hash, '0x12')).text;
    expect(await refused(paying)).to.include('It is older than this order');
    expect(await refused(old)).to.include('It is older than this order');
    expect(await refused(elsewhere)).to.include('It has moved no USDC to the address of this order');
    expect(await refused(`0x${'0'.repeat(64)}`)).to.include('It is in no block');
    expect(await refused('0x12')).to.include('This is no hash');
    const other = await ordered();
    const counted = await market.pay(other.amount);
    await final();
    expect(await refused(counted)).to.include('It counts already');
    expect((await paid.send(old, '0x12')).text).to.include('does not wait for');
  });

  it('can be rejected with a reason, which the buyer reads, and is then claimed for another order only', async () => {
    const [one, two] = [await ordered(), await ordered()];
    const hash = await market.pay(odd);
    await final();
    await one.sign(hash);
    expect((await decide('reject')).text).to.include('Enter the reason');
    const done = await decide('reject', { reason: 'Not for “this”. I send it back.' });
    expect(done.status, done.text).to.equal(303);
    expect(await one.see())
      .to.include('Not taken')
      .and.to.include('Not for “this”. I send it back.');
    expect(await one.lettersOf()).to.include('order-claim-decided');
    expect(await one.stateOf()).to.equal('open');
    expect((await one.sign(hash)).text).to.include('was claimed before');
    const again = await two.sign(hash);
    expect(again.status, again.text).to.equal(303);
  });

  it(`has at most ${mostClaims} claims for one order`, async () => {
    const order = await ordered();
    const hashes: string[] = [];
    for (let n = 0; n <= mostClaims; n++) hashes.push(await market.pay(1_000 * cent + 17 + n));
    await final();
    for (const [n, hash] of hashes.entries()) {
      const { status, text } = await order.sign(hash);
      expect(n < mostClaims ? status : text).to.satisfy((found: number | string) =>
        typeof found === 'number' ? found === 303 : found.includes(`at most ${mostClaims} claims`),
      );
    }
  });

  it('sends only so many mails to its seller and to a guest: the pages say it all the same', async () => {
    const mails = async (email: string, of: string) =>
      (await market.service.letters(email)).filter(({ kind }) => kind === of).length;
    market.service.clock.advance(day);
    const before = await mails(market.ada.email, 'order-payment-claimed');
    const { recorderLetters, lettersByEmail } = orderLimits;
    const most = recorderLetters[0].limit;
    for (let n = 0; n <= most; n++) {
      const order = await ordered(n < 8 ? 'stranger@example.com' : undefined);
      const hash = await market.pay(odd + n);
      await final();
      const done = await order.sign(hash);
      expect(done.status, done.text).to.equal(303);
      await decide('reject', { reason: `No ${n}.` });
      expect(await order.see()).to.include(`No ${n}.`);
    }
    expect((await mails(market.ada.email, 'order-payment-claimed')) - before).to.equal(most);
    expect(await mails('stranger@example.com', 'order-claim-decided')).to.be.within(1, lettersByEmail[0].limit);
    expect((await market.ada.browser.get('/account/notifications')).html).to.include(`claims/${(await newest()).id}`);
  });

  it('is decided by its seller and by administrators, and unknown to others', async () => {
    const order = await ordered();
    const hash = await market.pay(odd);
    await final();
    await order.sign(hash);
    const { id } = await newest();
    const eve = await market.service.signedInUser({ name: 'Eve' });
    for (const act of ['', '/take', '/reject']) expect((await eve.browser.get(at(id, act))).status, act).to.equal(404);
    expect((await eve.browser.post(at(id, '/take'), {})).status).to.equal(404);
    expect((await eve.browser.get('/selling/live/orders/claims')).text).to.include('No claimed payments');
    expect((await eve.browser.get('/admin/orders/claims')).status).to.equal(403);
    expect((await market.ada.browser.get(at(id).replace('live', 'test'))).status).to.equal(404);
    const root = await market.service.signedInUser({ name: 'Root', role: 'admin' });
    expect((await root.browser.get('/admin/orders/claims?state=open')).html).to.include(`claims/${id}"`);
    const done = await decide('take', {}, root);
    expect(done.status, done.text).to.equal(303);
    expect((await root.browser.get('/admin/orders/claims?state=open')).html).to.not.include(`claims/${id}"`);
  });

  it('is listed, taken and rejected by the API: 404 for others, 409 after a decision, 422 without a reason', async () => {
    const orders = [await ordered(), await ordered()];
    const ids: number[] = [];
    for (const [n, order] of orders.entries()) {
      const hash = await market.pay(odd + 300 * cent + n);
      await final();
      await order.sign(hash);
      ids.push((await newest()).id);
    }
    const [one = 0, two = 0] = ids;
    const keyOf = async (email: string, mode: 'live' | 'test' = 'live') => {
      const terms = { name: 'test', mode, scopes: null, expiresAt: null } as const;
      const { secret } = good(await market.service.accounts.createKey(email, terms, operator));
      return createHttpClient(market.service.url, { 'X-API-Key': secret });
    };
    const ada = await keyOf(market.ada.email);
    const eve = await keyOf((await market.service.signedInUser({ name: 'Eve' })).email);
    const calls = '/api/payment-claims';
    const open = await ada.get(calls, { status: 'open', limit: '2' });
    expect(open.body.data.map(({ id }: { id: number }) => id)).to.deep.equal([two, one]);
    expect(open.body.data[1]).to.include({ order_id: orders[0]?.id, usdc: '50.120000', status: 'open', reason: null });
    expect((await eve.get(calls)).body.data).to.deep.equal([]);
    expect((await (await keyOf(market.ada.email, 'test')).get(calls)).body.data).to.deep.equal([]);
    for (const [path, body] of [
      ['take', {}],
      ['reject', { reason: 'No.' }],
    ] as const) {
      expect((await eve.post(`${calls}/${one}/${path}`, body)).status).to.equal(404);
    }
    expect((await ada.post(`${calls}/${one}/reject`, {})).status).to.equal(422);
    expect((await ada.post(`${calls}/${one}/take`, {})).body.claim).to.include({ status: 'taken' });
    expect((await ada.post(`${calls}/${one}/reject`, { reason: 'No.' })).status).to.equal(409);
    const rejected = await ada.post(`${calls}/${two}/reject`, { reason: 'No.' });
    expect(rejected.body.claim).to.include({ status: 'rejected', reason: 'No.' });
    expect((await ada.get(`${calls}/${two}`)).body.claim).to.deep.equal(rejected.body.claim);
    expect([await orders[0]?.stateOf(), await orders[1]?.stateOf()]).to.deep.equal(['paid', 'open']);
  });

  it('went to an address that the API lists for its seller, in the mode of the key', async () => {
    const walletsOf = async (email: string, mode: 'live' | 'test', query: Record<string, string> = {}) => {
      const terms = { name: 'test', mode, scopes: null, expiresAt: null } as const;
      const { secret } = good(await market.service.accounts.createKey(email, terms, operator));
      return await createHttpClient(market.service.url, { 'X-API-Key': secret }).get('/api/wallets', query);
    };
    const wallet = { chain_id: 8453, chain: 'Base', livemode: true, address: market.wallet.address };
    const { email } = market.ada;
    expect((await walletsOf(email, 'live')).body).to.deep.equal({
      success: true,
      data: [{ ...wallet, next_address: null, next_from: null }],
    });
    expect((await walletsOf(email, 'test')).body.data).to.deep.equal([]);
    expect((await walletsOf(email, 'live', { whose: 'site' })).status).to.equal(403);
    expect((await walletsOf(email, 'live', { whose: 'all' })).status).to.equal(422);
    const root = await market.service.signedInUser({ name: 'Root', role: 'admin' });
    expect((await walletsOf(root.email, 'live', { whose: 'site' })).body.data).to.deep.equal([]);
  });
});
