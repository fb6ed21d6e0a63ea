import type { VNode } from 'preact';
import { pricesAlone } from '../../../core/marketplace/bundle.ts';
import { inCurrency, type OfferedAs } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { priceOf } from './prices.ts';
import { product as words } from './product-words.ts';

/** The products in a bundle with what they cost alone, and what is saved. */
export function BundleContents({
  contents,
  price,
  currency,
  root,
}: {
  readonly contents: readonly OfferedAs<Product>[];
  /** Of the bundle. `undefined`: the buyer chooses an offer or the price, so nothing is known to be saved. */
  readonly price: number | undefined;
  /** Of that price. A product that has no price in it is shown in the base currency, and then nothing is compared. */
  readonly currency: string;
  readonly root: string;
}): VNode {
  const sold = contents.map((one) => inCurrency(one, currency) ?? one);
  const alone = pricesAlone(sold);
  const isComparable = price !== undefined && sold.every((one) => one.currency === currency);
  const saved = isComparable ? alone - price : 0;
  return (
    <>
      <ul class="contents">
        {sold.map(({ product: { id, slug, title, price }, offer, currency }) => (
          <li key={id}>
            <a href={`${root}marketplace/${slug}`} dir="auto" class="breakable">
              {title}
            </a>
            {offer && <bdi>{` (${offer.name})`}</bdi>} <span class="faint">{priceOf(price, currency)}</span>
          </li>
        ))}
      </ul>
      {saved > 0 && <p class="faint">{words.bundle.saved(priceOf(alone, currency), priceOf(saved, currency))}</p>}
    </>
  );
}
