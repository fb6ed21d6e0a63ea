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

const keptFor = 24 * 3_600_000;
/** What is in flight and was not renewed for so long was broken off with its process. */
const lease = 60_000;
/** The same after trouble with the store: a living process may have been kept from renewing. */
const longLease = 15 * 60_000;
/** A living process renews what it works on so often. */
const renewEvery = 15_000;
/** The longest wait between two attempts to keep an answer. */
const longestWait = 5_000;

/**
 * Does the work once for each `Idempotency-Key` of a caller and operation, as Stripe does: the same request again gets the
 * same answer for a day, refusals included; another one fails with `validation_error`, one while the first is in flight with
 * `conflict`. If the work throws, nothing was done, and the key is free again. If it throws `OutcomeUnknown`, the key stays
 * taken for the day: the same request again fails with `conflict`, as it could do the work twice.
 *
 * Processes give each other up by their clocks. If those are too far apart, or a process was frozen, a request may lose its key to
 * the same request elsewhere: the work is done twice then, the second
 * one's answer is kept, and the log says so.
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
  /** Milliseconds between two renewals of what is worked on. */
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
    if (given.length > 255) throw keyFault('It may have 255 characters.');
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

  /** Does the work and keeps its answer under the key. */
  async function settle<Answer extends object>(claim: Claim, work: () => Promise<Answer>): Promise<Answer> {
    const answer = await work().catch(async (error) => {
      // If this fails, the key stays in flight, which the client can wait for. It must be told of the first failure.
      const settled = error instanceof OutcomeUnknown ? keep(claim, { kind: 'unknown' }) : release(claim);
      await settled.catch(() => undefined);
      throw error;
    });
    // If this fails, the key stays in flight: the work was done, and must not be done again at once.
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
    tellIfLost(claim, await store.release(claim));
  }

  function tellIfLost({ key }: Claim, isHeld: boolean): void {
    // The client's own part of the key, which stands last, is not for the log.
    const operation = key.split(':', 3).join(':');
    if (!isHeld)
      log?.warn({ operation }, 'a request lost its Idempotency-Key and may be done twice: do the clocks agree?');
  }

  async function renew(claim: Claim): Promise<void> {
    await store.renew(claim, clock.now()).catch(noteTrouble);
  }

  /** Throws if the answer cannot be kept now, and goes on trying for a while. */
  async function keep(claim: Claim, answer: KeptAnswer): Promise<void> {
    const isHeld = await store.keep(claim, answer).catch((error: unknown) => {
      void keepLater(claim, answer);
      return noteAndThrow(error);
    });
    tellIfLost(claim, isHeld);
  }

  /** Ends well before the key is given up. */
  async function keepLater(claim: Claim, answer: KeptAnswer): Promise<void> {
    const end = performance.now() + longLease / 2;
    for (let wait = 100; performance.now() < end; wait = Math.min(2 * wait, longestWait)) {
      await pause(wait, undefined, { ref: false });
      const isHeld = await store.keep(claim, answer).catch(noteTrouble);
      if (isHeld !== undefined) return tellIfLost(claim, isHeld);
    }
  }
}

const unknownDetail =
  'We do not know if the first request with this Idempotency-Key was carried out. Check if its result exists. To send it again, use another key.';

function keyFault(text: string): Failure {
  return new Failure('validation_error', { fields: { 'Idempotency-Key': [text] } });
}
