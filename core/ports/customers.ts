import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** Somebody who paid, or took something for free. Known by the address alone: guests are customers too. */
export interface Customer {
  /** In lower case. */
  readonly email: string;
  /** As in the newest order. */
  readonly name: string | null;
  /** The orders that were paid or are free. A bundle is one. */
  readonly orders: number;
  /** The licenses that were issued for these orders. A bundle has several. */
  readonly licenses: number;
  /** By currency, in alphabetical order. */
  readonly kept: readonly Kept[];
  /** When the first of these orders was paid, and the last one. */
  readonly firstOrderAt: Instant;
  readonly lastOrderAt: Instant;
  /** When a domain of a license was verified last. `null` if none ever was. */
  readonly lastVisitAt: Instant | null;
  /** Whether as many orders are summed as ever are: then there can be older ones, and the numbers are the least. */
  readonly mayHaveMore: boolean;
}

/** What the seller keeps of some orders, in the smallest unit of the currency. */
export interface Kept {
  readonly currency: string;
  /** What was paid, without refunds and without payments whose dispute was lost. */
  readonly amount: number;
}

export interface CustomerFilter {
  readonly isLive: boolean;
  /** `undefined` means those of all sellers. */
  readonly sellerId?: UserId | undefined;
  /** The start of the address. In upper or lower case. */
  readonly search?: string | undefined;
  /** The last address of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of customers. `next` is `undefined` after the last page. */
export interface FoundCustomers {
  readonly items: readonly Customer[];
  readonly next: string | undefined;
}

/** The bounds of what is read of one customer. */
export interface CustomerLimits {
  /** The newest orders, with the parts of bundles. A customer with so many `mayHaveMore`. */
  readonly orders: number;
  /** The newest licenses whose last visit is looked up. */
  readonly licenses: number;
  /** Domains of each of these licenses. */
  readonly domains: number;
}

export const customerLimits: CustomerLimits = { orders: 1_000, licenses: 20, domains: 50 };

/** The buyers of sellers, summed from their orders. */
export interface Customers {
  /** In the order of the addresses. Reads no more of each customer than `customerLimits` says. May be some seconds old. */
  list(filter: CustomerFilter): Promise<FoundCustomers>;
}

/** Writes customers as a file for spreadsheets, in pieces. A text never becomes a formula. */
export type WriteCustomers = (customers: AsyncIterable<readonly Customer[]>) => AsyncIterable<string>;
