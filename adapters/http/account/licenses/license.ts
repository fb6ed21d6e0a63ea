import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { forcedAnswers } from '../../../../core/licensing/forced.ts';
import { hostKinds } from '../../../../core/licensing/hosts.ts';
import { licenseStatuses, shownDomains } from '../../../../core/licensing/license.ts';
import type { ShownLicense, SoldLicense } from '../../../../core/selling/sold-license.ts';
import { second } from '../../../../core/time.ts';
import { endTime, entitlementList, isoOrNull, timestamp, updatesUntil } from '../../fields.ts';
import type { Tag } from '../../route.ts';

const tag: Tag = {
  name: 'Licenses',
  description:
    "The licenses of the caller's own products; those of all products for administrators. A live key works with licenses of live products, a test key with those of test products. All others are not found.",
};

/** What the routes about licenses have in common. */
export const reading = { tag, scope: 'licenses:read' } as const;
export const writing = { tag, scope: 'licenses:write' } as const;

export const licenseItem = z
  .object({
    key: z.string().meta({ example: 'LIC-7H2K-9QWX-M4TB-C0VJ' }),
    status: z.enum(licenseStatuses),
    livemode: z.boolean().meta({ description: 'False if the product is a test product.', example: true }),
    product: z
      .object({ id: z.int(), title: z.string(), slug: z.string() })
      .meta({ example: { id: 7, title: 'Simple DEX', slug: 'simple-dex' } }),
    holder: z
      .object({ email: z.string().nullable(), name: z.string().nullable() })
      .nullable()
      .meta({ example: { email: 'grace@example.com', name: 'Grace Hopper' } }),
    reference: z.string().nullable().meta({ example: 'order-4711' }),
    domains_used: z.int().meta({ description: 'The number of used slots.', example: 1 }),
    max_domains: z.int().meta({ example: 3 }),
    expires_at: endTime.nullable().meta({ description: 'Null for a perpetual license.' }),
    updates_until: updatesUntil,
    entitlements: entitlementList,
    created_at: timestamp,
    test_clock: z
      .object({
        ahead_seconds: z.int().meta({ description: 'By how long it was advanced in all.', example: 2_592_000 }),
        forced: z.enum(forcedAnswers).nullable().meta({
          description:
            'What the license API answers while the license is neither suspended nor revoked. Null: as the license is.',
          example: null,
        }),
      })
      .nullable()
      .meta({ description: 'Null for live licenses, and for test licenses whose clock was never set.', example: null }),
  })
  .meta({ id: 'AccountLicense' });

const domain = z
  .object({
    domain: z.string().meta({ example: 'app.example.com' }),
    activated_at: timestamp,
    kind: z.enum(hostKinds).meta({ description: '`local` and `preview` hosts take no slot.', example: 'slot' }),
    ends_at: endTime.nullable().meta({
      description: 'If it is being moved: the time until which it is valid. The license API calls it `valid_until`.',
    }),
    moved_to: z.string().nullable().meta({ description: 'The domain to which it is being moved.', example: null }),
    proven_at: timestamp.nullable().meta({
      description: 'When somebody proved to control it, as the terms of the product may ask. Null if nobody has.',
    }),
    verification_count: z.int().meta({ description: 'Successful verifications since the activation.', example: 42 }),
    last_verified_at: timestamp.nullable(),
  })
  .meta({ id: 'AccountLicenseDomain' });

const licenseDetail = licenseItem
  .extend({
    metadata: z.record(z.string(), z.string()).meta({ example: { campaign: 'spring' } }),
    domains: z.array(domain).meta({
      description: `Newest first: the ${shownDomains} newest domains, and all that take no slot or are being moved.`,
    }),
    verification_count: z.int().meta({ description: 'The number of all successful verifications.', example: 57 }),
    last_verified_at: timestamp.nullable(),
  })
  .meta({ id: 'AccountLicenseDetail' });

/** The answer with one license. */
export const oneLicense = z.object({ success: z.literal(true), license: licenseDetail });

export function renderItem({ license, status, product, notes }: SoldLicense): z.output<typeof licenseItem> {
  const { holder } = notes;
  return {
    key: license.key,
    status,
    livemode: license.isLive,
    product: { id: product.id, title: product.title, slug: product.slug },
    holder: holder && { email: holder.email, name: holder.name },
    reference: notes.reference,
    domains_used: license.domainsUsed,
    max_domains: license.maxDomains,
    expires_at: isoOrNull(license.expiresAt),
    updates_until: isoOrNull(license.updatesUntil),
    entitlements: [...license.entitlements],
    created_at: iso(license.createdAt),
    test_clock: license.testClock
      ? { ahead_seconds: license.testClock.ahead / second, forced: license.testClock.forced }
      : null,
  };
}

export function answerWith(shown: ShownLicense): z.output<typeof oneLicense> {
  return {
    success: true,
    license: {
      ...renderItem(shown),
      metadata: { ...shown.notes.metadata },
      domains: shown.domains.map((one) => ({
        domain: one.domain,
        activated_at: iso(one.activatedAt),
        kind: one.kind,
        ends_at: isoOrNull(one.endsAt),
        moved_to: one.movedTo,
        proven_at: isoOrNull(one.provenAt ?? null),
        verification_count: one.verificationCount,
        last_verified_at: isoOrNull(one.lastVerifiedAt),
      })),
      verification_count: shown.verifications.verificationCount,
      last_verified_at: isoOrNull(shown.verifications.lastVerifiedAt),
    },
  };
}
