import type Stripe from 'stripe';

/*
 * The objects of Stripe that the double imitates, field by field. They were written from Stripe's documentation, never
 * from a recording. The types are picked from Stripe's own package, so a field with a wrong name or type does not
 * compile.
 *
 * Sources: [S] docs.stripe.com/api/checkout/sessions/object and /create,
 * [P] …/api/payment_intents/object, [R] …/api/refunds/object and /create, [D] …/api/disputes/object,
 * [E] …/api/events/object and /types, [W] …/webhooks/signature, [I] …/api/idempotent_requests, [F] …/api/errors,
 * [G] …/api/pagination, [T] …/tax/checkout, [M] …/payments/managed-payments/update-checkout
 *
 * | Field or behaviour                         | Source | As in the documentation                                        |
 * |--------------------------------------------|--------|----------------------------------------------------------------|
 * | session id, url                            | S      | `cs_test_…`/`cs_live_…`; `url` only while `open`               |
 * | session status, payment_status             | S      | open -> complete or expired; unpaid, paid                      |
 * | session amount_subtotal, amount_total      | S, T   | before and after tax that is added; equal without tax          |
 * | session total_details.amount_discount     | S      | taken off before tax                                           |
 * | session total_details.breakdown.taxes      | S      | only if expanded; the rate as a whole object                   |
 * | session customer_details.tax_ids           | S      | if tax_id_collection is on, and the buyer entered one          |
 * | session customer_details.tax_exempt        | S      | as the seller has set for the customer                         |
 * | session payment_intent                     | S      | `null` before the buyer confirms; can be expanded              |
 * | session expires_at                         | S      | 30 minutes to 24 hours after `created`, else 400               |
 * | session metadata, client_reference_id      | S      | as given                                                       |
 * | session customer_email, customer_details   | S      | as given; details after the buyer confirms                     |
 * | unknown parameter                          | F      | 400 `parameter_unknown`                                        |
 * | less than 50 cents                         | S      | 400 `amount_too_small`                                         |
 * | managed_payments                           | M      | needs a tax code, excludes automatic_tax                       |
 * | intent id, status, amount, metadata        | P      | succeeded, processing, requires_payment_method                 |
 * | refund status                              | R      | pending, succeeded, failed; `canceled` and `requires_action`   |
 * | refund limits                              | R, F   | 400 `charge_already_refunded`, `charge_disputed`, too large    |
 * | refund metadata                            | R      | as given                                                       |
 * | dispute status                             | D      | all of them; the balance falls unless it is a `warning_…`      |
 * | dispute balance_transactions               | D      | one when the money goes, another when it comes back            |
 * | lists                                      | G      | newest first, `limit`, `starting_after`, `has_more`            |
 * | event id, type, created, livemode, data    | E      | the object as it was when the event was made                   |
 * | Stripe-Signature                           | W      | `t=…,v1=…` (HMAC-SHA256 of `t.body`), with an older `v0`       |
 * | delivery                                   | E      | several times and in any order; again if the answer is not 2xx |
 * | Idempotency-Key                            | I      | same answer again, also 500; other parameters: 400             |
 * | unknown key of the API                     | F      | 401, with a shortened key in the message                       |
 * | unknown object, or one of the other mode   | F      | 404 `resource_missing`                                         |
 *
 * Different from Stripe, or not known from the documentation: the texts of most messages; without `taxes`, tax is
 * one percentage that is added to the price; a declined card leaves no payment intent; two requests with one idempotency key at the same
 * time never get 409; idempotency keys are never forgotten; answers have only the fields below. Rate limits, Connect,
 * customers, codes for discounts, shipping, fees and payouts do not exist. For subscriptions, see `billing.ts`.
 */

type SessionFields =
  | 'id'
  | 'object'
  | 'amount_subtotal'
  | 'amount_total'
  | 'cancel_url'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'customer_email'
  | 'expires_at'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_status'
  | 'status'
  | 'success_url'
  | 'url';

export type DoubleSession = Pick<Stripe.Checkout.Session, SessionFields> & {
  payment_intent: string | null;
  subscription: string | null;
  invoice: string | null;
  total_details: Pick<Stripe.Checkout.Session.TotalDetails, 'amount_discount' | 'amount_tax'>;
  customer_details: Pick<
    Stripe.Checkout.Session.CustomerDetails,
    'address' | 'business_name' | 'email' | 'individual_name' | 'name' | 'tax_exempt' | 'tax_ids'
  > | null;
  tax_id_collection: { enabled: boolean };
  automatic_tax: Pick<Stripe.Checkout.Session.AutomaticTax, 'enabled'>;
  managed_payments: Stripe.Checkout.Session.ManagedPayments | null;
};

export type DoubleIntent = Pick<
  Stripe.PaymentIntent,
  'id' | 'object' | 'amount' | 'amount_received' | 'created' | 'currency' | 'livemode' | 'metadata' | 'status'
> & { latest_charge: string };

export type DoubleCharge = Pick<
  Stripe.Charge,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_refunded'
  | 'created'
  | 'currency'
  | 'disputed'
  | 'livemode'
  | 'refunded'
  | 'status'
> & { payment_intent: string };

export type DoubleRefund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'metadata' | 'reason' | 'status'
> & { charge: string; payment_intent: string };

export type DoubleDispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'livemode' | 'metadata' | 'reason' | 'status'
> & {
  charge: string;
  payment_intent: string;
  balance_transactions: Pick<Stripe.BalanceTransaction, 'id' | 'object' | 'amount' | 'currency'>[];
};

export type DoubleEvent = Pick<
  Stripe.Event,
  'id' | 'object' | 'api_version' | 'created' | 'livemode' | 'pending_webhooks' | 'request'
> & { type: Stripe.Event['type']; data: { object: object } };
