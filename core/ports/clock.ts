/** A point in time, in whole milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** The only source of time for core. */
export interface Clock {
  now(): Instant;
}
