import type { VNode } from 'preact';
import { z } from 'zod';
import { type Order, providers } from '../../../../core/purchases/order.ts';
import type { Quote } from '../../../../core/purchases/quote.ts';
import { agreedNow } from '../../../../core/purchases/subscription.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Form, HiddenField } from '../../ui/form.tsx';
import { emptyForm, type FormState, textOf } from '../../ui/form-state.ts';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { Day, timeOr } from '../../ui/time.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { formId, hiddenText, optional } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { digestOf, isAsTyped, openRenewalIn, rememberOrder, replayUnlessCancelled } from './again.ts';
import {
  AmountField,
  amountIn,
  atTyped,
  changedTo,
  isUnseen,
  longestAmount,
  withAmountFault,
  wrongAmount,
} from './amount-part.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf, returnTo } from './frame.tsx';
import { buttonFor, creditText } from './renew-part.tsx';
import { renewWords } from './renew-words.ts';
import { subscriptionWords } from './subscription-words.ts';
import { SumMarks, sumScript, withoutSum } from './sum-part.tsx';
import { afterOutage, buttonOf, byIn, leadTo, nextStep, sumTextFor, thenPaid, visitorOf, WayField } from './ways.tsx';
import { words } from './words.ts';

const names = renewWords;

/** The page on which a buyer pays for more time, or for other terms, of the license of an order. */
export function renewPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  /** An empty slug is the product's own price, after a trial. `fault`: why it cannot be at the amount that was typed. */
  async function quoted(visit: Visit, slug: string, typed: string) {
    const order = await orderIn(own, visit);
    const offer = slug || undefined;
    const usual = await own.renewing.quote(order, offer);
    if (isRefused(usual)) throw new Failure('not_found', { detail: usual.detail });
    const asked = await atTyped(usual, typed, (amount) => own.renewing.quote(order, offer, usual.currency, amount));
    if (isRefused(asked)) throw new Failure('not_found', { detail: asked.detail });
    return { order, quote: asked.sold, fault: asked.fault };
  }

  async function render(visit: Visit, typedIn: FormState): Promise<VNode> {
    const { order, quote, fault } = await quoted(visit, textOf(typedIn, 'offer'), textOf(typedIn, 'amount'));
    const state = withAmountFault(typedIn, fault);
    const found = await own.subscribing.of(order);
    const isOn = found !== undefined && found.order.subscription?.status !== 'ended';
    const current = isOn ? agreedNow(found.order) : undefined;
    return <RenewPage visit={visit} order={order} quote={quote} current={current} state={state} />;
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
    fields: z.object({
      ...{ once: formId, offer: hiddenText, terms: hiddenText, way: hiddenText },
      ...{ amount: optional(longestAmount), seen_amount: hiddenText },
    }),
    async initial(visit) {
      const { offer = '', amount: asked = '' } = visit.query;
      const typed = asked.slice(0, longestAmount);
      const { quote, fault } = await quoted(visit, offer, typed);
      return { offer, way: quote.ways[0] ?? '', amount: fault === undefined ? amountIn(quote, quote.credit) : typed };
    },
    render,
    async act(visit, { once, offer, terms, way: wanted, amount: typed, seen_amount }) {
      const { order, quote, fault } = await quoted(visit, offer, typed);
      const { suggested, currency, credit, product } = quote;
      const wrong = wrongAmount({ sold: quote, fault }, typed);
      if (wrong) return wrong;
      if (isUnseen(quote, { seen: seen_amount, way: wanted })) {
        const values = { once, offer, way: quote.ways[0] ?? '', amount: typed };
        const message = changedTo(product.price, currency);
        return shown(await render(visit, { ...emptyForm, values, message }), { leadsTo: own.payPages });
      }
      if (terms !== digestOf(quote)) return refuse('terms_changed');
      if (quote.at !== undefined) return await changeLater(visit, order, quote);
      const way = providers.find((one) => one === wanted);
      if (way === undefined) return refuse('not_for_sale');
      try {
        const open = await openRenewalIn(tools, own, visit, order, quote);
        const amount = suggested === undefined ? undefined : product.price + credit;
        const content = { order: order.id, offer, way, ...(amount !== undefined && { amount }) };
        const begun = await replayUnlessCancelled(own, once, content, async () => {
          const wish = { offer: offer || undefined, amount, way, client: visit.from.address, earlier: open?.token };
          const begun = await own.renewing.begin(order, wish, visitorOf(visit), returnTo(own));
          return isRefused(begun) ? begun : nextStep(begun);
        });
        if (isRefused(begun)) return begun;
        rememberOrder(tools, visit, begun.token);
        return leadTo(begun);
      } catch (error) {
        const state = afterOutage(error, { once, offer, way: wanted, amount: typed });
        return shown(await render(visit, state), { status: 503, leadsTo: own.payPages });
      }
    },
    refusals: {
      forbidden: asRefused(),
      offer_not_found: { text: names.gone },
      currency_not_offered: { text: names.gone },
      amount_not_possible: asRefused('amount'),
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
  current,
  state,
}: {
  readonly visit: Visit;
  readonly order: Order;
  readonly quote: Quote;
  /** The current terms of the subscription. `undefined` if there is none. */
  readonly current: Order['agreed'] | undefined;
  readonly state: FormState;
}): VNode {
  const { ways, offer, product, currency } = quote;
  const withSum =
    quote.at === undefined
      ? buttonOf({ price: product.price, currency }, ways)
      : buttonFor(quote, current?.offer?.slug);
  return (
    <OrderFrame
      visit={visit}
      order={order}
      title={titleOf(quote, current?.offer?.slug)}
      scripts={quote.suggested === undefined ? [] : [sumScript]}
    >
      <p class="lead">
        {quote.at === undefined ? (
          leadOf(quote, current?.offer?.slug)
        ) : (
          <>
            {subscriptionWords.laterLead} <Day at={quote.at} />.
            {current !== undefined &&
              quote.after.maxDomains < current.terms.maxDomains &&
              ` ${subscriptionWords.fewerDomains}`}
          </>
        )}
      </p>
      {ways.length === 0 && quote.at === undefined ? (
        <>
          <p class="note">{names.noWay}</p>
          <Summary order={order} quote={quote} />
        </>
      ) : (
        <Form
          state={state}
          submit={withoutSum(quote, withSum)}
          look="primary buy"
          beside={<Summary order={order} quote={quote} />}
          cancel={`${visit.frame.root}${pathOf(order)}`}
        >
          <HiddenField name="once" value={textOf(state, 'once') || newFormId()} />
          <HiddenField name="offer" value={offer?.slug ?? ''} />
          <HiddenField name="terms" value={digestOf(quote)} />
          <SumMarks sold={quote} withSum={withSum} textFor={isAsTyped(quote) ? sumTextFor(ways) : undefined} />
          <AmountField sold={quote} credit={quote.credit} />
          {quote.at === undefined && <WayField ways={ways} />}
        </Form>
      )}
    </OrderFrame>
  );
}

function leadOf({ offer, kind, credit }: Quote, current: string | undefined): string {
  return offer?.recurs && credit === 0 && current === undefined ? subscriptionWords.beginsLead : names.leads[kind];
}

function titleOf(quote: Quote, current: string | undefined): string {
  const { offer, kind, product, at, credit } = quote;
  if (offer?.recurs) {
    if (at !== undefined && offer.slug === current) return subscriptionWords.keepOffer(offer.name);
    return at === undefined && credit === 0 && current === undefined
      ? subscriptionWords.subscribeTo(offer.name)
      : subscriptionWords.changeTo(offer.name);
  }
  return names.titles[kind](offer?.name ?? product.title);
}

/** What is paid, and what the license gives afterwards. */
function Summary({ order, quote }: { readonly order: Order; readonly quote: Quote }): VNode {
  const { product, credit, offer, currency } = quote;
  return (
    <section class="summary" aria-labelledby="summary">
      <h2 id="summary">{words.buy.what}</h2>
      <p class="bought" dir="auto">
        <strong>{order.agreed.title}</strong>
      </p>
      <Facts facts={quote.at === undefined ? factsAfter(quote) : termFacts(quote)} />
      {credit > 0 && <p class="under">{creditText(quote)}</p>}
      <p class="total">
        {offer?.recurs ? words.buy.totalNow : words.buy.total}{' '}
        <span class="price">{quote.at === undefined ? priceOf(product.price, currency) : moneyOf(0, currency)}</span>
      </p>
      {offer?.recurs && (
        <p class="under">{thenPaid(offer, currency, quote.at ?? quote.after.updatesUntil ?? undefined)}</p>
      )}
    </section>
  );
}

/** The terms that the license gets after the payment. */
function termFacts({ offer, at, after: { maxDomains, entitlements } }: Quote): (Fact | false)[] {
  return [
    offer !== null && [subscriptionWords.offer, typed(offer.name)],
    at !== undefined && [subscriptionWords.from, <Day key="from" at={at} />],
    [names.domains, String(maxDomains)],
    entitlements.length > 0 && [names.includes, entitlements.join(', ')],
  ];
}

function factsAfter({ after, kind, offer }: Quote): (Fact | false)[] {
  const { expiresAt, updatesUntil, maxDomains, entitlements } = after;
  const isPaidAgain = offer?.recurs != null;
  return [
    isPaidAgain && [subscriptionWords.offer, typed(offer.name)],
    !isPaidAgain && [names.validUntil, timeOr(expiresAt, names.forEver)],
    isPaidAgain
      ? updatesUntil !== null && [subscriptionWords.paidUntil, <Day key="paid" at={updatesUntil} />]
      : [names.updatesUntil, timeOr(updatesUntil, names.forEver)],
    kind === 'upgrade' && [names.domains, String(maxDomains)],
    kind === 'upgrade' && entitlements.length > 0 && [names.includes, entitlements.join(', ')],
  ];
}
