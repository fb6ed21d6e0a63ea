import type { UserId } from '../id.ts';
import { decoded } from '../place.ts';
import type { Customer, CustomerFilter, Customers, FoundCustomers, WriteCustomers } from '../ports/customers.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { narrowedTo, type Seller } from './seller.ts';

/** Which customers a seller wants to see. */
export interface CustomerWish {
  /** See `CustomerFilter`. */
  readonly search?: string | undefined;
  /** Can only narrow: a seller has no customers of other sellers. */
  readonly sellerId?: UserId | undefined;
}

export interface CustomerQuery extends CustomerWish {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface CustomerPage {
  readonly customers: readonly Customer[];
  /** The place of the next page. `null` after the last page. */
  readonly next: string | null;
}

/** How sellers see who bought their products, and administrators all buyers. Needs `orders:manage`. */
export interface CustomerList {
  /** In the order of the addresses. May be some seconds old. */
  list(query: CustomerQuery, seller: Seller): Promise<CustomerPage | Refused<'forbidden' | 'unknown_place'>>;
  /** A file of customers. Reads some at a time, as fast as the file is read. */
  export(wish: CustomerWish, seller: Seller): AsyncIterable<string>;
}

const atOnce = 50;

interface CustomerPorts {
  readonly store: Customers;
  readonly writeSheet: WriteCustomers;
}

export function createCustomerList({ store, writeSheet }: CustomerPorts): CustomerList {
  /** Returns what to look for, or `undefined` if there can be none. */
  function wantedBy(
    { search, sellerId }: CustomerWish,
    seller: Seller,
  ): Omit<CustomerFilter, 'limit'> | undefined | Refused<'forbidden'> {
    const own = narrowedTo(sellerId, seller, 'orders:manage');
    if (own === undefined || isRefused(own)) return own;
    return { search, isLive: own.isLive, sellerId: own.ownerId };
  }

  async function* pages(wish: CustomerWish, seller: Seller): AsyncGenerator<readonly Customer[]> {
    const wanted = wantedBy(wish, seller);
    if (wanted === undefined || isRefused(wanted)) return;
    let after: string | undefined;
    do {
      const { items, next }: FoundCustomers = await store.list({ ...wanted, after, limit: atOnce });
      yield items;
      after = next;
    } while (after !== undefined);
  }

  return {
    async list({ after: written, limit, ...wish }, seller) {
      const after = written === undefined ? undefined : decoded(written);
      if (written !== undefined && after === undefined) {
        return refuse('unknown_place', `${written} is no place in this list.`);
      }
      const wanted = wantedBy(wish, seller);
      if (isRefused(wanted)) return wanted;
      if (wanted === undefined) return { customers: [], next: null };
      const { items, next } = await store.list({ ...wanted, after, limit });
      return { customers: items, next: next === undefined ? null : encodeURIComponent(next) };
    },

    export: (wish, seller) => writeSheet(pages(wish, seller)),
  };
}
