/** Randomness that nobody can guess. */
export interface Secrets {
  /** That many bytes, each value equally likely, from a cryptographically secure source. */
  bytes(count: number): Uint8Array;
}
