import type { VNode } from 'preact';
import { type Actor, byOf } from '../../../../core/accounts/role.ts';
import type { By } from '../../../../core/events/event.ts';
import type { Offer } from '../../../../core/marketplace/offers.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { Order, Provider } from '../../../../core/purchases/order.ts';
import type { Begun } from '../../../../core/purchases/placing.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { ChoiceField, HiddenField, hinted } from '../../ui/form.tsx';
import type { FormState, FormValues } from '../../ui/form-state.ts';
import { recurringPrice } from '../../ui/offer-words.ts';
import { priceOf } from '../../ui/prices.ts';
import { readableDay } from '../../ui/time.tsx';
import { type Answer, goTo, leaveTo } from '../kit/answer.ts';
import { actorOf, type SignedInVisit, type Visit } from '../kit/page.ts';
import { pathOf } from './frame.tsx';
import { subscriptionWords } from './subscription-words.ts';
import { words } from './words.ts';

const { buy: names } = words;

/** The page on which the buyer goes on with an order of this site. */
function nextPage(order: Pick<Order, 'provider' | 'token'>): string {
  return order.provider === 'test' ? `${pathOf(order)}/pay` : pathOf(order);
}

/** The page that comes after the form. It is stored, so that the same form sent twice leads to the same page. */
export function nextStep({ order, payAt }: Begun) {
  return { payAt, page: nextPage(order), token: order.token };
}

/** Leads to the provider's page, if there is one, or to a page of this site. */
export function leadTo({ payAt, page }: Pick<ReturnType<typeof nextStep>, 'payAt' | 'page'>): Answer {
  return payAt === undefined ? goTo(page) : leaveTo(payAt);
}

/** The form as it was sent, after an outage of the provider. Throws what is no such outage. */
export function afterOutage(error: unknown, values: FormValues): FormState {
  if (!(error instanceof Unavailable)) throw error;
  return { values, faults: {}, message: names.unavailable, asksPassword: false };
}

/** Who buys. `undefined` for a guest. */
export function visitorOf(visit: Visit): Actor | undefined {
  return visit.me ? actorOf({ ...visit, me: visit.me } satisfies SignedInVisit) : undefined;
}

/** The visitor, or the buyer of an order if a guest has the link to it. */
export function byIn(visit: Visit, { buyer }: Pick<Order, 'buyer'>): By {
  const visitor = visitorOf(visit);
  return visitor ? byOf(visitor) : { actor: buyer.email };
}

/** Tells the price of the later payments of a subscription, and when they start. */
export function thenPaid(offer: Pick<Offer, 'price' | 'recurs'>, currency: string, from?: Instant): string {
  return subscriptionWords.afterwards(
    recurringPrice(offer, currency),
    from === undefined ? undefined : readableDay(from),
  );
}

/** The text of the button says what is paid, if there is only one way to pay. */
export function buttonOf(
  { price, currency }: { readonly price: number; readonly currency: string },
  ways: readonly Provider[],
): string {
  return price === 0 ? names.getFree : sumTextFor(ways)(priceOf(price, currency));
}

/** Returns the text of the button for a sum. */
export function sumTextFor(ways: readonly Provider[]): (sum: string) => string {
  return ways.length === 1 && ways[0] === 'manual' ? names.order : names.pay;
}

/** The ways to pay. With only one, there is nothing to choose. */
export function WayField({ ways }: { readonly ways: readonly Provider[] }): VNode {
  const [only] = ways;
  if (only !== undefined && ways.length === 1) {
    return (
      <>
        <HiddenField name="way" value={only} />
        {names.waysHint[only] !== '' && <p class="hint">{names.waysHint[only]}</p>}
      </>
    );
  }
  return <ChoiceField name="way" type="radio" label={names.way} options={hinted(ways, names.ways, names.waysHint)} />;
}
