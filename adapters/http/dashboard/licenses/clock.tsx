import type { VNode } from 'preact';
import { z } from 'zod';
import { forcedAnswers } from '../../../../core/licensing/forced.ts';
import { clockLimits } from '../../../../core/licensing/test-clock.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import { day } from '../../../../core/time.ts';
import type { Endpoint } from '../../surface.ts';
import { named, SelectField, TextField } from '../../ui/form.tsx';
import { act } from '../kit/act.tsx';
import { oneOf } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { NotNow, type Subject } from '../kit/subject-page.tsx';
import { words } from './clock-words.ts';
import { wholeNumber } from './fields.tsx';
import type { LicenseTools } from './subject.tsx';
import { words as licenseWords } from './words.ts';

const answers = ['', ...forcedAnswers] as const;
const mostDays = clockLimits.once / day;

/** Sets the clock of a test license. */
export function clockAct(
  tools: DashboardTools,
  license: Subject<ShownLicense>,
  { licenses }: Pick<LicenseTools, 'licenses'>,
): Endpoint[] {
  const { title, lead, submit, ahead, days, daysHint, answer, tooFar, live, notAllowed } = words;
  return act(tools, license, {
    id: 'selling-license-clock',
    name: 'clock',
    fields: z.object({ days: wholeNumber(0, mostDays), answer: oneOf(answers, words.choose) }),
    initial: ({ one }) => ({ answer: one.license.testClock?.forced ?? '' }),
    ask: ({ one: { license }, address }) => ({
      title,
      ...(license.isLive
        ? { instead: <NotNow why={live} back={address} name={licenseWords.toLicense} /> }
        : {
            submit,
            lead: (
              <>
                <p class="intro">{lead}</p>
                {license.testClock && <p>{ahead(Math.floor(license.testClock.ahead / day))}</p>}
              </>
            ),
            fields: (
              <>
                <TextField name="days" label={days} hint={daysHint(mostDays)} inputmode="numeric" />
                <SelectField name="answer" label={answer} options={named(answers, words.answers)} />
              </>
            ),
          }),
    }),
    work: ({ one, visit, fields: { days = 0, answer: forced } }) =>
      licenses.setClock(
        one.license.key,
        { advance: { months: 0, milliseconds: days * day }, forced: forced === '' ? null : forced },
        sellerIn(visit),
      ),
    notice: 'license_clock_set',
    refusals: { clock_not_allowed: { text: notAllowed }, clock_too_far: { field: 'days', text: tooFar } },
  });
}

/** Says how the clock of a license is set, and leads to the page that sets it. */
export function ClockPart({
  license: { testClock },
  address,
}: {
  readonly license: ShownLicense['license'];
  /** The address of the license. */
  readonly address: string;
}): VNode | null {
  if (testClock === undefined) return null;
  const { ahead, forced } = testClock;
  return (
    <section class="panel state">
      {ahead > 0 && <p>{words.ahead(Math.floor(ahead / day))}</p>}
      {forced !== null && <p>{words.forced(words.answers[forced])}</p>}
      <p>
        <a href={`${address}/clock`}>{words.name}</a>
      </p>
    </section>
  );
}
