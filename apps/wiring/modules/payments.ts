import type { Tax } from '../../../adapters/payments/stripe/requests.ts';
import { createWithin } from '../../../adapters/within.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { PaymentProvider } from '../../../core/ports/payments.ts';
import type { PaymentSettings } from '../../../core/purchases/offers.ts';
import { clock, config, log } from '../chosen.ts';
import type { Config } from '../config.ts';
import { installAdvice, loadDriver } from '../load-driver.ts';
import { part } from '../part.ts';
import { currentSettings } from './settings.ts';

/** Milliseconds in which a request that needs the payment provider is answered, with all tries. */
const deadline = 10_000;

export const within = part(() => createWithin(deadline), {});

/** The ways to pay. */
export const paymentSettings = part(
  async ({ config, current, clock, log }): Promise<PaymentSettings> => {
    const { PAYMENTS_URL: ways } = config;
    if (ways.test === 'all products') log.warn('PAYMENTS_URL=test:demo gives all products away for play money');
    return {
      /** As the settings of the site are now. */
      get manual() {
        const { payment_instructions: instructions } = current.get();
        return instructions === '' ? undefined : { instructions };
      },
      test: ways.test,
      provider: ways.stripe ? await openStripe(config, clock) : undefined,
    };
  },
  { config, current: currentSettings, clock, log },
);

const advice = installAdvice('PAYMENTS_URL=stripe:', "Stripe's package", 'stripe');

async function openStripe(config: Config, clock: Clock): Promise<PaymentProvider | undefined> {
  const { STRIPE_SECRET_KEY: given, STRIPE_WEBHOOK_SECRET: webhookSecrets, STRIPE_API_URL: api } = config;
  if (given === undefined) return undefined;
  const { createStripeProvider } = await loadDriver(
    () => import('../../../adapters/payments/stripe/provider.ts'),
    advice,
  );
  const { key: secretKey, isLive } = given;
  return createStripeProvider({ secretKey, isLive, webhookSecrets, api, tax: taxOf(config), clock });
}

function taxOf({
  STRIPE_AUTOMATIC_TAX: isAutomatic,
  STRIPE_MANAGED_PAYMENTS: isManaged,
  STRIPE_TAX_CODE: code,
}: Config): Tax {
  if (isManaged) return { kind: 'managed', code };
  return isAutomatic ? { kind: 'automatic', code: code || undefined } : { kind: 'none' };
}
