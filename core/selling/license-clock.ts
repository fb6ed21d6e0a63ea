import { accountOf, byOf } from '../accounts/role.ts';
import type { License } from '../licensing/license.ts';
import { endsDue, noticeDays } from '../licensing/reminders.ts';
import { type ClockRefused, type ClockWish, setClock } from '../licensing/test-clock.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LongWork } from '../ports/long-work.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { TestClocks } from '../ports/test-clocks.ts';
import { countLetter } from '../purchases/order-limits.ts';
import type { OrderPorts } from '../purchases/settle.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { type FindLicense, needingReach } from './find-license.ts';
import { reminderNews } from './reminding.ts';
import type { Seller } from './seller.ts';
import type { ShownLicense } from './sold-license.ts';

/**
 * Sets the clock of a test license. Needs `licenses:manage` on it. Advancing it by some time moves all times of the license back. What webhooks and
 * buyers are told of its end in that time is told at once, in order. An address gets only so many of these mails. Changes
 * nothing if nothing is wanted.
 */
export type SetLicenseClock = (
  key: string,
  wish: ClockWish,
  seller: Seller,
) => Promise<ShownLicense | Refused<'invalid_key' | ClockRefused>>;

interface ClockPorts extends Pick<OrderPorts, 'limiter' | 'write'> {
  readonly longWork: LongWork;
  readonly clocks: TestClocks;
  readonly orders: Pick<OrderStore, 'findByLicense'>;
  readonly find: FindLicense;
  readonly clock: Clock;
}

export function createSetLicenseClock(ports: ClockPorts): SetLicenseClock {
  const { clocks, orders, find, write, clock, longWork } = ports;

  /** Whether the buyer can be told. A clock can be set again and again. */
  async function mayTell(key: License['key']): Promise<boolean> {
    const order = await orders.findByLicense(key);
    return order !== undefined && (await countLetter(ports, order.buyer.email)) === undefined;
  }

  return async (text, wish, seller) => {
    const shown = await find(text, seller);
    if (isRefused(shown)) return shown;
    const { license } = shown;
    const now = clock.now();
    const decide = (before: License) => needingReach(before, seller) ?? setClock(before, wish, byOf(seller.actor), now);
    const decided = decide(license);
    if (isRefused(decided)) return decided;
    const isTold = passesEnd(license, decided.license, now) && (await mayTell(license.key));
    const changed = await longWork(accountOf(seller.actor), () =>
      clocks.change(license.key, decide, now, (order, moved, days) =>
        isTold ? reminderNews(write, order, moved, days, now) : { letters: [], events: [] },
      ),
    );
    return isRefused(changed) ? changed : await find(text, seller);
  };
}

/** Whether mails about the end of a license become due. */
function passesEnd({ expiresAt: from }: License, { expiresAt: to }: License, now: Instant): boolean {
  if (from === null || to === null) return false;
  return noticeDays.some((days) => from > endsDue(days, now) && to <= endsDue(days, now));
}
