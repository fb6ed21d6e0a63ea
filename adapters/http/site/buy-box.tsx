import type { VNode } from 'preact';
import { isInCatalogue } from '../../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { ProductTerms } from '../../../core/marketplace/product-terms.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import type { Frame } from '../ui/frame.ts';
import { priceOf } from '../ui/prices.ts';
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
  const { price, slug, terms, archivedAt } = product;
  const { marketplace } = words;
  const isSold = isInCatalogue(product);
  return (
    <section class="buy-box" aria-labelledby="license">
      <p class="price">{priceOf(price)}</p>
      {isSold && canBeBought && (
        <ButtonLink
          href={`${root}marketplace/${slug}/buy`}
          text={price === 0 ? marketplace.get : marketplace.buy(priceOf(price))}
          look="primary buy"
        />
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
      <ul class="contents">
        {promises(terms, price === 0).map((promise) => (
          <li key={promise}>{promise}</li>
        ))}
      </ul>
      {price > 0 && (
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

function promises({ maxDomains, duration, hosts, movesPerMonth }: ProductTerms, isFree: boolean): string[] {
  const { marketplace } = words;
  const forEver = isFree ? marketplace.freeForEver : marketplace.forEver;
  return [
    marketplace.domains(maxDomains),
    duration === null ? forEver : marketplace.days(duration.days, productWords.starts[duration.from]),
    marketplace.moves(movesPerMonth),
    ...(hosts.localHostsAreFree ? [marketplace.localHosts] : []),
    ...(hosts.previewHosts.length > 0 ? [marketplace.previews] : []),
    ...(hosts.wwwIsApex ? [marketplace.wwwIsApex] : []),
  ];
}
