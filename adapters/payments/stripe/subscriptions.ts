import type Stripe from 'stripe';
import type { Abort } from '../../../core/abort.ts';
import type { KnownSubscription, SubscriptionStatus, Subscriptions } from '../../../core/ports/subscriptions.ts';
import { type Refused, refuse } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { toStripe } from './amounts.ts';
import { invoicesOf, paymentsIn } from './invoices.ts';
import { idOf } from './known-payment.ts';
import { isMissing, isRefusal } from './troubles.ts';

/** Runs calls of the SDK until the deadline. Their errors become ours. */
export type Asking = <T>(doing: string, until: Abort | undefined, call: (stripe: Stripe) => Promise<T>) => Promise<T>;

/** The subscriptions that begin with a Checkout Session: https://docs.stripe.com/billing/subscriptions/overview. */
export function createSubscriptions(asking: Asking, isLive: boolean): Subscriptions {
  /** Throws if it is of the other mode: it must never count as real money, or as play money. */
  async function retrieve(stripe: Stripe, id: string): Promise<Stripe.Subscription> {
    const found = await stripe.subscriptions.retrieve(id);
    if (found.livemode !== isLive) throw new Error(`Stripe's ${id} is of the other mode.`);
    return found;
  }

  /** Makes a change. Stripe refuses one of a subscription that has ended. */
  async function change(
    doing: string,
    id: string,
    until: Abort | undefined,
    call: (stripe: Stripe, before: Stripe.Subscription) => Promise<unknown>,
  ): Promise<undefined | Refused<'subscription_ended'>> {
    return await asking(doing, until, async (stripe) => {
      const before = await retrieve(stripe, id);
      if (hasEnded(before)) return ended();
      try {
        await call(stripe, before);
        return undefined;
      } catch (error) {
        if (isRefusal(error) && hasEnded(await retrieve(stripe, id))) return ended();
        throw error;
      }
    });
  }

  return {
    async read(id, until) {
      return await asking('at the look at a subscription', until, async (stripe) => {
        const [subscription, invoices] = await Promise.all([retrieve(stripe, id), invoicesOf(stripe, id)]);
        return known(subscription, invoices);
      });
    },

    async cancel(id, when, until) {
      await change('at the end of a subscription', id, until, (stripe) =>
        when === 'now'
          ? stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false })
          : stripe.subscriptions.update(id, { cancel_at_period_end: true }),
      );
    },

    resume: (id, until) =>
      change('at a subscription that goes on', id, until, (stripe, { cancel_at_period_end: isAtEnd }) =>
        // The end can also be a day that somebody has set at Stripe.
        stripe.subscriptions.update(id, isAtEnd ? { cancel_at_period_end: false } : { cancel_at: '' }),
      ),

    reprice: (id, { price, currency, months }, until) =>
      change('at another price of a subscription', id, until, (stripe, { items }) => {
        const [item] = items.data;
        if (item === undefined) throw new Error(`Stripe's ${id} has no item.`);
        const product = idOf(item.price.product) ?? '';
        const recurring = { interval: 'month', interval_count: months } as const;
        const isSameInterval =
          item.price.recurring?.interval === 'month' && item.price.recurring.interval_count === months;
        return stripe.subscriptions.update(id, {
          items: [
            { id: item.id, price_data: { currency, product, unit_amount: toStripe(price, currency), recurring } },
          ],
          proration_behavior: 'none',
          // A coupon of the first price would be taken off the new one, too.
          discounts: '',
          // With another interval, Stripe would collect at once. So the time that is paid becomes a trial of the new price.
          ...(!isSameInterval && { trial_end: item.current_period_end }),
        });
      }),

    async manage(id, returnTo, until) {
      return await asking('at the page for cards', until, async (stripe) => {
        const { customer } = await retrieve(stripe, id);
        try {
          const { url } = await stripe.billingPortal.sessions.create({
            customer: idOf(customer) ?? '',
            return_url: returnTo,
          });
          return url;
        } catch (error) {
          // Stripe names no code for this. The owner can mend it at any time, so it is no fault of the request.
          if (isRefusal(error) && !isMissing(error))
            throw new Unavailable(
              'Stripe makes no page for cards. Save the settings of the customer portal at Stripe.',
            );
          throw error;
        }
      });
    },
  };
}

function ended(): Refused<'subscription_ended'> {
  return refuse('subscription_ended', 'The subscription has ended at Stripe.');
}

function hasEnded({ status }: Stripe.Subscription): boolean {
  return statusesAtStripe[status] === 'ended';
}

/** https://docs.stripe.com/api/subscriptions/object: `status`. */
const statusesAtStripe: Readonly<Partial<Record<string, SubscriptionStatus>>> = {
  trialing: 'active',
  active: 'active',
  incomplete: 'past_due',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'paused',
  canceled: 'ended',
  incomplete_expired: 'ended',
} satisfies { readonly [S in Stripe.Subscription.Status]?: SubscriptionStatus };

function known(subscription: Stripe.Subscription, invoices: readonly Stripe.Invoice[]): KnownSubscription {
  const { id, status: told, pause_collection: pause } = subscription;
  const status = statusesAtStripe[told];
  if (status === undefined) throw new Error(`Stripe tells an unknown status of ${id}: ${told}.`);
  const open = invoices.findLast((invoice) => invoice.status === 'open' && invoice.attempted);
  return {
    status: pause !== null && status !== 'ended' ? 'paused' : status,
    isCancelled: isCancelled(subscription),
    payAt: open?.hosted_invoice_url ?? null,
    payments: paymentsIn(invoices),
  };
}

/** Whether somebody wanted it to end. One that ended because nobody paid was not cancelled. */
function isCancelled(subscription: Stripe.Subscription): boolean {
  const { cancel_at_period_end: isAtEnd, cancel_at: at, cancellation_details: why } = subscription;
  if (!hasEnded(subscription)) return isAtEnd || at !== null;
  return why?.reason !== 'payment_failed' && why?.reason !== 'payment_disputed';
}
