import type { VNode } from 'preact';
import type { CheckedRule, Explanation } from '../../../../core/licensing/explanation.ts';
import { Facts } from '../../ui/list.tsx';
import { explain as words } from './domain-words.ts';

/** Asks for a domain, and says why the license is valid on it, or not. The address keeps the domain. */
export function ExplainPart({
  words: own,
  address,
  typed,
  explanation,
  fixOf,
}: {
  readonly words: Readonly<Record<'title' | 'lead' | 'submit', string>>;
  /** The page that shows this part. */
  readonly address: string;
  /** As typed. Empty if nothing was asked. */
  readonly typed: string;
  readonly explanation: Explanation | undefined;
  /** See `Verdict`. */
  readonly fixOf?: (rule: CheckedRule['rule']) => string | undefined;
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
      {explanation && <Verdict explanation={explanation} {...(fixOf && { fixOf })} />}
    </section>
  );
}

/** Shows whether a license is valid on a domain, with all rules. */
function Verdict({
  explanation: { refusal, domain, rules, nearest },
  fixOf = () => undefined,
}: {
  readonly explanation: Explanation;
  /** Returns the advice for a rule that fails. `undefined`: the advice for sellers is shown. */
  readonly fixOf?: (rule: CheckedRule['rule']) => string | undefined;
}): VNode {
  const isValid = refusal === undefined;
  return (
    <>
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
    </>
  );
}
