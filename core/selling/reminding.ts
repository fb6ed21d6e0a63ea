import { event } from '../events/event.ts';
import type { License } from '../licensing/license.ts';
import { daysLeft, type NoticeDays, noticeDays } from '../licensing/reminders.ts';
import type { Letter } from '../mail/letter.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { ExpiryReminders, ReminderNews } from '../ports/expiry-reminders.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import { aboutOrder, type Order } from '../purchases/order.ts';
import { lettersToBuyer } from '../purchases/order-news.ts';

/** The server itself writes these mails. */
const by = { actor: 'server' };

/**
 * Reminds of all licenses that end soon: webhooks, and buyers by mail. Buyers are told of the end itself, too. Every process
 * may call this at any time. Stops early if `goOn` returns false; a later call does the rest.
 */
export async function remindOfEnds(
  { reminders, write, clock }: { reminders: ExpiryReminders; write: WriteLetter; clock: Clock },
  goOn: () => boolean,
): Promise<void> {
  for (const days of noticeDays) {
    while (goOn()) {
      const now = clock.now();
      const newsOf = (order: Order, license: License) => reminderNews(write, order, license, days, now);
      if ((await reminders.remind(days, now, newsOf)) === 'done') break;
    }
  }
}

/** The mail to the buyer. The holder of a license that nobody bought gets none: there is no page to lead to. */
export function reminderNews(
  write: WriteLetter,
  order: Order,
  { key, expiresAt }: Pick<License, 'key' | 'expiresAt'>,
  days: NoticeDays,
  now: Instant,
): ReminderNews {
  if (expiresAt === null) return { letters: [], events: [] };
  const facts = { ...aboutOrder(order), licenseKey: key, expiresAt, sellerName: order.agreed.sellerName };
  const letter: Letter =
    days === 0
      ? { kind: 'order-license-ended', ...facts }
      : { kind: 'order-license-ends', ...facts, days: daysLeft(expiresAt, now) };
  const { kind } = letter;
  const letters = lettersToBuyer(order, letter, { write, now });
  return { letters, events: letters.map(() => event('order.letter_sent', String(order.id), by, now, { kind })) };
}
