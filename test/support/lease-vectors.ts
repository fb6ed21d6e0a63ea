import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** A pair of keys for tests. Everybody can make it: the private key is the SHA-256 of its name. */
export interface TestKeys {
  readonly privateKey: KeyObject;
  /** The 32 bytes in base64url, as sites build it in. */
  readonly publicKey: string;
  readonly kid: string;
}

export function testKeys(name: string): TestKeys {
  const seed = createHash('sha256').update(name).digest();
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { privateKey, publicKey: x, kid };
}

/** The claims of a lease, or of something that is none. */
type Claims = Readonly<Record<string, unknown>>;

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs with Ed25519, whatever the header says. */
export function signedBy({ privateKey }: TestKeys, header: object, claims: Claims): string {
  const data = `${encoded(header)}.${encoded(claims)}`;
  return `${data}.${sign(null, Buffer.from(data), privateKey).toString('base64url')}`;
}

export const headerOf = ({ kid }: TestKeys) => ({ alg: 'EdDSA', typ: 'latchkey-lease+jwt', kid });

/** The usual claims, for 7 days from `iat`, in seconds. */
export function claimsOf(iat: number, issuer: string, domain: string, licenseKey: string): Claims {
  return {
    iss: issuer,
    aud: domain,
    sub: createHash('sha256').update(licenseKey).digest().subarray(0, 16).toString('base64url'),
    iat,
    nbf: iat,
    exp: iat + 7 * 86_400,
    jti: 'AAAAAAAAAAAAAAAAAAAAAA',
    product: 7,
    expires_at: null,
    updates_until: null,
    entitlements: [],
    v: 1,
  };
}

/** A lease and a site, and whether the lease counts there. */
export interface LeaseVector {
  readonly name: string;
  readonly lease: string;
  /** Only what differs from the usual site. */
  readonly domain?: string;
  readonly license_key?: string;
  /** The time at the site, in seconds. */
  readonly now?: number;
  /** `valid`, or the reason why the lease is refused. */
  readonly result: string;
}

const start = Date.UTC(2026, 0, 1) / 1000;
const [current, next, foreign] = ['current', 'next', 'foreign'].map((name) => testKeys(`latchkey ${name} test key`));
const site = {
  issuer: 'https://licenses.example.com',
  domain: 'shop.example.com',
  license_key: 'LIC-7H2K-9QWX-M4TB-C0VJ',
  now: start + 86_400,
};

/** The vectors of leases, as `apps/docs/vectors/leases.json` has them. */
export function leaseVectors() {
  if (!current || !next || !foreign) throw new Error('There are three pairs of keys.');
  const claims = claimsOf(start, site.issuer, site.domain, site.license_key);
  const { exp, ...endless } = claims;
  const end = start + 7 * 86_400;
  const header = headerOf(current);
  const usual = signedBy(current, header, claims);
  const [head = '', body = '', signature = ''] = usual.split('.');
  const of = (more: Claims) => signedBy(current, header, { ...claims, ...more });
  const withHeader = (more: Claims) => signedBy(current, { ...header, ...more }, claims);
  const hmac = `${encoded({ ...header, alg: 'HS256' })}.${body}`;
  const bytes = Buffer.from(signature, 'base64url');
  const flipped = Buffer.from(bytes.map((byte, n) => (n === 40 ? byte ^ 1 : byte)));

  const cases: readonly LeaseVector[] = [
    { name: 'a lease', lease: usual, result: 'valid' },
    { name: 'of the key that comes next', lease: signedBy(next, headerOf(next), claims), result: 'valid' },
    { name: 'with a kid that nobody knows', lease: withHeader({ kid: 'another' }), result: 'valid' },
    { name: 'with claims of later versions', lease: of({ seats: 5 }), result: 'valid' },
    { name: 'of a license that ends', lease: of({ expires_at: '2026-03-01T00:00:00.000Z' }), result: 'valid' },
    { name: 'in its last second', lease: usual, now: end - 1, result: 'valid' },
    { name: 'five minutes early', lease: usual, now: start - 300, result: 'valid' },
    { name: 'the key in small letters', lease: usual, license_key: ' lic-7h2k-9qwx-m4tb-c0vj\n', result: 'valid' },
    {
      name: 'a key of another system, as it is written',
      lease: signedBy(current, header, claimsOf(start, site.issuer, site.domain, 'aBc-ÄÖ 12')),
      license_key: 'aBc-ÄÖ 12',
      result: 'valid',
    },

    { name: 'forged: signed by another key', lease: signedBy(foreign, header, claims), result: 'wrong_signature' },
    {
      name: 'forged: other claims',
      lease: `${head}.${encoded({ ...claims, exp: end + 1 })}.${signature}`,
      result: 'wrong_signature',
    },
    {
      name: 'forged: another header',
      lease: `${encoded({ ...header, kid: 'x' })}.${body}.${signature}`,
      result: 'wrong_signature',
    },
    {
      name: 'forged: a bit of the signature',
      lease: `${head}.${body}.${flipped.toString('base64url')}`,
      result: 'wrong_signature',
    },
    {
      name: 'forged: zeros',
      lease: `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
      result: 'wrong_signature',
    },
    {
      name: 'forged: S plus the order of the group',
      lease: `${head}.${body}.${otherS(bytes)}`,
      result: 'wrong_signature',
    },

    {
      name: 'stripped: alg none, without a signature',
      lease: `${encoded({ ...header, alg: 'none' })}.${body}.`,
      result: 'malformed_lease',
    },
    { name: 'stripped: alg none, with a signature', lease: withHeader({ alg: 'none' }), result: 'malformed_lease' },
    { name: 'stripped: no signature', lease: `${head}.${body}.`, result: 'malformed_lease' },
    { name: 'stripped: two parts', lease: `${head}.${body}`, result: 'malformed_lease' },
    {
      name: 'HMAC with the public key as its secret',
      lease: `${hmac}.${createHmac('sha256', Buffer.from(current.publicKey, 'base64url')).update(hmac).digest('base64url')}`,
      result: 'malformed_lease',
    },
    { name: 'another kind of token', lease: withHeader({ typ: 'JWT' }), result: 'malformed_lease' },
    {
      name: 'an extension that must be understood',
      lease: withHeader({ crit: ['x'], x: 1 }),
      result: 'malformed_lease',
    },
    { name: 'four parts', lease: `${usual}.${signature}`, result: 'malformed_lease' },
    { name: 'no lease', lease: 'lease', result: 'malformed_lease' },
    { name: 'empty', lease: '', result: 'malformed_lease' },
    { name: 'without an end', lease: signedBy(current, header, endless), result: 'malformed_lease' },
    { name: 'an end that is a text', lease: of({ exp: String(exp) }), result: 'malformed_lease' },
    { name: 'of another version', lease: of({ v: 2 }), result: 'malformed_lease' },

    { name: 'swapped: another domain', lease: usual, domain: 'other.example.com', result: 'wrong_domain' },
    { name: 'swapped: the domain above', lease: usual, domain: 'example.com', result: 'wrong_domain' },
    { name: 'swapped: another license', lease: usual, license_key: 'LIC-0000-0000-0000-0000', result: 'wrong_license' },
    {
      name: 'swapped: another spelling of a key of another system',
      lease: signedBy(current, header, claimsOf(start, site.issuer, site.domain, 'aBc')),
      license_key: 'ABC',
      result: 'wrong_license',
    },
    { name: 'of another server', lease: of({ iss: 'https://licenses.example.org' }), result: 'wrong_issuer' },
    { name: 'of another path', lease: of({ iss: `${site.issuer}/api/license` }), result: 'wrong_issuer' },
    { name: 'expired', lease: usual, now: end, result: 'expired_lease' },
    { name: 'expired a year ago', lease: usual, now: end + 365 * 86_400, result: 'expired_lease' },
    { name: 'future: more than five minutes early', lease: usual, now: start - 301, result: 'early_lease' },
    { name: 'future: not valid yet', lease: of({ nbf: site.now + 301 }), result: 'early_lease' },
    { name: 'future: not issued yet', lease: of({ iat: site.now + 301 }), result: 'early_lease' },
  ];
  return {
    description:
      'Signed leases, and what a site must make of each. The fields of `site` hold unless a case has its own. `public_keys` are those that the site has built in. `result` is `valid`, or the reason for the refusal. Times are in seconds. The private keys are public: they are only for tests.',
    public_keys: [current.publicKey, next.publicKey],
    site,
    cases,
  };
}

/** A signature that is not canonical: RFC 8032 refuses it. */
function otherS(signature: Uint8Array): string {
  const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
  const little = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const s = little(signature.subarray(32)) + order;
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([signature.subarray(0, 32), bytes]).toString('base64url');
}
