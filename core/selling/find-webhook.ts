import { type ProductId, parseId, toWebhookId } from '../id.ts';
import { findProduct, unknownProduct } from '../marketplace/find-product.ts';
import type { Product } from '../marketplace/product.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import { reaches, type Seller } from './seller.ts';

/** An endpoint with the product that it is limited to. */
export interface ShownWebhook {
  readonly endpoint: Endpoint;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'> | null;
}

/** The refusal of an unknown endpoint. One of somebody else, or of the other mode, gets the same. */
export function unknownWebhook(id: string): Refused<'webhook_not_found'> {
  return refuse('webhook_not_found', `No webhook has the id ${id}.`);
}

export type FindWebhook = (id: string, seller: Seller) => Promise<ShownWebhook | Refused<'webhook_not_found'>>;

interface FindPorts {
  readonly store: Pick<WebhookStore, 'find'>;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
}

export function createFindWebhook({ store, products }: FindPorts) {
  async function withProduct(endpoint: Endpoint): Promise<ShownWebhook> {
    const { productId } = endpoint;
    const product = productId === null ? undefined : await products.findById(productId);
    return { endpoint, product: product ? { id: product.id, title: product.title, slug: product.slug } : null };
  }

  return {
    withProduct,

    /** Finds an endpoint that the seller may manage. */
    async find(text: string, seller: Seller): Promise<ShownWebhook | Refused<'webhook_not_found'>> {
      const id = parseId(text, toWebhookId);
      const endpoint = id === undefined ? undefined : await store.find(id);
      if (endpoint === undefined || !reaches(seller, 'webhooks:manage', endpoint)) return unknownWebhook(text);
      return await withProduct(endpoint);
    },

    /** Returns the product that an endpoint of this owner may be limited to: one of the owner's, in the same mode. */
    async productOf(
      idOrSlug: string | null,
      { ownerId, isLive }: Pick<Endpoint, 'ownerId' | 'isLive'>,
    ): Promise<ProductId | null | Refused<'product_not_found'>> {
      if (idOrSlug === null) return null;
      const product = await findProduct(products, idOrSlug);
      const isOwn = product?.ownerId === ownerId && product.isLive === isLive;
      return isOwn ? product.id : unknownProduct(idOrSlug);
    },
  };
}
