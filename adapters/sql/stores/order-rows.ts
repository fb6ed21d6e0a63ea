import { toOrderId, toProductId, toUserId } from '../../../core/id.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { plainAddress } from '../../../core/mail/mailbox.ts';
import { defaultTerms } from '../../../core/marketplace/product-terms.ts';
import type { NewOrder } from '../../../core/ports/order-store.ts';
import type { Order, OrderState, Provider } from '../../../core/purchases/order.ts';
import { agreedNow } from '../../../core/purchases/subscription.ts';

/** A row of `orders`. Booleans are 0 or 1. */
export interface OrderRow {
  readonly id: number;
  readonly token: string;
  readonly provider: string;
  readonly payment_id: string | null;
  readonly intent_id: string | null;
  readonly is_live: number;
  readonly product_id: number;
  readonly seller_id: number | null;
  readonly buyer_id: number | null;
  readonly email: string;
  readonly buyer_name: string | null;
  /** JSON. An order lacks a term that did not exist yet, unless the migration of the term adds it. */
  readonly agreed: string;
  /** JSON, as `invoice` and `credit_notes`. */
  readonly billing: string | null;
  /** Only of trials: see `plainAddress`. */
  readonly trial_of: string | null;
  /** 1 if a coupon was used. */
  readonly by_coupon: number;
  readonly template_id: number | null;
  /** JSON. */
  readonly payment: string;
  readonly currency: string;
  readonly total: number;
  readonly refunded: number;
  readonly state: string;
  readonly is_accepted: number;
  readonly license_key: string | null;
  readonly renews: string | null;
  /** JSON, and copies of what is in it. `yearly`: what it brings in a year, in the smallest unit of the currency. */
  readonly subscription: string | null;
  readonly subscription_id: string | null;
  readonly subscription_status: string | null;
  readonly is_cancelled: number | null;
  readonly yearly: number | null;
  readonly subscription_ended_at: number | null;
  readonly cycle_of: number | null;
  readonly part_of: number | null;
  readonly number: number | null;
  readonly invoice: string | null;
  readonly credit_notes: string | null;
  readonly created_at: number;
  readonly paid_at: number | null;
  readonly updated_at: number;
  readonly revision: number;
}

export function toOrder(row: OrderRow): Order {
  return {
    id: toOrderId(row.id),
    token: row.token,
    provider: row.provider as Provider,
    paymentId: row.payment_id,
    intentId: row.intent_id,
    isLive: row.is_live === 1,
    productId: toProductId(row.product_id),
    sellerId: row.seller_id === null ? null : toUserId(row.seller_id),
    buyer: {
      userId: row.buyer_id === null ? null : toUserId(row.buyer_id),
      email: row.email,
      name: row.buyer_name,
    },
    billing: row.billing === null ? null : JSON.parse(row.billing),
    agreed: toAgreed(row.agreed),
    payment: JSON.parse(row.payment),
    state: row.state as OrderState,
    isAccepted: row.is_accepted === 1,
    licenseKey: row.license_key as LicenseKey | null,
    renews: row.renews as LicenseKey | null,
    subscription: row.subscription === null ? null : JSON.parse(row.subscription),
    cycleOf: row.cycle_of === null ? null : toOrderId(row.cycle_of),
    partOf: row.part_of === null ? null : toOrderId(row.part_of),
    number: row.number,
    invoice: row.invoice === null ? null : JSON.parse(row.invoice),
    creditNotes: row.credit_notes === null ? [] : JSON.parse(row.credit_notes),
    createdAt: row.created_at,
    paidAt: row.paid_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

/** What an older process stored lacks what came later: then the default was agreed, and no offer. */
function toAgreed(text: string): Order['agreed'] {
  const agreed: Order['agreed'] = JSON.parse(text);
  return { ...agreed, terms: { ...defaultTerms, ...agreed.terms }, offer: agreed.offer ?? null };
}

/** Who has the trial of an order. `null` if it is none. */
export function trialHolderOf({ agreed, buyer }: Pick<NewOrder, 'agreed' | 'buyer'>): string | null {
  return agreed.offer?.kind === 'trial' ? plainAddress(buyer.email) : null;
}

/** 1 if a coupon was used. An order that a coupon made free is counted apart from those that are free for everybody. */
export function byCoupon({ agreed }: Pick<NewOrder, 'agreed'>): number {
  return Number(agreed.discount !== undefined);
}

function subscriptionRow(order: Pick<NewOrder, 'subscription' | 'agreed'>) {
  const { subscription } = order;
  if (subscription === null) return {};
  const { id, status, isCancelled, endedAt } = subscription;
  const { price, offer } = agreedNow(order);
  return {
    subscription: JSON.stringify(subscription),
    subscription_id: id,
    subscription_status: status,
    is_cancelled: Number(isCancelled),
    yearly: Math.round((price * 12) / (offer?.recurs?.months ?? 12)),
    subscription_ended_at: endedAt,
  } as const;
}

/** The columns that a change may write. */
export function changedOrderRow({ token, paymentId, intentId, buyer, payment, state, isAccepted, ...more }: NewOrder) {
  return {
    token,
    payment_id: paymentId,
    intent_id: intentId,
    buyer_id: buyer.userId,
    email: buyer.email,
    buyer_name: buyer.name,
    billing: more.billing === null ? null : JSON.stringify(more.billing),
    payment: JSON.stringify(payment),
    currency: payment.currency,
    total: payment.total,
    refunded: payment.refunded,
    state,
    is_accepted: Number(isAccepted),
    license_key: more.licenseKey,
    ...subscriptionRow({ subscription: more.subscription, agreed: more.agreed }),
    paid_at: more.paidAt,
    updated_at: more.updatedAt,
  } as const satisfies Partial<OrderRow>;
}

export function newOrderRow(order: NewOrder) {
  return {
    ...changedOrderRow(order),
    provider: order.provider,
    is_live: Number(order.isLive),
    product_id: order.productId,
    seller_id: order.sellerId,
    agreed: JSON.stringify(order.agreed),
    renews: order.renews,
    cycle_of: order.cycleOf,
    part_of: order.partOf,
    trial_of: trialHolderOf(order),
    by_coupon: byCoupon(order),
    template_id: order.agreed.templateId,
    created_at: order.createdAt,
  } as const satisfies Partial<OrderRow>;
}
