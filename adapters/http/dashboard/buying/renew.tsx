import type { VNode } from 'preact';
import { z } from 'zod';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { type Order, providers } from '../../../../core/purchases/order.ts';
import type { Quote } from '../../../../core/purchases/renewing.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form, HiddenField } from '../../ui/form.tsx';
import { type FormState, textOf } from '../../ui/form-state.ts';
import { type Fact, Facts } from '../../ui/list.tsx';
import { everyOf, termsOf } from '../../ui/offer-words.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { readableDay, timeOr } from '../../ui/time.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { formId, hiddenText } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import { digestOf, openRenewalIn, rememberOrder, replayUnlessCancelled } from './again.ts';
import { type BuyingTools, OrderFrame, orderIn, pathOf, returnTo } from './frame.tsx';
import { renewWords } from './renew-words.ts';
import { subscriptionWords } from './subscription-words.ts';
import { afterOutage, buttonOf, byIn, leadTo, nextStep, thenPaid, visitorOf, WayField } from './ways.tsx';
import { words } from './words.ts';

const names = renewWords;

/** The page on which a buyer pays for more time, or for other terms, of the license of an order. */
export function renewPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  /** An empty slug is the product's own price, after a trial. */
  async function quoted(visit: Visit, slug: string): Promise<{ readonly order: Order; readonly quote: Quote }> {
    const order = await orderIn(own, visit);
    const quote = await own.renewing.quote(order, slug || undefined);
    if (isRefused(quote)) throw new Failure('not_found');
    return { order, quote };
  }

  async function render(visit: Visit, state: FormState): Promise<VNode> {
    const { order, quote } = await quoted(visit, textOf(state, 'offer'));
    return <RenewPage visit={visit} order={order} quote={quote} state={state} />;
  }

  /** Another offer of the subscription begins with its next payment. */
  async function changeLater(visit: Visit, order: Order, quote: Quote) {
    const found = await own.subscribing.of(order);
    if (found === undefined) return refuse('offer_not_found');
    const done = await own.subscribing.change(found.order, quote, byIn(visit, order));
    if (!isRefused(done)) return goTo(`${pathOf(order)}#subscription`, { notice: 'subscription_changed' });
    return done.reason === 'too_many_attempts' ? refuse(done.reason, done.detail) : refuse('offer_not_found');
  }

  return form(tools, {
    id: 'order-renew',
    path: '/orders/:token/renew',
    audience: 'anybody',
    leadsTo: () => own.payPages,
    fields: z.object({ once: formId, offer: hiddenText, terms: hiddenText, way: hiddenText }),
    async initial(visit) {
      const { offer = '' } = visit.query;
      const { quote } = await quoted(visit, offer);
      return { offer, way: quote.ways[0] ?? '' };
    },
    render,
    async act(visit, { once, offer, terms, way: wanted }) {
      const { order, quote } = await quoted(visit, offer);
      if (terms !== digestOf(quote)) return refuse('terms_changed');
      if (quote.at !== undefined) return await changeLater(visit, order, quote);
      const way = providers.find((one) => one === wanted);
      if (way === undefined) return refuse('not_for_sale');
      try {
        const open = await openRenewalIn(tools, own, visit, order, quote);
        const content = { order: order.id, offer, way };
        const begun = await replayUnlessCancelled(own, once, content, async () => {
          const wish = { offer: offer || undefined, way, client: visit.from.address, earlier: open?.token };
          const begun = await own.renewing.begin(order, wish, visitorOf(visit), returnTo(own));
          return isRefused(begun) ? begun : nextStep(begun);
        });
        if (isRefused(begun)) return begun;
        rememberOrder(tools, visit, begun.token);
        return leadTo(begun);
      } catch (error) {
        const state = afterOutage(error, { once, offer, way: wanted });
        return shown(await render(visit, state), { status: 503, leadsTo: own.payPages });
      }
    },
    refusals: {
      offer_not_found: { text: names.gone },
      not_for_sale: { text: names.noWay },
      terms_changed: { text: words.buy.termsChanged },
      in_flight: { text: words.buy.inFlight },
    },
  });
}

function RenewPage({
  visit,
  order,
  quote,
  state,
}: {
  readonly visit: Visit;
  readonly order: Order;
  readonly quote: Quote;
  readonly state: FormState;
}): VNode {
  const { ways, offer, product } = quote;
  return (
    <OrderFrame visit={visit} order={order} title={titleOf(quote)} aside={<Summary order={order} quote={quote} />}>
      <p class="lead">{quote.at === undefined ? names.leads[quote.kind] : subscriptionWords.laterLead}</p>
      {ways.length === 0 && quote.at === undefined ? (
        <p class="note">{names.noWay}</p>
      ) : (
        <Form
          state={state}
          submit={quote.at === undefined ? buttonOf(product, ways, state) : subscriptionWords.changeLater}
          look="primary buy"
          cancel={`${visit.frame.root}${pathOf(order)}`}
        >
          <HiddenField name="once" value={textOf(state, 'once') || newFormId()} />
          <HiddenField name="offer" value={offer?.slug ?? ''} />
          <HiddenField name="terms" value={digestOf(quote)} />
          {quote.at === undefined && <WayField ways={ways} />}
        </Form>
      )}
    </OrderFrame>
  );
}

function titleOf({ offer, kind, product }: Quote): string {
  return names.titles[kind](offer?.name ?? product.title);
}

/** What is paid, and what the license gives afterwards. */
function Summary({ order, quote }: { readonly order: Order; readonly quote: Quote }): VNode {
  const { product, credit, offer } = quote;
  return (
    <aside aria-labelledby="summary">
      <h2 id="summary">{words.buy.what}</h2>
      <p class="bought" dir="auto">
        <strong>{order.agreed.title}</strong>
      </p>
      <Facts facts={quote.at === undefined ? factsAfter(quote) : termFacts(quote)} />
      {credit > 0 && <p class="under">{names.credited(priceOf(product.price + credit), priceOf(credit))}</p>}
      <p class="total">
        {quote.at === undefined ? words.buy.total : subscriptionWords.laterTotal}{' '}
        <span class="price">{quote.at === undefined ? priceOf(product.price) : moneyOf(0, 'usd')}</span>
      </p>
      {offer?.recurs && <p class="under">{thenPaid(offer)}</p>}
    </aside>
  );
}

/** What the license gets later. */
function termFacts({ after: { maxDomains, entitlements } }: Quote): (Fact | false)[] {
  return [[names.domains, String(maxDomains)], entitlements.length > 0 && [names.includes, entitlements.join(', ')]];
}

function factsAfter({ after, kind, offer }: Quote): (Fact | false)[] {
  const { expiresAt, updatesUntil, maxDomains, entitlements } = after;
  const isPaidAgain = offer?.recurs != null;
  return [
    !isPaidAgain && [names.validUntil, timeOr(expiresAt, names.forEver)],
    [isPaidAgain ? subscriptionWords.paidUntil : names.updatesUntil, timeOr(updatesUntil, names.forEver)],
    kind === 'upgrade' && [names.domains, String(maxDomains)],
    kind === 'upgrade' && entitlements.length > 0 && [names.includes, entitlements.join(', ')],
  ];
}

/** What the buyer can pay for the license of an order now. Shows nothing if there is nothing. */
export function RenewPart({
  order,
  quotes,
  root,
  isSubscribed,
}: {
  readonly order: Order;
  readonly quotes: readonly Quote[];
  readonly root: string;
  readonly isSubscribed: boolean;
}): VNode | null {
  if (quotes.length === 0) return null;
  return (
    <section id="renew">
      <PartHead title={isSubscribed ? subscriptionWords.changeTitle : names.title} lead={names.lead} />
      <ul class="rows panel">
        {quotes.map((quote) => (
          <li key={quote.offer?.slug ?? ''} class="row">
            <div class="about">
              <h3 dir="auto" class="breakable">
                {quote.offer?.name ?? order.agreed.title}
              </h3>
              <p class="breakable">{aboutQuote(quote)}</p>
              {quote.offer?.recurs == null && (
                <p>
                  <Ends after={quote.after} />
                </p>
              )}
            </div>
            <ButtonLink
              href={`${root}${pathOf(order)}/renew${quote.offer === null ? '' : `?offer=${quote.offer.slug}`}`}
              text={buttonFor(quote)}
              about={quote.offer?.name ?? order.agreed.title}
              look="small"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function buttonFor({ kind, product, offer, at, credit }: Quote): string {
  if (at !== undefined) return subscriptionWords.changeLater;
  const price = priceOf(product.price);
  return offer?.recurs && credit === 0 ? subscriptionWords.subscribe(price) : names.buttons[kind](price);
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

/** What the buyer gets, in words. */
function aboutQuote({ offer, product, credit, at }: Quote): string {
  const { maxDomains, duration } = product.terms;
  const own = { price: product.price, maxDomains, duration, updatesMonths: null, entitlements: [] };
  const texts = termsOf(offer ?? { kind: 'once', ...own });
  const less = credit > 0 ? [names.credited(priceOf(product.price + credit), priceOf(credit))] : [];
  const recurring = offer?.recurs ? [recurringPrice(offer, at)] : [];
  return [...recurring, ...texts.map((text) => `${text}.`), ...less].join(' ');
}

function recurringPrice(offer: Offer, at: Instant | undefined): string {
  const price = `${priceOf(offer.price)} ${everyOf(offer.recurs?.months ?? 1)}`;
  return at === undefined ? `${price}.` : subscriptionWords.fromNext(price, readableDay(at));
}

/** On the page of an order that renews a license: the license itself stands on the page of the order that bought it. */
export function RenewedPart({ original, root }: { readonly original: Order; readonly root: string }): VNode {
  return (
    <section class="panel" aria-labelledby="renewed">
      <h2 id="renewed">{names.license}</h2>
      <p class="lead">{names.licenseLead}</p>
      <p class="choices">
        <ButtonLink href={`${root}${pathOf(original)}`} text={names.seeLicense} />
      </p>
    </section>
  );
}
