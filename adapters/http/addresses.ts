import type { Product } from '../../core/marketplace/product.ts';
import { isPublic } from '../../core/marketplace/product.ts';
import type { Signer } from '../../core/ports/signer.ts';

/** The public addresses of what this service shows. */
export interface Addresses {
  /** A product's page. Where it is not public, with a signed preview, which its seller alone is told. */
  product(product: Product): string;
  isPreview(product: Product, signature: string): boolean;
  /** A file that is public by its unguessable key. */
  media(key: string): string;
}

export function createAddresses(baseUrl: string, signer: Signer): Addresses {
  const text = ({ id }: Product) => `preview:${id}`;
  return {
    product(product) {
      const page = `${baseUrl}/marketplace/${product.slug}`;
      return isPublic(product) ? page : `${page}?preview=${signer.sign(text(product))}`;
    },
    isPreview: (product, signature) => signer.verifies(text(product), signature),
    media: (key) => `${baseUrl}/${key}`,
  };
}
