import { z } from 'zod';
import { iso } from '../../../core/iso.ts';
import type { LeaseKeys } from '../../../core/licensing/lease-keys.ts';
import type { Leasing } from '../../../core/licensing/leasing.ts';
import { isRefused } from '../../../core/refusal.ts';
import { leaseEnvelope, licenseEnvelope } from '../envelopes.ts';
import { endTime } from '../fields.ts';
import { licenseRoute } from '../route.ts';
import { paths, tag, verified, verifyRefusals } from './verification.ts';

const leased = z
  .object({
    valid: z.literal(true),
    lease: z.string().meta({
      description:
        'A compact JWS (EdDSA) with `typ: latchkey-lease+jwt`. Check it with the public key that is built into your program, not with one that it fetches.',
      example:
        'eyJhbGciOiJFZERTQSIsInR5cCI6ImxhdGNoa2V5LWxlYXNlK2p3dCIsImtpZCI6Ii4uLiJ9.eyJhdWQiOiJhcHAuZXhhbXBsZS5jb20iLCJ2IjoxfQ.c2lnbmF0dXJl',
    }),
    expires_at: endTime.meta({ description: 'The end of the lease, not of the license.' }),
  })
  .meta({ id: 'LicenseLeaseValid' });

const keySet = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string().meta({ example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }),
        kid: z.string().meta({ example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' }),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    ),
  })
  .meta({ id: 'LicenseLeaseKeys' });

/** The routes of signed leases, and of the public keys to check them. */
export function leaseRoutes(leasing: Leasing, leaseKeys: Pick<LeaseKeys, 'published'>) {
  return [
    licenseRoute({
      id: 'lease',
      tag,
      summary: 'Checks that a license is valid for a domain, and signs the answer',
      description:
        'As `verify`, with its limits, refusals and counts. Your program runs with the lease until it ends, also if this server is away. Until then, it may not notice a revocation.',
      method: 'get',
      paths: paths('lease'),
      envelope: leaseEnvelope,
      query: verified,
      answer: leased,
      refusals: verifyRefusals,
      async handle({ query: { license_key: licenseKey, domain, entitlement } }) {
        const lease = await leasing.lease({ licenseKey, domain, entitlement });
        if (isRefused(lease)) return lease;
        return { valid: true as const, lease: lease.token, expires_at: iso(lease.endsAt) };
      },
    }),
    licenseRoute({
      id: 'leaseKeys',
      tag,
      summary: 'Returns the public keys of leases and signed answers',
      description:
        'A JWK set with the key that signs, and old keys until their last lease has ended. It is there for people and for tests: a program has its key built in.',
      method: 'get',
      paths: ['/.well-known/latchkey-keys.json'],
      envelope: licenseEnvelope,
      answer: keySet,
      refusals: [],
      cacheControl: 'public, no-cache',
      async handle() {
        const published = await leaseKeys.published();
        return {
          keys: published.map(({ kid, publicKey: x }) => ({
            ...({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } as const),
          })),
        };
      },
    }),
  ];
}
