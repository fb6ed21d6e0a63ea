import { createHash } from 'node:crypto';
import type { Caller } from '../../core/accounts/accounts.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { Failure, type FailureReason } from './failures.ts';
import type { Context } from './state.ts';

const keptFor = 24 * 3_600_000;
/** Longer than any request takes: what is in flight for longer was broken off with its process. */
const abandonedAfter = 15 * 60_000;

/**
 * Does the work once for each `Idempotency-Key` of a caller and operation, as Stripe does: the same request again gets the
 * same answer for a day, refusals included; another one fails with `validation_error`, one while the first is in flight with
 * `conflict`. Where the work throws, nothing was done, and the key is free again.
 */
export type Idempotency = <Answer extends object, Reason extends FailureReason>(
  ctx: Context,
  caller: Caller,
  operation: string,
  request: object,
  work: () => Promise<Answer | Refused<Reason>>,
) => Promise<Answer | Refused<Reason>>;

export function createIdempotency(store: IdempotencyStore, clock: Clock): Idempotency {
  return async (ctx, caller, operation, request, work) => {
    const given = ctx.get('Idempotency-Key');
    if (given === '') return await work();
    if (given.length > 255) throw keyFault('It may have 255 characters.');
    const key = [caller.user.id, caller.mode, operation, given].join(':');
    const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const now = clock.now();
    const taken = await store.take(key, fingerprint, {
      now,
      forgetBefore: now - keptFor,
      abandonedBefore: now - abandonedAfter,
    });
    if (taken !== undefined) {
      if (isRefused(taken)) {
        if (taken.reason === 'key_reused') throw keyFault('It was used for another request.');
        throw new Failure('conflict', { detail: 'The first request with this Idempotency-Key is still in flight.' });
      }
      ctx.set('Idempotency-Replayed', 'true');
      return JSON.parse(taken.body);
    }
    const answer = await work().catch(async (error) => {
      await store.release(key);
      throw error;
    });
    // Where this fails, the key stays in flight: the work was done, and must not be done again at once.
    await store.keep(key, { status: 200, body: JSON.stringify(answer) });
    return answer;
  };
}

function keyFault(text: string): Failure {
  return new Failure('validation_error', { fields: { 'Idempotency-Key': [text] } });
}
