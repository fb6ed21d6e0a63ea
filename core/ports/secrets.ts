/** Randomness that nobody can guess, and what is made of secrets. */
export interface Secrets {
  /** That many bytes, each value equally likely, from a cryptographically secure source. */
  bytes(count: number): Uint8Array;
  /** SHA-256 in lower-case hexadecimal. */
  digest(text: string): string;
  /** Whether two texts are the same, in a time that tells nothing of where they differ. */
  equal(one: string, other: string): boolean;
}
