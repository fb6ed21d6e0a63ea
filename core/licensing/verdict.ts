import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { ForcedAnswer } from './forced.ts';
import {
  type Activation,
  type Inactive,
  isValidAt,
  type Rights,
  type Standing,
  statusOf,
  type Validity,
} from './license.ts';

/** What a verification needs to know of a license. A forced answer stands in the place of the standing `active`. */
export interface Verifiable extends Rights, Omit<Validity, 'standing'> {
  readonly standing: Standing | ForcedAnswer;
}

type Valid = Rights & {
  readonly kind: 'valid';
  readonly expiresAt: Instant | null;
  readonly at: Instant;
  /** The answer is forced to come late. */
  readonly isSlow?: true;
};
type Judged = Valid | Refused<'invalid_key' | 'invalid_domain' | Inactive>;
/** The answer is forced to look like an outage. */
export interface Outage {
  readonly kind: 'forced';
  readonly answer: Extract<ForcedAnswer, '429' | '503'>;
}
/** Only a `valid` verdict counts as a verification. */
export type Verdict = Judged | Refused<'not_entitled'> | Outage;
/** Verdicts that are answered as they are. */
export type Answered = Exclude<Verdict, Outage>;

/** Decides whether a license is valid for a domain now. */
export function verify(
  license: (Validity & Rights) | undefined,
  activation: Pick<Activation, 'endsAt'> | undefined,
  now: Instant,
): Judged {
  if (license === undefined) return refuse('invalid_key');
  const status = statusOf(license, now);
  if (status !== 'active') return refuse(status);
  if (activation === undefined || !isValidAt(activation, now)) return refuse('invalid_domain');
  const { expiresAt, updatesUntil, entitlements } = license;
  return { kind: 'valid', expiresAt, updatesUntil, entitlements, at: now };
}

/** Refuses a license that is valid, but does not have the entitlement. Other refusals take precedence. */
function needingEntitlement(verdict: Judged, entitlement: string): Verdict {
  if (verdict.kind !== 'valid' || verdict.entitlements.includes(entitlement)) return verdict;
  return refuse('not_entitled');
}

/** Decides what a verification answers now. `entitlement`: what the caller needs besides, if anything. */
export function judge(
  license: Verifiable | undefined,
  activation: Pick<Activation, 'endsAt'> | undefined,
  entitlement: string | undefined,
  now: Instant,
): Verdict {
  if (license !== undefined && !isUnforced(license)) return judgeForced(license, activation, entitlement, now);
  const judged = verify(license, activation, now);
  return entitlement === undefined ? judged : needingEntitlement(judged, entitlement);
}

function isUnforced(license: Verifiable): license is Validity & Rights {
  const { standing } = license;
  return standing === 'active' || standing === 'suspended' || standing === 'revoked';
}

function judgeForced(
  { standing, ...license }: Verifiable,
  activation: Pick<Activation, 'endsAt'> | undefined,
  entitlement: string | undefined,
  now: Instant,
): Verdict {
  switch (standing) {
    case 'active':
    case 'slow': {
      const verdict = judge({ ...license, standing: 'active' }, activation, entitlement, now);
      return verdict.kind === 'valid' ? { ...verdict, isSlow: true } : verdict;
    }
    case '429':
    case '503':
      return { kind: 'forced', answer: standing };
    case 'suspended':
    case 'revoked':
    case 'expired':
      return refuse(standing);
  }
}
