import type { OrderId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';
import type { EvmAddress } from './evm-address.ts';

/* Amounts of USDC are whole numbers of millionths, as its contract counts them. */

/** The millionths in a cent. */
export const cent = 10_000;

/** How long after its end a quote keeps its amount for itself, in milliseconds. What comes until then still pays for it. */
export const lateFor = 7 * day;

/**
 * What a buyer is asked to pay on one chain. The price has some millionths more than the order: less than a cent, and
 * others than in all other quotes for the address. So the amount says which order is paid, whoever sends it.
 */
export interface UsdcQuote {
  readonly id: number;
  readonly orderId: OrderId;
  readonly chainId: number;
  readonly address: EvmAddress;
  readonly amount: number;
  readonly createdAt: Instant;
  readonly endsAt: Instant;
}

export type NewUsdcQuote = Omit<UsdcQuote, 'id'>;

/** Returns the amount for a price in cents. `random` is a number from 0 to 4,294,967,295. */
export function quotedAmount(price: number, random: number): number {
  return price * cent + 1 + (random % (cent - 1));
}

/** Writes an amount as wallets do, such as `49.001234`. */
export function formatUsdc(amount: number): string {
  return `${Math.floor(amount / 1_000_000)}.${String(amount % 1_000_000).padStart(6, '0')}`;
}
