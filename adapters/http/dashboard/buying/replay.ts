import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { OutcomeUnknown } from '../../../../core/outcome-unknown.ts';
import type { Clock } from '../../../../core/ports/clock.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { IdempotencyStore } from '../../../idempotency-store.ts';
import { keptFor } from '../../idempotency.ts';

/**
 * Does the work of a form once, and returns the same address if the same form is sent again within a day: two clicks
 * make one order, and both lead to it. `id` is the value of its hidden field (`newFormId`), and `content` what was
 * typed: other content is other work. If the work refuses or fails, the form can be sent again.
 */
export type Replay = <Reason extends string>(
  id: string,
  content: unknown,
  work: () => Promise<string | Refused<Reason>>,
) => Promise<string | Refused<Reason | 'in_flight'>>;

/** Milliseconds after which work counts as abandoned: its process has ended. */
const patience = 60_000;
/** How often, and at which interval in milliseconds, the second click looks for the result of the first. */
const looks = { count: 40, every: 150 };

export function createReplay(store: IdempotencyStore, clock: Clock): Replay {
  return async (id, content, work) => {
    const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
    const claim = { key: `buy:${id}:${digest}`, owner: randomUUID() };
    for (let look = 0; look < looks.count; look++) {
      const now = clock.now();
      const taken = await store.take(claim, '', { now, forgetBefore: now - keptFor, abandonedBefore: now - patience });
      if (taken === undefined) return await doneOnce(store, claim, work);
      if (!isRefused(taken) && taken.kind === 'known') return taken.body;
      await wait(looks.every);
    }
    return refuse('in_flight');
  };
}

async function doneOnce<Reason extends string>(
  store: IdempotencyStore,
  claim: { readonly key: string; readonly owner: string },
  work: () => Promise<string | Refused<Reason>>,
): Promise<string | Refused<Reason>> {
  const done = await work().catch(async (error: unknown) => {
    // If this fails, the same form can be sent again only after some time. A new one can at once.
    if (!(error instanceof OutcomeUnknown)) await store.release(claim).catch(() => undefined);
    throw error;
  });
  if (isRefused(done)) await store.release(claim);
  else await store.keep(claim, { kind: 'known', body: done });
  return done;
}
