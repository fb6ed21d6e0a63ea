import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { day } from '../../../../core/time.ts';
import { cent, formatUsdc } from '../../../../core/usdc/usdc-quote.ts';
import { must } from '../../../support/license-acts.ts';
import { itLong } from '../../../support/required-service.ts';
import { orderTokenIn } from '../../../support/shop.ts';
import type { WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

// Nothing listens there: a quote needs no chain.
const rpc = 'http://127.0.0.1:9';
const onSale = { status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const wallets = '/selling/live/orders/wallets';

describe('the chains of a payment in USDC', () => {
  let service: SellingService;
  let ada: Person;
  let guest: WebClient;
  let slugs = 0;
  before(async () => {
    service = await startSellingService({ CHAINS: `8453:${rpc};10:${rpc};84532:${rpc}` });
  });
  beforeEach(async () => {
    ada = await service.signedInUser({ name: 'Ada' });
    guest = service.browser();
  });
  after(() => service.close());

  async function enter(...chains: readonly string[]) {
    const wallet = privateKeyToAccount(generatePrivateKey());
    for (const chain of chains) {
      await ada.browser.fill(wallets, { chain, address: wallet.address });
      const page = await ada.browser.get(`${wallets}/sign`);
      const message = /<textarea[^>]*id="text"[^>]*>([^<]*)</.exec(page.html)?.[1] ?? '';
      await ada.browser.fill(`${wallets}/sign`, { signature: await wallet.signMessage({ message }) });
    }
    return wallet.address;
  }
  async function order(more: { readonly isLive?: boolean } = {}, browser = guest): Promise<string> {
    slugs++;
    const { slug } = await service.product(ada, `chains-${slugs}`, { ...onSale, ...more });
    const fields = browser === guest ? { email: `${slug}@example.com` } : {};
    return `/orders/${orderTokenIn(await browser.fill(`/marketplace/${slug}/buy`, fields))}`;
  }

  itLong('are chosen by the buyer if there are several, and can be changed', async () => {
    const address = await enter('8453', '10');
    const path = await order();
    const first = await guest.get(path);
    expect(first.text).to.include('Pay on Base').and.to.include('Pay on OP Mainnet');
    expect(first.html).not.to.include(address);
    const chosen = await guest.follow(await guest.submit(first, {}, 'Pay on Base'));
    expect(chosen.html).to.include(address).and.to.include('id="amount-8453"');
    expect(chosen.text).to.include('Pay on another chain');
    const both = await guest.follow(await guest.submit(chosen, {}, 'Pay on OP Mainnet'));
    expect(both.html).to.include('id="amount-8453"').and.to.include('id="amount-10"');
    // What was chosen last stands first.
    expect(both.html.indexOf('id="amount-10"')).to.be.lessThan(both.html.indexOf('id="amount-8453"'));
    expect(both.text).to.include('Or pay on Base');
    const again = await guest.follow(await guest.post(`${path}/usdc/10`, {}));
    const amountOn = (html: string) => /id="amount-10">([\d.]+)</.exec(html)?.[1];
    expect(amountOn(again.html)).to.equal(amountOn(both.html));
  });

  itLong('each have an amount of their own for the rest, and the page names no other one', async () => {
    const address = (await enter('8453', '10')).toLowerCase();
    const path = await order();
    for (const chain of ['8453', '10']) await guest.post(`${path}/usdc/${chain}`, {});
    const found = must(await (await service.parts.get(t.orderStore)).findByToken(path.slice('/orders/'.length)));
    const store = await service.parts.get(t.usdcStore);
    const { quotes } = await store.ofOrder(found.id);
    const [one, other] = [must(quotes[0]), must(quotes[1])];
    const transfer = {
      ...{ txHash: `0x${'ab'.repeat(32)}`, logIndex: 0, blockNumber: 7, blockHash: '0xbb', from: address, to: address },
      ...{ amount: 40_000_000, quoteId: one.id, isFinal: true, isSoft: true },
    };
    await store.save(one.chainId, 0, { gone: [], settled: [], cursor: 1, added: [transfer] as never });
    const page = await guest.get(path);
    for (const { chainId, amount } of [one, other]) {
      expect(page.html).to.include(`id="amount-${chainId}">${formatUsdc(9_000_000 + (amount % cent))}<`);
    }
    expect(page.text).to.include('with the amount that is shown there').and.not.to.include('Send another');
  });

  itLong('are those of the mode: a product in test mode is paid on a test network', async () => {
    await enter('8453', '84532');
    const live = await guest.get(await order());
    expect(live.html).to.include('id="amount-8453"').and.not.to.include('84532');
    const test = await ada.browser.get(await order({ isLive: false }, ada.browser));
    expect(test.html).to.include('id="amount-84532"').and.not.to.include('id="amount-8453"');
  });

  itLong('are refused if the seller takes nothing there, and after the end of the order', async () => {
    await enter('8453');
    const path = await order();
    for (const chain of ['10', '1', '84532', 'no']) {
      const refused = await guest.post(`${path}/usdc/${chain}`, {});
      expect([refused.status, refused.text.includes('Choose another one')], chain).to.deep.equal([422, true]);
    }
    service.clock.advance(day);
    expect((await guest.post(`${path}/usdc/8453`, {})).text).to.include('does not wait for a payment');
    expect((await guest.post('/orders/000000000000000000000000/usdc/8453', {})).status).to.equal(404);
  });

  itLong('say so if the seller has removed the last address', async () => {
    await enter('8453', '10');
    const path = await order();
    for (const chain of ['8453', '10']) await ada.browser.fill(`${wallets}/${chain}/remove`, {});
    expect((await guest.get(path)).text).to.include('The seller takes no payments in USDC at the moment');
  });

  itLong('can be down: then the page of the order says so, and works', async () => {
    await enter('8453');
    const page = await guest.get(`${await order()}?tx=0x${'ab'.repeat(32)}`);
    expect([page.status, page.text.includes('The chain cannot be asked at the moment')]).to.deep.equal([200, true]);
    expect(page.html).to.include('id="amount-8453"');
  });

  itLong('ask different amounts of orders of one price', async () => {
    await enter('8453');
    const amounts = new Set<string | undefined>();
    for (let n = 0; n < 10; n++) {
      const { html } = await guest.get(await order());
      amounts.add(/id="amount-8453">([\d.]+)</.exec(html)?.[1]);
    }
    expect(amounts.size).to.equal(10);
    for (const amount of amounts) expect(Number(amount)).to.be.greaterThan(49).and.lessThan(49.01);
  });
});
