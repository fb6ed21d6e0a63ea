import type { Seller } from '../../../core/selling/seller.ts';
import { briefly, nameOfActor } from '../briefly.ts';
import { part } from '../part.ts';
import { accountUsage } from './accounts.ts';
import { sellerLicenses, sellerOverview } from './licensing.ts';
import { ratings, sellerProducts, storefront } from './marketplace.ts';
import { orderList } from './purchases.ts';
import { fileLedger } from './sql.ts';

// Reads of many pages that may be some seconds old.

/** The list is for choices. */
export const listedProducts = part(
  ({ products, briefly }) => ({ ...products, list: briefly(products.list, nameOfQuery) }),
  { products: sellerProducts, briefly },
);

/** For pages with lists of licenses. Remembers only first pages that are asked for again and again. Acts on licenses use `sellerLicenses`. */
export const listedLicenses = part(
  ({ licenses, briefly }) => {
    const brief = briefly(licenses.list, nameOfQuery);
    return {
      list: (...[wish, seller]: Parameters<typeof licenses.list>) => {
        const { after, search, expiresBefore } = wish;
        const isRare = after !== undefined || search !== undefined || expiresBefore !== undefined;
        return isRare ? licenses.list(wish, seller) : brief(wish, seller);
      },
    };
  },
  { licenses: sellerLicenses, briefly },
);

/** The calls of an account, as its page shows them. */
export const shownUsage = part(
  ({ usage, briefly }) => ({ usageOf: briefly(usage.usageOf, ({ id, tier }) => `${id} ${tier}`) }),
  { usage: accountUsage, briefly },
);

/** The bytes that an account stores, as its page shows them. */
export const shownBytes = part(({ files, briefly }) => ({ used: briefly(files.used, String) }), {
  files: fileLedger,
  briefly,
});

export const ordersToDo = part(
  ({ orders, briefly }) => briefly(orders.countToDo, (actor, mode) => `${mode} ${nameOfActor(actor)}`),
  { orders: orderList, briefly },
);

export const briefOverview = part(({ overview, briefly }) => briefly(overview, nameOfSeller), {
  overview: sellerOverview,
  briefly,
});

/** The orders and the revenue on the overview. */
export const listedOrders = part(
  ({ orders, briefly }) => ({
    ...orders,
    list: briefly(orders.list, nameOfQuery),
    revenue: briefly(orders.revenue, (...[from, wish, seller]) => JSON.stringify([from, wish, nameOfSeller(seller)])),
  }),
  { orders: orderList, briefly },
);

/** The marketplace as its page shows it. Visitors get the whole page from a memory that is as old: this is for people who are signed in. */
export const listedMarket = part(
  ({ storefront, ratings, briefly }) => ({
    storefront: {
      ...storefront,
      list: briefly(storefront.list, (wish) => JSON.stringify(wish)),
      values: briefly(storefront.values, () => ''),
    },
    ratings: { counts: briefly(ratings.counts, (ids) => ids.join()) },
  }),
  { storefront, ratings, briefly },
);

/** Tells sellers apart, for what is remembered of each. */
const nameOfSeller = ({ actor, mode }: Seller) => `${mode} ${nameOfActor(actor)}`;
const nameOfQuery = (query: object, seller: Seller) => JSON.stringify([query, nameOfSeller(seller)]);
