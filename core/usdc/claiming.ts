import { event } from '../events/event.ts';
import { newsTo, peopleToTell } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Keccak } from '../ports/chain.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { SignedBy } from '../ports/signed-by.ts';
import type { UsdcClaims } from '../ports/usdc-claims.ts';
import type { Order } from '../purchases/order.ts';
import { countClaimLetter, countLook } from '../purchases/order-limits.ts';
import { noticeFactsOf } from '../purchases/order-news.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { minute } from '../time.ts';
import { claimFacts, claimStatement, isClaimable, mostClaims, type UsdcClaim } from './claim.ts';
import { checksummed, type EvmAddress } from './evm-address.ts';
import type { FindPorts } from './found-transaction.ts';
import { signInText } from './sign-in-text.ts';
import { type ChainTransaction, hashIn, movedTo } from './transaction-of.ts';
import type { Transfer } from './transfer.ts';
import { formatUsdc } from './usdc-quote.ts';

/** Why a transfer cannot be claimed. `detail` says what to do. */
export type NotClaimable =
  | 'payment_act_not_allowed'
  | 'transaction_invalid'
  | 'transaction_not_final'
  | 'transaction_counted'
  | 'too_many_attempts';

/** A transfer that can be claimed, with the text that its sender signs. */
export interface Claimable extends Transfer {
  readonly chainId: number;
  readonly sentAt: Instant;
  /** The sender, in the spelling of EIP-55. */
  readonly sender: string;
  /**
   * Always the same: owners of a contract wallet can take days to sign. It names this server, the order and the transaction, so it is
   * worth nothing elsewhere, and each transfer is claimed once.
   */
  readonly text: string;
}

/**
 * How buyers claim a transfer that fits no order by itself: it came too late, or with another amount. Only what is final can be claimed:
 * until then, it may still pay an order by itself. Throws `Unavailable` if the chain cannot be asked.
 */
export interface UsdcClaiming {
  /** Returns what can be claimed of a transaction: one transfer for each sender. */
  ask(order: Order, typed: string): Promise<readonly Claimable[] | Refused<NotClaimable>>;
  /** Claims the transfer whose sender has signed. The seller is told: by a notification, and by mail if not too many went out lately. */
  claim(
    order: Order,
    typed: { readonly transaction: string; readonly signature: string },
  ): Promise<UsdcClaim | Refused<NotClaimable | 'wrong_signature' | 'too_many_claims'>>;
}

export interface UsdcClaimingPorts extends FindPorts {
  readonly claims: Pick<UsdcClaims, 'add' | 'usedLogs'>;
  readonly keccak: Keccak;
  readonly signedBy: SignedBy;
  readonly write: WriteLetter;
  readonly accounts: Pick<AccountStore, 'findById' | 'list'>;
  /** The public address of this service, and its host with the port. */
  readonly baseUrl: string;
  readonly host: string;
}

/** The most senders in one transaction that are asked to sign: the signature of each can cost calls of an RPC. */
const mostSenders = 5;

const whyNot = {
  not_found: 'It is in no block of the chains of this order.',
  failed: 'It has failed, and moved nothing.',
  no_transfer: 'It has moved no USDC to the address of this order.',
} as const;

export function createUsdcClaiming(ports: UsdcClaimingPorts): UsdcClaiming {
  const { store, claims, chains, keccak, clock, baseUrl, host } = ports;

  const ask: UsdcClaiming['ask'] = async (order, typed) => {
    if (!isClaimable(order)) return notWaiting();
    const txHash = hashIn(typed);
    if (txHash === undefined) return notThis('This is no hash. It begins with 0x and has 64 digits after that.');
    const tooOften = await countLook(ports, order.id);
    if (tooOften) return tooOften;
    const { quotes } = await store.ofOrder(order.id);
    const found = await movedTo(chains, quotes, txHash);
    if (typeof found === 'string') return notThis(whyNot[found]);
    const sentAt = await finalTimeOf(found);
    if (isRefused(sentAt)) return sentAt;
    if (sentAt < order.createdAt - minute) return notThis('It is older than this order.');
    const used = await claims.usedLogs(found.chainId, txHash, order.id);
    const open = firstOfEach(found.moved.filter(({ logIndex }) => !used.includes(logIndex)));
    if (open.length === 0) return counted();
    return open.map((one) => {
      const sender = checksummed(one.from, keccak);
      const { chainId } = found;
      const facts = { baseUrl, host, address: sender, chainId, nonce: txHash.slice(2), at: order.createdAt };
      const text = signInText({ ...facts, statement: claimStatement(order, txHash), endsAt: undefined });
      return { ...one, chainId, sentAt, sender, text };
    });
  };

  /** Prepares to tell the seller, or the administrators. */
  async function newsOf(order: Order): Promise<(claim: UsdcClaim) => News> {
    const { sellerId } = order;
    const [people, tooMany] = await Promise.all([
      peopleToTell(sellerId, ports.accounts),
      countClaimLetter(ports, sellerId),
    ]);
    return ({ id: claim, amount, createdAt: now }) => {
      const facts = { ...noticeFactsOf(order), claim, usdc: formatUsdc(amount) };
      const letter = (name: string) => ({ kind: 'order-payment-claimed', name, ...facts }) as const;
      const { write } = ports;
      return newsTo(people, { kind: 'payment_claimed', ...facts }, tooMany ? undefined : letter, { write, now });
    };
  }

  return {
    ask,

    async claim(order, { transaction, signature }) {
      const open = await ask(order, transaction);
      if (isRefused(open)) return open;
      const signed = await signedOne(open, signature.trim(), ports.signedBy);
      if (signed === undefined) {
        return refuse('wrong_signature', 'This is no signature of the text by the sender of the transfer.');
      }
      const { text: _, sender, ...transfer } = signed;
      const now = clock.now();
      const claim = { ...transfer, orderId: order.id, createdAt: now };
      const news = await newsOf(order);
      const added = await claims.add<'payment_act_not_allowed' | 'too_many_claims'>(
        claim,
        (before, order) => {
          if (!isClaimable(order)) return notWaiting();
          if (before.length >= mostClaims) {
            return refuse('too_many_claims', `An order has at most ${mostClaims} claims. Write to the seller.`);
          }
          const data = { ...claimFacts(claim), sender };
          return { event: event('order.payment_claimed', String(order.id), { actor: order.buyer.email }, now, data) };
        },
        news,
      );
      if (added === 'not_watched_yet') return notFinal();
      return added === 'claimed' || added === 'counted' ? counted() : added;
    },
  };
}

/** Returns the time of the block of a transaction, if the chain cannot take it back any more. */
async function finalTimeOf({
  chain,
  receipt,
}: ChainTransaction): Promise<Instant | Refused<'transaction_invalid' | 'transaction_not_final'>> {
  // Asked in this order: what is then in the chain up to the final block stays there.
  const final = await chain.block('finalized');
  const block = await chain.block(receipt.blockNumber);
  if (block?.hash !== receipt.blockHash) return notThis(whyNot.not_found);
  return final !== undefined && receipt.blockNumber <= final.number ? block.at : notFinal();
}

/** The first transfer of each sender. The next one can be claimed after it. */
function firstOfEach(transfers: readonly Transfer[]): readonly Transfer[] {
  const seen = new Set<EvmAddress>();
  const first = transfers.filter(({ from }) => !seen.has(from) && seen.add(from));
  return first.slice(0, mostSenders);
}

async function signedOne(
  open: readonly Claimable[],
  signature: string,
  signedBy: SignedBy,
): Promise<Claimable | undefined> {
  for (const one of open) {
    if (await signedBy({ chainId: one.chainId, address: one.from }, one.text, signature)) return one;
  }
  return undefined;
}

function notThis(detail: string): Refused<'transaction_invalid'> {
  return refuse('transaction_invalid', detail);
}

function notWaiting(): Refused<'payment_act_not_allowed'> {
  return refuse(
    'payment_act_not_allowed',
    'This order does not wait for USDC: it is paid, or will be in some minutes. Ask the seller to send back what is too much.',
  );
}

function notFinal(): Refused<'transaction_not_final'> {
  return refuse(
    'transaction_not_final',
    'The chain can still take it back, or it may still pay an order by itself. Try again in some minutes.',
  );
}

function counted(): Refused<'transaction_counted'> {
  return refuse('transaction_counted', 'It counts already, or was claimed before.');
}
