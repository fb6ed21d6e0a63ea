import type { VNode } from 'preact';
import { changesLicense, offerLimits } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { offerSentence, otherPrices } from '../../ui/offer-words.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { offerWords as names } from './offer-words.ts';

/** The offers of a product, as buyers read them. `page` is the public page of the product. */
export function OfferPart({
  product,
  address,
  page,
}: {
  readonly product: Product;
  readonly address: string;
  readonly page: string;
}): VNode | null {
  const { offers, archivedAt, bundle } = product;
  if (archivedAt !== null) return null;
  return (
    <section id="offers">
      <PartHead
        title={names.title}
        lead={offers.some(({ isListed }) => isListed) ? names.lead : bundle === null ? names.none : names.noneOfBundle}
      >
        {offers.length < offerLimits.offers && <ButtonLink href={`${address}/offers/new`} text={names.add} />}
      </PartHead>
      {offers.length > 0 && (
        <ul class="rows panel">
          {offers.map((offer) => (
            <li key={offer.slug} class="row">
              <div class="about">
                <h3 dir="auto" class="breakable">
                  {offer.name}
                  {offer.kind !== 'once' && <span class="tag">{names.kinds[offer.kind]}</span>}
                  {!offer.isListed && <span class="tag">{names.notListed}</span>}
                </h3>
                <p class="breakable">
                  {[offerSentence(offer, bundle === null), otherPrices(offer)].filter(Boolean).join(' ')}
                </p>
                {changesLicense[offer.kind] ? (
                  <p class="faint">{names.onOrders}</p>
                ) : (
                  <p class="breakable">
                    <CopiedText id={`offer-${offer.slug}`} text={`${page}/buy?offer=${offer.slug}`} />
                  </p>
                )}
              </div>
              <div class="choices">
                <ButtonLink
                  href={`${address}/offers/${offer.slug}/edit`}
                  text={names.edit}
                  about={offer.name}
                  look="small"
                />
                <ButtonLink
                  href={`${address}/offers/${offer.slug}/remove`}
                  text={names.remove}
                  about={offer.name}
                  look="small danger"
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
