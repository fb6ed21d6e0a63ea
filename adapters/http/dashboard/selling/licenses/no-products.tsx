import type { VNode } from 'preact';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellingPath } from '../selling-page.tsx';

const { newLicense: words } = texts.sellingLicenses;

/** Stands in the place of a form for licenses, if there is no product to which they could belong. */
export function NoProducts({ visit }: { readonly visit: SignedInVisit }): VNode {
  return (
    <EmptyState heading="h2" title={words.noProducts}>
      <p>{words.noProductsAdvice}</p>
      <p>
        <a class="button primary" href={`${visit.frame.root}${sellingPath(visit, 'products')}`}>
          {words.toProducts}
        </a>
      </p>
    </EmptyState>
  );
}
