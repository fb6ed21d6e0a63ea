import type { VNode } from 'preact';
import type { PaymentProvider } from '../../../../core/ports/payments.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import type { Within } from '../../../../core/within.ts';
import { stripeEvents } from '../../../contracts/stripe-events.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { goTo } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { words } from './words.ts';

const { stripe: names } = words;

/** The dependencies of the settings of Stripe. */
export interface StripeTools {
  /** As the settings are now. `undefined`: it has no key. */
  stripe(): Pick<PaymentProvider, 'test' | 'isLive'> | undefined;
  readonly within: Within;
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
