import { byOf } from '../accounts/role.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import { type ClockRefused, type ClockWish, setClock } from '../licensing/test-clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { TestClocks } from '../ports/test-clocks.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { type FindLicense, needingReach, unknownLicense } from './find-license.ts';
import { reminderNews } from './reminding.ts';
import type { Seller } from './seller.ts';
import type { ShownLicense } from './sold-license.ts';

/**
 * Sets the clock of a test license. Needs `licenses:manage` on it. Advancing it by some time moves all times of the license back. What webhooks and
 * buyers are told of its end in that time is told at once, in order. Changes nothing if nothing is wanted.
 */
export type SetLicenseClock = (
  key: string,
  wish: ClockWish,
  seller: Seller,
) => Promise<ShownLicense | Refused<'invalid_key' | ClockRefused>>;

export function createSetLicenseClock(
  clocks: TestClocks,
  find: FindLicense,
  write: WriteLetter,
  clock: Clock,
): SetLicenseClock {
  return async (text, wish, seller) => {
    const key = parseLicenseKey(text);
    if (key === undefined) return unknownLicense();
    const now = clock.now();
    const changed = await clocks.change(
      key,
      (license) => needingReach(license, seller) ?? setClock(license, wish, byOf(seller.actor), now),
      now,
      (order, license, days) => reminderNews(write, order, license, days, now),
    );
    return isRefused(changed) ? changed : await find(text, seller);
  };
}
