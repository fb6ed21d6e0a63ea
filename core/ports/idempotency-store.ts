import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';

/** An answer that is kept, to be given again. */
export interface KeptAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** Remembers what was answered to requests that carry an idempotency key. */
export interface IdempotencyStore {
  /**
   * Takes the key for a request, if nobody has it: `undefined`. Where it was answered already, the answer; where it was taken
   * for another request, `key_reused`; where the first request is not answered yet, `in_flight`. Records from before
   * `forgetBefore` are as if they never were; those not answered and taken before `abandonedBefore` may be taken again.
   */
  take(
    key: string,
    fingerprint: string,
    times: { readonly now: Instant; readonly forgetBefore: Instant; readonly abandonedBefore: Instant },
  ): Promise<undefined | KeptAnswer | Refused<'key_reused' | 'in_flight'>>;
  keep(key: string, answer: KeptAnswer): Promise<void>;
  /** Gives the key free, as nothing was done under it. */
  release(key: string): Promise<void>;
}
