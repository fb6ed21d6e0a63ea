import type { ForcedAnswer } from '../../../../core/licensing/forced.ts';
import { clockLimits } from '../../../../core/licensing/test-clock.ts';
import { day, hour } from '../../../../core/time.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';

/** The words about the clocks of test licenses. */
export const words = {
  name: 'Test clock',
  change: 'Change the test clock',
  lead: 'See your site in every state of a license in a few minutes. Moving the clock forward moves all times of the license back, as if it had been issued so much earlier. Webhooks and mails about its end follow at once.',
  submit: 'Save',
  days: 'Move forward by days',
  daysHint: (toEnd: number | undefined) =>
    `${toEnd === undefined ? '' : `${readableNumber(toEnd)} to its end, ${readableNumber(Math.max(0, toEnd - 7))} to a week before it. `}At most ${readableNumber(clockLimits.once / day)}. It cannot be turned back: issue another license for that.`,
  never: 'It never expires, so moving the clock only makes it older. To see it expired, choose that answer.',
  answer: 'Answer of the license API',
  answersAsItIs: 'The license API answers that the license is suspended or revoked, whatever is forced.',
  choose: 'Choose an answer.',
  answers: {
    '': 'Normal: what the license is',
    suspended: 'Suspended',
    expired: 'Expired',
    429: '429: too many calls',
    503: '503: service down',
    slow: 'Slow: after 10 seconds',
  } satisfies Record<ForcedAnswer | '', string>,
  ahead: (ahead: number) =>
    `The test clock is ${ahead < 2 * day ? counted(Math.round(ahead / hour), 'hour') : counted(Math.floor(ahead / day), 'day')} ahead. All times of the license moved back by as much.`,
  forced: {
    suspended: 'The license API answers that the license is suspended, because the test clock forces it.',
    expired: 'The license API answers that the license has expired, because the test clock forces it.',
    429: 'The license API answers 429 to every call with this key, because the test clock forces it.',
    503: 'The license API answers 503 to every call with this key, because the test clock forces it.',
    slow: 'The license API answers after 10 seconds, because the test clock forces it.',
  } satisfies Record<ForcedAnswer, string>,
  tags: {
    suspended: 'Forced: suspended',
    expired: 'Forced: expired',
    429: 'Forced: 429',
    503: 'Forced: 503',
    slow: 'Forced: slow',
  } satisfies Record<ForcedAnswer, string>,
  withoutThat: 'Without that:',
  release: 'Answer normally again',
  nothing: 'Enter days, or choose another answer.',
  tooFar: 'The clock would be too far ahead. Issue another license instead.',
  live: 'Only test licenses have a clock that can be set.',
  notAllowed: `Only test licenses with at most ${readableNumber(clockLimits.domains)} domains have a clock that can be set.`,
} as const;
