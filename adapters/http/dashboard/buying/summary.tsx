import type { ComponentChildren, VNode } from 'preact';
import { listedOffers } from '../../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../../core/marketplace/price-choice.ts';
import { currenciesOf } from '../../../../core/marketplace/price-list.ts';
import type { Offered } from '../../../../core/purchases/checkout.ts';
import { BundleContents } from '../../ui/bundle-contents.tsx';
import { CurrencyChoice, currencyQuery, queryWith } from '../../ui/currency-choice.tsx';
import { LicenseTerms } from '../../ui/license-terms.tsx';
import { product as productWords } from '../../ui/product-words.ts';
import { Totals } from './coupon-part.tsx';
import { words } from './words.ts';

const { buy: names } = words;

/** The product with its price and its terms, beside the form. */
export function Summary({
  offered,
  root,
  keep,
  children,
}: {
  readonly offered: Offered;
  readonly root: string;
  /** What the address of the page says, apart from the currency. */
  readonly keep: Readonly<Record<string, string | undefined>>;
  readonly children: ComponentChildren;
}): VNode {
  const { product, offer, currency, contents } = offered;
  const { title, tagline, slug, price, sellerName } = product;
  return (
    <aside aria-labelledby="summary">
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
      <CurrencyChoice
        action={`${root}marketplace/${slug}/buy`}
        currencies={currenciesOf(product)}
        chosen={currency}
        keep={keep}
      />
    </aside>
  );
}
