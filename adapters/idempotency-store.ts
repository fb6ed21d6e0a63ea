import type { Instant } from '../core/ports/clock.ts';
import type { Refused } from '../core/refusal.ts';

/** The stored result of a finished request: its response as JSON, or that the outcome is unknown. */
export type KeptAnswer = { readonly kind: 'known'; readonly body: string } | { readonly kind: 'unknown' };

/** An idempotency key that one request holds. */
export interface Claim {
  readonly key: string;
  /** Identifies the request. Unique for ever. */
  readonly owner: string;
}

/**
 * Stores the responses to requests with an idempotency key. An abandoned request may still run, if its process was
 * frozen or clocks differ. It no longer holds the key, so its changes are refused.
 */
export interface IdempotencyStore {
  /**
   * If the key is free, takes it for a request and returns `undefined`. Otherwise returns:
   *
   * - the stored answer, if there is one;
   * - `key_reused`, if the key was taken with another fingerprint;
   * - `in_flight`, if the first request is not finished.
   *
   * Records from before `forgetBefore` are ignored. A request counts as abandoned if it has no answer and has not taken
   * or renewed the key since `abandonedBefore`. Then its key is free.
   */
  take(
    claim: Claim,
    fingerprint: string,
    times: { readonly now: Instant; readonly forgetBefore: Instant; readonly abandonedBefore: Instant },
  ): Promise<undefined | KeptAnswer | Refused<'key_reused' | 'in_flight'>>;
  /**
   * Records that the request still runs: its key counts as taken at `now`. Returns false, and changes nothing, if an
   * answer is stored or the key is lost.
   */
  renew(claim: Claim, now: Instant): Promise<boolean>;
  /** Stores the answer. Returns false, and changes nothing, if the request has lost the key. */
  keep(claim: Claim, answer: KeptAnswer): Promise<boolean>;
  /** Frees the key, because the request changed nothing. Returns false, and changes nothing, if the key is lost. */
  release(claim: Claim): Promise<boolean>;
}
