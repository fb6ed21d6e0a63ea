/** Secure random bytes, and functions on secrets. */
export interface Secrets {
  /** Returns random bytes from a cryptographically secure source. */
  bytes(count: number): Uint8Array;
  /** Returns the same number of such bytes in base64 (RFC 4648, section 4). */
  base64(count: number): string;
  /** Returns the SHA-256 in lower-case hexadecimal. */
  digest(text: string): string;
  /** Whether two texts are equal, compared in constant time. */
  equal(one: string, other: string): boolean;
}
