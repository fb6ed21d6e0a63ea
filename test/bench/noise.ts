import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { isTimeKnown, timesOf, treeOf, used } from './processor-time.ts';

/** What disturbed a measurement. */
export interface Noise {
  /** The share of all processors' time that others took: other processes of this machine, and other machines of its host. */
  readonly others: number;
  /** How often the main threads of the servers waited, and how often they were interrupted, for each answer. */
  readonly waits: number;
  readonly interruptions: number;
}

/** Above this share, results are not judged. */
export const mostNoise = 0.1;

/** Linux counts in these files in ticks of a hundredth of a second, whatever its own clock is. In microseconds. */
const tick = 10_000;

/** The time of all processors since the machine started, in microseconds. */
export interface ProcessorTimes {
  /** Of processes, without interrupts: those of our own network traffic belong to nobody. */
  readonly busy: number;
  /** Taken by other machines of the same host. */
  readonly stolen: number;
}

/** Reads the text of `/proc/stat`. */
export function parseProcessors(text: string): ProcessorTimes {
  const [name, ...numbers] = (text.split('\n', 1)[0] ?? '').split(/\s+/);
  const [user, nice, system, , , , , stolen] = numbers.map(Number);
  if (name !== 'cpu' || user === undefined || nice === undefined || system === undefined) {
    throw new Error(`Not the text of /proc/stat: ${text.slice(0, 100)}`);
  }
  // Guests are counted as users too. Old systems tell no stolen time.
  return { busy: (user + nice + system) * tick, stolen: (stolen ?? 0) * tick };
}

/** Reads the text of `/proc/<pid>/stat`: the time of the children that have ended and their children, in microseconds. */
export function parseEnded(text: string): number {
  // The name is in parentheses, and may contain spaces and parentheses. The state follows, as the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  if (Number.isNaN(user + system)) throw new Error(`Not the text of /proc/<pid>/stat: ${text.slice(0, 100)}`);
  return (user + system) * tick;
}

/** Reads the text of `/proc/<pid>/status`: how often a thread waited, and how often it was interrupted. */
export function parseSwitches(text: string): { readonly waits: number; readonly interruptions: number } {
  const numberOf = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { waits: numberOf('voluntary_ctxt_switches'), interruptions: numberOf('nonvoluntary_ctxt_switches') };
}

/**
 * Starts to watch. The returned function tells what happened since then, or `undefined` if the system does not tell it. Own are
 * this process, all its descendants, and `database`.
 */
export function watchNoise(
  servers: readonly number[],
  database: () => readonly number[],
): (answers: number) => Noise | undefined {
  if (!isTimeKnown) return () => undefined;
  const look = () => {
    const own = timesOf([...new Set([...treeOf(process.pid), ...database()])]);
    return {
      at: performance.now() * 1_000,
      processors: parseProcessors(readFileSync('/proc/stat', 'utf8')),
      own,
      ended: parseEnded(readFileSync('/proc/self/stat', 'utf8')),
      switches: servers.map((pid) => parseSwitches(readFileSync(`/proc/${pid}/status`, 'utf8'))),
    };
  };
  const before = look();
  return (answers) => {
    const after = look();
    const own = used(before.own, after.own) + after.ended - before.ended;
    const busy = after.processors.busy - before.processors.busy;
    const stolen = after.processors.stolen - before.processors.stolen;
    const all = (after.at - before.at) * cpus().length;
    const switched = (kind: 'waits' | 'interruptions') =>
      after.switches.reduce((sum, one, n) => sum + one[kind] - (before.switches[n]?.[kind] ?? 0), 0) / answers;
    return {
      others: (Math.max(0, busy - own) + stolen) / all,
      waits: switched('waits'),
      interruptions: switched('interruptions'),
    };
  };
}
