import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { iso } from '../../core/iso.ts';
import type { Lease } from '../../core/licensing/lease.ts';
import type { LeaseSigning, SigningKey } from '../../core/ports/lease-signing.ts';
import type { SecretBox } from '../../core/ports/secret-box.ts';

/** The `typ` of the header of a lease. It says that this JWS is a lease and nothing else. */
const leaseType = 'latchkey-lease+jwt';
/** The version of the claims. */
const version = 1;
/** The bytes of the digest of the license key in a lease. */
const digestLength = 16;

/**
 * Signs with Ed25519 keys, as RFC 8037 has it. `issuer`: the public address of the license API. The secret is opened at the
 * first use only: a process that signs no lease does not need it.
 */
export function createLeaseSigning(box: () => Promise<SecretBox>, issuer: string): LeaseSigning {
  return {
    async make() {
      const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
      if (x === undefined || d === undefined) throw new Error('Node has made an Ed25519 key without parts.');
      const { seal } = await box();
      return { kid: thumbprintOf(x), publicKey: x, privateKey: seal(d) };
    },
    async sealAnew({ privateKey }) {
      const { isNewest, seal, open } = await box();
      return isNewest(privateKey) ? undefined : seal(open(privateKey));
    },
    async open({ kid, publicKey, privateKey }) {
      const { open } = await box();
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey, d: open(privateKey) };
      const key = createPrivateKey({ key: jwk, format: 'jwk' });
      const head = encoded({ alg: 'EdDSA', typ: leaseType, kid });
      const signText: SigningKey['sign'] = (text) => sign(null, Buffer.from(text), key);
      return {
        kid,
        sign: signText,
        signLease(lease) {
          const input = `${head}.${encoded(claimsOf(lease, issuer))}`;
          return `${input}.${Buffer.from(signText(input)).toString('base64url')}`;
        },
      };
    },
  };
}

/** Times are whole seconds. */
function claimsOf(
  { asked, domain, productId, expiresAt, updatesUntil, entitlements, from, endsAt }: Lease,
  iss: string,
) {
  const now = Math.floor(from / 1000);
  return {
    iss,
    aud: domain,
    sub: createHash('sha256').update(asked).digest().subarray(0, digestLength).toString('base64url'),
    iat: now,
    nbf: now,
    exp: endsAt / 1000,
    jti: randomBytes(16).toString('base64url'),
    product: productId,
    expires_at: expiresAt === null ? null : iso(expiresAt),
    updates_until: updatesUntil === null ? null : iso(updatesUntil),
    entitlements,
    v: version,
  };
}

/** RFC 7638: the digest of the required members, in alphabetical order and without blanks. */
function thumbprintOf(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
