import type { Instant } from './clock.ts';

/** Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, 6 digits and steps of 30 seconds. */
export interface OneTimeCodes {
  /** Returns random bytes as a secret in base32, as apps expect it. */
  secret(bytes: Uint8Array): string;
  /** Returns the address that apps read from a QR code (`otpauth://`). */
  uri(of: { readonly secret: string; readonly account: string; readonly issuer: string }): string;
  /**
   * Returns the number of the step whose code this is: the present step, the one before or the one after. Otherwise
   * returns `undefined`.
   */
  stepOf(secret: string, code: string, now: Instant): number | undefined;
}
