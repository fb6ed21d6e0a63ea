import type { VNode } from 'preact';
import type { CheckedRule, Explanation } from '../../../core/licensing/explanation.ts';
import { Facts } from '../ui/facts.tsx';
import { texts } from '../ui/texts.ts';

const { explain: words } = texts.sellingLicenses;

/** Shows whether a license is valid on a domain, with all rules. */
export function Verdict({
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
          ...(nearest
            ? [
                [
                  words.nearest,
                  <>
                    <code>{nearest.domain}</code> <span class="faint">{words.resemblances[nearest.resemblance]}</span>
                  </>,
                ] as const,
              ]
            : []),
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
