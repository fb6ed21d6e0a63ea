import { type By, event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import { invoiceNumberOf, noteNumberOf } from '../invoices/invoice.ts';
import type { License } from '../licensing/license.ts';
import type { Letter, OrderDocument } from '../mail/letter.ts';
import { lettersTo } from '../mail/letters-to.ts';
import { newsTo } from '../mail/news-to.ts';
import type { Notice, OrderFacts } from '../notifications/notification.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { OrderChange } from '../ports/order-store.ts';
import { aboutOrder, effectOf, type LicenseEffect, type Order, titleOf } from './order.ts';
import { referenceOf } from './reference.ts';
import { letterOnEntering } from './state-letters.ts';
import { agreedNext } from './subscription.ts';

/** The dependencies of the mails and notifications about an order. */
interface ToTell {
  readonly write: WriteLetter;
  /** They get notifications about orders that are held. */
  readonly administrators: readonly UserId[];
  readonly now: Instant;
  /** The license of the order before the change. */
  readonly license?: License | undefined;
  /** The parts of the order after the change. None if it is no bundle. */
  readonly parts?: readonly Order[];
  /** Whether too many mails went to the address lately. Then nothing is sent that a stranger can cause. */
  readonly isQuiet?: boolean | undefined;
}

/** The letter with the license key, or with those of all parts. `undefined` if there is no license. */
export function letterWithKey(order: Order, parts: readonly Order[] = []): Letter | undefined {
  const { licenseKey, agreed } = order;
  const { sellerName } = agreed;
  const hasDownload = [order, ...parts].some(({ agreed: { version, templateId } }) => version ?? templateId);
  const facts = { ...aboutOrder(order), invoice: invoiceIn(order), hasDownload, sellerName };
  const keys = parts.flatMap((part) =>
    part.licenseKey === null ? [] : [{ title: titleOf(part.agreed), licenseKey: part.licenseKey }],
  );
  if (keys.length > 0) return { kind: 'order-bundle-paid', ...facts, keys };
  return licenseKey === null ? undefined : { kind: 'order-paid', ...facts, licenseKey };
}

/** The invoice of an order, or its receipt. `null` if it has none, as a free order. */
function invoiceIn(order: Order): OrderDocument | null {
  const number = invoiceNumberOf(order);
  return number === undefined ? null : { kind: order.invoice === null ? 'receipt' : 'invoice', number };
}

/** The credit notes that came with a change. */
function newNotes(before: Order, after: Order): readonly OrderDocument[] {
  return after.creditNotes
    .slice(before.creditNotes.length)
    .map((note) => ({ kind: note.kind, number: noteNumberOf(after, note), note: note.number }));
}

/** The products of a bundle that a change has refunded. All of them if nothing is left, or if only an amount was refunded. */
function refundedNow(before: Order, after: Order, parts: readonly Order[], isFull: boolean): readonly Order[] {
  const { refundedParts: had = [] } = before.payment;
  const { refundedParts: has = [] } = after.payment;
  const refunded = parts.filter(({ productId }) => has.includes(productId) && !had.includes(productId));
  return isFull || refunded.length === 0 ? parts : refunded;
}

/** What the licenses of these parts do now. */
function licensesNow(parts: readonly Order[]) {
  return parts.map((part) => ({ title: titleOf(part.agreed), license: effectOf(part) }));
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
  const notes = newNotes(before, after);
  const notices: Notice[] = [];
  const facts = noticeFactsOf(after);
  if (has('order.paid')) {
    const letter = letterWithKey(after, to.parts) ?? letterOfRenewal(after, change);
    if (letter) letters.push(letter);
    notices.push({ kind: 'order_paid', ...facts });
  }
  const entered = letterOnEntering(before, after);
  if (entered && !to.isQuiet) letters.push(entered);
  const amount = refunded - before.payment.refunded;
  if (amount > 0) {
    const isFull = refunded >= total;
    const parts = licensesNow(refundedNow(before, after, to.parts ?? [], isFull));
    letters.push({
      kind: 'order-refunded',
      ...aboutOrder(after),
      amount,
      isFull,
      license,
      notes,
      parts,
    });
    // Sellers get no notifications about held orders.
    if (has('order.refunded')) notices.push({ kind: 'order_refunded', ...facts, amount });
  }
  if (has('order.disputed') && dispute !== null) {
    const parts = licensesNow(to.parts ?? []);
    letters.push({ kind: 'order-disputed', ...aboutOrder(after), dispute, license, parts, notes });
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
    invoice: invoiceIn(order),
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
export function noticeFactsOf({ id: order, agreed, payment, isLive }: Order): OrderFacts {
  return { order, title: agreed.title, amount: payment.total, currency: payment.currency, isLive };
}
