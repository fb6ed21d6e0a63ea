import type { Settled, Work, WorkKind } from '../work/work.ts';
import type { Instant } from './clock.ts';

/** The conditions for the work to claim. */
export interface Wanted {
  readonly now: Instant;
  /** The end of the lease. */
  readonly until: Instant;
  readonly most: number;
  /** Only work of these kinds. */
  readonly kinds?: readonly WorkKind[];
  /** Only the work on this object. */
  readonly only?: { readonly kind: WorkKind; readonly subjectId: number };
}

/** Unfinished work of one kind. */
export interface Backlog {
  readonly count: number;
  /** When the oldest of it was added, or was due for the first time. */
  readonly oldest: Instant | null;
}

/**
 * Work that waits to be done. It is added in the transaction of the change that needs it. It is never lost: if a process
 * ends before it settles its work, others can claim the work when the lease ends.
 */
export interface WorkQueue {
  /**
   * Claims the work that has been due for longest. Nobody else can claim it until the lease ends. Writes nothing if
   * nothing is due.
   */
  claim(wanted: Wanted): Promise<Work[]>;
  /**
   * Stores how attempts ended, together with the state of their objects, in one transaction. Ignores attempts of which
   * the lease has ended and that were claimed again. May be called again with the same attempts.
   */
  settle(settled: readonly Settled[]): Promise<void>;
  /** Without work that was added for a later time. */
  backlog(now: Instant): Promise<Record<WorkKind, Backlog>>;
}
