import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes } from '../../core/ports/one-time-codes.ts';

/** All apps support these values, and some support no others. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

export const oneTimeCodes: OneTimeCodes = {
  secret: (bytes) => new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32,
  uri: ({ secret, account, issuer }) => new TOTP({ ...form, secret, label: account, issuer }).toString(),
  stepOf(secret, code, now) {
    const at = { timestamp: now, period: form.period };
    const delta = TOTP.validate({ ...form, ...at, secret: Secret.fromBase32(secret), token: code, window: 1 });
    return delta === null ? undefined : TOTP.counter(at) + delta;
  },
};
