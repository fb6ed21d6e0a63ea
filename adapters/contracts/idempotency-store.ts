import type { KeyedRequest } from '../../core/events/event.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { Refused } from '../../core/refusal.ts';

/** The stored result of a finished request: its response as JSON, or that the outcome is unknown. */
export type KeptAnswer = { readonly kind: 'known'; readonly body: string } | { readonly kind: 'unknown' };

/** The answer to an import of licenses. Whoever ends an interrupted import keeps it under the key of its request. */
export function importAnswer({ added, leftOut, passedOver }: Record<'added' | 'leftOut' | 'passedOver', number>) {
  return { success: true as const, imported: added, left_out: leftOut, passed_over: passedOver };
}

/**
 * Thrown if a request wants to change something, but another request has taken over its key. Nothing was changed then.
 */
export class KeyLost extends Error {
  override readonly name = 'KeyLost';
  constructor() {
    super('Another request has taken over the Idempotency-Key, because this one had not renewed it.');
  }
}

/**
 * Stores the responses to requests with an idempotency key. An abandoned request may still run, if its process was
 * frozen or clocks differ. It no longer holds the key, so its changes are refused.
 *
 * The stores of changes mark the key of a request (`By.request`) in the transaction of its first change, or throw
 * `KeyLost` and change nothing. The key of a request that has changed something is not taken over.
 *
 * An import of licenses holds the key of its request until it ends, even if its process does not live so long. The key
 * gets `importAnswer` in the transaction that finishes the import, and is freed in the one that undoes it.
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
   * or renewed the key since `abandonedBefore`. If it has changed nothing, its key is free; otherwise its answer is
   * `unknown`.
   */
  take(
    claim: KeyedRequest,
    fingerprint: string,
    times: { readonly now: Instant; readonly forgetBefore: Instant; readonly abandonedBefore: Instant },
  ): Promise<undefined | KeptAnswer | Refused<'key_reused' | 'in_flight'>>;
  /**
   * Records that the request still runs: its key counts as taken at `now`. Returns false, and changes nothing, if an
   * answer is stored or the key is lost.
   */
  renew(claim: KeyedRequest, now: Instant): Promise<boolean>;
  /**
   * Stores the answer. `unknown` does not replace a known one. Returns false, and changes nothing, if the request has
   * lost the key.
   */
  keep(claim: KeyedRequest, answer: KeptAnswer): Promise<boolean>;
  /**
   * Frees the key and returns `freed`, if the request changed nothing or `isRepeatable` (doing it again completes it).
   * If it changed something, returns `changed`, and the key stays. If the key is lost, returns `lost`.
   */
  release(claim: KeyedRequest, isRepeatable?: boolean): Promise<'freed' | 'changed' | 'lost'>;
}
