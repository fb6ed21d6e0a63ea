import type { ForcedAnswer } from '../../../../core/licensing/forced.ts';
import { clockLimits } from '../../../../core/licensing/test-clock.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';

const days = (count: number) => counted(count, 'day');

/** The words about the clocks of test licenses. */
export const words = {
  button: 'Test clock',
  name: 'Set the test clock',
  title: 'Set the clock of this test license',
  lead: 'See your site in every state of a license in a few minutes. All times of the license move back by the days that you choose, as if it had been issued so much earlier. Webhooks and mails about its end are sent at once.',
  submit: 'Set the clock',
  days: 'Advance by days',
  daysHint: (most: number) =>
    `0 to ${readableNumber(most)}. A clock cannot be turned back: issue another license for that.`,
  answer: 'The license API answers',
  choose: 'Choose an answer.',
  answers: {
    '': 'As the license is',
    suspended: 'That it is suspended',
    expired: 'That it has expired',
    429: 'That there are too many calls (429)',
    503: 'That the service is down (503)',
    slow: 'After 10 seconds',
  } satisfies Record<ForcedAnswer | '', string>,
  ahead: (count: number) =>
    `The clock of this license was advanced by ${days(count)}. Its times are so much earlier than they were.`,
  forced: (answer: string) => `Whatever its status is, the license API answers: ${answer.toLowerCase()}.`,
  tooFar: 'The clock would be too far ahead. Issue another license instead.',
  live: 'Only test licenses have a clock that can be set.',
  notAllowed: `Only test licenses with at most ${readableNumber(clockLimits.domains)} domains have a clock that can be set.`,
} as const;
