import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Caller } from '../../core/accounts/accounts.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import type { Claim, IdempotencyStore, KeptAnswer } from '../idempotency-store.ts';
import { Failure, type FailureReason } from './failures.ts';
import type { Context } from './state.ts';

/** How long an answer is kept, in milliseconds. */
export const keptFor = 24 * 3_600_000;
/** A request in flight counts as abandoned if its process has not renewed it for this time. In milliseconds. */
const lease = 60_000;
/**
 * The limit that replaces `lease` after an error of the store, because a running process may have been unable to renew
 * its requests. In milliseconds.
 */
const longLease = 15 * 60_000;
/** Interval at which a process renews its requests in flight, in milliseconds. */
const renewEvery = 15_000;
/** The longest wait between two attempts to save an answer, in milliseconds. */
const longestWait = 5_000;

/**
 * Does the work once for each `Idempotency-Key` of a caller and operation, as Stripe does:
 * - The same request gets the same answer for a day, refusals included.
 * - Another request with the same key fails with `validation_error`.
 * - The same request while the first is in flight fails with `conflict`.
 * - If the work throws, nothing was done, and the key is released.
 * - If the work throws `OutcomeUnknown`, the key stays taken for the day, and the same request fails with `conflict`,
 *   because to repeat it could do the work twice.
 *
 * Each process decides by its own clock that another process has abandoned a request. If the clocks differ too much, or
 * a process was frozen, the same request in another process may take over the key. Then the work is done twice, the
 * second answer is kept, and the log reports it.
 */
export type Idempotency = <Answer extends object, Reason extends FailureReason>(
  ctx: Context,
  caller: Caller,
  operation: string,
  request: object,
  work: () => Promise<Answer | Refused<Reason>>,
) => Promise<Answer | Refused<Reason>>;

export interface IdempotencyOptions {
  readonly log?: Pick<Logger, 'warn'>;
  /** Interval between renewals, in milliseconds. */
  readonly every?: number;
}

export function createIdempotency(
  store: IdempotencyStore,
  clock: Clock,
  { log, every = renewEvery }: IdempotencyOptions = {},
): Idempotency {
  let troubledUntil = Number.NEGATIVE_INFINITY;

  return async (ctx, caller, operation, request, work) => {
    const given = ctx.get('Idempotency-Key');
    if (given === '') return await work();
    if (given.length > 255) throw keyFault('It may have at most 255 characters.');
    const claim = { key: [caller.user.id, caller.mode, operation, given].join(':'), owner: randomUUID() };
    const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const now = clock.now();
    const abandonedBefore = now - (now < troubledUntil ? longLease : lease);
    const times = { now, forgetBefore: now - keptFor, abandonedBefore };
    const taken = await store.take(claim, fingerprint, times).catch(noteAndThrow);
    if (taken !== undefined) {
      if (isRefused(taken)) {
        if (taken.reason === 'key_reused') throw keyFault('It was used for another request.');
        throw new Failure('conflict', { detail: 'The first request with this Idempotency-Key is still in flight.' });
      }
      if (taken.kind === 'unknown') throw new Failure('conflict', { detail: unknownDetail });
      ctx.set('Idempotency-Replayed', 'true');
      return JSON.parse(taken.body);
    }
    const renewing = setInterval(() => void renew(claim), every).unref();
    try {
      return await settle(claim, work);
    } finally {
      clearInterval(renewing);
    }
  };

  /** Does the work and saves its answer under the key. */
  async function settle<Answer extends object>(claim: Claim, work: () => Promise<Answer>): Promise<Answer> {
    const answer = await work().catch(async (error) => {
      // If this fails, the key stays in flight for a while. The client gets the first error in any case.
      const settled = error instanceof OutcomeUnknown ? keep(claim, { kind: 'unknown' }) : release(claim);
      await settled.catch(() => undefined);
      throw error;
    });
    // If this fails, the key stays in flight, so that the work is not done again at once.
    await keep(claim, { kind: 'known', body: JSON.stringify(answer) });
    return answer;
  }

  function noteTrouble(): undefined {
    troubledUntil = clock.now() + lease;
  }

  function noteAndThrow(error: unknown): never {
    noteTrouble();
    throw error;
  }

  async function release(claim: Claim): Promise<void> {
    warnIfLost(claim, await store.release(claim));
  }

  function warnIfLost({ key }: Claim, isHeld: boolean): void {
    // The last part is the text of the client, which must not be logged.
    const operation = key.split(':', 3).join(':');
    if (!isHeld)
      log?.warn(
        { operation },
        'a request lost its Idempotency-Key and may be done twice: check that the clocks of all servers agree',
      );
  }

  async function renew(claim: Claim): Promise<void> {
    await store.renew(claim, clock.now()).catch(noteTrouble);
  }

  /** Saves the answer. If that fails, throws, and keeps trying in the background for a while. */
  async function keep(claim: Claim, answer: KeptAnswer): Promise<void> {
    const isHeld = await store.keep(claim, answer).catch((error: unknown) => {
      void keepLater(claim, answer);
      return noteAndThrow(error);
    });
    warnIfLost(claim, isHeld);
  }

  /** Tries again to save the answer, for half of `longLease`. */
  async function keepLater(claim: Claim, answer: KeptAnswer): Promise<void> {
    const end = performance.now() + longLease / 2;
    for (let wait = 100; performance.now() < end; wait = Math.min(2 * wait, longestWait)) {
      await pause(wait, undefined, { ref: false });
      const isHeld = await store.keep(claim, answer).catch(noteTrouble);
      if (isHeld !== undefined) return warnIfLost(claim, isHeld);
    }
  }
}

const unknownDetail =
  'We do not know if the first request with this Idempotency-Key was carried out. Check if its result exists. To send it again, use another key.';

function keyFault(text: string): Failure {
  return new Failure('validation_error', { fields: { 'Idempotency-Key': [text] } });
}
