import { expect } from 'chai';
import { encodeFunctionData, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { knownChains } from '../../../../core/deployments/chains.ts';
import { watchUsdc } from '../../../../core/usdc/watching.ts';
import { type Anvil, startAnvil } from '../../../support/anvil.ts';
import { must } from '../../../support/license-acts.ts';
import { orderTokenIn } from '../../../support/shop.ts';
import { contracts } from '../../../support/solidity.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

/** The chain on which the orders are paid. */
const chainId = 8453;
/** The contract of USDC there. */
export const usdc = must(knownChains.get(chainId)).usdc;

/** A product that can be bought. */
export const onSale = { status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
/** The blocks after which a payment is soft there. */
export const { softBlocks } = must(knownChains.get(chainId));
const token = parseAbi(['function transfer(address to, uint256 amount)']);

/** A service whose seller Ada takes USDC on a chain of this machine. */
export interface UsdcService extends AsyncDisposable {
  readonly chain: Anvil;
  readonly service: SellingService;
  readonly ada: Person;
  /** The wallet of the seller. */
  readonly wallet: PrivateKeyAccount;
  /** Looks at the chain, as the work in the background does. */
  look(): Promise<void>;
  /** A guest orders something of 49 dollars, if `more` says nothing else. `amount` is in millionths. */
  order(
    more?: Parameters<SellingService['product']>[2],
    email?: string,
  ): Promise<{ readonly path: string; readonly page: WebAnswer; readonly amount: number }>;
  /** Sends an amount in millionths, to the seller if nobody else is named. Returns the transaction. */
  pay(amount: number, to?: string): Promise<string>;
}

/** `rpcs`: how many RPCs the chain has. All of them are one program. `settings`: those of the service. */
export async function startUsdcService({
  rpcs = 1,
  safeAfter,
  settings = {},
}: {
  readonly rpcs?: number;
  readonly safeAfter?: number;
  readonly settings?: Readonly<Record<string, string>>;
} = {}): Promise<UsdcService> {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const chain = await startAnvil({
    ...{ chainId, startsAt: Date.UTC(2026, 0, 1) },
    ...(safeAfter !== undefined && { safeAfter }),
  });
  await chain.call('anvil_setCode', usdc, contracts().Token.runtime);
  const service = await startSellingService({
    CHAINS: `${chainId}:${Array.from({ length: rpcs }, (_, n) => `${chain.url}/?${n}`).join()}`,
    PAYMENTS_URL: 'test:',
    ...settings,
  });
  const ada = await service.signedInUser({ name: 'Ada' });
  let slugs = 0;
  const wallets = '/selling/live/orders/wallets';
  await ada.browser.fill(wallets, { chain: String(chainId), address: wallet.address });
  const { html } = await ada.browser.get(`${wallets}/sign`);
  const message = /<textarea[^>]*id="text"[^>]*>([^<]*)</.exec(html)?.[1] ?? '';
  const signed = await ada.browser.fill(`${wallets}/sign`, { signature: await wallet.signMessage({ message }) });
  expect(signed.status, signed.text).to.equal(303);
  return {
    chain,
    service,
    ada,
    wallet,
    async look() {
      const { parts, clock } = service;
      const [store, tell, chains] = [
        await parts.get(t.usdcStore),
        await parts.get(t.tellUsdcOrder),
        await parts.get(t.chains),
      ];
      const work = { id: 1, kind: 'usdc', subjectId: chainId, attempt: 1 } as const;
      await watchUsdc({ store, tell, chains, clock })(work, { aborted: false } as never);
    },
    async order(more = {}, email) {
      slugs++;
      const { slug } = await service.product(ada, `usdc-${slugs}`, { ...onSale, title: `Swap ${slugs}`, ...more });
      const guest = service.browser();
      const begun = await guest.fill(`/marketplace/${slug}/buy`, { email: email ?? `${slug}@example.com` });
      const path = `/orders/${orderTokenIn(begun)}`;
      const page = await guest.get(path);
      return { path, page, amount: amountOn(page) };
    },
    async pay(amount, to = wallet.address) {
      // The time of the service, but after the newest block.
      const { timestamp } = await chain.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
      const soon = Math.max(Math.floor(service.clock.now() / 1_000), Number(timestamp)) + 1;
      await chain.call('evm_setNextBlockTimestamp', soon);
      return await chain.send({
        to: usdc,
        data: encodeFunctionData({ abi: token, args: [to as `0x${string}`, BigInt(amount)] }),
      });
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await chain[Symbol.asyncDispose]();
    },
  };
}

/** Returns the amount that a page asks for, in millionths. */
export function amountOn({ html }: WebAnswer): number {
  return Math.round(Number(/<code id="amount-8453">([\d.]+)</.exec(html)?.[1]) * 1_000_000);
}
