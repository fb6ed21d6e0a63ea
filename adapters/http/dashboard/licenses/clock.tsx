import type { VNode } from 'preact';
import { z } from 'zod';
import { forcedAnswers } from '../../../../core/licensing/forced.ts';
import { clockLimits } from '../../../../core/licensing/test-clock.ts';
import { refuse } from '../../../../core/refusal.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import { day } from '../../../../core/time.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonForm, HiddenField, named, SelectField, TextField } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { act, actAtOnce } from '../kit/act.tsx';
import { oneOf } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { NotNow, type Subject } from '../kit/subject-page.tsx';
import { words } from './clock-words.ts';
import { wholeNumber } from './fields.tsx';
import { Expiry, LicenseTags, type LicenseTools } from './subject.tsx';
import { words as licenseWords } from './words.ts';

const answers = ['', ...forcedAnswers] as const;

/** Pages to set the clock of a test license, and a button to end a forced answer. */
export function clockActs(
  tools: DashboardTools,
  license: Subject<ShownLicense>,
  { licenses }: Pick<LicenseTools, 'licenses'>,
): Endpoint[] {
  return [
    ...act(tools, license, {
      id: 'selling-license-clock',
      name: 'clock',
      fields: z.object({ days: wholeNumber(0, clockLimits.once / day), answer: oneOf(answers, words.choose) }),
      initial: ({ one }) => ({ answer: one.license.testClock?.forced ?? '' }),
      ask: ({ one, address }) => ({
        title: words.name,
        ...(one.license.isLive
          ? { instead: <NotNow why={words.live} back={address} name={licenseWords.toLicense} /> }
          : { submit: words.submit, lead: <ClockLead {...one} />, fields: clockFields(one, tools.clock.now()) }),
      }),
      async work({ one: { license }, visit, fields: { days = 0, answer } }) {
        const forced = answer === '' ? null : answer;
        if (days === 0 && forced === (license.testClock?.forced ?? null)) return refuse('nothing_to_do');
        const wish = { advance: { months: 0, milliseconds: days * day }, forced };
        return await licenses.setClock(license.key, wish, sellerIn(visit));
      },
      notice: ({ status }) => (status === 'expired' ? 'license_clock_expired' : 'license_clock_set'),
      refusals: {
        nothing_to_do: { field: 'days', text: words.nothing },
        clock_not_allowed: { text: words.notAllowed },
        clock_too_far: { field: 'days', text: words.tooFar },
      },
    }),
    actAtOnce(tools, license, {
      id: 'selling-license-unforce',
      name: 'unforce',
      work: ({ one, visit }) => licenses.setClock(one.license.key, { forced: null }, sellerIn(visit)),
      notice: 'license_clock_set',
      refusals: { clock_not_allowed: words.notAllowed, clock_too_far: words.tooFar },
    }),
  ];
}

function ClockLead(one: ShownLicense): VNode {
  const { testClock } = one.license;
  return (
    <>
      <p class="intro">{words.lead}</p>
      <Facts
        facts={[
          [licenseWords.status, <LicenseTags key="status" {...one} />],
          [licenseWords.expires, <Expiry key="expires" license={one.license} />],
        ]}
      />
      {testClock !== undefined && testClock.ahead > 0 && <p>{words.ahead(testClock.ahead)}</p>}
    </>
  );
}

function clockFields({ license }: ShownLicense, now: number): VNode {
  const { expiresAt, daysFromActivation, standing } = license;
  const isForEver = expiresAt === null && daysFromActivation === null;
  const toEnd = expiresAt === null || expiresAt <= now ? undefined : Math.ceil((expiresAt - now) / day);
  return (
    <>
      {isForEver && standing === 'active' && <p>{words.never}</p>}
      <TextField name="days" label={words.days} hint={words.daysHint(toEnd)} inputmode="numeric" />
      {standing === 'active' ? (
        <SelectField name="answer" label={words.answer} options={named(answers, words.answers)} />
      ) : (
        <>
          <p>{words.answersAsItIs}</p>
          <HiddenField name="answer" />
        </>
      )}
    </>
  );
}

/** Says how the clock of a license is set, and lets it be changed. */
export function ClockPart({
  license: { testClock, standing },
  address,
}: {
  readonly license: ShownLicense['license'];
  /** The address of the license. */
  readonly address: string;
}): VNode | null {
  if (testClock === undefined) return null;
  const { ahead, forced } = testClock;
  const isForced = forced !== null && standing === 'active';
  if (ahead === 0 && !isForced) return null;
  return (
    <section class="panel state">
      {ahead > 0 && <p>{words.ahead(ahead)}</p>}
      {isForced && <p>{words.forced[forced]}</p>}
      <div class="choices">
        {isForced && <ButtonForm action={`${address}/unforce`} label={words.release} />}
        <a href={`${address}/clock`}>{words.change}</a>
      </div>
    </section>
  );
}
