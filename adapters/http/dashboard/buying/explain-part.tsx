import type { VNode } from 'preact';
import type { Explanation } from '../../../../core/licensing/explanation.ts';
import type { License } from '../../../../core/licensing/license.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { texts } from '../../ui/texts.ts';
import { Verdict } from '../verdict.tsx';
import { pathOf } from './buying-tools.ts';

const { explain: words } = texts.buying;

/** Says why the license works on a site, or not. The address keeps what was asked. */
export function ExplainPart({
  typed,
  explanation,
  order,
  license,
  root,
}: {
  /** As typed. Empty if nothing was asked. */
  readonly typed: string;
  readonly explanation: Explanation | undefined;
  readonly order: Order;
  readonly license: License;
  readonly root: string;
}): VNode {
  return (
    <section class="panel" id="explain">
      <h2>{words.title}</h2>
      <p class="lead">{words.lead}</p>
      <search>
        <form method="get" action={`${root}${pathOf(order)}#explain`} class="filter">
          <div>
            <label for="domain">{texts.sellingLicenses.explain.domain}</label>
            <input type="text" id="domain" name="domain" value={typed} dir="auto" autocomplete="off" inputmode="url" />
          </div>
          <button type="submit" class="button">
            {words.submit}
          </button>
        </form>
      </search>
      {explanation && <Verdict explanation={explanation} fixOf={(rule) => fixFor(rule, explanation, license)} />}
    </section>
  );
}

/** What the buyer can do about a rule. */
function fixFor(
  rule: Explanation['rules'][number]['rule'],
  { domain, nearest }: Explanation,
  { domainsUsed, maxDomains }: License,
): string {
  if (rule !== 'domain_activated' || domain === undefined) return words.fixes[rule];
  const advice = domainsUsed < maxDomains ? words.fixes.domain_activated : words.full(maxDomains);
  return nearest === undefined ? advice : `${words.meant(nearest.domain)} ${advice}`;
}
