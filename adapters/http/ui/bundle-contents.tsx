import type { VNode } from 'preact';
import { isSoldAlone, savingOf } from '../../../core/marketplace/bundle.ts';
import { inCurrency, type OfferedAs } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { givenInBundle, rulesOf } from './license-terms.tsx';
import { priceOf } from './prices.ts';
import { product as words } from './product-words.ts';

/**
 * The products in a bundle with the terms of their licenses, with what they cost alone, and with what is saved. A bundle has no
 * terms of its own. Rules that hold for all of them are said once.
 */
export function BundleContents({
  contents,
  price,
  currency,
  root,
}: {
  /** `undefined`: one of the products cannot be sold at the moment. */
  readonly contents: readonly OfferedAs<Product>[] | undefined;
  /** Of the bundle. `undefined`: the buyer chooses an offer or the price, so nothing is known to be saved. */
  readonly price: number | undefined;
  /** Of that price. A product that has no price in it is shown in the base currency, and then nothing is compared. */
  readonly currency: string;
  readonly root: string;
}): VNode {
  if (contents === undefined) return <p>{words.bundle.unavailable}</p>;
  const saving = price === undefined ? undefined : savingOf(contents, price, currency);
  const rules = contents.map(({ product }) => [
    ...rulesOf(product.terms),
    ...(price === 0 ? [] : [words.refund[product.terms.onRefund]]),
  ]);
  const shared = (rules[0] ?? []).filter((rule) => rules.every((others) => others.includes(rule)));
  return (
    <>
      <ul class="contents">
        {contents.map((content, index) => {
          const { product, offer } = content;
          const shown = inCurrency(content, currency) ?? content;
          const own = (rules[index] ?? []).filter((rule) => !shared.includes(rule));
          return (
            <li key={product.id}>
              <a href={`${root}marketplace/${product.slug}`} dir="auto" class="breakable">
                {product.title}
              </a>
              {offer && <bdi>{` (${offer.name})`}</bdi>}{' '}
              {isSoldAlone(shown) && <span class="faint">{priceOf(shown.product.price, shown.currency)}</span>}
              <span class="under">{[...givenInBundle(content), ...own].join(' · ')}</span>
            </li>
          );
        })}
      </ul>
      <p class="faint">{[words.bundle.each, ...shared.map((rule) => `${rule}.`)].join(' ')}</p>
      {saving && (
        <p class="faint">{words.bundle.saved(priceOf(saving.alone, currency), priceOf(saving.saved, currency))}</p>
      )}
    </>
  );
}
