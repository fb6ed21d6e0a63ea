import type { License } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { NoticeDays } from '../licensing/reminders.ts';
import type { ClockChange } from '../licensing/test-clock.ts';
import type { Order } from '../purchases/order.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';
import type { ReminderNews } from './expiry-reminders.ts';

/** Sets the clocks of test licenses. */
export interface TestClocks {
  /**
   * Loads a license, calls `decide`, and saves what it returns with its event. If the license moves back in time, so do its
   * domains, other keys and periods, in the same transaction. So does what is told of its end: each reminder, and the end itself, that
   * lie between both times are told there, in their order, each as of its time. Nothing is told twice, and the jobs tell the rest.
   */
  change<R extends string>(
    key: LicenseKey,
    decide: (license: License) => ClockChange | Refused<R>,
    now: Instant,
    newsOf: (order: Order, license: License, days: NoticeDays) => ReminderNews,
  ): Promise<ClockChange | Refused<R | 'invalid_key'>>;
}
