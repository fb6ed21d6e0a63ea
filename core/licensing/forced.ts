import type { Instant } from '../ports/clock.ts';
import type { Pause } from '../ports/pause.ts';
import { second } from '../time.ts';
import { type License, type LicenseStatus, statusOf } from './license.ts';
import type { LicenseKey } from './license-key.ts';
import type { Answered, Outage, Verdict } from './verdict.ts';

/** What the license API can be told to answer for a test license, so that a site can be seen in every state. */
export const forcedAnswers = ['suspended', 'expired', '429', '503', 'slow'] as const;
export type ForcedAnswer = (typeof forcedAnswers)[number];

/** How long a slow answer takes, in milliseconds: longer than sites wait for one. */
export const slowFor = 10 * second;

/** Thrown if a test license is told to answer as if there were too many calls (`429`) or the service were down (`503`). */
export class Forced extends Error {
  override readonly name = 'Forced';
  readonly answer: Outage['answer'];

  constructor(answer: Outage['answer']) {
    super('The clock of this test license is set to this answer.');
    this.answer = answer;
  }
}

/** Returns the answer that is forced. A license that is suspended or revoked answers as it is. */
export function forcedIn({ standing, testClock }: Pick<License, 'standing' | 'testClock'>): ForcedAnswer | undefined {
  return standing === 'active' ? (testClock?.forced ?? undefined) : undefined;
}

/** Returns the status that is forced. */
export function forcedStatus(license: Pick<License, 'standing' | 'testClock'>): 'suspended' | 'expired' | undefined {
  const forced = forcedIn(license);
  return forced === 'suspended' || forced === 'expired' ? forced : undefined;
}

/** Returns the answer that is forced, if it is no status. */
export function forcedOutageIn(license: Pick<License, 'standing' | 'testClock'>): '429' | '503' | 'slow' | undefined {
  const forced = forcedIn(license);
  return forced === 'suspended' || forced === 'expired' ? undefined : forced;
}

/** Returns the status that the license API shows: the forced one, or that of the license. */
export function answeredStatus(license: License, now: Instant): LicenseStatus {
  return forcedStatus(license) ?? statusOf(license, now);
}

/** Answers as the forced answer says: throws, waits, or does nothing. */
export async function obey(forced: ForcedAnswer | undefined, license: LicenseKey, pause: Pause): Promise<void> {
  if (forced === '429' || forced === '503') throw new Forced(forced);
  if (forced === 'slow') await pause(license);
}

/** Whether a verdict must not be answered as it is. */
export function isForced(verdict: Verdict): verdict is Outage | Extract<Answered, { kind: 'valid' }> {
  return verdict.kind === 'forced' || (verdict.kind === 'valid' && verdict.isSlow === true);
}

/** Returns the verdict as it is answered, as `obey`. */
export async function obeyed(verdict: Verdict, license: LicenseKey, pause: Pause): Promise<Answered> {
  if (verdict.kind === 'forced') throw new Forced(verdict.answer);
  if (isForced(verdict)) await pause(license);
  return verdict;
}
