import type { VNode } from 'preact';
import { z } from 'zod';
import type { SecondFactorSetUp, ShownCodes } from '../../../../core/accounts/second-factor-set-up.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form, HiddenField, TextField } from '../../ui/form.tsx';
import { textOf } from '../../ui/form-state.ts';
import type { Frame } from '../../ui/frame.ts';
import { QrCode } from '../../ui/qr-code.tsx';
import { Secret } from '../../ui/secret.tsx';
import { type Answer, goTo, shown } from '../kit/answer.ts';
import { codeText, hiddenText } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { entry, place } from './own-data.tsx';
import { words } from './words.ts';

const factorOff = { text: words.noFactor };

/** Switching the second factor on and off, and new recovery codes. */
export function secondFactorPages(tools: DashboardTools, secondFactor: SecondFactorSetUp): Endpoint[] {
  return [
    ...form(tools, {
      id: 'second-factor',
      path: '/account/security/second-factor',
      audience: 'user',
      isSensitive: true,
      fields: z.object({ secret: hiddenText, code: codeText }),
      render({ frame, me }, state) {
        const { secret, uri } = secondFactor.propose(me, frame.site, textOf(state, 'secret'));
        const isOn = me.login.secondFactor !== null;
        return (
          <AreaPage
            frame={frame}
            place={place}
            isBelow
            title={isOn ? words.setUp.replaceTitle : words.setUp.title}
            scripts={['copy.js']}
          >
            <p>
              {isOn && `${words.setUp.replaceLead} `}
              {words.endsOthers}
            </p>
            <Form state={state} submit={words.setUp.submit} cancel={`${frame.root}${entry}`}>
              <h2>{words.setUp.steps.scan}</h2>
              <p>{words.setUp.steps.scanLead}</p>
              <QrCode content={uri} label={words.setUp.picture} />
              <p>
                {words.setUp.sameDevice} <a href={uri}>{words.setUp.openApp}</a>
              </p>
              <Secret id="key" label={words.setUp.key} value={readable(secret)} />
              <HiddenField name="secret" value={secret} />
              <h2>{words.setUp.steps.confirm}</h2>
              <TextField
                name="code"
                label={words.setUp.code}
                hint={words.setUp.codeHint}
                autocomplete="one-time-code"
                inputmode="numeric"
                isCode
              />
            </Form>
          </AreaPage>
        );
      },
      async act({ frame, me }, app) {
        const result = await secondFactor.enable(me, app);
        return isRefused(result) ? result : codesShown(frame, result, words.codes.on);
      },
      refusals: { wrong_code: { field: 'code', text: words.setUp.wrong }, forbidden: asRefused() },
    }),

    ...form(tools, {
      id: 'recovery-codes',
      path: '/account/security/recovery-codes',
      audience: 'user',
      isSensitive: true,
      fields: z.object({}),
      render: ({ frame, me: { login } }, state) => (
        <AreaPage frame={frame} place={place} isBelow title={words.codes.newTitle}>
          {login.secondFactor === null ? (
            <NoFactor frame={frame} />
          ) : (
            <>
              <p>
                {words.codes.left(login.secondFactor.recoveryDigests.length)} {words.codes.lead} {words.endsOthers}
              </p>
              <Form state={state} submit={words.codes.submit} cancel={`${frame.root}${entry}`} />
            </>
          )}
        </AreaPage>
      ),
      async act({ frame, me }) {
        const result = await secondFactor.renewRecoveryCodes(me);
        return isRefused(result) ? result : codesShown(frame, result, words.codes.made);
      },
      refusals: { second_factor_off: factorOff, forbidden: asRefused() },
    }),

    ...form(tools, {
      id: 'second-factor-off',
      path: '/account/security/second-factor/off',
      audience: 'user',
      isSensitive: true,
      fields: z.object({}),
      render: ({ frame, me: { login } }, state) => (
        <AreaPage frame={frame} place={place} isBelow title={words.switchOff.title}>
          {login.secondFactor === null ? (
            <NoFactor frame={frame} />
          ) : (
            <>
              <p>
                {words.switchOff.lead} {words.endsOthers}
              </p>
              <Form state={state} submit={words.switchOff.submit} cancel={`${frame.root}${entry}`} isDangerous />
            </>
          )}
        </AreaPage>
      ),
      async act({ me }) {
        const session = await secondFactor.disable(me);
        return isRefused(session) ? session : goTo(entry, { notice: 'second_factor_off', session });
      },
      refusals: { second_factor_off: factorOff, forbidden: asRefused() },
    }),
  ];
}

/** Two lines of groups, which fit on a phone. Apps ignore the gaps. */
function readable(secret: string): string {
  const groups = secret.match(/.{4}/g) ?? [];
  return [groups.slice(0, 4), groups.slice(4)].map((line) => line.join(' ')).join('\n');
}

/** The only page that shows recovery codes. */
function codesShown(frame: Frame, { session, recoveryCodes }: ShownCodes, news: string): Answer {
  const page = (
    <AreaPage frame={frame} place={place} isBelow title={words.codes.shownTitle} scripts={['copy.js']}>
      <p class="notice" role="status">
        {news} {words.endedOthers}
      </p>
      <p>{words.codes.keep}</p>
      <Secret id="codes" label={words.codes.label} value={recoveryCodes.join('\n')} />
      <p>
        <ButtonLink href={`${frame.root}${entry}`} text={words.codes.done} look="primary" />
      </p>
    </AreaPage>
  );
  return shown(page, { session });
}

function NoFactor({ frame }: { readonly frame: Frame }): VNode {
  return (
    <>
      <p>{words.noFactor}</p>
      <p>
        <ButtonLink href={`${frame.root}${entry}/second-factor`} text={words.factor.setUp} look="primary" />
      </p>
    </>
  );
}
