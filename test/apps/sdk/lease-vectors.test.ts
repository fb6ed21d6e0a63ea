import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { importJWK, jwtVerify } from 'jose';
import { fromBase64url, openLease, timeFaultOf } from '../../../apps/sdk/guard/lease.ts';
import type { Subtle } from '../../../apps/sdk/platform.ts';
import { thisPlatform } from '../../../apps/sdk/platform.ts';
import { parseLicenseKey } from '../../../core/licensing/license-key.ts';
import { claimsOf, leaseVectors } from '../../support/lease-vectors.ts';
import { itLong } from '../../support/required-service.ts';

const vectors: ReturnType<typeof leaseVectors> = JSON.parse(
  await readFile(new URL('../../../apps/docs/vectors/leases.json', import.meta.url), 'utf8'),
);
const sites = vectors.cases.map((one) => ({ ...vectors.site, ...one }));
type Site = (typeof sites)[number];

/** WebCrypto of a platform that does not know Ed25519. */
const withoutEd25519: Subtle = {
  digest: (algorithm, data) => webcrypto.subtle.digest(algorithm, Uint8Array.from(data)),
  importKey: () => Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError')),
  verify: () => Promise.reject(new Error('There is no key.')),
};

describe('the vectors of leases', () => {
  it('are as test/support/lease-vectors.ts makes them', () => {
    expect(vectors, 'Run test/support/write-lease-vectors.ts').to.deep.equal(leaseVectors());
  });

  it('have different names, and each reason', () => {
    expect(new Set(vectors.cases.map(({ name }) => name)).size).to.equal(vectors.cases.length);
    expect(new Set(vectors.cases.map(({ result }) => result))).to.have.all.keys([
      'valid',
      ...['malformed_lease', 'wrong_signature', 'wrong_issuer', 'wrong_domain', 'wrong_license'],
      ...['early_lease', 'expired_lease'],
    ]);
  });

  for (const [name, subtle] of Object.entries({
    'WebCrypto of this platform': thisPlatform().subtle,
    'WebCrypto without Ed25519': withoutEd25519,
    'no WebCrypto': undefined,
  })) {
    itLong(`are read as they say by the SDK with ${name}`, async () => {
      const keys = vectors.public_keys.flatMap((key) => fromBase64url(key) ?? []);
      for (const { name: what, lease: text, issuer, domain, license_key: licenseKey, now, result } of sites) {
        const lease = await openLease(text, { keys, issuer, domain, licenseKey }, subtle);
        const fault = typeof lease === 'string' ? lease : timeFaultOf(lease, 1000 * now);
        expect(fault ?? 'valid', what).to.equal(result);
      }
    });
  }

  it('are accepted and refused as they say by jose', async () => {
    const found = await Promise.all(sites.map(async (site) => [site.name, (await judge(site)) ? 'valid' : 'refused']));
    const expected = sites.map(({ name, result }) => [name, result === 'valid' ? result : 'refused']);
    expect(found).to.deep.equal(expected);
  });
});

/** Whether jose accepts the lease by one of the keys. Of the clocks, it lets the start differ by 5 minutes, and the end not. */
async function judge({ lease, issuer, domain, license_key, now }: Site): Promise<boolean> {
  const licenseKey = parseLicenseKey(license_key) ?? license_key;
  const { sub } = claimsOf(now, issuer, domain, licenseKey);
  for (const x of vectors.public_keys) {
    const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA');
    const verified = (at: number, clockTolerance: number) =>
      jwtVerify(lease, key, {
        issuer,
        audience: domain,
        subject: String(sub),
        algorithms: ['EdDSA'],
        typ: 'latchkey-lease+jwt',
        requiredClaims: ['iat', 'nbf', 'exp'],
        maxTokenAge: '100y',
        clockTolerance,
        currentDate: new Date(1000 * at),
      });
    const early = await verified(now, 300).catch(() => undefined);
    const { iat = 0, nbf = 0, v } = early?.payload ?? {};
    // jose does not know the versions of leases.
    if (v === 1 && (await verified(Math.max(now, iat, nbf), 0).catch(() => undefined))) return true;
  }
  return false;
}
