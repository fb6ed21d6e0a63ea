import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { Page, ProductFilter, ProductStore } from '../ports/product-store.ts';
import type { LoadTransliterate } from '../ports/transliterate.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { findProduct, unknownProduct } from './find-product.ts';
import { blankProduct, defaultModule, type Product, slugOf } from './product.ts';
import type { ProductTransition } from './product-transitions.ts';
import type { TransitProduct } from './transit-product.ts';

type Unknown = 'forbidden' | 'product_not_found';

/** The operations of administrators on products. Each needs `products:moderate`. */
export interface MarketplaceAdministration {
  /** Adds an unlisted product, so that licenses can be issued for it. */
  add(product: { title: string; ownerId: UserId | null }, actor: Actor): Promise<Product | Refused<'forbidden'>>;
  /** Accepts an id in digits, or a slug. */
  find(idOrSlug: string, actor: Actor): Promise<Product | Refused<Unknown>>;
  /** Page numbers start at 1. */
  list(
    filter: ProductFilter,
    page: number,
    perPage: number,
    actor: Actor,
  ): Promise<Page<Product> | Refused<'forbidden'>>;
  /**
   * The reason of a rejection is the reason of the actor. The owner is notified of approvals and rejections. With
   * `seenAt`, refuses if the product has changed since then.
   */
  change(
    idOrSlug: string,
    transition: ProductTransition,
    actor: Actor,
    seenAt?: Instant,
  ): Promise<Product | Refused<Unknown | 'transition_not_allowed'>>;
}

interface MarketplaceAdministrationPorts {
  readonly store: ProductStore;
  readonly clock: Clock;
  readonly loadTransliterate: LoadTransliterate;
  readonly transit: TransitProduct;
}

export function createMarketplaceAdministration({
  store,
  clock,
  loadTransliterate,
  transit,
}: MarketplaceAdministrationPorts): MarketplaceAdministration {
  const refusing = (actor: Actor) => needing(actor, 'products:moderate');

  async function find(idOrSlug: string, actor: Actor): Promise<Product | Refused<Unknown>> {
    const refused = refusing(actor);
    if (refused) return refused;
    return (await findProduct(store, idOrSlug)) ?? unknownProduct(idOrSlug);
  }

  return {
    find,

    async add({ title, ownerId }, actor) {
      const refused = refusing(actor);
      if (refused) return refused;
      const now = clock.now();
      return await store.add(
        { ...unlisted, slug: slugOf(title, await loadTransliterate()), title, ownerId, createdAt: now, updatedAt: now },
        (slug) => event('product.added', slug, byOf(actor), now, { title }),
      );
    },

    list: async (filter, page, perPage, actor) =>
      refusing(actor) ?? (await store.list(filter, (page - 1) * perPage, perPage)),

    async change(idOrSlug, transition, actor, seenAt) {
      const found = await find(idOrSlug, actor);
      if (isRefused(found)) return found;
      return (await transit(found, transition, actor, seenAt)) ?? unknownProduct(idOrSlug);
    },
  };
}

/** The listing of a product that an administrator added. */
const unlisted = {
  status: 'unlisted',
  isLive: true,
  tagline: '',
  description: '',
  price: 0,
  module: defaultModule,
  variant: null,
  category: null,
  subcategory: null,
  tags: [],
  blockchains: [],
  isSupported: false,
  zip: null,
  thumbnail: null,
  ...blankProduct,
} as const;
