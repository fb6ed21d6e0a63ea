import { cpus } from 'node:os';

/** The times of a processor in milliseconds, like those of `os.cpus()`. */
type Times = Readonly<Record<'idle' | 'user' | 'sys' | 'nice' | 'irq', number>>;

/** Milliseconds between two looks. The system counts in steps of 10. */
export const lookEvery = 250;

/**
 * Returns a function that returns for which share of the time the processors of this machine were idle, from 0 to 1. It
 * looks again only after `lookEvery`. Before the second look, it returns 1.
 */
export function createIdleProcessors(
  timesNow: () => readonly { readonly times: Times }[] = cpus,
  now: () => number = () => performance.now(),
): () => number {
  let before = sumOf(timesNow());
  let lookedAt = now();
  let share = 1;
  return () => {
    if (now() - lookedAt < lookEvery) return share;
    const after = sumOf(timesNow());
    const all = after.all - before.all;
    if (all > 0) share = (after.idle - before.idle) / all;
    before = after;
    lookedAt = now();
    return share;
  };
}

function sumOf(processors: readonly { readonly times: Times }[]) {
  const sum = { all: 0, idle: 0 };
  for (const { times } of processors) {
    sum.idle += times.idle;
    for (const time of Object.values(times)) sum.all += time;
  }
  return sum;
}

/**
 * Milliseconds from one comparison to the next, so that verifications go on meanwhile. On an idle machine, a run over
 * 1,000,000 licenses takes less than 5 seconds.
 */
const pace = { idle: 44, busy: 200 } as const;

/** If the processors are idle for a smaller share of the time, others need them. */
const leastIdle = 0.3;

/** Returns how long to rest after `worked` milliseconds: at least as long as that. */
export function restAfter(worked: number, idleShare: number): number {
  return Math.max(worked, pace[idleShare < leastIdle ? 'busy' : 'idle'] - worked);
}
