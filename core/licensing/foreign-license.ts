import type { Product } from '../marketplace/product.ts';
import type { ProductAdapters } from '../marketplace/product-adapters.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { type AskedKey, createKeyLookup } from './key-lookup.ts';
import { type License, type LicenseStatus, statusOf } from './license.ts';

/** A license as clients of another system see it. Never says whose it is. */
export interface ForeignLicense
  extends Pick<License, 'isLive' | 'maxDomains' | 'domainsUsed' | 'expiresAt' | 'updatesUntil' | 'createdAt'> {
  /** The key that was asked for. */
  readonly key: string;
  /** See `LicenseRecord`. */
  readonly number: number;
  readonly status: LicenseStatus;
  /** Whether it has any activation. Some take no slot. */
  readonly isActivated: boolean;
  /** The verifications of no present domain: of removed ones, and those that named none. */
  readonly otherVerifications: number;
  readonly product: Product;
}

type Work<Done> = (asked: AskedKey, license: ForeignLicense) => Promise<Done | Refused<'invalid_key'>>;
type Opened<Done> = Promise<(Done & { readonly license: ForeignLicense }) | Refused<'invalid_key'>>;

/** Works with licenses for clients of one system. A license is unknown if its product does not let these clients in. */
export interface ForeignLicenses {
  /** Opens the license and does the work with it. */
  asking<Done extends object>(licenseKey: string, work: Work<Done>): Opened<Done>;
  /** As `asking`, but returns the license as it is after the work. */
  changing<Done extends object>(licenseKey: string, work: Work<Done>): Opened<Done>;
}

export interface ForeignPorts {
  readonly store: Pick<LicenseStore, 'look'>;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly products: Pick<ProductStore, 'findById'>;
  readonly clock: Clock;
}

export function createForeignLicenses(
  system: keyof ProductAdapters,
  { store, aliases, products, clock }: ForeignPorts,
): ForeignLicenses {
  const { withKey } = createKeyLookup(aliases, clock);

  async function open({ key, shown, alias, hasEnded }: AskedKey): Promise<ForeignLicense | Refused<'invalid_key'>> {
    const record = await store.look({ key });
    const now = clock.now();
    if (record === undefined || hasEnded(now)) return refuse('invalid_key');
    const product = await products.findById(record.license.productId);
    if (!product?.adapters[system].isOn) return refuse('invalid_key');
    const { isLive, maxDomains, domainsUsed, freeDomains, expiresAt, updatesUntil, createdAt } = record.license;
    return {
      ...{ isLive, maxDomains, domainsUsed, updatesUntil, createdAt },
      key: shown,
      number: record.number,
      status: statusOf(record.license, now),
      isActivated: domainsUsed + freeDomains > 0,
      expiresAt: earlier(expiresAt, alias?.validUntil ?? null),
      otherVerifications: record.license.retired.verificationCount,
      product,
    };
  }

  return {
    asking: (licenseKey, work) =>
      withKey(licenseKey, async (asked) => {
        const license = await open(asked);
        if (isRefused(license)) return license;
        const done = await work(asked, license);
        return isRefused(done) ? done : { ...done, license };
      }),
    changing: (licenseKey, work) =>
      withKey(licenseKey, async (asked) => {
        const before = await open(asked);
        if (isRefused(before)) return before;
        const done = await work(asked, before);
        if (isRefused(done)) return done;
        const license = await open(asked);
        return isRefused(license) ? license : { ...done, license };
      }),
  };
}

/** Returns the earlier of two ends. `null` is none. */
function earlier(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
