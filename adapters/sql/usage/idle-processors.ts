import { cpus } from 'node:os';

/** Milliseconds between two looks. The system counts in steps of 10. */
const lookEvery = 250;

/**
 * Returns a function that returns which share of the time the processors of this machine were idle, from 0 to 1. It is
 * measured since the last look, and until the first one it is 1.
 */
export function createIdleProcessors(): () => number {
  let before = timesOfAll();
  let lookedAt = performance.now();
  let share = 1;
  return () => {
    if (performance.now() - lookedAt < lookEvery) return share;
    const now = timesOfAll();
    const all = now.all - before.all;
    if (all > 0) share = (now.idle - before.idle) / all;
    before = now;
    lookedAt = performance.now();
    return share;
  };
}

function timesOfAll() {
  const sum = { all: 0, idle: 0 };
  for (const { times } of cpus()) {
    sum.idle += times.idle;
    for (const time of Object.values(times)) sum.all += time;
  }
  return sum;
}
