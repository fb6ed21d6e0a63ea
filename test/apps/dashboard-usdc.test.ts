import { t } from '../../apps/wiring/tokens.ts';
import { isRefused } from '../../core/refusal.ts';
import { cent } from '../../core/usdc/usdc-quote.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { good } from '../support/good.ts';
import { must } from '../support/license-acts.ts';
import { placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';

const rpc = 'http://127.0.0.1:9';
const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const other = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';

needing(chromium.skip).describe('the pages about USDC, in a browser', function () {
  // One test opens some 30 pages, each at five widths.
  this.timeout(900_000);
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    service = await startSellingService({ CHAINS: `1:${rpc};8453:${rpc};42161:${rpc}` });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('have no faults: wallets that wait, a text to sign, a choice of chains, a payment, too little and too much', async () => {
    const { ada, root } = await service.people();
    const check = (path: string, { browser: { cookies } } = ada) => browser.checkPage(service.url + path, { cookies });
    const wallets = '/selling/live/orders/wallets';
    await check(wallets);
    await check(`${wallets}/sign`);
    // The message names an address.
    const { cookies } = ada.browser;
    await browser.checkPage(service.url + wallets, { cookies, status: 422, send: { address: '0x12' } });
    const now = service.clock.now();
    const seller = (await ada.me()).login.id;
    await (await service.parts.get(t.walletStore)).change(seller, () => ({
      after: {
        proof: { chainId: 1, address, nonce: 'ab'.repeat(16), at: now },
        wallets: [
          { chainId: 1, address, next: null },
          { chainId: 8453, address, next: { address: other, from: now + 9_999_999 } },
          { chainId: 42_161, address: null, next: { address: other, from: now + 9_999_999 } },
        ],
      },
    }));
    for (const path of [wallets, `${wallets}/sign`, `${wallets}/8453/remove`, '/selling/live/orders'])
      await check(path);
    await check('/admin/settings/wallets', root);
    await check('/admin/settings', root);
    await service.product(ada, 'jar', { status: 'published', archivedAt: null, price: 99_999_900, title: 'Jar' });
    await check('/marketplace/jar/buy');
    const order = await placeOrder(service.parts, 'jar', { isPaid: false });
    const page = `/orders/${order.token}`;
    await check(page);
    const usdc = await service.parts.get(t.usdcPaying);
    for (const chain of [1, 8453]) good((await usdc.choose(order, chain)) ?? 'chosen');
    await check(page);
    const store = await service.parts.get(t.usdcStore);
    const quote = must((await store.ofOrder(order.id)).quotes[0]);
    const transfer = (amount: number, logIndex: number) => ({
      ...{ txHash: `0x${'ab'.repeat(32)}`, logIndex, blockNumber: 7, blockHash: '0xbb', from: other, to: address },
      ...{ amount, quoteId: quote.id, isFinal: logIndex === 0, isSoft: false },
    });
    const look = { gone: [], settled: [], cursor: 1 } as const;
    await store.save(1, 0, { ...look, added: [transfer(12_345 * cent, 0), transfer(9_999_999 * cent, 1)] as never });
    await check(page);
    await store.save(1, 1, { ...look, added: [transfer(999_999_999 * cent, 2)] as never });
    await (await service.parts.get(t.tellUsdcOrder))(order.id);
    await check(page);
    const told = await service.parts.get(t.tellUsdcOrder);
    await service.product(ada, 'lid', { status: 'published', archivedAt: null, price: 4_999, title: 'Lid' });
    const cheap = await placeOrder(service.parts, 'lid', { isPaid: false });
    good((await usdc.choose(cheap, 1)) ?? 'chosen');
    const asked = must((await store.ofOrder(cheap.id)).quotes[0]);
    const soft = { ...transfer(asked.amount, 3), quoteId: asked.id, isFinal: false, isSoft: true } as never;
    const moves = [
      { gone: [], added: [soft] },
      { gone: [soft], added: [] },
    ];
    for (const [n, moved] of moves.entries()) {
      await store.save(1, 2 + n, { ...look, ...moved });
      await told(cheap.id);
      await check(`/orders/${cheap.token}`);
      await check(`/selling/live/orders/${cheap.id}`);
    }
    const { licenseKey } = must(await (await service.parts.get(t.orderStore)).find(cheap.id));
    await check(`/selling/live/licenses/${licenseKey}`);
    for (const end of ['', '/return', '/refund']) await check(`/selling/live/orders/${order.id}${end}`);
    const back = { txHash: `0x${'cd'.repeat(32)}`, logIndex: 0, blockNumber: 9, blockHash: '0xbb', chainId: 1 };
    const sent = { ...back, from: address, to: other, amount: 999_999_999 * cent, orderId: order.id } as const;
    await store.sendBack(order.id, now, () => ({ sentBack: { ...sent, refund: 99_999_900, isFinal: true } }));
    await (await service.parts.get(t.tellUsdcOrder))(order.id);
    await check(page);
    await check(`/selling/live/orders/${order.id}`);
    const claims = await service.parts.get(t.usdcClaims);
    await store.save(1, (await store.watch(1)).revision, { ...look, cursor: 9, added: [] });
    for (const [n, amount] of [999_999_999 * cent, 12_345].entries()) {
      const { logIndex, ...where } = { ...back, logIndex: 5 + n };
      const claim = { ...where, logIndex, from: other, to: address, amount, orderId: order.id } as const;
      const added = await claims.add(
        { ...claim, sentAt: now, createdAt: now },
        () => ({}),
        () => ({}),
      );
      if (typeof added === 'string' || isRefused(added)) throw new Error(JSON.stringify(added));
      if (n === 0)
        await claims.change(added.id, now, (before) => ({
          after: { ...before, state: 'rejected', reason: 'Äöü '.repeat(100), decidedAt: now },
        }));
      await check(`/selling/live/orders/claims/${added.id}`);
    }
    for (const path of ['claims', 'claims?state=taken', order.id, `${order.id}/undo-return`])
      await check(`/selling/live/orders/${path}`);
    await check('/admin/orders/claims', root);
    await check(page);
  });
});
