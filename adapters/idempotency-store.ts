import type { Instant } from '../core/ports/clock.ts';
import type { Refused } from '../core/refusal.ts';

/** What is kept of a request that has ended: its answer as JSON, or that nobody knows if its work was done. */
export type KeptAnswer = { readonly kind: 'known'; readonly body: string } | { readonly kind: 'unknown' };

/** A key in the hands of one request. */
export interface Claim {
  readonly key: string;
  /** Names the request: no two ever have the same. */
  readonly owner: string;
}

/**
 * Remembers what was answered to requests that carry an idempotency key. A request that was given up may still be running, if its
 * process was frozen or clocks differ. Its changes are refused then: it has lost the key.
 */
export interface IdempotencyStore {
  /**
   * Takes the key for a request, if nobody has it, and returns `undefined`. Otherwise returns what is kept under it; `key_reused` if
   * it was taken for another request; `in_flight` if the first request has not ended. Records from before `forgetBefore` are as if
   * they never were; those of requests that have not ended, taken or renewed before `abandonedBefore`, may be taken again.
   */
  take(
    claim: Claim,
    fingerprint: string,
    times: { readonly now: Instant; readonly forgetBefore: Instant; readonly abandonedBefore: Instant },
  ): Promise<undefined | KeptAnswer | Refused<'key_reused' | 'in_flight'>>;
  /** The request is still worked on: it counts as taken now. Returns false, and changes nothing, if it was answered or lost the key. */
  renew(claim: Claim, now: Instant): Promise<boolean>;
  /** Returns false, and changes nothing, if the request lost the key. */
  keep(claim: Claim, answer: KeptAnswer): Promise<boolean>;
  /** Gives the key free, as nothing was done under it. Returns false, and changes nothing, if the request lost the key. */
  release(claim: Claim): Promise<boolean>;
}
