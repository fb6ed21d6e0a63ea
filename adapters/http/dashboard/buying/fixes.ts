import type { CheckedRule, Explanation } from '../../../../core/licensing/explanation.ts';
import type { License } from '../../../../core/licensing/license.ts';
import { texts } from '../../ui/texts.ts';

const { explain: words } = texts.buying;

/** Returns what the buyer can do if a rule fails. */
export function fixFor(
  rule: CheckedRule['rule'],
  { domain, nearest }: Explanation,
  { domainsUsed, maxDomains }: Pick<License, 'domainsUsed' | 'maxDomains'>,
): string {
  if (rule !== 'domain_activated' || domain === undefined) return words.fixes[rule];
  const advice = domainsUsed < maxDomains ? words.fixes.domain_activated : words.full(maxDomains);
  return nearest === undefined ? advice : `${words.meant(nearest.domain)} ${advice}`;
}
