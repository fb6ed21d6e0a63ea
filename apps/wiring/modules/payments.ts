import { onceMade } from '../../../adapters/once-made.ts';
import { takes } from '../../../adapters/payments/stripe/amounts.ts';
import type { Tax } from '../../../adapters/payments/stripe/requests.ts';
import { createWithin } from '../../../adapters/within.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { PaymentProvider } from '../../../core/ports/payments.ts';
import type { SecretBox } from '../../../core/ports/secret-box.ts';
import type { PaymentSettings } from '../../../core/purchases/ways-to-pay.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { CurrentSettings } from '../../../core/site/current-settings.ts';
import type { KeptSecret } from '../../../core/site/setting.ts';
import { stripeKeyOf, webhookSecretsOf } from '../../../core/site/stripe-secrets.ts';
import { clock, config, log } from '../chosen.ts';
import type { Config } from '../config.ts';
import { installAdvice, loadDriver } from '../load-driver.ts';
import { part } from '../part.ts';
import { secretBox } from './secrets.ts';
import { currentSettings } from './settings.ts';

/** Milliseconds in which a request that needs the payment provider is answered, with all tries. */
const deadline = 10_000;

export const within = part(() => createWithin(deadline), {});

/** The ways to pay, as the settings of the site are now. */
export const paymentSettings = part(
  async ({ config, current, box, clock, log }): Promise<PaymentSettings> => {
    const { PAYMENTS_URL: ways } = config;
    if (ways.test === 'all products') log.warn('PAYMENTS_URL=test:demo gives all products away for play money');
    if (ways.stripe) await loadStripe();
    const stripe = createStripeNow({ config, current, box, clock, log });
    return {
      get manual() {
        const { take_transfers: isTaken, payment_instructions: instructions } = current.get();
        return isTaken === 'yes' && instructions !== '' ? { instructions } : undefined;
      },
      get test() {
        return ways.test ?? (current.get().take_play_money === 'yes' ? 'test products' : undefined);
      },
      get provider() {
        return stripe();
      },
      get takesProvider() {
        return current.get().take_stripe === 'yes';
      },
    };
  },
  { config, current: currentSettings, box: secretBox, clock, log },
);

interface StripePorts {
  readonly config: Config;
  readonly current: Pick<CurrentSettings, 'get'>;
  readonly box: Pick<SecretBox, 'open'>;
  readonly clock: Clock;
  readonly log: { warn(what: string): void };
}

/** Returns a function that returns Stripe with the keys as they are now, or `undefined` without keys. */
function createStripeNow({ config, current, box, clock, log }: StripePorts): () => PaymentProvider | undefined {
  let opened: { key: KeptSecret; webhook: KeptSecret; provider: PaymentProvider | undefined } | undefined;
  const read = (secret: KeptSecret) => ('text' in secret ? secret.text : box.open(secret.sealed));
  const open = (kept: KeptSecret, keptWebhook: KeptSecret): PaymentProvider | undefined => {
    const [key, webhookSecrets] = [stripeKeyOf(read(kept)), webhookSecretsOf(read(keptWebhook))];
    const { STRIPE_API_URL: api } = config;
    if (isRefused(key) || isRefused(webhookSecrets)) throw new Error('A secret has another form.');
    if (key.isLive && !api.startsWith('https:'))
      throw new Error('STRIPE_API_URL must begin with https: for a live key.');
    const { key: secretKey, isLive } = key;
    const options = { secretKey, isLive, webhookSecrets, api, tax: taxOf(config), clock };
    return whenUsed(isLive, async () => (await loadStripe()).createStripeProvider(options));
  };
  const openIfGood: typeof open = (...kept) => {
    try {
      return open(...kept);
    } catch (error) {
      // The other ways to pay go on.
      log.warn(`Stripe cannot be used: ${error instanceof Error ? error.message : 'its secrets cannot be read'}`);
      return undefined;
    }
  };
  return () => {
    const { stripe_key: key, stripe_webhook_secret: webhook } = current.get();
    if (key === undefined || webhook === undefined) return undefined;
    if (opened?.key !== key || opened.webhook !== webhook)
      opened = { key, webhook, provider: openIfGood(key, webhook) };
    return opened.provider;
  };
}

/** The package is loaded, and the provider made, when it is first used. */
function whenUsed(isLive: boolean, make: () => Promise<PaymentProvider>): PaymentProvider {
  const real = onceMade(make);
  return {
    name: 'stripe',
    isLive,
    takes,
    subscriptions: {
      read: async (...given) => (await real()).subscriptions.read(...given),
      cancel: async (...given) => (await real()).subscriptions.cancel(...given),
      resume: async (...given) => (await real()).subscriptions.resume(...given),
      reprice: async (...given) => (await real()).subscriptions.reprice(...given),
      manage: async (...given) => (await real()).subscriptions.manage(...given),
    },
    start: async (...given) => (await real()).start(...given),
    find: async (...given) => (await real()).find(...given),
    read: async (...given) => (await real()).read(...given),
    refund: async (...given) => (await real()).refund(...given),
    hasRefunded: async (...given) => (await real()).hasRefunded(...given),
    receive: async (...given) => (await real()).receive(...given),
    test: async (...given) => (await real()).test(...given),
    paymentOf: async (...given) => (await real()).paymentOf(...given),
  };
}

const advice = installAdvice('PAYMENTS_URL=stripe:', "Stripe's package", 'stripe');

function loadStripe() {
  return loadDriver(() => import('../../../adapters/payments/stripe/provider.ts'), advice);
}

function taxOf({
  STRIPE_AUTOMATIC_TAX: isAutomatic,
  STRIPE_MANAGED_PAYMENTS: isManaged,
  STRIPE_TAX_CODE: code,
}: Config): Tax {
  if (isManaged) return { kind: 'managed', code };
  return isAutomatic ? { kind: 'automatic', code: code || undefined } : { kind: 'none' };
}
