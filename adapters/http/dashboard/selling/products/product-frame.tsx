import type { ComponentChildren, VNode } from 'preact';
import type { Product } from '../../../../../core/marketplace/product.ts';
import type { Asset } from '../../../ui/assets.ts';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellingPath } from '../selling-page.tsx';
import { pathOf } from './product-tools.ts';

/** A page below the list of products. `of` is the product whose page is above this one. */
export function ProductFrame({
  visit,
  title,
  of,
  scripts = [],
  actions,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly title: string;
  readonly of?: Product;
  readonly scripts?: readonly Asset[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { root } = visit.frame;
  const list = { href: `${root}${sellingPath(visit, 'products')}`, title: texts.sellingProducts.title };
  return (
    <SellingPage
      visit={visit}
      at="products"
      title={title}
      above={of ? [list, { href: `${root}${pathOf(visit, of)}`, title: of.title }] : [list]}
      scripts={scripts}
      actions={actions}
    >
      {children}
    </SellingPage>
  );
}
