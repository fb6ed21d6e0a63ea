import type { VNode } from 'preact';
import { keyModes } from '../../../../core/accounts/api-key.ts';
import type { Actor } from '../../../../core/accounts/role.ts';
import type { PaymentProvider } from '../../../../core/ports/payments.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import type { Within } from '../../../../core/within.ts';
import { stripeEvents } from '../../../contracts/stripe-events.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ChoiceField } from '../../ui/form.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { goTo } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { words } from './words.ts';

const { stripe: names } = words;

/** The dependencies of the settings of Stripe. */
export interface StripeTools {
  /** As the settings are now. `undefined`: it has no key. */
  stripe(): Pick<PaymentProvider, 'test' | 'isLive'> | undefined;
  readonly within: Within;
  readonly orders: Pick<OrderList, 'list'>;
  /** The public address of the site. */
  readonly baseUrl: string;
}

/** The button that asks Stripe whether the stored key works. */
export function stripeTest(tools: DashboardTools, { stripe, within }: StripeTools): Endpoint {
  return click(tools, {
    id: 'admin-settings-test-stripe',
    path: `/${areas.admin.settings}/payments/test`,
    audience: 'settings:manage',
    async act() {
      const asked = stripe();
      const refused = await tested(asked, within);
      const notice = asked?.isLive ? 'stripe_works_live' : 'stripe_works_test';
      return refused ?? goTo(areas.admin.settings, { notice });
    },
    refusals: {
      key_refused: ({ detail }: Refused) => detail ?? '',
      not_reached: names.notReached,
      no_stripe: names.noKey,
    },
  });
}

async function tested(
  stripe: Pick<PaymentProvider, 'test'> | undefined,
  within: Within,
): Promise<undefined | Refused<'key_refused' | 'not_reached' | 'no_stripe'>> {
  if (stripe === undefined) return refuse('no_stripe');
  try {
    const refused = await within((until) => stripe.test(until));
    return isRefused(refused) ? refused : undefined;
  } catch (error) {
    if (error instanceof Unavailable) return refuse('not_reached');
    throw error;
  }
}

/** The name of the box with which people agree to a key of another account or mode. */
export const otherStripe = 'other_stripe';

/** Of so many orders in each mode, those that wait for Stripe are counted. */
const mostLooked = 100;

/** The number of orders that were begun with Stripe and are not paid. */
export async function begunAtStripe(orders: StripeTools['orders'], actor: Actor): Promise<number> {
  const found = await Promise.all(
    keyModes.map((mode) => orders.list({ states: ['open', 'processing'], limit: mostLooked }, { actor, mode })),
  );
  return found.flatMap((page) => orFail(page).orders).filter(({ provider }) => provider === 'stripe').length;
}

/** Says what a key of another account or mode does to orders, and asks whether that is wanted. */
export function OtherStripeField({ begun }: { readonly begun: number }): VNode {
  const { title, hint, agree } = names.other;
  return <ChoiceField name={otherStripe} type="checkbox" label={title} hint={hint(begun)} options={[['yes', agree]]} />;
}

/** The address and the events that people enter at Stripe, so that it sends its events here. */
export function StripePart({ baseUrl }: Pick<StripeTools, 'baseUrl'>): VNode {
  return (
    <section class="panel narrow">
      <h2>{names.title}</h2>
      <p class="lead">{names.lead}</p>
      <p>
        <CopiedText id="stripe-address" text={`${baseUrl}/hooks/stripe`} />
      </p>
      <details class="folded">
        <summary class="fold">{names.events}</summary>
        <ul>
          {stripeEvents.map((event) => (
            <li key={event}>
              <code>{event}</code>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
