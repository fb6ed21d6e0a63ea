import type { DomainName } from '../licensing/domain-name.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Refused } from '../refusal.ts';

/** Where a domain can publish a proof: in the DNS, and on its site. */
export const proofPlaces = ['record', 'file'] as const;
export type ProofPlace = (typeof proofPlaces)[number];

/** What a place has instead of the text: no proof at all, only other ones, or it could not be read. */
export type WithoutProof = 'nothing' | 'other_text' | 'failed';

/** What each place has, if the text is in none of them. */
export type MissingProof = Readonly<Record<ProofPlace, WithoutProof>>;

/** The name under which lookups count that an account asks for only to explain. */
export const askedBy = (account: number | string): string => `account ${account}`;

/** Whether a lookup is only for an explanation, and nothing depends on it. */
export const isOnlyAsked = (from: string): boolean => from.startsWith('account ');

/** Finds out whether somebody who has a license key also controls a domain. Asks the domain itself, and stores nothing. */
export interface DomainProofs {
  /**
   * Returns the text that proves the domain for this license. Each license and each domain has another text. Only this server can make it, because
   * the license key is not secret.
   */
  textFor(key: LicenseKey, domain: DomainName): string;
  /**
   * Whether the domain has published the text now, and if not, what is in its place. Never connects to an address that is not public, ends after seconds,
   * and reads little. Questions for the same license and domain share one answer. Refuses if too many run already, altogether or for the network or account
   * `from` which the call comes (see `askedBy`); `figures.retry_after` are the seconds until another try is worth it. No license is limited: whoever has its key could stop
   * its owner.
   */
  find(
    key: LicenseKey,
    domain: DomainName,
    from: string,
  ): Promise<'found' | MissingProof | Refused<'rate_limit_exceeded'>>;
}
