import type { Allowed } from './form.ts';
import { checkNames, type Given, textAt } from './form.ts';
import { wrongParameter } from './trouble.ts';

const product: Allowed = { name: 'text', tax_code: 'text' };
const item: Allowed = {
  quantity: 'text',
  price_data: {
    ...{ currency: 'text', unit_amount: 'text', product_data: product },
    recurring: { interval: 'text', interval_count: 'text' },
  },
};

/** The parameters of a Checkout Session that the double knows: https://docs.stripe.com/api/checkout/sessions/create. */
const parameters: Readonly<Record<string, Allowed>> = {
  mode: 'text',
  line_items: { '*': item },
  client_reference_id: 'text',
  metadata: 'texts',
  payment_intent_data: { metadata: 'texts' },
  subscription_data: { metadata: 'texts' },
  discounts: { '*': { coupon: 'text' } },
  customer_email: 'text',
  billing_address_collection: 'text',
  tax_id_collection: { enabled: 'text' },
  success_url: 'text',
  cancel_url: 'text',
  expires_at: 'text',
  adaptive_pricing: { enabled: 'text' },
  automatic_tax: { enabled: 'text' },
  managed_payments: { enabled: 'text' },
};

const [shortest, longest] = [30 * 60, 24 * 3_600];
/** Some of https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, in Stripe's units. */
const leastCharges = new Map([
  ...(['usd', 'eur', 'chf', 'cad', 'jpy', 'krw'] as const).map((code) => [code, 50] as const),
  ...Object.entries({ gbp: 30, aed: 200, czk: 1_500, huf: 17_500, sek: 300, mxn: 1_000 }),
]);

/** Amounts of these must be divisible: https://docs.stripe.com/currencies#special-cases. */
const steps = new Map(Object.entries({ isk: 100, ugx: 100, kwd: 10, bhd: 10, jod: 10, omr: 10, tnd: 10 }));

/** Throws if Stripe would refuse the parameters. Returns what the session needs of its one line. */
export function checkSession(given: Given, now: number) {
  checkNames(given, parameters);
  const line = ['line_items', '0'] as const;
  const amount = Number(textAt(given, ...line, 'price_data', 'unit_amount'));
  const quantity = Number(textAt(given, ...line, 'quantity'));
  const currency = textAt(given, ...line, 'price_data', 'currency');
  const expiresAt = Number(textAt(given, 'expires_at') ?? now + longest);
  const isManaged = textAt(given, 'managed_payments', 'enabled') === 'true';
  const mode = textAt(given, 'mode');
  const isRecurring = mode === 'subscription';
  if (mode !== 'payment' && !isRecurring) throw wrongParameter('mode', 'The double knows payment and subscription.');
  const interval = textAt(given, ...line, 'price_data', 'recurring', 'interval');
  const months = isRecurring ? Number(textAt(given, ...line, 'price_data', 'recurring', 'interval_count')) : undefined;
  if (isRecurring !== (interval === 'month')) throw wrongParameter('line_items[0]', 'The price does not fit the mode.');
  if (isRecurring && given.payment_intent_data !== undefined) {
    throw wrongParameter('payment_intent_data', 'You can not pass `payment_intent_data` in `subscription` mode.');
  }
  if (!isRecurring && given.subscription_data !== undefined) {
    throw wrongParameter('subscription_data', 'You can not pass `subscription_data` in `payment` mode.');
  }
  if (!Number.isInteger(amount) || !Number.isInteger(quantity) || currency === undefined) {
    throw wrongParameter('line_items[0]', 'Missing required param: line_items[0].', 'parameter_missing');
  }
  if (textAt(given, ...line, 'price_data', 'product_data', 'name') === undefined) {
    throw wrongParameter(
      'line_items[0][price_data][product_data][name]',
      'Missing required param.',
      'parameter_missing',
    );
  }
  if (textAt(given, 'success_url') === undefined) {
    throw wrongParameter('success_url', 'Missing required param: success_url.', 'parameter_missing');
  }
  if (!/^[a-z]{3}$/.test(currency)) throw wrongParameter('line_items[0]', `Invalid currency: ${currency}.`);
  if (amount * quantity < (leastCharges.get(currency) ?? 1)) {
    const message = "The Checkout Session's total amount must convert to at least 50 cents.";
    throw wrongParameter('line_items[0]', message, 'amount_too_small');
  }
  if ((amount * quantity) % (steps.get(currency) ?? 1) !== 0) {
    const message = 'Invalid amount. Charged amounts must be evenly divisible.';
    throw wrongParameter('line_items[0]', message, 'invalid_charge_amount_no_decimal_compatible');
  }
  if (expiresAt < now + shortest || expiresAt > now + longest) {
    throw wrongParameter('expires_at', 'The expires_at timestamp must be between 30 minutes and 24 hours from now.');
  }
  const hasCode = textAt(given, ...line, 'price_data', 'product_data', 'tax_code') !== undefined;
  if (isManaged && given.tax_id_collection !== undefined) {
    throw wrongParameter('tax_id_collection', 'Managed Payments collect tax ids themselves.');
  }
  if (isManaged && (!hasCode || given.automatic_tax !== undefined)) {
    throw wrongParameter('managed_payments', 'Managed Payments need a tax code, and exclude automatic_tax.');
  }
  return { subtotal: amount * quantity, currency, expiresAt, isManaged, months };
}
