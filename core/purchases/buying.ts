import { event } from '../events/event.ts';
import { toOrderId, type UserId } from '../id.ts';
import { lettersTo } from '../mail/letters-to.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Order } from './order.ts';
import { letterWithKey, mailboxOf } from './order-news.ts';
import { learnedBy, type RecordedAct } from './recorded.ts';
import { createLearn, type OrderPorts } from './settle.ts';

/** A page of a list. `next` is `null` after the last page. */
export interface OrderPage {
  readonly orders: readonly Order[];
  readonly next: string | null;
}

/** The buyer of an order. `email` must be verified: it makes orders of guests those of the account. */
export interface Member {
  readonly id: UserId;
  readonly email: string;
}

/** What buyers do with their orders. Whoever has the token of an order may do all of this with it. */
export interface Purchases {
  /** The orders of an account and of both modes, newest first. First claims those of guests with its address. */
  list(
    member: Member,
    query: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<OrderPage | Refused<'unknown_place'>>;
  /** Returns `undefined` if no order has this token. */
  find(token: string): Promise<Order | undefined>;
  /** Sends the mail with the license key again, at most once in five minutes. */
  sendAgain(token: string): Promise<Order | Refused<'order_not_found' | 'no_license_yet' | 'sent_just_now'>>;
  /** Plays the bank on the page of the provider `test`. */
  play(
    token: string,
    act: RecordedAct,
  ): Promise<Order | Refused<'order_not_found' | 'order_changed' | 'payment_act_not_allowed' | 'refund_not_possible'>>;
}

/** Milliseconds between two mails with the same key. */
const pause = 5 * 60_000;

export function createPurchases(ports: OrderPorts): Purchases {
  const { store, clock, write } = ports;
  const learn = createLearn(ports);

  return {
    async list({ id, email }, { after, limit }) {
      const before = parseIdPlace(after, toOrderId);
      if (isRefused(before)) return before;
      await store.claim(id, email);
      const { items, next } = pageOf(await store.listOf(id, before, limit + 1), limit);
      return { orders: items, next };
    },

    find: (token) => store.findByToken(token),

    async sendAgain(token) {
      const order = await store.findByToken(token);
      if (order === undefined) return unknownOrder();
      const sent = await store.change(order.id, (before) => {
        const letter = letterWithKey(before);
        if (letter === undefined)
          return refuse('no_license_yet', 'There is no license key yet: the order is not paid.');
        const now = clock.now();
        if (before.updatedAt > now - pause) {
          return refuse('sent_just_now', 'The mail is on its way. You can ask for another one in five minutes.');
        }
        return {
          after: { ...before, updatedAt: now },
          events: [
            event('order.letter_sent', String(before.id), { actor: before.buyer.email }, now, { kind: letter.kind }),
          ],
          news: (stored) => ({ letters: lettersTo(write, mailboxOf(stored), letter, now) }),
        };
      });
      return sent ?? unknownOrder();
    },

    async play(token, act) {
      const order = await store.findByToken(token);
      if (order === undefined || order.provider !== 'test') return unknownOrder();
      return (await learn(order.id, (before) => learnedBy(before, act), { actor: 'test' })) ?? unknownOrder();
    },
  };
}

function unknownOrder(): Refused<'order_not_found'> {
  return refuse('order_not_found', 'There is no such order.');
}
