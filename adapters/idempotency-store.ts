import type { Instant } from '../core/ports/clock.ts';
import type { Refused } from '../core/refusal.ts';

/** What is stored of a finished request: its response as JSON, or that the outcome is unknown. */
export type KeptAnswer = { readonly kind: 'known'; readonly body: string } | { readonly kind: 'unknown' };

/** An idempotency key that one request holds. */
export interface Claim {
  readonly key: string;
  /** Identifies the request. Unique for ever. */
  readonly owner: string;
}

/**
 * Stores the responses to requests with an idempotency key. An abandoned request may still run, if its process was
 * frozen or clocks differ. It has lost the key then, and its changes are refused.
 */
export interface IdempotencyStore {
  /**
   * Takes the key for a request, and returns `undefined`, if the key is free. Otherwise returns:
   *
   * - the stored answer, if there is one;
   * - `key_reused`, if the key was taken with another fingerprint;
   * - `in_flight`, if the first request is not finished.
   *
   * Records from before `forgetBefore` are ignored. A request is abandoned if it has no answer and last took or renewed
   * the key before `abandonedBefore`. Its key is free.
   */
  take(
    claim: Claim,
    fingerprint: string,
    times: { readonly now: Instant; readonly forgetBefore: Instant; readonly abandonedBefore: Instant },
  ): Promise<undefined | KeptAnswer | Refused<'key_reused' | 'in_flight'>>;
  /** The key counts as taken now. Returns false, and changes nothing, if an answer is stored or the key is lost. */
  renew(claim: Claim, now: Instant): Promise<boolean>;
  /** Stores the answer. Returns false, and changes nothing, if the request has lost the key. */
  keep(claim: Claim, answer: KeptAnswer): Promise<boolean>;
  /** Frees the key, because the request changed nothing. Returns false, and changes nothing, if the key is lost. */
  release(claim: Claim): Promise<boolean>;
}
