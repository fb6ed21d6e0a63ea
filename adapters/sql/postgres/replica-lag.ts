/** Measures how far a replica is behind its primary. Positions are positions in the WAL. Times are in milliseconds. */
export interface ReplicaLag {
  /** Records that the primary was at this position at this time. */
  sampled(position: number, at: number): void;
  /** Records that the replica has reached this position. */
  reached(position: number): void;
  /** Whether the replica has ever reached a sampled position. */
  isKnown(): boolean;
  /** Returns the time between the newest sample and the last one that the replica has reached. */
  lag(): number;
}

/** The maximum number of stored samples. If the oldest are dropped, a long lag appears a little too long. */
const kept = 1_000;

/**
 * The age of the replica's last transaction does not show the lag: it also grows if the primary is idle. So this stores
 * positions of the primary with their times, and compares the replica with them.
 */
export function createReplicaLag(): ReplicaLag {
  let ahead: { readonly position: number; readonly at: number }[] = [];
  let since: number | undefined;
  let isKnown = false;
  let newest = { position: 0, at: 0 };
  return {
    sampled(position, at) {
      since ??= at;
      // After a failover, the new primary may lack the last transactions of the old one.
      if (position < newest.position) ahead = [];
      newest = { position, at };
      ahead.push(newest);
      if (ahead.length > kept) ahead.shift();
    },
    reached(position) {
      const next = ahead.findIndex((sample) => sample.position > position);
      const passed = ahead.splice(0, next === -1 ? ahead.length : next).at(-1);
      if (passed === undefined) return;
      since = passed.at;
      isKnown = true;
    },
    isKnown: () => isKnown,
    lag: () => (ahead.length === 0 ? 0 : newest.at - (since ?? newest.at)),
  };
}
