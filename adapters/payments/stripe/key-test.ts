import Stripe from 'stripe';
import type { Abort } from '../../../core/abort.ts';
import { type Refused, refuse } from '../../../core/refusal.ts';
import type { Asking } from './subscriptions.ts';

type Lists = Readonly<Record<string, (stripe: Stripe) => Promise<unknown>>>;

/** What a key must be allowed to read, by the names of permissions at Stripe. */
const always: Lists = {
  'Checkout Sessions': (stripe) => stripe.checkout.sessions.list({ limit: 1 }),
  'Charges and Refunds': (stripe) => stripe.refunds.list({ limit: 1 }),
  Disputes: (stripe) => stripe.disputes.list({ limit: 1 }),
};

const portal = 'Customer portal';

/** What it must be allowed to read, too, if subscriptions are sold. */
const forSubscriptions: Lists = {
  Subscriptions: (stripe) => stripe.subscriptions.list({ limit: 1 }),
  Invoices: (stripe) => stripe.invoices.list({ limit: 1 }),
  Coupons: (stripe) => stripe.coupons.list({ limit: 1 }),
  [portal]: (stripe) => stripe.billingPortal.configurations.list({ limit: 1 }),
};

/** The names of all permissions that the test asks for. */
export const permissions: readonly string[] = Object.keys({ ...always, ...forSubscriptions });

/**
 * Asks Stripe whether the key works, and has its permissions. A key without those for subscriptions goes on selling
 * everything else, so the detail says what is missing for what.
 */
export async function testKey(asking: Asking, until: Abort | undefined): Promise<undefined | Refused<'key_refused'>> {
  const doing = 'at the test of the key';
  const missing = new Set<string>();
  for (const [name, list] of Object.entries({ ...always, ...forSubscriptions })) {
    const found = await asking(doing, until, (stripe) => list(stripe).then(() => 'ok', whyNotAllowed));
    if (found === 'unknown key') return refuse('key_refused', 'Stripe does not know this key, or it has expired.');
    if (found === 'not permitted') missing.add(name);
  }
  const needed = Object.keys(always).filter((name) => missing.has(name));
  const wanted = Object.keys(forSubscriptions).filter((name) => missing.has(name));
  const isPortalOff = !missing.has(portal) && !(await asking(doing, until, hasPortal));
  const details = [
    ...(needed.length > 0 ? [`The key has no permission for ${needed.join(', ')}.`] : []),
    ...(needed.length === 0 && (wanted.length > 0 || isPortalOff)
      ? ['The key works for everything that is sold once.']
      : []),
    ...(wanted.length > 0 ? [`For subscriptions, it has no permission for ${wanted.join(', ')}.`] : []),
    ...(isPortalOff ? ['For subscriptions, save the settings of the customer portal at Stripe.'] : []),
  ];
  return details.length === 0 ? undefined : refuse('key_refused', details.join(' '));
}

/** Whether the owner has saved the settings of the customer portal. Before that, Stripe makes no page of it. */
async function hasPortal(stripe: Stripe): Promise<boolean> {
  const { data } = await stripe.billingPortal.configurations.list({ is_default: true, active: true, limit: 1 });
  return data.length > 0;
}

/** Throws what says nothing about the key. */
function whyNotAllowed(error: unknown): 'unknown key' | 'not permitted' {
  if (error instanceof Stripe.errors.StripeAuthenticationError) return 'unknown key';
  if (error instanceof Stripe.errors.StripePermissionError) return 'not permitted';
  throw error;
}
