import type { ProductId, UserId } from '../id.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { UsagePoint, UsageRange } from '../selling/usage-hours.ts';
import type { Instant } from './clock.ts';

/** The stored figures of a range, and the active domains before it. */
export interface Figures {
  /** In order of time. Hours and days without a change have no row. */
  readonly rows: readonly UsagePoint[];
  readonly domainsBefore: number;
}

/** The live or the test products of a seller. */
export interface OwnedProducts {
  readonly ownerId: UserId;
  readonly isLive: boolean;
}

/** The figures that snapshots of the counters have stored. They may be some seconds old. */
export interface UsageFigures {
  /** Figures of hours, even if the range has another step. */
  ofProduct(id: ProductId, range: Pick<UsageRange, 'from' | 'to'>): Promise<Figures>;
  /** Days. The sums of all products of this owner and mode. Takes the same time with any number of products. */
  ofOwner(owner: OwnedProducts, range: Pick<UsageRange, 'from' | 'to'>): Promise<Figures>;
  /** Days. */
  ofLicense(key: LicenseKey, range: Pick<UsageRange, 'from' | 'to'>): Promise<Figures>;
}

/** The hours that a run of the snapshot fills. */
export interface SnapshotHours {
  /** `undefined` in the first run: what was counted so far belongs to no hour. */
  readonly from: Instant | undefined;
  readonly to: Instant;
}

/** A claimed run. It goes through all licenses in small steps, in the order of their ids. */
export interface SnapshotRun {
  readonly hours: SnapshotHours;
  /**
   * Compares the counters of the next licenses with those of the last run, and stores what was added. A step is stored
   * wholly or not at all. `lost` means that another process has taken over, and nothing was stored.
   */
  next(): Promise<'more' | 'done' | 'lost'>;
  /** Ends the run after its last step. The next run fills later hours. */
  finish(): Promise<void>;
}

/** Stores hourly what the counters of verifications and domains have added. */
export interface UsageSnapshots {
  /**
   * Claims the run that fills all hours before `to`, for `lease` milliseconds; each step renews this. Returns `undefined`
   * if these hours are filled, or if another process does it. A run that was not finished is taken over when its lease
   * has ended. Counting a license again adds nothing.
   */
  claim(to: Instant, lease: number): Promise<SnapshotRun | undefined>;
}
