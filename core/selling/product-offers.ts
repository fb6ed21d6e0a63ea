import {
  type Offer,
  type OfferEdit,
  offerLimits,
  withChangedOffer,
  withOffer,
  withoutOffer,
} from '../marketplace/offers.ts';
import { freeSlug, type Product, slugOf } from '../marketplace/product.ts';
import type { LoadTransliterate } from '../ports/transliterate.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import { findProductOf, type Seller } from './seller.ts';
import { createSetField, type SetFieldPorts, type Unchangeable } from './set-product-field.ts';

/** A new offer. Without `slug`, it is made from the name. */
export interface NewOffer extends Omit<Offer, 'slug'> {
  readonly slug?: string | undefined;
}

/** The product after a change of its offers, and the offer that was changed. */
export interface ChangedOffer {
  readonly product: Product;
  readonly offer: Offer;
}

/**
 * The operations of sellers on the offers of their products. Each needs `products:manage`. A change applies to later sales:
 * orders keep what they agreed on. `position` is the place of the offer in the list, which counts from 1.
 */
export interface ProductOffers {
  list(idOrSlug: string, seller: Seller): Promise<readonly Offer[] | Refused<'product_not_found'>>;
  add(
    idOrSlug: string,
    offer: NewOffer,
    seller: Seller,
    position?: number,
  ): Promise<ChangedOffer | Refused<Unchangeable | 'too_many_offers' | 'offer_exists' | 'invalid_offer'>>;
  /** With `seen`, refuses if the offer is not as it was seen. */
  change(
    idOrSlug: string,
    slug: string,
    edit: OfferEdit,
    seller: Seller,
    position?: number,
    seen?: Offer,
  ): Promise<ChangedOffer | Refused<Unchangeable | 'offer_not_found' | 'invalid_offer' | 'changed_meanwhile'>>;
  remove(
    idOrSlug: string,
    slug: string,
    seller: Seller,
  ): Promise<Product | Refused<Unchangeable | 'offer_not_found' | 'offer_needed'>>;
}

interface ProductOfferPorts extends SetFieldPorts {
  readonly loadTransliterate: LoadTransliterate;
}

export function createProductOffers({ store, loadTransliterate, clock }: ProductOfferPorts): ProductOffers {
  const find = (idOrSlug: string, seller: Seller) => findProductOf(store, idOrSlug, seller, 'products:manage');

  const set = createSetField('offers', { store, clock });

  /** The offer was there in the same transaction. */
  function changedOffer(product: Product, slug: string): ChangedOffer {
    const offer = product.offers.find((one) => one.slug === slug);
    if (offer === undefined) throw new Error(`The changed product has no offer ${slug}.`);
    return { product, offer };
  }

  return {
    async list(idOrSlug, seller) {
      const product = await find(idOrSlug, seller);
      return isRefused(product) ? product : product.offers;
    },

    async add(idOrSlug, { slug: wanted, ...offer }, seller, position) {
      const transliterate = await loadTransliterate();
      const made = slugOf(offer.name, transliterate)
        .replace(/^product(?=-|$)/, 'offer')
        .slice(0, offerLimits.slug - 3);
      let slug = wanted ?? made.replace(/-+$/, '');
      const product = await set(idOrSlug, seller, ({ offers: before, bundle }) => {
        if (bundle !== null && offer.kind !== 'once') {
          return refuse('invalid_offer', 'A bundle is paid once. It has no other offers.');
        }
        if (wanted === undefined) slug = freeSlug(slug, new Set(before.map((one) => one.slug)));
        return withOffer(before, { ...offer, slug }, position);
      });
      return isRefused(product) ? product : changedOffer(product, slug);
    },

    async change(idOrSlug, slug, edit, seller, position, seen) {
      const product = await set(idOrSlug, seller, ({ offers: before }) => {
        const isAsSeen = seen === undefined || isSame(before.find((one) => one.slug === slug) ?? seen, seen);
        return isAsSeen ? withChangedOffer(before, slug, edit, position) : refuse('changed_meanwhile');
      });
      return isRefused(product) ? product : changedOffer(product, slug);
    },

    remove: (idOrSlug, slug, seller) => set(idOrSlug, seller, ({ offers }) => withoutOffer(offers, slug)),
  };
}
