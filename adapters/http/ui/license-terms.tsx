import type { VNode } from 'preact';
import type { Offer } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { ProductTerms } from '../../../core/marketplace/product-terms.ts';
import { includes, lastsWhilePaid, updatesOf, validFor, worksOn } from './offer-words.ts';
import { product as words } from './product-words.ts';

/** A product as it is sold. Its terms are those of the offer, if it has one. */
interface Sold {
  readonly product: Product;
  readonly offer: Offer | null;
}

/**
 * What a license gives, and what holds for it. The page of the product and the form to buy it say the same. With `isChoice`, the
 * buyer still chooses an offer, so the list has only what holds for all of them.
 */
export function LicenseTerms({ sold, isChoice = false }: { readonly sold: Sold; readonly isChoice?: boolean }): VNode {
  const { price, terms } = sold.product;
  const lasts = validFor(terms.duration);
  const [noMoves, others] = [words.noMoves, rulesOf(terms)];
  const lines = [
    ...(isChoice ? [] : given(sold, terms.duration === null && price > 0 ? words.oncePaid(lasts) : lasts)),
    ...others.filter((line) => line !== noMoves),
  ];
  return (
    <ul class="contents">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {others.includes(noMoves) && <li class="missing">{noMoves}</li>}
    </ul>
  );
}

/** What the buyer of a bundle gets with one of its products. */
export function givenInBundle(sold: Sold): string[] {
  return given(sold, validFor(sold.product.terms.duration));
}

/** The rules for the domains of a license. */
export function rulesOf({ hosts, movesPerMonth }: ProductTerms): string[] {
  return [
    movesPerMonth === 0 ? words.noMoves : words.moves(movesPerMonth),
    hosts.localHostsAreFree && words.localHosts,
    hosts.previewHosts.length > 0 && words.previews,
    hosts.wwwIsApex && words.www,
  ].filter((line) => line !== false);
}

/** What the buyer gets for the price. `lasts`: how long a license that is paid once is valid. */
function given({ product: { terms, version, templateId }, offer }: Sold, lasts: string): string[] {
  return [
    worksOn(terms.maxDomains),
    ...(offer?.recurs
      ? lastsWhilePaid(offer.recurs)
      : [lasts, offer === null ? version !== null && words.files : updatesOf(offer)]),
    offer !== null && offer.entitlements.length > 0 && includes(offer.entitlements),
    templateId !== null && words.template,
  ].filter((line) => line !== false);
}
