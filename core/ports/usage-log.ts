import type { UserId } from '../id.ts';

/** A day in UTC, such as `2026-11-22`. */
export type Day = `${number}-${number}-${number}`;

/** The calls of one account on one day. */
export interface DayUse {
  readonly day: Day;
  /** The calls that the rate limits let through. */
  readonly calls: number;
  /** The calls that the rate limits refused. They are not among `calls`. */
  readonly refused: number;
}

export interface AccountUse extends DayUse {
  readonly userId: UserId;
}

/** The calls of accounts, by day. */
export interface UsageLog {
  /**
   * Adds these numbers to the stored ones, all or none: after any error but `OutcomeUnknown`, nothing was added.
   * Concurrent calls lose nothing. Ignores users that do not exist.
   */
  add(uses: readonly AccountUse[]): Promise<void>;
  /** Returns the days from `first` on with calls of this account, oldest first. May be some seconds old. */
  days(userId: UserId, first: Day): Promise<DayUse[]>;
  /** Deletes all days before this one, in small steps. Returns the number of deleted rows. */
  forget(before: Day): Promise<number>;
}
