import { type By, event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { License } from '../licensing/license.ts';
import type { Letter } from '../mail/letter.ts';
import { lettersTo } from '../mail/letters-to.ts';
import { newsTo } from '../mail/news-to.ts';
import type { Notice, OrderFacts } from '../notifications/notification.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { OrderChange } from '../ports/order-store.ts';
import { effectOf, type LicenseEffect, type Order } from './order.ts';
import { referenceOf } from './reference.ts';
import { agreedNext } from './subscription.ts';

/** The dependencies of the mails and notifications about an order. */
interface ToTell {
  readonly write: WriteLetter;
  /** They get notifications about orders that are held. */
  readonly administrators: readonly UserId[];
  readonly now: Instant;
  /** The license of the order before the change. */
  readonly license?: License | undefined;
}

/** Returns the facts that every mail about an order contains. */
export function aboutOrder({ id, token, agreed, payment, buyer }: Order) {
  const { total: amount, currency } = payment;
  return { order: id, token, title: agreed.title, name: buyer.name ?? '', amount, currency };
}

/** The letter with the license key. `undefined` if the order has no license. */
export function letterWithKey(order: Order): Letter | undefined {
  const { licenseKey, number, agreed } = order;
  if (licenseKey === null) return undefined;
  const hasDownload = agreed.version !== null || agreed.templateId !== null;
  return { kind: 'order-paid', ...aboutOrder(order), licenseKey, number, hasDownload, sellerName: agreed.sellerName };
}

/** The mails and notifications about a change of an order. Each event is reported once. */
export function newsOf(
  before: Order,
  { after, events, license: change }: Pick<OrderChange, 'after' | 'events' | 'license'>,
  to: ToTell,
): News {
  const has = (type: string) => events.some((event) => event.type === type);
  const { dispute, refunded, total } = after.payment;
  const letters: Letter[] = [];
  const license = effectNow(after, change);
  const notices: Notice[] = [];
  const facts = noticeFactsOf(after);
  if (has('order.paid')) {
    const letter = letterWithKey(after) ?? letterOfRenewal(after, change);
    if (letter) letters.push(letter);
    notices.push({ kind: 'order_paid', ...facts });
  }
  const amount = refunded - before.payment.refunded;
  if (amount > 0) {
    letters.push({ kind: 'order-refunded', ...aboutOrder(after), amount, isFull: refunded >= total, license });
    // Sellers get no notifications about held orders.
    if (has('order.refunded')) notices.push({ kind: 'order_refunded', ...facts, amount });
  }
  if (has('order.disputed') && dispute !== null) {
    letters.push({ kind: 'order-disputed', ...aboutOrder(after), dispute, license });
    notices.push({ kind: 'order_disputed', ...facts, dispute });
  }
  if (has('subscription.payment_failed')) {
    letters.push({ kind: 'order-payment-failed', ...aboutPayments(after), expiresAt: endOf(change, to) });
    notices.push({ kind: 'subscription_payment_failed', ...facts });
  }
  if (has('subscription.cancelled')) {
    letters.push({ kind: 'order-subscription-cancelled', ...aboutPayments(after), expiresAt: endOf(change, to) });
    notices.push({ kind: 'subscription_cancelled', ...facts });
  }
  const isHeld = after.state === 'held' && before.state !== 'held';
  const sellerId = after.sellerId;
  const createdAt = to.now;
  return {
    letters: letters.flatMap((letter) => lettersToBuyer(after, letter, to)),
    notices: [
      ...(sellerId === null ? [] : notices.map((notice) => ({ userId: sellerId, notice, createdAt }))),
      ...(isHeld ? to.administrators : []).map((userId) => ({
        userId,
        notice: { kind: 'order_held', ...facts } as const,
        createdAt,
      })),
    ],
  };
}

/** The facts of the mails about a subscription: the amount is that of its next payment. */
function aboutPayments(order: Order) {
  return { ...aboutOrder(order), amount: agreedNext(order).price };
}

function endOf(change: OrderChange['license'], { license }: ToTell): Instant | null {
  const changed = change !== undefined && 'changed' in change ? change.changed : license;
  return changed?.expiresAt ?? null;
}

/** Returns what the license does now. A payment that was taken back leaves it what others paid for. */
function effectNow(order: Order, change: OrderChange['license']): LicenseEffect | 'less' {
  const effect = effectOf(order);
  if (effect !== 'revoked' || change === undefined || 'issued' in change) return effect;
  return change.changed.standing === 'revoked' ? 'revoked' : 'less';
}

/** The letter about a license that was renewed or upgraded. */
function letterOfRenewal(order: Order, change: OrderChange['license']): Letter | undefined {
  if (change === undefined || 'issued' in change) return undefined;
  const { key: licenseKey, expiresAt, updatesUntil } = change.changed;
  return {
    kind: 'order-renewed',
    ...aboutOrder(order),
    licenseKey,
    number: order.number,
    expiresAt,
    updatesUntil,
  };
}

/** The change of an order that only sends a letter to its buyer. */
export function sending(
  before: Order,
  letter: Letter,
  by: By,
  { write, now }: Pick<ToTell, 'write' | 'now'>,
): OrderChange {
  return {
    after: { ...before, updatedAt: now },
    events: [event('order.letter_sent', String(before.id), by, now, { kind: letter.kind })],
    news: (stored) => ({ letters: lettersToBuyer(stored, letter, { write, now }) }),
  };
}

/** A letter to the buyer of an order. See `lettersTo`. */
export function lettersToBuyer({ buyer }: Order, letter: Letter, { write, now }: Pick<ToTell, 'write' | 'now'>) {
  return lettersTo(write, { name: buyer.name ?? '', address: buyer.email }, letter, now);
}

/** The news for those who will record the payment of a new order. `isMailed`: whether they also get a mail. */
export function newsToRecorders(
  people: Parameters<typeof newsTo>[0],
  added: Order,
  isMailed: boolean,
  to: Pick<ToTell, 'write' | 'now'>,
): News {
  const facts = noticeFactsOf(added);
  const letter = (name: string): Letter => ({ kind: 'order-waits', name, reference: referenceOf(added), ...facts });
  return newsTo(people, { kind: 'order_waits', ...facts }, isMailed ? letter : undefined, to);
}

/** The facts that every notification about an order has. */
function noticeFactsOf({ id: order, agreed, payment, isLive }: Order): OrderFacts {
  return { order, title: agreed.title, amount: payment.total, currency: payment.currency, isLive };
}
