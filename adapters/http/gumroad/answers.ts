import { iso } from '../../../core/iso.ts';
import type { UseAnswer } from '../../../core/licensing/clients/uses.ts';
import { isPublic } from '../../../core/marketplace/product.ts';
import type { Addresses } from '../addresses.ts';
import type { Envelope } from '../envelopes.ts';
import { failures } from '../failures.ts';

/** The form of failures. */
export const gumroadEnvelope: Envelope = {
  statusOf: (reason) => (reason === 'validation_error' ? 400 : failures[reason].status),
  bodyOf({ message, fields }) {
    const [fault] = Object.values(fields ?? {}).flat();
    return { success: false, message: fault ?? message };
  },
};

const disabled = 'This license key has been disabled.';

/** How Gumroad says what we refuse. The status is always 404. */
const refusals: Readonly<Record<NonNullable<UseAnswer['refused']>['reason'] | 'invalid_key', string>> = {
  invalid_key: 'That license does not exist for the provided product.',
  suspended: disabled,
  revoked: disabled,
  expired: 'Access to the purchase associated with this license has expired.',
};

export function refusalOf(reason: keyof typeof refusals): readonly [status: number, body: object] {
  return [404, { success: false, message: refusals[reason] }];
}

/** Returns the body of the answer for a valid license. Whoever has a key must not learn whose it is. */
export function renderUse({ license, uses }: UseAnswer, { publicPage }: Pick<Addresses, 'publicPage'>): object {
  const { product, number, key, isLive } = license;
  const { productId, permalink } = product.adapters.gumroad;
  const createdAt = iso(license.createdAt).replace(/\.\d+Z$/, 'Z');
  return {
    success: true,
    uses,
    purchase: {
      seller_id: '',
      product_id: productId ?? '',
      product_name: product.title,
      permalink: permalink ?? '',
      product_permalink: isPublic(product) ? publicPage(product.slug) : '',
      short_product_id: permalink ?? '',
      email: '',
      price: 0,
      gumroad_fee: 0,
      currency: 'usd',
      quantity: 1,
      discover_fee_charged: false,
      can_contact: false,
      referrer: 'direct',
      card: { visual: null, type: null },
      order_number: number,
      sale_id: String(number),
      sale_timestamp: createdAt,
      purchaser_id: '',
      subscription_id: null,
      variants: '',
      license_key: key,
      is_multiseat_license: false,
      ip_country: '',
      recurrence: null,
      is_gift_receiver_purchase: false,
      refunded: false,
      disputed: false,
      dispute_won: false,
      id: String(number),
      created_at: createdAt,
      custom_fields: [],
      chargebacked: false,
      subscription_ended_at: null,
      subscription_cancelled_at: null,
      subscription_failed_at: null,
      ...(!isLive && { test: true }),
    },
  };
}
