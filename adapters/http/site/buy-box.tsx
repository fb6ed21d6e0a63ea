import type { VNode } from 'preact';
import { isInCatalogue } from '../../../core/marketplace/catalogue-terms.ts';
import { choicesIn, currenciesFor, type OfferedAs, priceRange, trialOf } from '../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../core/marketplace/price-choice.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { BundleContents } from '../ui/bundle-contents.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { CurrencyChoice, currencyQuery, queryWith } from '../ui/currency-choice.tsx';
import type { Frame } from '../ui/frame.ts';
import { LicenseTerms } from '../ui/license-terms.tsx';
import { counted } from '../ui/numbers.ts';
import { termsOf } from '../ui/offer-words.ts';
import { moneyOf, priceOf, shortPriceOf, shownPrice } from '../ui/prices.ts';
import { product as productWords } from '../ui/product-words.ts';
import { words } from './words.ts';

/** The price, the terms of the license, and the button to buy it. */
export function BuyBox({
  product,
  canBeBought,
  contents,
  currency,
  frame: { root, person, look },
}: {
  readonly product: Product;
  readonly canBeBought: boolean;
  /** The products in a bundle. Absent if one of them cannot be sold. */
  readonly contents?: readonly OfferedAs<Product>[] | undefined;
  /** Prices without one in this currency are in the base currency. */
  readonly currency: string;
  readonly frame: Frame;
}): VNode {
  const listed = choicesIn(product, currency);
  const [sold] = listed;
  if (sold === undefined) throw new Error('A product has a price at least.');
  const isChoice = listed.length > 1;
  const buyAddress = `${root}marketplace/${product.slug}/buy`;
  const inIt = queryWith(currencyQuery(currency));
  const { price, terms, archivedAt, bundle } = sold.product;
  const { marketplace } = words;
  const isSold = isInCatalogue(product);
  const choice = isChoice ? undefined : choiceOf(sold);
  const isFree = priceRange(product).highest === 0;
  const trial = trialOf(product);
  const hasPolicy = look?.texts.includes('refunds');
  return (
    <section class="buy-box" aria-labelledby="license">
      <p class="price">{shownPrice(product, currency)}</p>
      {choice && <p class="under">{marketplace.suggested(moneyOf(choice.suggested, sold.currency))}</p>}
      <CurrencyChoice
        action={`${root}marketplace/${product.slug}`}
        currencies={currenciesFor(product)}
        chosen={currency}
      />
      {isChoice && (
        <OfferChoice
          action={buyAddress}
          offers={listed}
          currency={currency}
          canBuy={isSold && canBeBought}
          hasTerms={bundle === null}
        />
      )}
      {!isChoice && isSold && canBeBought && (
        <ButtonLink
          href={`${buyAddress}${inIt}`}
          text={
            choice
              ? marketplace.choosePrice
              : price === 0
                ? marketplace.get
                : sold.offer?.recurs
                  ? marketplace.subscribe
                  : marketplace.buy(priceOf(price, sold.currency))
          }
          look="primary buy"
        />
      )}
      {isSold && trial?.duration && (
        <a class="button try" href={`${buyAddress}${queryWith({ offer: trial.slug, ...currencyQuery(currency) })}`}>
          {marketplace.tryFor(counted(trial.duration.days, 'day'))}
        </a>
      )}
      {isSold && !canBeBought && (
        <p class="note">
          {marketplace.noWay}
          {person?.isAdmin && (
            <>
              {' '}
              <a href={`${root}docs/payments`}>{marketplace.setUpPayments}</a>
            </>
          )}
        </p>
      )}
      {archivedAt !== null && <p class="note">{marketplace.archived}</p>}
      <h2 id="license">{bundle ? productWords.bundle.title(bundle.length) : marketplace.license}</h2>
      {bundle ? (
        <BundleContents
          contents={contents}
          price={isChoice || choice ? undefined : price}
          currency={sold.currency}
          root={root}
        />
      ) : (
        <LicenseTerms sold={sold} isChoice={isChoice} />
      )}
      {!isFree && (!bundle || hasPolicy) && (
        <p class="faint">
          {!bundle && `${productWords.refund[terms.onRefund]}. `}
          {hasPolicy && <a href={`${root}refunds`}>{marketplace.refundPolicy}</a>}
        </p>
      )}
    </section>
  );
}

/** The offers from which buyers choose. Works without script: the choice is part of the address that follows. */
function OfferChoice({
  action,
  offers,
  currency,
  canBuy,
  hasTerms,
}: {
  readonly action: string;
  readonly offers: readonly OfferedAs<Product>[];
  readonly currency: string;
  readonly canBuy: boolean;
  /** False for a bundle: its products have terms of their own. */
  readonly hasTerms: boolean;
}): VNode {
  const { marketplace } = words;
  return (
    <form method="get" action={action} class="offer-choice">
      {Object.entries(currencyQuery(currency)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <fieldset class="field">
        <legend>{marketplace.choose}</legend>
        {offers.map(
          ({ offer, currency }, n) =>
            offer && (
              <label key={offer.slug} class="choice">
                <input type="radio" name="offer" value={offer.slug} checked={n === 0} />
                <span class="offer-about">
                  <span class="offer-line">
                    <strong dir="auto">{offer.name}</strong> <span>{shortPriceOf(offer, currency)}</span>
                  </span>
                  {hasTerms && <span class="under">{termsOf(offer).join(' · ')}</span>}
                </span>
              </label>
            ),
        )}
      </fieldset>
      {canBuy && (
        <button type="submit" class="button primary buy offer-buy">
          {offers.every(({ offer }) => offer?.recurs) ? marketplace.subscribe : marketplace.goOn}
        </button>
      )}
    </form>
  );
}
