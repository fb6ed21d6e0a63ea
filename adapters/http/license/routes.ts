import { z } from 'zod';
import { iso } from '../../../core/iso.ts';
import { freeDomainsLimit } from '../../../core/licensing/activations.ts';
import { hostKinds } from '../../../core/licensing/hosts.ts';
import { type Activation, licenseStatuses, shownDomains } from '../../../core/licensing/license.ts';
import type { ActivatedHost, LicenseSummary, Licensing } from '../../../core/licensing/licensing.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { ClientAddress } from '../client-address.ts';
import { licenseEnvelope, verifyEnvelope } from '../envelopes.ts';
import { endTime, entitlementList, isoOrNull, licenseKey, timestamp, updatesUntil } from '../fields.ts';
import { licenseRoute, type Route } from '../route.ts';
import { licenseChange } from './change-route.ts';
import type { LicenseOperation } from './operation.ts';
import { binding, paths, tag, verified, verifyRefusals } from './verification.ts';

const bound = z
  .object({
    success: z.literal(true),
    message: z.string(),
    domain: z.string().meta({ description: 'The normalized domain, under the name with which it is activated.' }),
    license_key: z.string().meta({
      description: 'The key that was asked for; in its canonical form, if it is one of this service.',
    }),
  })
  .meta({
    id: 'LicenseBound',
    example: {
      success: true,
      message: 'The license is activated on app.example.com.',
      domain: 'app.example.com',
      license_key: 'LIC-7H2K-9QWX-M4TB-C0VJ',
    },
  });

const activationFields = {
  domain: z.string().meta({ example: 'app.example.com' }),
  activated_at: timestamp,
  verification_count: z.int().meta({ description: 'Successful verifications since the activation.', example: 42 }),
  last_verified_at: timestamp.nullable(),
  valid_until: endTime.optional().meta({
    description: 'Only if the domain is being moved away: the time until which it is valid.',
  }),
};

const activation = z.object(activationFields).meta({ id: 'LicenseActivation' });

const freeKinds = hostKinds.filter((kind) => kind !== 'slot');

const activationWithoutSlot = z
  .object({ ...activationFields, kind: z.enum(freeKinds) })
  .meta({ id: 'LicenseActivationWithoutSlot' });

const expiresAt = timestamp.nullable().meta({ description: 'Null for a perpetual license.' });

const license = z
  .object({
    key: z.string().meta({ example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
    status: z.enum(licenseStatuses),
    product: z
      .object({ id: z.int(), title: z.string(), slug: z.string() })
      .meta({ example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' } }),
    domain: activation.nullable().meta({ description: 'The domain that was activated last.' }),
    domains: z
      .array(activation)
      .max(shownDomains)
      .meta({
        description: `The ${shownDomains} newest domains that take a slot, newest first. Instances of clients of other systems take slots too, but are not shown.`,
      }),
    domains_without_slot: z
      .array(activationWithoutSlot)
      .max(shownDomains)
      .meta({
        description: `Hosts of developers and previews that take no slot, newest first. A license has at most ${freeDomainsLimit}.`,
        example: [],
      }),
    domains_used: z.int().meta({
      description: 'The number of used slots. A domain that is being moved away takes none.',
    }),
    max_domains: z.int().meta({ example: 3 }),
    verification_count: z
      .int()
      .meta({ description: 'The number of all successful verifications so far.', example: 57 }),
    last_verified_at: timestamp.nullable(),
    expires_at: expiresAt,
    updates_until: updatesUntil,
    entitlements: entitlementList,
    created_at: timestamp,
  })
  .meta({ id: 'License' });

const valid = z
  .object({
    valid: z.literal(true),
    license: z.object({
      expires_at: expiresAt,
      updates_until: updatesUntil,
      entitlements: entitlementList,
      key_valid_until: endTime.optional().meta({
        description:
          'Only if the key itself ends, such as one that was replaced: the time until which it is valid. `expires_at` is not later then.',
      }),
    }),
  })
  .meta({ id: 'LicenseVerdictValid' });

const details = z.object({ success: z.literal(true), license });

/** The license API of the spec, at both of its path forms. */
export function licenseRoutes(
  licensing: Licensing,
  clientAddress: ClientAddress,
): (Route & { readonly id: LicenseOperation })[] {
  return [
    licenseRoute({
      id: 'verify',
      tag,
      summary: 'Checks that a license is valid for a domain',
      description:
        'Verify at start-up, and keep a valid answer for about an hour, so that your site stays up if a call fails. With `entitlement`, a license that is valid but does not have it is `not_entitled`.',
      method: 'get',
      paths: paths('verify'),
      envelope: verifyEnvelope,
      query: verified,
      answer: valid,
      refusals: verifyRefusals,
      cacheControl: 'private, no-cache',
      async handle({ query }) {
        const { license_key: licenseKey, domain, entitlement } = query;
        const verdict = await licensing.verify({ licenseKey, domain, entitlement });
        if (isRefused(verdict)) return verdict;
        const { expiresAt, updatesUntil, entitlements, keyEndsAt } = verdict;
        const license = {
          // So that no client keeps a valid answer beyond the end of its key, whatever fields it knows.
          expires_at: isoOrNull(earlier(expiresAt, keyEndsAt)),
          updates_until: isoOrNull(updatesUntil),
          entitlements: [...entitlements],
          ...(keyEndsAt !== undefined && { key_valid_until: iso(keyEndsAt) }),
        };
        return { valid: true as const, license };
      },
    }),
    licenseChange({
      id: 'activate',
      tag,
      summary: 'Binds a license to a domain',
      description: 'Activating the same domain again changes nothing and returns the same response.',
      method: 'post',
      paths: paths('activate'),
      envelope: licenseEnvelope,
      body: binding,
      answer: bound,
      refusals: [
        'invalid_key',
        'revoked',
        'suspended',
        'expired',
        'domain_limit_reached',
        'free_domain_limit_reached',
        'domain_not_proven',
        'rate_limit_exceeded',
      ],
      async handle({ body: { license_key: licenseKey, domain }, request }) {
        const done = await licensing.activate({ licenseKey, domain, from: clientAddress(request) });
        if (isRefused(done)) return done;
        const hint =
          done.how === undefined ? '' : ` The domain is not proven. ${done.how} The server looks once a minute.`;
        return renderBound(done, `The license is activated on ${done.domain}.${hint}`);
      },
    }),
    licenseChange({
      id: 'deactivate',
      tag,
      summary: 'Removes a domain from a license',
      description: 'The domain is invalid from now on, and its slot is free again.',
      method: 'post',
      paths: paths('deactivate'),
      envelope: licenseEnvelope,
      body: binding,
      answer: bound,
      refusals: [
        'invalid_key',
        'domain_not_found',
        'domain_not_proven',
        'deactivation_not_allowed',
        'deactivation_too_soon',
        'rate_limit_exceeded',
      ],
      async handle({ body: { license_key: licenseKey, domain }, request }) {
        const done = await licensing.deactivate({ licenseKey, domain, from: clientAddress(request) });
        return isRefused(done) ? done : renderBound(done, `The license is no longer activated on ${done.domain}.`);
      },
    }),
    licenseRoute({
      id: 'status',
      tag,
      summary: 'Returns the details of a license in any status',
      method: 'get',
      paths: paths('status'),
      envelope: licenseEnvelope,
      query: z.object({ license_key: licenseKey }),
      answer: details,
      refusals: ['invalid_key'],
      async handle({ query }) {
        const license = await licensing.status(query.license_key, 'stale');
        return isRefused(license) ? license : { success: true, license: renderLicense(license) };
      },
    }),
  ];
}

/** Returns the earlier of two ends. `null` and `undefined` are no ends. */
function earlier(one: Instant | null, other: Instant | undefined): Instant | null {
  return one === null ? (other ?? null) : Math.min(one, other ?? one);
}

function renderBound({ key, domain }: ActivatedHost, message: string): z.output<typeof bound> {
  return { success: true, message, domain, license_key: key };
}

/** Renders a license for the status response. */
function renderLicense(license: LicenseSummary): z.output<typeof details>['license'] {
  return {
    key: license.key,
    status: license.status,
    product: license.product,
    domain: license.newest ? renderActivation(license.newest) : null,
    domains: license.domains.map(renderActivation),
    domains_without_slot: license.domainsWithoutSlot.flatMap((one) =>
      one.kind === 'slot' ? [] : [{ ...renderActivation(one), kind: one.kind }],
    ),
    domains_used: license.domainsUsed,
    max_domains: license.maxDomains,
    verification_count: license.verifications.verificationCount,
    last_verified_at: isoOrNull(license.verifications.lastVerifiedAt),
    expires_at: isoOrNull(license.expiresAt),
    updates_until: isoOrNull(license.updatesUntil),
    entitlements: [...license.entitlements],
    created_at: iso(license.createdAt),
  };
}

function renderActivation(one: Activation): z.output<typeof activation> {
  return {
    domain: one.domain,
    activated_at: iso(one.activatedAt),
    verification_count: one.verificationCount,
    last_verified_at: isoOrNull(one.lastVerifiedAt),
    ...(one.endsAt !== null && { valid_until: iso(one.endsAt) }),
  };
}
