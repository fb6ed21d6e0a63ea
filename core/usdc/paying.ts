import { type KnownChain, knownChains } from '../deployments/chains.ts';
import type { Chains, Keccak } from '../ports/chain.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { UsdcClaims } from '../ports/usdc-claims.ts';
import type { UsdcOfOrder, UsdcStore } from '../ports/usdc-store.ts';
import type { WalletStore } from '../ports/wallet-store.ts';
import { hasLapsed, waitsUntil } from '../purchases/lapse.ts';
import type { Order } from '../purchases/order.ts';
import type { OrderPorts } from '../purchases/settle.ts';
import type { UsdcWay } from '../purchases/usdc-way.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { UsdcClaim } from './claim.ts';
import { checksummed } from './evm-address.ts';
import { createFindTransaction, type FindPorts, type FindTransaction } from './found-transaction.ts';
import { amountDue, standingOf } from './matching.ts';
import { receivedIn } from './telling.ts';
import { lateFor, quotedAmount, type UsdcQuote } from './usdc-quote.ts';
import { type Wallet, walletsNow } from './wallet.ts';

/** A quote as the buyer sees it. */
export interface ShownQuote extends UsdcQuote {
  readonly chain: KnownChain;
  /** What to send now: see `amountDue`. */
  readonly due: number;
  /** In the spelling of EIP-55, as the address of the token in `chain`. */
  readonly payTo: string;
}

/** How an order is paid in USDC. */
export interface UsdcPayment extends Pick<UsdcOfOrder, 'transfers' | 'sentBack'> {
  readonly claims: readonly UsdcClaim[];
  readonly quotes: readonly ShownQuote[];
  /** The chains that the buyer can choose besides. */
  readonly choices: readonly number[];
  /** What is missing for the order, and what is too much. */
  readonly rest: number;
  readonly surplus: number;
  /** Whether something that comes now still counts. */
  readonly isTaken: boolean;
  /** Whether nobody is asked to send anything now, because the seller is suspended. What comes all the same counts. */
  readonly isPaused: boolean;
}

export interface UsdcPaying extends UsdcWay {
  /** Asks for the payment of an order on a chain. The same again changes nothing. */
  choose(
    order: Order,
    chainId: number,
  ): Promise<undefined | Refused<'chain_not_offered' | 'not_awaited' | 'all_taken'>>;
  /** Looks for a transaction that the buyer names. Throws `Unavailable` if the chain cannot be asked. */
  readonly find: FindTransaction;
  /** Returns `undefined` for orders of other providers, and parts of bundles. */
  show(order: Order): Promise<UsdcPayment | undefined>;
}

export interface UsdcPayingPorts extends FindPorts {
  readonly store: Pick<UsdcStore, 'open' | 'ofOrder'>;
  readonly claims: Pick<UsdcClaims, 'ofOrder'>;
  readonly wallets: Pick<WalletStore, 'findOf'>;
  readonly chains: Pick<Chains, 'ids' | 'get'>;
  readonly keccak: Keccak;
  readonly secrets: Pick<Secrets, 'bytes'>;
  readonly isSuspended: OrderPorts['isSuspended'];
}

/** How many amounts are tried until one is free. */
const mostTries = 50;

export function createUsdcPaying(ports: UsdcPayingPorts): UsdcPaying {
  const { store, chains, keccak, secrets, clock } = ports;

  const isPausedFor = async ({ sellerId }: Pick<Order, 'sellerId'>) =>
    sellerId !== null && (await ports.isSuspended(sellerId));

  async function walletsOf({ sellerId, isLive }: Pick<Order, 'sellerId' | 'isLive'>): Promise<readonly Wallet[]> {
    // Without chains, nothing is read.
    if (chains.ids.length === 0) return [];
    if (await isPausedFor({ sellerId })) return [];
    const wallets = walletsNow(await ports.wallets.findOf(sellerId), clock.now());
    return wallets.filter(
      ({ chainId, address }) =>
        address !== null && chains.ids.includes(chainId) && knownChains.get(chainId)?.isMainnet === isLive,
    );
  }

  const choose: UsdcPaying['choose'] = async (order, chainId) => {
    const now = clock.now();
    const isAwaited = order.provider === 'usdc' && order.partOf === null && order.state === 'open';
    if (!isAwaited || hasLapsed(order, now)) {
      return refuse('not_awaited', 'This order does not wait for a payment in USDC.');
    }
    const address = (await walletsOf(order)).find((wallet) => wallet.chainId === chainId)?.address;
    if (address == null) return refuse('chain_not_offered', 'The seller takes no payments on this chain.');
    for (let tries = 0; tries < mostTries; tries++) {
      const amount = quotedAmount(order.payment.total, randomOf(secrets.bytes(4)));
      const quote = { orderId: order.id, chainId, address, amount, createdAt: now, endsAt: waitsUntil(order) };
      if ((await store.open(quote)) !== 'amount_taken') return undefined;
    }
    return refuse('all_taken', 'Too many people are paying this price at the moment. Try again later.');
  };

  return {
    choose,
    find: createFindTransaction(ports),

    async takes({ ownerId: sellerId, isLive }) {
      return (await walletsOf({ sellerId, isLive })).length > 0;
    },

    async begin(order) {
      const [only, ...others] = await walletsOf(order);
      if (only !== undefined && others.length === 0) await choose(order, only.chainId);
    },

    async show(order) {
      if (order.provider !== 'usdc' || order.partOf !== null) return undefined;
      const [found, claims] = await Promise.all([store.ofOrder(order.id), ports.claims.ofOrder(order.id)]);
      const isAwaited = order.state === 'open' && !hasLapsed(order, clock.now());
      const wallets = isAwaited ? await walletsOf(order) : [];
      const received = receivedIn(found);
      const quotes = found.quotes.flatMap((quote) => {
        const chain = knownChains.get(quote.chainId);
        return chain === undefined
          ? []
          : [
              {
                ...quote,
                chain,
                due: amountDue(quote, received.final + received.seen),
                payTo: checksummed(quote.address, keccak),
              },
            ];
      });
      const isAsked = (id: number) => quotes.some(({ chainId }) => chainId === id);
      const { rest, surplus } = quotes.length === 0 ? { rest: 0, surplus: 0 } : standingOf(received);
      const choices = wallets.map(({ chainId }) => chainId).filter((id) => !isAsked(id));
      const isTaken = quotes.some(({ endsAt }) => clock.now() < endsAt + lateFor);
      const isPaused = (isAwaited || isTaken) && (await isPausedFor(order));
      return {
        quotes,
        choices,
        transfers: found.transfers,
        sentBack: found.sentBack,
        claims,
        rest,
        surplus,
        isTaken,
        isPaused,
      };
    },
  };
}

function randomOf(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}
