import type { Instant } from '../ports/clock.ts';
import type { OneTimeCodes } from '../ports/one-time-codes.ts';
import type { Secrets } from '../ports/secrets.ts';
import { randomHex } from '../random-hex.ts';

/** An authenticator app, and recovery codes for those who lost it. */
export interface SecondFactor {
  /** In base32. */
  readonly secret: string;
  /** The latest step whose code was used. Codes of this step and of earlier ones are not accepted again. */
  readonly lastStep: number;
  /** SHA-256 of each recovery code that was not used yet. */
  readonly recoveryDigests: readonly string[];
}

export const recoveryCodeCount = 10;
/** 80 bits, so that even a fast hash of a code cannot be guessed. */
const recoveryCodeBytes = 10;
const secretBytes = 20;

/** Returns the secret for a new authenticator app: 160 bits, as RFC 4226 recommends. */
export function mintSecret(codes: OneTimeCodes, secrets: Secrets): string {
  return codes.secret(secrets.bytes(secretBytes));
}

/** Whether a text has the form of a secret that `mintSecret` returns. */
export function looksLikeSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text);
}

/** Returns new recovery codes to show once, such as `3f2a-90bc-11de-7a4c-d05e`, and their digests to store. */
export function mintRecoveryCodes(secrets: Secrets): { readonly shown: string[]; readonly digests: string[] } {
  const bare = Array.from({ length: recoveryCodeCount }, () => randomHex(secrets, recoveryCodeBytes));
  return {
    shown: bare.map((code) => code.replace(/(.{4})(?!$)/g, '$1-')),
    digests: bare.map((code) => secrets.digest(code)),
  };
}

/** Whether a text is meant as a code of an app, and not as a recovery code. */
export function isAppCode(text: string): boolean {
  return /^\d{6}$/.test(withoutGaps(text));
}

/**
 * Uses a code of the app, or a recovery code. Returns the second factor without it, or `undefined` if the code is wrong
 * or was used before.
 */
export function useCode(
  factor: SecondFactor,
  text: string,
  { codes, secrets }: { readonly codes: OneTimeCodes; readonly secrets: Secrets },
  now: Instant,
): SecondFactor | undefined {
  const code = withoutGaps(text);
  if (isAppCode(code)) {
    const step = codes.stepOf(factor.secret, code, now);
    return step === undefined || step <= factor.lastStep ? undefined : { ...factor, lastStep: step };
  }
  const digest = secrets.digest(code.toLowerCase());
  const left = factor.recoveryDigests.filter((other) => !secrets.equal(other, digest));
  return left.length === factor.recoveryDigests.length ? undefined : { ...factor, recoveryDigests: left };
}

function withoutGaps(text: string): string {
  return text.replace(/[\s-]/g, '');
}
