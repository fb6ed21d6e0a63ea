import { randomUUID } from 'node:crypto';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import type { IdempotencyStore } from '../../idempotency-store.ts';
import { keptFor } from '../idempotency.ts';

/**
 * Does the work of a form once, even if the form is sent several times within a day: every later one gets `already_sent`.
 * `form` names the form and its user. `id` is the value of its hidden field (`newFormId`). If the work refuses, or fails
 * without a change, the form can be sent again.
 */
export type Once = <Done extends object, Reason extends string>(
  form: string,
  id: string,
  work: () => Promise<Done | Refused<Reason>>,
) => Promise<Done | Refused<Reason> | 'already_sent'>;

export function createOnce(store: IdempotencyStore, clock: Clock): Once {
  return async (form, id, work) => {
    const claim = { key: `form:${form}:${id}`, owner: randomUUID() };
    const now = clock.now();
    // No claim is ever old enough to be taken over.
    const taken = await store.take(claim, '', { now, forgetBefore: now - keptFor, abandonedBefore: 0 });
    if (taken !== undefined) return 'already_sent';
    // From here on the form counts as sent, even if the process ends during the work.
    if (!(await store.keep(claim, { kind: 'unknown' }))) return 'already_sent';
    const done = await work().catch(async (error: unknown) => {
      // If this fails, the form cannot be sent again. A new one can.
      if (!(error instanceof OutcomeUnknown)) await store.release(claim).catch(() => undefined);
      throw error;
    });
    if (isRefused(done)) await store.release(claim);
    return done;
  };
}

/** The value of the hidden field. Each time that the form is shown, it gets a new one. */
export function newFormId(): string {
  return randomUUID();
}
