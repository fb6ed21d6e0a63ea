import type { HostRules } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused } from '../refusal.ts';
import { type DomainName, normalizeDomain } from './domain-name.ts';
import { type ForcedAnswer, forcedOutageIn, forcedStatus } from './forced.ts';
import { twinOf } from './hosts.ts';
import { type Activation, hasEnded, type Inactive, isValidAt, type License } from './license.ts';
import { type NearDomain, nearestDomain } from './nearest-domain.ts';
import { isOneEnough, type Obstacle } from './obstacles.ts';
import { verify } from './verdict.ts';

/** The rules of verification, in the order in which they are checked. */
export const explainedRules = [
  'domain_legal',
  'key_known',
  'not_revoked',
  'not_suspended',
  'not_expired',
  'domain_activated',
] as const;
export type ExplainedRule = (typeof explainedRules)[number];

/** One rule, and what would help if it fails. */
export interface CheckedRule {
  readonly rule: ExplainedRule;
  readonly isPassed: boolean;
  /** `null` if the rule is passed. */
  readonly fix: string | null;
}

/** What the license key would meet if it activated a domain that is not activated, by the rules of the product about proofs and deactivations. */
export interface Outlook {
  readonly obstacles: readonly Obstacle[];
  /** The domain whose slot it would take. */
  readonly taken?: DomainName | undefined;
}

/** What to do next, so that a domain becomes activated. */
export type NextStep = 'remove_obstacles' | 'remove_one_obstacle' | 'take_slot' | 'activate' | 'free_slot';

/** Why a license is valid for a domain, or not. */
export interface Explanation extends Outlook {
  readonly next: NextStep;
  /** The refusal that a verification would return now. `undefined` if the license is valid. */
  readonly refusal: Inactive | 'invalid_domain' | 'illegal_domain' | undefined;
  /** What the license API answers instead, whatever is explained here, if the clock of a test license forces it. */
  readonly forced: Exclude<ForcedAnswer, 'suspended' | 'expired'> | undefined;
  /** The canonical host, or `undefined` if the text has none. */
  readonly domain: DomainName | undefined;
  /** All rules, in order. */
  readonly rules: readonly CheckedRule[];
  /** The activated domain that was probably meant. Only if the domain is not activated. */
  readonly nearest: NearDomain | undefined;
}

/**
 * Runs the rules of verification on a license, without counting. `activations` are those of the license's domains that
 * could be meant.
 */
export function explain(
  license: License,
  { wwwIsApex }: Pick<HostRules, 'wwwIsApex'>,
  text: string,
  activations: readonly Pick<Activation, 'domain' | 'endsAt'>[],
  now: Instant,
  outlook: Outlook = { obstacles: [] },
): Explanation {
  const domain = normalizeDomain(text);
  const names = [domain, wwwIsApex ? domain && twinOf(domain) : undefined];
  const valid = activations.filter((one) => isValidAt(one, now));
  const activation = valid.find((one) => names.includes(one.domain));
  const isActivated = activation !== undefined;
  const verdict = verify(license, activation, now);
  const activated = valid.map((one) => one.domain);
  const nearest = domain === undefined || isActivated ? undefined : nearestDomain(domain, activated);
  const next = nextStepOf(license, outlook);
  const { standing, ownStanding } = license;
  const isWithheld = ownStanding !== null && ownStanding !== standing;
  const forced = forcedStatus(license);
  const isPassed: Readonly<Record<ExplainedRule, boolean>> = {
    domain_legal: domain !== undefined,
    key_known: true,
    not_revoked: standing !== 'revoked',
    not_suspended: standing !== 'suspended' && forced !== 'suspended',
    not_expired: !hasEnded(license, now) && forced !== 'expired',
    domain_activated: isActivated,
  };
  const fixes: Readonly<Record<ExplainedRule, string>> = {
    domain_legal: 'Send the host name of the site, such as app.example.com, or any URL on it.',
    key_known: 'Check the license key.',
    not_revoked: isWithheld
      ? 'The payment of the license was refunded, or taken back. To sell it again, the buyer must order it again.'
      : 'A revoked license stays revoked. Issue another license.',
    not_suspended: forced
      ? howToUnforce
      : isWithheld
        ? 'The payment of the license is disputed, being refunded, or taken back by its chain. The license works again by itself when the payment is complete again.'
        : 'Reinstate the license.',
    not_expired: forced ? howToUnforce : 'Renew the license.',
    domain_activated: howToActivate(domain, nearest, outlook, next),
  };
  return {
    refusal: domain === undefined ? 'illegal_domain' : (forced ?? reasonOf(verdict)),
    forced: forcedOutageIn(license),
    domain,
    rules: explainedRules.map((rule) => ({ rule, isPassed: isPassed[rule], fix: isPassed[rule] ? null : fixes[rule] })),
    nearest,
    next,
    ...outlook,
  };
}

const howToUnforce = 'The clock of this test license forces this answer. Set its answer back to what the license is.';

function reasonOf(verdict: ReturnType<typeof verify>): Inactive | 'invalid_domain' | undefined {
  if (!isRefused(verdict)) return undefined;
  return verdict.reason === 'invalid_key' ? undefined : verdict.reason;
}

function nextStepOf(license: License, { obstacles, taken }: Outlook): NextStep {
  if (obstacles.length > 0) return isOneEnough(obstacles) ? 'remove_one_obstacle' : 'remove_obstacles';
  if (taken !== undefined) return 'take_slot';
  return license.domainsUsed < license.maxDomains ? 'activate' : 'free_slot';
}

function howToActivate(
  domain: DomainName | undefined,
  nearest: NearDomain | undefined,
  { taken }: Outlook,
  next: NextStep,
): string {
  if (domain === undefined) return 'Without a host name, there is no domain that could be activated.';
  const it = `the license on ${domain}`;
  const steps: Readonly<Record<NextStep, string>> = {
    remove_obstacles: `first do what is missing, then activate ${it}.`,
    remove_one_obstacle: `first do one of what is missing, then activate ${it}.`,
    take_slot: `activate ${it}. Its proof is published, so it takes the slot of ${taken}.`,
    activate: `activate ${it}.`,
    free_slot: `remove a domain or allow more, then activate ${it}: it has no free slot.`,
  };
  const step = steps[next];
  if (nearest === undefined) return `${step[0]?.toUpperCase()}${step.slice(1)}`;
  return `The license is activated on ${nearest.domain}. If you mean this domain, correct the address. If not, ${step}`;
}
