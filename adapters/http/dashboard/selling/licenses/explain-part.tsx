import type { VNode } from 'preact';
import type { Explanation } from '../../../../../core/licensing/explanation.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import { texts } from '../../../ui/texts.ts';
import { Verdict } from '../../verdict.tsx';
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
