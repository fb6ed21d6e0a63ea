import type { Seller } from '../../../core/selling/seller.ts';
import { briefly, nameOfActor } from '../briefly.ts';
import { part } from '../part.ts';
import { sellerProducts } from './marketplace.ts';

/** The list is for choices. */
export const listedProducts = part(
  ({ products, briefly }) => ({
    ...products,
    list: briefly(products.list, (query, seller) => JSON.stringify([query, nameOfSeller(seller)])),
  }),
  { products: sellerProducts, briefly },
);

/** Tells sellers apart, for what is remembered of each. */
export const nameOfSeller = ({ actor, mode }: Seller) => `${mode} ${nameOfActor(actor)}`;
