import type { VNode } from 'preact';
import type { Product } from '../../../../../core/marketplace/product.ts';
import type { ProductState } from '../../../../../core/ports/product-store.ts';
import { texts } from '../../../ui/texts.ts';

const classes = {
  pending: 'tag busy',
  published: 'tag good',
  rejected: 'tag bad',
  unlisted: 'tag',
  archived: 'tag',
} as const satisfies Record<ProductState, string>;

export function stateOf({ status, archivedAt }: Pick<Product, 'status' | 'archivedAt'>): ProductState {
  return archivedAt === null ? status : 'archived';
}

export function StateTag({ product }: { readonly product: Pick<Product, 'status' | 'archivedAt'> }): VNode {
  const state = stateOf(product);
  return <span class={classes[state]}>{texts.sellingProducts.states[state]}</span>;
}

/** A small picture of the product, or its first letter. `image` is the address of the thumbnail. */
export function Picture({
  product: { title },
  image,
}: {
  readonly product: Pick<Product, 'title'>;
  readonly image: string | undefined;
}): VNode {
  if (image !== undefined)
    return <img class="small-picture" src={image} alt="" width="64" height="40" loading="lazy" />;
  return (
    <span class="small-picture" aria-hidden="true">
      {[...title][0]}
    </span>
  );
}
