import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sum } from './statistics.ts';

/** Linux tells the processor time of each thread in nanoseconds. No other system does. */
export const isTimeKnown = existsSync('/proc/self/schedstat');

/** Microseconds of processor time by thread. The main thread has the id of its process. */
export type ThreadTimes = ReadonlyMap<number, number>;

/** What the threads of some processes have used until now. */
export function timesOf(processes: readonly number[]): ThreadTimes {
  const threads = processes.flatMap((pid) => {
    const folder = `/proc/${pid}/task`;
    return idsIn(folder).map((id) => [id, `${folder}/${id}/schedstat`] as const);
  });
  return new Map(
    threads.flatMap(([id, file]) => {
      const text = readIfThere(file);
      return text === undefined ? [] : [[id, Number(text.split(' ')[0]) / 1000] as const];
    }),
  );
}

/** What was used between two readings, by all threads or by some of them. A thread that has ended meanwhile is left out. */
export function used(before: ThreadTimes, after: ThreadTimes, some?: readonly number[]): number {
  const counted = [...after].filter(([id]) => some === undefined || some.includes(id));
  return sum(counted.map(([id, time]) => time - (before.get(id) ?? 0)));
}

/** A process and those that it started. */
export function familyOf(parent: number): number[] {
  return [parent, ...idsIn('/proc').filter((pid) => parentOf(pid) === parent)];
}

export function parentOf(pid: number): number | undefined {
  // The name stands in parentheses, and may hold blanks itself.
  const afterName = readIfThere(`/proc/${pid}/stat`)?.split(') ').at(-1);
  return afterName === undefined ? undefined : Number(afterName.split(' ')[1]);
}

/** The command line of a process, if there is such a process. */
export function commandOf(pid: number): string | undefined {
  return readIfThere(`/proc/${pid}/cmdline`);
}

function idsIn(folder: string): number[] {
  return (
    ifThere(() =>
      readdirSync(folder)
        .filter((name) => /^\d+$/.test(name))
        .map(Number),
    ) ?? []
  );
}

function readIfThere(file: string): string | undefined {
  return ifThere(() => readFileSync(file, 'utf8'));
}

/** Processes and threads end at any time, and some systems hide those of other users: then reading fails. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && hidden.some((code) => code === error.code)) return undefined;
    throw error;
  }
}

const hidden = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
