import type { Instant } from '../ports/clock.ts';
import { day, hour, minute, second } from '../time.ts';

/** Each kind of work that is done after the answer, with the results of finished work. */
export interface WorkResults {
  /** `kept`: there is no mail server, so the mail can only be read here. */
  readonly mail: 'sent' | 'kept';
  /** A look at the payment of an order. */
  readonly order: 'seen';
  /** A look at the chain of a deployment. */
  readonly deployment: 'checked';
  /** Looks for payments in USDC on a chain, while orders wait for them. */
  readonly usdc: 'watched';
}

export type WorkKind = keyof WorkResults;

/**
 * How long to wait after each failed attempt, in milliseconds. After one more attempt, the work has failed permanently.
 */
export const backOff = {
  mail: [30 * second, 2 * minute, 10 * minute, hour, 4 * hour, 12 * hour],
  // For a month, as long as an RPC can be gone. Nobody waits for it.
  deployment: [30 * second, 2 * minute, 10 * minute, hour, 4 * hour, 12 * hour, ...Array<number>(30).fill(day)],
  // For a month: without a look, somebody who has paid gets nothing.
  order: [30 * second, 2 * minute, 10 * minute, hour, 4 * hour, 12 * hour, ...Array<number>(30).fill(day)],
  // For a month: without a look, somebody who has paid gets nothing.
  usdc: [10 * second, 30 * second, minute, ...Array<number>(9_000).fill(5 * minute)],
} as const satisfies Record<WorkKind, readonly number[]>;

/** The kinds that share their places. What waits for slow RPCs of a chain must not hold up mails and payments. */
export const kindsTogether = [
  ['mail', 'order'],
  ['deployment'],
  ['usdc'],
] as const satisfies readonly (readonly WorkKind[])[];

/** How long claimed work belongs to a process, in milliseconds. Must be longer than an attempt can take. */
export const lease = 2 * minute;

/** Work that a process has claimed. */
export interface Work {
  readonly id: number;
  readonly kind: WorkKind;
  /** The id of the object that the work is about, for example of a mail. */
  readonly subjectId: number;
  /** The number of this attempt, from 1. A process may only settle the attempt that it claimed. */
  readonly attempt: number;
}

/** How an attempt ended. `error` is shown to administrators and must not contain secrets. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: WorkResults[WorkKind] }
  /** Another attempt would not help. */
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'again'; readonly error: string; readonly due: Instant }
  /** Done for now. The work is due again at this time, as if it was new. */
  | { readonly kind: 'later'; readonly due: Instant }
  /** The process stops. The attempt does not count. */
  | { readonly kind: 'given back' };

export interface Settled {
  readonly work: Work;
  readonly outcome: Outcome;
  readonly at: Instant;
}

/** Decides what follows a failed attempt: another attempt after a while, or permanent failure after the last one. */
export function afterFailure({ kind, attempt }: Work, error: string, now: Instant): Outcome {
  const wait = backOff[kind][attempt - 1];
  return wait === undefined ? { kind: 'failed', error } : { kind: 'again', error, due: now + wait };
}

/** Whether the processes of all allowed attempts ended before they could store a result. */
export function isUsedUp({ kind, attempt }: Work): boolean {
  return attempt > backOff[kind].length + 1;
}
