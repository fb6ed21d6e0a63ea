import type { ComponentChildren, VNode } from 'preact';
import type { CheckedRule, Explanation } from '../../../../core/licensing/explanation.ts';
import { adviceOf, type Obstacle } from '../../../../core/licensing/obstacles.ts';
import { Facts } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { words as clockWords } from './clock-words.ts';
import { explain as words } from './domain-words.ts';

/** Returns advice for the reader of the page. If it is `undefined`, the page shows the advice for sellers. */
interface Advice {
  readonly fixOf?: (rule: CheckedRule['rule']) => string | undefined;
  readonly helpWith?: (obstacle: Obstacle) => ComponentChildren | undefined;
}

/** Asks for a domain, and says why the license is valid on it, or not. The address keeps the domain. */
export function ExplainPart({
  words: own,
  address,
  typed,
  explanation,
  ...advice
}: Advice & {
  readonly words: Readonly<Record<'title' | 'lead' | 'submit', string>>;
  /** The page that shows this part. */
  readonly address: string;
  /** As typed. Empty if nothing was asked. */
  readonly typed: string;
  readonly explanation: Explanation | undefined;
}): VNode {
  return (
    <section class="panel" id="explain">
      <h2>{own.title}</h2>
      <p class="lead">{own.lead}</p>
      <search>
        <form method="get" action={`${address}#explain`} class="filter">
          <div>
            <label for="domain">{words.domain}</label>
            <input type="text" id="domain" name="domain" value={typed} dir="auto" autocomplete="off" inputmode="url" />
          </div>
          <button type="submit" class="button">
            {own.submit}
          </button>
        </form>
      </search>
      {explanation && <Verdict explanation={explanation} {...advice} />}
    </section>
  );
}

/** Shows whether a license is valid on a domain, with all rules, and what keeps the key from activating it. */
function Verdict({
  explanation: { refusal, forced, domain, rules, nearest, obstacles },
  fixOf = () => undefined,
  helpWith = () => undefined,
}: Advice & { readonly explanation: Explanation }): VNode {
  const isValid = refusal === undefined;
  return (
    <>
      {forced !== undefined && (
        <p class="note">
          {clockWords.forced[forced]} {clockWords.withoutThat}
        </p>
      )}
      <p class={isValid ? 'verdict good' : 'verdict bad'}>
        <strong>{isValid ? words.valid : words.invalid}</strong> {words.verdicts[refusal ?? 'valid']}
      </p>
      <Facts
        facts={[
          [words.host, domain === undefined ? words.noHost : <code key="host">{domain}</code>],
          nearest && [
            words.nearest,
            <>
              <code>{nearest.domain}</code> <span class="faint">{words.resemblances[nearest.resemblance]}</span>
            </>,
          ],
        ]}
      />
      <ol class="rules" aria-label={words.rules}>
        {rules.map(({ rule, isPassed, fix }) => (
          <li key={rule} class={isPassed ? 'pass' : 'fail'}>
            <span class="unseen">{isPassed ? words.passed : words.failed} </span>
            {words.names[rule]}
            {fix !== null && <span class="under">{fixOf(rule) ?? fix}</span>}
          </li>
        ))}
      </ol>
      {obstacles.length > 0 && (
        <>
          <h3>{words.missing}</h3>
          <ul class="rules">
            {obstacles.map((one) => (
              <li key={one.code} class="fail">
                {words.obstacles[one.code]}
                {one.until !== undefined && (
                  <>
                    {' '}
                    {words.until} <Time at={one.until} />
                  </>
                )}
                <span class="under breakable">{helpWith(one) ?? adviceOf(one)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
