import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sum } from './statistics.ts';

/** Linux reports the processor time of each thread in nanoseconds. Other systems do not. */
export const isTimeKnown = existsSync('/proc/self/schedstat');

/** Microseconds of processor time by thread id. The main thread's id is that of its process. */
export type ThreadTimes = ReadonlyMap<number, number>;

/** Returns the processor time of all threads of these processes. */
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

/** Returns the processor time between two readings, of all threads or of some. Threads that have ended are left out. */
export function used(before: ThreadTimes, after: ThreadTimes, some?: readonly number[]): number {
  const counted = [...after].filter(([id]) => some === undefined || some.includes(id));
  return sum(counted.map(([id, time]) => time - (before.get(id) ?? 0)));
}

/** Returns a process and its children. */
export function familyOf(parent: number): number[] {
  return [parent, ...idsIn('/proc').filter((pid) => parentOf(pid) === parent)];
}

/** Returns a process, its children, and all that descend from them. */
export function treeOf(root: number): number[] {
  const children = new Map<number | undefined, number[]>();
  for (const pid of idsIn('/proc')) {
    const parent = parentOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

export function parentOf(pid: number): number | undefined {
  // The name is in parentheses, and may contain spaces.
  const afterName = readIfThere(`/proc/${pid}/stat`)?.split(') ').at(-1);
  return afterName === undefined ? undefined : Number(afterName.split(' ')[1]);
}

/** Returns the command line of a process, if the process exists. */
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

/** Reading can fail at any time: processes and threads end, and some systems hide those of other users. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && hidden.some((code) => code === error.code)) return undefined;
    throw error;
  }
}

const hidden = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
