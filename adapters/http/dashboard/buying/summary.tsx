import type { ComponentChildren, VNode } from 'preact';
import { listedOffers } from '../../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../../core/marketplace/price-choice.ts';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { BundleContents } from '../../ui/bundle-contents.tsx';
import { currencyQuery, queryWith } from '../../ui/currency-choice.tsx';
import { LicenseTerms } from '../../ui/license-terms.tsx';
import { product as productWords } from '../../ui/product-words.ts';
import { Totals } from './coupon-part.tsx';
import { words } from './words.ts';

const { buy: names } = words;

/** The product with its price and its terms, beside the fields. On a phone it is the last thing before the button. */
export function Summary({
  offered,
  root,
  children,
}: {
  readonly offered: Offered;
  readonly root: string;
  /** The fields that change the sum. */
  readonly children?: ComponentChildren;
}): VNode {
  const { product, offer, currency, contents } = offered;
  const { title, tagline, slug, price, sellerName } = product;
  return (
    <section class="summary" aria-labelledby="summary">
      <h2 id="summary">{names.what}</h2>
      <p class="bought" dir="auto">
        <strong>{title}</strong>
        {tagline !== '' && <span class="under">{tagline}</span>}
      </p>
      {offer && (
        <p>
          {names.offer}: <strong dir="auto">{offer.name}</strong>
          {listedOffers(product).length > 1 && (
            <>
              {' '}
              <a href={`${root}marketplace/${slug}${queryWith(currencyQuery(currency))}`}>{names.otherOffers}</a>
            </>
          )}
        </p>
      )}
      {product.bundle ? (
        <BundleContents
          contents={contents}
          price={choiceOf(offered) ? undefined : price}
          currency={currency}
          root={root}
        />
      ) : (
        <>
          <LicenseTerms sold={offered} />
          {price > 0 && <p>{productWords.refund[product.terms.onRefund]}.</p>}
        </>
      )}
      {sellerName !== null && (
        <p class="under">
          {names.seller}: <span dir="auto">{sellerName}</span>
        </p>
      )}
      {children}
      <Totals offered={offered} />
    </section>
  );
}
