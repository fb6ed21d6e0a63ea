import type { OrderId } from '../id.ts';
import { type Refused, refuse } from '../refusal.ts';
import { minute } from '../time.ts';
import { type Order, wasPaid } from './order.ts';
import { letterWithKey, sending } from './order-news.ts';
import type { OrderPorts } from './settle.ts';

/** Milliseconds between two mails with the same key. They count from the last change of the order, which may have sent one. */
const pause = 5 * minute;

/** Sends the mail with the license key again. Returns `undefined` if there is no such order. */
export type SendLetterAgain = (id: OrderId) => Promise<Order | undefined | Refused<'no_license_yet' | 'sent_just_now'>>;

export function createSendLetterAgain({ store, clock, write }: OrderPorts): SendLetterAgain {
  return async (id) => {
    const parts = await store.partsOf([id]);
    return await store.change(id, (before) => {
      const letter = letterWithKey(before, parts);
      if (letter === undefined || !wasPaid(before))
        return refuse('no_license_yet', 'There is no license key yet: the order is not paid.');
      const now = clock.now();
      if (before.updatedAt > now - pause) {
        return refuse('sent_just_now', 'The mail is on its way. You can ask for another one in five minutes.');
      }
      return sending(before, letter, { actor: before.buyer.email }, { write, now });
    });
  };
}
