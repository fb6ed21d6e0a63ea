import type { VNode } from 'preact';
import type { Explanation } from '../../../../../core/licensing/explanation.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import { Facts } from '../../../ui/facts.tsx';
import { texts } from '../../../ui/texts.ts';
import { addressOf } from './license-tools.ts';

const { explain: words } = texts.sellingLicenses;

/** Says why the license is valid on a domain, or not. The address keeps the domain. */
export function ExplainPart({
  typed,
  explanation,
  found,
  root,
}: {
  /** As typed. Empty if nothing was asked. */
  readonly typed: string;
  readonly explanation: Explanation | undefined;
  readonly found: ShownLicense;
  readonly root: string;
}): VNode {
  return (
    <section class="panel" id="explain">
      <h2>{words.title}</h2>
      <p class="lead">{words.lead}</p>
      <search>
        <form method="get" action={`${root}${addressOf(found)}#explain`} class="filter">
          <div>
            <label for="domain">{words.domain}</label>
            <input type="text" id="domain" name="domain" value={typed} dir="auto" autocomplete="off" inputmode="url" />
          </div>
          <button type="submit" class="button">
            {words.submit}
          </button>
        </form>
      </search>
      {explanation && <Verdict explanation={explanation} />}
    </section>
  );
}

function Verdict({ explanation: { refusal, domain, rules, nearest } }: { readonly explanation: Explanation }): VNode {
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
            {fix !== null && <span class="under">{fix}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}
