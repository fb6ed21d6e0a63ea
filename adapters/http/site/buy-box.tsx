import type { VNode } from 'preact';
import { isInCatalogue } from '../../../core/marketplace/catalogue-terms.ts';
import { listedOffers, type Offer, offeredAs, priceRange, trialOf } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import type { Frame } from '../ui/frame.ts';
import { LicenseTerms } from '../ui/license-terms.tsx';
import { counted } from '../ui/numbers.ts';
import { termsOf } from '../ui/offer-words.ts';
import { priceOf, shortPriceOf, shownPrice } from '../ui/prices.ts';
import { product as productWords } from '../ui/product-words.ts';
import { words } from './words.ts';

/** The price, the terms of the license, and the button to buy it. */
export function BuyBox({
  product,
  canBeBought,
  frame: { root, person, look },
}: {
  readonly product: Product;
  readonly canBeBought: boolean;
  readonly frame: Frame;
}): VNode {
  const listed = listedOffers(product);
  const sold = offeredAs(product, undefined) ?? { product, offer: null };
  const isChoice = listed.length > 1;
  const { price, slug, terms, archivedAt } = sold.product;
  const { marketplace } = words;
  const isSold = isInCatalogue(product);
  const isFree = priceRange(product).highest === 0;
  const trial = trialOf(product);
  return (
    <section class="buy-box" aria-labelledby="license">
      <p class="price">{shownPrice(product)}</p>
      {isChoice && (
        <OfferChoice action={`${root}marketplace/${slug}/buy`} offers={listed} canBuy={isSold && canBeBought} />
      )}
      {!isChoice && isSold && canBeBought && (
        <ButtonLink
          href={`${root}marketplace/${slug}/buy`}
          text={
            price === 0 ? marketplace.get : sold.offer?.recurs ? marketplace.subscribe : marketplace.buy(priceOf(price))
          }
          look="primary buy"
        />
      )}
      {isSold && trial?.duration && (
        <a class="button try" href={`${root}marketplace/${slug}/buy?offer=${trial.slug}`}>
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
      <h2 id="license">{marketplace.license}</h2>
      <LicenseTerms sold={sold} isChoice={isChoice} />
      {!isFree && (
        <p class="faint">
          {productWords.refund[terms.onRefund]}.
          {look?.texts.includes('refunds') && (
            <>
              {' '}
              <a href={`${root}refunds`}>{marketplace.refundPolicy}</a>
            </>
          )}
        </p>
      )}
    </section>
  );
}

/** The offers from which buyers choose. Works without script: the choice is part of the address that follows. */
function OfferChoice({
  action,
  offers,
  canBuy,
}: {
  readonly action: string;
  readonly offers: readonly Offer[];
  readonly canBuy: boolean;
}): VNode {
  const { marketplace } = words;
  return (
    <form method="get" action={action} class="offer-choice">
      <fieldset class="field">
        <legend>{marketplace.choose}</legend>
        {offers.map((offer, n) => (
          <label key={offer.slug} class="choice">
            <input type="radio" name="offer" value={offer.slug} checked={n === 0} />
            <span class="offer-about">
              <span class="offer-line">
                <strong dir="auto">{offer.name}</strong> <span>{shortPriceOf(offer)}</span>
              </span>
              <span class="under">{termsOf(offer).join(' · ')}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {canBuy && (
        <button type="submit" class="button primary buy offer-buy">
          {offers.every(({ recurs }) => recurs) ? marketplace.subscribe : marketplace.goOn}
        </button>
      )}
    </form>
  );
}
