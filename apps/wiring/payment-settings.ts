import { z } from 'zod';
import { isRefused } from '../../core/refusal.ts';
import type { ManualRecorder } from '../../core/selling/recording.ts';
import { stripeKeyOf, webhookSecretsOf } from '../../core/site/stripe-secrets.ts';
import { httpUrl, list, publicUrl, trueOrFalse } from './setting-schemas.ts';

const demo = 'test:demo';
const waysToPay = ['stripe:', 'manual:', 'test:', demo];

/** Who takes the money. */
const payments = list
  .transform((ways, context) => {
    const has = (way: string) => ways.includes(way);
    if (!ways.every((way) => waysToPay.includes(way))) context.addIssue('one entry is none of these');
    else if (new Set(ways).size < ways.length) context.addIssue('one entry stands there twice');
    else if (has('test:') && has(demo)) context.addIssue('test: and test:demo exclude each other');
    else if (has('stripe:') && has(demo)) {
      context.addIssue('test:demo gives products away, so it cannot be used together with stripe:');
    }
    const test = has(demo) ? ('all products' as const) : has('test:') ? ('test products' as const) : undefined;
    return { stripe: has('stripe:'), manual: has('manual:'), test };
  })
  .describe('empty, or stripe:, manual:, test: or test:demo, several separated by commas, such as stripe:,test:');

const instructions = z
  .string()
  .trim()
  .max(2_000)
  .regex(/^(?:\P{Cc}|\n)*$/u)
  .describe('a text of at most 2000 characters, such as Transfer the amount to the account 123 of Example Bank');

const recorder = z
  .enum(['', 'operator', 'seller'])
  .transform((who): ManualRecorder => who || 'seller if alone')
  .describe('empty, operator or seller, such as operator');

const stripeKey = z
  .string()
  .trim()
  .transform((text, context) => {
    if (text === '') return undefined;
    const key = stripeKeyOf(text);
    if (!isRefused(key)) return key;
    context.addIssue(`it ${key.detail}`);
    return z.NEVER;
  })
  .describe('a key of Stripe that begins with sk_live_, rk_live_, sk_test_ or rk_test_, such as sk_test_0123456789');

const webhookSecrets = list
  .superRefine((secrets, context) => {
    const read = secrets.length === 0 ? [] : webhookSecretsOf(secrets.join(','));
    if (isRefused(read)) context.addIssue(read.detail ?? '');
  })
  .describe('secrets of Stripe that begin with whsec_, separated by commas, such as whsec_0123456789');

const taxCode = z
  .string()
  .regex(/^(?:txcd_\d{8})?$/)
  .describe('empty, or a tax code of Stripe, such as txcd_10202003');

const api = publicUrl('https://api.stripe.com')
  .pipe(httpUrl.refine((url) => url === new URL(url).origin, 'it has a path'))
  .describe('an address with http:// or https:// and without path, such as https://api.stripe.com');

/** The settings about payments. */
export const paymentVariables = {
  PAYMENTS_URL: {
    fallback: '',
    meaning:
      'Who takes the money of buyers, separated by commas: `stripe:`, `manual:` (you record payments by hand), `test:` (play money, for products in test mode), or `test:demo` (play money for all products); empty: people can only get free products',
    schema: payments,
  },
  PAYMENT_INSTRUCTIONS: {
    fallback: '',
    meaning: 'How to pay, shown to buyers; needed with `manual:`',
    schema: instructions,
  },
  MANUAL_PAYMENTS_BY: {
    fallback: '',
    meaning:
      'Who records the payments of `manual:` orders: `operator` (administrators), or also the `seller` of the product; empty: the seller as long as nobody else sells, then only administrators',
    schema: recorder,
  },
  STRIPE_SECRET_KEY: {
    fallback: '',
    meaning:
      'Secret or restricted key of Stripe; needed with `stripe:`. A live key serves live products, a test key products in test mode',
    schema: stripeKey,
  },
  STRIPE_WEBHOOK_SECRET: {
    fallback: '',
    meaning:
      'Signing secret of the webhook endpoint at Stripe; needed with `stripe:`. Two, separated by a comma, while one replaces the other',
    schema: webhookSecrets,
  },
  STRIPE_AUTOMATIC_TAX: {
    fallback: 'false',
    meaning: '`true`: Stripe Tax computes the tax, which is set up in the Stripe account',
    schema: trueOrFalse,
  },
  STRIPE_MANAGED_PAYMENTS: {
    fallback: 'false',
    meaning: '`true`: Stripe sells in its own name and pays the tax (Managed Payments); needs `STRIPE_TAX_CODE`',
    schema: trueOrFalse,
  },
  STRIPE_TAX_CODE: {
    fallback: '',
    meaning:
      'Tax code of all products at Stripe (`txcd_…`), for automatic tax or Managed Payments; empty: the preset of the Stripe account',
    schema: taxCode,
  },
  STRIPE_API_URL: {
    fallback: 'https://api.stripe.com',
    meaning: "Address of Stripe's API. Only for tests against an imitation of Stripe: a live key needs `https:`",
    schema: api,
  },
};

type PaymentConfig = {
  readonly [N in keyof typeof paymentVariables]: z.output<(typeof paymentVariables)[N]['schema']>;
};

/** Returns why settings about payments do not fit each other, or `undefined` if they do. */
export function mistakeInPayments({
  PAYMENTS_URL: { stripe, manual },
  PAYMENT_INSTRUCTIONS: instructions,
  STRIPE_SECRET_KEY: key,
  STRIPE_WEBHOOK_SECRET: secrets,
  STRIPE_AUTOMATIC_TAX: isAutomatic,
  STRIPE_MANAGED_PAYMENTS: isManaged,
  STRIPE_TAX_CODE: code,
  STRIPE_API_URL: api,
}: PaymentConfig): string | undefined {
  if (manual && instructions === '') {
    return 'PAYMENT_INSTRUCTIONS is needed with manual: tell buyers how to pay.';
  }
  if (stripe && key === undefined) {
    return 'STRIPE_SECRET_KEY is needed with stripe: copy it from the API keys in the dashboard of Stripe.';
  }
  if (stripe && secrets.length === 0) {
    return 'STRIPE_WEBHOOK_SECRET is needed with stripe: copy it from the webhook endpoint in the dashboard of Stripe.';
  }
  if (key?.isLive === true && !api.startsWith('https:')) {
    return 'STRIPE_API_URL must begin with https: because STRIPE_SECRET_KEY is a live key.';
  }
  if (isManaged && isAutomatic) {
    return 'STRIPE_AUTOMATIC_TAX must be false with STRIPE_MANAGED_PAYMENTS, which contains the tax.';
  }
  if (isManaged && code === '') {
    return 'STRIPE_TAX_CODE is needed with STRIPE_MANAGED_PAYMENTS: set it to a code that is eligible for Managed Payments.';
  }
  return undefined;
}
