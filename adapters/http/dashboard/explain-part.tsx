import type { VNode } from 'preact';
import type { CheckedRule, Explanation } from '../../../core/licensing/explanation.ts';
import { texts } from '../ui/texts.ts';
import { Verdict } from './verdict.tsx';

/** Asks for a domain, and says why the license is valid on it, or not. The address keeps the domain. */
export function ExplainPart({
  words,
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
      <h2>{words.title}</h2>
      <p class="lead">{words.lead}</p>
      <search>
        <form method="get" action={`${address}#explain`} class="filter">
          <div>
            <label for="domain">{texts.sellingLicenses.explain.domain}</label>
            <input type="text" id="domain" name="domain" value={typed} dir="auto" autocomplete="off" inputmode="url" />
          </div>
          <button type="submit" class="button">
            {words.submit}
          </button>
        </form>
      </search>
      {explanation && <Verdict explanation={explanation} {...(fixOf && { fixOf })} />}
    </section>
  );
}
