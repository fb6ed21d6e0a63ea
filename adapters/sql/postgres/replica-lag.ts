/** How far a replica is behind its primary. Positions are those of the primary's log; times and lags are milliseconds. */
export interface ReplicaLag {
  /** The primary was at this position. */
  sampled(position: number, at: number): void;
  /** The replica has come to this position. */
  reached(position: number): void;
  /** Whether the replica has ever come to where the primary was seen. */
  isKnown(): boolean;
  /** The time between the newest sample and the last one that the replica has come to. */
  lag(): number;
}

/** Samples that are kept at most: without the oldest, a long lag is told a little too long. */
const kept = 1_000;

/**
 * The age of a replica's last transaction does not tell: it is the same for an idle primary and a broken link. So the positions
 * of the primary are noted with their times, and the replica is measured by them.
 */
export function createReplicaLag(): ReplicaLag {
  let ahead: { readonly position: number; readonly at: number }[] = [];
  let since: number | undefined;
  let isKnown = false;
  let newest = { position: 0, at: 0 };
  return {
    sampled(position, at) {
      since ??= at;
      // Another server is the primary now, and has lost what came last.
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
