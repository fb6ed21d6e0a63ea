import { bySelf, type SignedIn } from '../accounts/signed-in.ts';
import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Product } from '../marketplace/product.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { SellerPageStore } from '../ports/seller-page-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { isSellerSlug, type SellerPage } from './seller-page.ts';

/** The page of a seller with a part of the seller's products, newest first. */
export interface ShownSeller {
  readonly page: SellerPage;
  readonly products: readonly Product[];
  /** The number of all. */
  readonly total: number;
}

/** The public pages of sellers. */
export interface SellerPages {
  /** Page numbers start at 1. `undefined`: there is no such page, or its seller is suspended. */
  show(slug: string, page: number, perPage: number): Promise<ShownSeller | undefined>;
  /** The page of the seller of a product, if there is one. */
  ofProduct(product: Product): Promise<SellerPage | undefined>;
  /** The pages of all sellers for search engines. */
  listed(limit: number): Promise<readonly Pick<SellerPage, 'slug' | 'updatedAt'>[]>;
  own(me: SignedIn): Promise<SellerPage | undefined>;
  /** Makes or changes the own page. `seen` is how the seller knew it: refuses if it differs by now. */
  save(
    me: SignedIn,
    page: Pick<SellerPage, 'slug' | 'name' | 'about'>,
    seen: SellerPage | undefined,
  ): Promise<SellerPage | Refused<'slug_invalid' | 'slug_taken' | 'changed_meanwhile'>>;
}

interface SellerPagesPorts {
  readonly store: SellerPageStore;
  readonly products: Pick<ProductStore, 'list'>;
  readonly accounts: Pick<AccountStore, 'findById'>;
  readonly clock: Clock;
}

export function createSellerPages({ store, products, accounts, clock }: SellerPagesPorts): SellerPages {
  const isSuspended = async (id: UserId) => ((await accounts.findById(id))?.suspendedAt ?? null) !== null;
  return {
    async show(slug, page, perPage) {
      const found = isSellerSlug(slug) ? await store.findBySlug(slug) : undefined;
      if (found === undefined || (await isSuspended(found.userId))) return undefined;
      const filter = { ownerId: found.userId, status: 'published', isLive: true } as const;
      const { items, total } = await products.list(filter, (page - 1) * perPage, perPage);
      return { page: found, products: items, total };
    },

    async ofProduct({ ownerId }) {
      const page = ownerId === null ? undefined : await store.findOf(ownerId);
      return page && !(await isSuspended(page.userId)) ? page : undefined;
    },

    listed: (limit) => store.listed(limit),
    own: ({ login }) => store.findOf(login.id),

    async save(me, { slug, name, about }, seen) {
      if (!isSellerSlug(slug)) return refuse('slug_invalid');
      const now = clock.now();
      return await store.change<'changed_meanwhile'>(me.login.id, (before) => {
        if (before?.updatedAt !== seen?.updatedAt) return refuse('changed_meanwhile');
        const after = { userId: me.login.id, slug, name, about, updatedAt: now };
        const told = event('user.seller_page_saved', me.login.email, bySelf(me), now, { slug });
        return { after, event: told };
      });
    },
  };
}
