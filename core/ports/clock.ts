/** A point in time: whole milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** The one source of time. */
export interface Clock {
  now(): Instant;
}
