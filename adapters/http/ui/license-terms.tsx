import type { VNode } from 'preact';
import type { Offer } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
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
  const { hosts, movesPerMonth } = sold.product.terms;
  const lines = [
    ...(isChoice ? [] : given(sold)),
    movesPerMonth > 0 && words.moves(movesPerMonth),
    hosts.localHostsAreFree && words.localHosts,
    hosts.previewHosts.length > 0 && words.previews,
    hosts.wwwIsApex && words.www,
  ].filter((line) => line !== false);
  return (
    <ul class="contents">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {movesPerMonth === 0 && <li class="missing">{words.noMoves}</li>}
    </ul>
  );
}

/** What the buyer gets for the price. */
function given({ product: { price, terms, version, templateId }, offer }: Sold): (string | false)[] {
  const lasts = validFor(terms.duration);
  return [
    worksOn(terms.maxDomains),
    ...(offer?.recurs
      ? lastsWhilePaid(offer.recurs)
      : [
          terms.duration === null && price > 0 ? words.oncePaid(lasts) : lasts,
          offer === null ? version !== null && words.files : updatesOf(offer),
        ]),
    offer !== null && offer.entitlements.length > 0 && includes(offer.entitlements),
    templateId !== null && words.template,
  ];
}
