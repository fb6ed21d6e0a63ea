import type { Event } from '../events/event.ts';
import type { License } from '../licensing/license.ts';
import type { NoticeDays } from '../licensing/reminders.ts';
import type { NewMail } from '../mail/mail.ts';
import type { Order } from '../purchases/order.ts';
import type { Instant } from './clock.ts';

/** The mails to a buyer about the end of a license, and what the audit trail keeps of them. */
export interface ReminderNews {
  readonly letters: readonly NewMail[];
  readonly events: readonly Event[];
}

/** Reminds of licenses that end soon or have ended, each reminder once for each license and end. */
export interface ExpiryReminders {
  /**
   * Goes through the next licenses whose end is `endsDue`, in the order of their ends. For each one that `remindsOfEnd`,
   * adds the events of webhooks that come before the end, and if an order has sold it, the news that `newsOf` returns. In
   * the same transaction, remembers how far it came for these days. The first call of all adds nothing, and begins at the
   * ends that are due. If no license ends, it can remember a place up to 10 minutes back. Returns `done` if there are no
   * more, or if another process adds them now.
   */
  remind(
    days: NoticeDays,
    now: Instant,
    newsOf: (order: Order, license: License) => ReminderNews,
  ): Promise<'more' | 'done'>;
}
