import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Caller } from '../../core/accounts/accounts.ts';
import type { KeyedRequest } from '../../core/events/event.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { day, minute } from '../../core/time.ts';
import { Repeatable, Unavailable } from '../../core/unavailable.ts';
import { type IdempotencyStore, type KeptAnswer, KeyLost } from '../contracts/idempotency-store.ts';
import { clientGone } from './client-gone.ts';
import { Failure, type FailureReason } from './failures.ts';
import type { Context } from './state.ts';

/** How long an answer is kept, in milliseconds. */
export const keptFor = day;
/** A request in flight counts as abandoned if its process has not renewed it for this time. In milliseconds. */
export const abandonedAfter = minute;
/**
 * The limit that replaces `abandonedAfter` after an error of the store, because a running process may have been unable
 * to renew its requests. In milliseconds.
 */
const longLease = 15 * minute;
/** Interval at which a process renews its requests in flight, in milliseconds. */
const renewEvery = 15_000;
/** The longest wait between two attempts to save an answer, in milliseconds. */
const longestWait = 5_000;

/** The most characters of an `Idempotency-Key`. */
export const longestKey = 255;
/** The interval between two looks at a first request that is in flight, in milliseconds. */
const lookEvery = 500;

/**
 * Does the work once for each `Idempotency-Key` of a caller and operation, as Stripe does:
 * - The same request gets the same answer for a day, refusals included.
 * - Another request with the same key fails with `validation_error`.
 * - The same request while the first is in flight fails with `conflict`.
 * - If the work throws and has changed nothing, the key is released.
 * - If the work throws after its first change, or throws `OutcomeUnknown`, or its process ends after its first change,
 *   nobody knows the outcome. The key stays taken for a day, and the same request fails with `conflict`.
 * - `Repeatable` frees the key all the same, because the same request completes the work.
 *
 * The work passes the request that it gets to what it changes, as `By.request`: so no change is made twice, even if
 * processes end or are frozen, or their clocks differ. If another process has taken over the key in between, the change
 * fails.
 */
export type Idempotency = <Answer extends object, Reason extends FailureReason>(
  ctx: Context,
  caller: Caller,
  operation: string,
  request: object,
  work: (request?: KeyedRequest) => Promise<Answer | Refused<Reason>>,
  waiting?: Waiting,
) => Promise<Answer | Refused<Reason>>;

/** How the same request waits for the first one, instead of failing with `conflict` at once. */
export interface Waiting {
  /** The longest wait, in milliseconds. */
  readonly most: number;
  /** Finishes or undoes what an ended process has left behind. Called before each look. */
  recover(): Promise<unknown>;
}

/** The name under which the answer to a request is stored. */
export function storedKey({ user, mode }: Caller, operation: string, given: string): string {
  return [user.id, mode, operation, given].join(':');
}

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

  return async (ctx, caller, operation, request, work, waiting) => {
    const given = ctx.get('Idempotency-Key');
    if (given === '') return await work();
    if (given.length > longestKey) throw keyFault(`It may have at most ${longestKey} characters.`);
    const claim = { key: storedKey(caller, operation, given), owner: randomUUID() };
    const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const taken = await takeOrWait(ctx, claim, fingerprint, waiting);
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

  async function take(claim: KeyedRequest, fingerprint: string) {
    const now = clock.now();
    const abandonedBefore = now - (now < troubledUntil ? longLease : abandonedAfter);
    const times = { now, forgetBefore: now - keptFor, abandonedBefore };
    return await store.take(claim, fingerprint, times).catch(noteAndThrow);
  }

  async function takeOrWait(ctx: Context, claim: KeyedRequest, fingerprint: string, waiting: Waiting | undefined) {
    const end = performance.now() + (waiting?.most ?? 0);
    for (let isFirst = true; ; isFirst = false) {
      const taken = await take(claim, fingerprint);
      const isInFlight = isRefused(taken) && taken.reason === 'in_flight';
      if (!isInFlight || waiting === undefined || performance.now() > end) return taken;
      if (!isFirst) await pause(lookEvery);
      clientGone(ctx.req.socket).throwIfAborted();
      await waiting.recover();
    }
  }

  /** Does the work and saves its answer under the key. */
  async function settle<Answer extends object>(
    claim: KeyedRequest,
    work: (request: KeyedRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const answer = await work(claim).catch(async (error: unknown) => {
      throw await settleFailed(claim, error);
    });
    // If this fails, the key stays in flight, so that the work is not done again at once.
    await keep(claim, { kind: 'known', body: JSON.stringify(answer) });
    return answer;
  }

  function noteTrouble(): undefined {
    troubledUntil = clock.now() + abandonedAfter;
  }

  function noteAndThrow(error: unknown): never {
    noteTrouble();
    throw error;
  }

  /** Settles the key after an error. Returns the error for the client. */
  async function settleFailed(claim: KeyedRequest, error: unknown): Promise<unknown> {
    if (error instanceof KeyLost) {
      warnIfLost(claim, false);
      return new Unavailable('Another request with the same Idempotency-Key has taken over.', { cause: error });
    }
    // If the store fails now, the key stays in flight for a while. The client gets the first error in any case.
    if (!(error instanceof OutcomeUnknown)) {
      const released = await store.release(claim, error instanceof Repeatable).catch(() => undefined);
      warnIfLost(claim, released !== 'lost');
      if (released !== 'changed') return error;
    }
    await keep(claim, { kind: 'unknown' }).catch(() => undefined);
    if (!(error instanceof Unavailable)) return error;
    return new OutcomeUnknown('A request failed after its first change.', { cause: error });
  }

  function warnIfLost({ key }: KeyedRequest, isHeld: boolean): void {
    // The last part is the text of the client, which must not be logged.
    const operation = key.split(':', 3).join(':');
    if (!isHeld)
      log?.warn(
        { operation },
        'a request lost its Idempotency-Key to the same request: check that the clocks of all servers agree',
      );
  }

  async function renew(claim: KeyedRequest): Promise<void> {
    await store.renew(claim, clock.now()).catch(noteTrouble);
  }

  /** Saves the answer. If that fails, throws, and keeps trying in the background for a while. */
  async function keep(claim: KeyedRequest, answer: KeptAnswer): Promise<void> {
    const isHeld = await store.keep(claim, answer).catch((error: unknown) => {
      void keepLater(claim, answer);
      return noteAndThrow(error);
    });
    warnIfLost(claim, isHeld);
  }

  /** Tries again to save the answer, for half of `longLease`. */
  async function keepLater(claim: KeyedRequest, answer: KeptAnswer): Promise<void> {
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
