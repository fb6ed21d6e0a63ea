import type { VNode } from 'preact';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { Quote } from '../../../../core/purchases/quote.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { recurringPrice, termsOf } from '../../ui/offer-words.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { priceOf } from '../../ui/prices.ts';
import { readableDay, timeOr } from '../../ui/time.tsx';
import { pathOf } from './frame.tsx';
import { renewWords } from './renew-words.ts';
import { subscriptionWords } from './subscription-words.ts';

const names = renewWords;

/** Lists the renewals and upgrades that the buyer can pay now. Empty if there are none. */
export function RenewPart({
  order,
  quotes,
  root,
  title = names.title,
  current,
}: {
  readonly order: Order;
  readonly quotes: readonly Quote[];
  readonly root: string;
  readonly title?: string;
  /** The offer that is subscribed to. */
  readonly current?: string | undefined;
}): VNode | null {
  if (quotes.length === 0) return null;
  return (
    <section id="renew">
      <PartHead title={title} lead={names.lead} />
      <ul class="rows panel">
        {quotes.map((quote) => (
          <li key={quote.offer?.slug ?? ''} class="row">
            <div class="about">
              <h3 dir="auto" class="breakable">
                {quote.offer?.name ?? order.agreed.title}
              </h3>
              {quote.offer?.recurs && <p class="breakable costs">{priceFrom(quote.offer, quote)}</p>}
              <p class="breakable">{aboutQuote(quote)}</p>
              {quote.credit > 0 && <p>{creditText(quote)}</p>}
              {quote.suggested !== undefined && <p>{names.chosen}</p>}
              {quote.offer?.recurs == null && (
                <p>
                  <Ends after={quote.after} />
                </p>
              )}
            </div>
            <ButtonLink
              href={`${root}${pathOf(order)}/renew${quote.offer === null ? '' : `?offer=${quote.offer.slug}`}`}
              text={buttonFor(quote, current)}
              about={quote.offer?.name ?? order.agreed.title}
              look="small"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The text of the button of a quote. */
export function buttonFor({ kind, product, offer, currency, at, credit }: Quote, current: string | undefined): string {
  if (at !== undefined && offer?.slug === current) return subscriptionWords.keepOffer(offer?.name ?? '');
  if (at !== undefined) return subscriptionWords.changeLater;
  const price = priceOf(product.price, currency);
  return offer?.recurs && credit === 0 && current === undefined
    ? subscriptionWords.subscribe(price)
    : names.buttons[kind](price);
}

/** Until when the license is valid and gets updates if it is paid now. */
function Ends({ after: { expiresAt, updatesUntil } }: Pick<Quote, 'after'>): VNode {
  if (expiresAt === updatesUntil) {
    return (
      <>
        {names.bothUntil} {timeOr(expiresAt, names.forEver)}
      </>
    );
  }
  return (
    <>
      {names.validUntil}: {timeOr(expiresAt, names.forEver)} · {names.updatesUntil}:{' '}
      {timeOr(updatesUntil, names.forEver)}
    </>
  );
}

/** Describes the domains and the time that the buyer gets. */
function aboutQuote({ offer, product }: Quote): string {
  const { maxDomains, duration } = product.terms;
  const own = { price: product.price, maxDomains, duration, updatesMonths: null, entitlements: [] };
  const texts = termsOf(offer ?? { kind: 'once', ...own });
  return texts.map((text) => `${text}.`).join(' ');
}

/** The full price, and what is taken off it. */
export function creditText({ product, credit, currency }: Quote): string {
  return names.credited(priceOf(product.price + credit, currency), priceOf(credit, currency));
}

function priceFrom(offer: Offer, { at, currency }: Quote): string {
  const price = recurringPrice(offer, currency);
  return at === undefined ? `${price}.` : subscriptionWords.fromNext(price, readableDay(at));
}

/** On the page of an order that renews a license: the license itself stands on the page of the order that bought it. */
export function RenewedPart({
  original,
  isPayment,
  root,
}: {
  readonly original: Order;
  /** Whether the order is a later payment of a subscription. */
  readonly isPayment: boolean;
  readonly root: string;
}): VNode {
  return (
    <section class="panel" aria-labelledby="renewed">
      <h2 id="renewed">{isPayment ? subscriptionWords.title : names.license}</h2>
      <p class="lead">{isPayment ? names.paymentLead : names.licenseLead}</p>
      <p class="choices">
        <ButtonLink
          href={`${root}${pathOf(original)}${isPayment ? '#subscription' : ''}`}
          text={isPayment ? names.seeSubscription : names.seeLicense}
        />
      </p>
    </section>
  );
}
