import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyedRequest } from '../../../../core/events/event.ts';
import { OutcomeUnknown } from '../../../../core/outcome-unknown.ts';
import type { Clock } from '../../../../core/ports/clock.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import { minute } from '../../../../core/time.ts';
import { Repeatable } from '../../../../core/unavailable.ts';
import type { IdempotencyStore } from '../../../contracts/idempotency-store.ts';
import { keptFor } from '../../idempotency.ts';

/**
 * Does the work of a form once, even if the form is sent several times within a day: every later one gets `already_sent`.
 * `form` names the form and its user. `id` is the value of its hidden field (`newFormId`). If the work refuses, fails
 * without a change, or is `Repeatable`, the form can be sent again. The work passes the request on as `By.request`, so
 * that its changes are known.
 */
export type Once = <Done extends object, Reason extends string>(
  form: string,
  id: string,
  work: (request: KeyedRequest) => Promise<Done | Refused<Reason>>,
) => Promise<Done | Refused<Reason> | 'already_sent'>;

/** The key of a form alone says which work it is. */
const noFingerprint = '';
/** No claim is ever old enough to be taken over. */
const never = 0;
const evenIfChanged = true;

export function createOnce(store: IdempotencyStore, clock: Clock): Once {
  return async (form, id, work) => {
    const claim = { key: `form:${form}:${id}`, owner: randomUUID() };
    const now = clock.now();
    const taken = await store.take(claim, noFingerprint, { now, forgetBefore: now - keptFor, abandonedBefore: never });
    if (taken !== undefined) return 'already_sent';
    // From here on the form counts as sent, even if the process ends during the work.
    if (!(await store.keep(claim, { kind: 'unknown' }))) return 'already_sent';
    const done = await work(claim).catch(async (error: unknown) => {
      // If this fails, the form cannot be sent again. A new one can.
      if (!(error instanceof OutcomeUnknown))
        await store.release(claim, error instanceof Repeatable).catch(() => undefined);
      throw error;
    });
    // A refusal is no success, even if it wrote something (an attempt, a log line): free the key.
    if (isRefused(done)) await store.release(claim, evenIfChanged);
    return done;
  };
}

/** The value of the hidden field. Each time that the form is shown, it gets a new one. */
export function newFormId(): string {
  return randomUUID();
}

/**
 * Does the work of a form once, and returns the same result if the same form is sent again within a day: two clicks
 * make one order, and both lead to it. The result is kept as JSON. `id` is the value of its hidden field (`newFormId`),
 * and `content` what was typed: other content is other work. If the work refuses or fails, the form can be sent again.
 */
export type Replay = <Done extends object, Reason extends string>(
  id: string,
  content: unknown,
  work: () => Promise<Done | Refused<Reason>>,
) => Promise<Done | Refused<Reason | 'in_flight'>>;

/** Milliseconds after which work counts as abandoned: its process has ended. */
const patience = minute;
/** How often, and at which interval in milliseconds, the second click looks for the result of the first. */
const looks = { count: 40, every: 150 };

export function createReplay(store: IdempotencyStore, clock: Clock): Replay {
  return async (id, content, work) => {
    const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
    const claim = { key: `begun:${id}:${digest}`, owner: randomUUID() };
    for (let look = 0; look < looks.count; look++) {
      const now = clock.now();
      const taken = await store.take(claim, noFingerprint, {
        now,
        forgetBefore: now - keptFor,
        abandonedBefore: now - patience,
      });
      if (taken === undefined) return await doneOnce(store, claim, work);
      if (!isRefused(taken) && taken.kind === 'known') return JSON.parse(taken.body);
      await wait(looks.every);
    }
    return refuse('in_flight');
  };
}

async function doneOnce<Done extends object, Reason extends string>(
  store: IdempotencyStore,
  claim: { readonly key: string; readonly owner: string },
  work: () => Promise<Done | Refused<Reason>>,
): Promise<Done | Refused<Reason>> {
  const done = await work().catch(async (error: unknown) => {
    // If this fails, the same form can be sent again only after some time. A new one can at once.
    if (!(error instanceof OutcomeUnknown)) await store.release(claim).catch(() => undefined);
    throw error;
  });
  if (isRefused(done)) await store.release(claim);
  else await store.keep(claim, { kind: 'known', body: JSON.stringify(done) });
  return done;
}
