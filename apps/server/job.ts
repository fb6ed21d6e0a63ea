import type { Logger } from 'pino';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { Parts } from '../wiring/compose.ts';
import type { Config } from '../wiring/config.ts';

/** What a job works with. */
export interface Tools {
  readonly parts: Parts;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stop: AbortSignal;
}

/** Something that a server does at its start, and then again and again. A failure of one does not stop the others. */
export interface Job {
  readonly name: string;
  /** Milliseconds between two runs. Jobs with the same interval run together. */
  readonly every: number | ((now: Instant) => number);
  /** Whether a process with this SURFACE does it. */
  readonly when: (surface: Config['SURFACE']) => boolean;
  /** Returns how much it has done, by kind. */
  work(tools: Tools): Promise<Readonly<Record<string, number>> | undefined>;
  /** The line of the log if it has done something. */
  readonly done?: string;
  readonly failed: string;
  /** Runs when the others of its interval have ended. */
  readonly isLast?: boolean;
}
