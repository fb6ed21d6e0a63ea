import { event } from '../../events/event.ts';
import type { ProductId } from '../../id.ts';
import type { AdaptedProduct } from '../../marketplace/product.ts';
import type { ProductAdapters } from '../../marketplace/product-adapters.ts';
import type { Clock, Instant } from '../../ports/clock.ts';
import type { LicenseAliases } from '../../ports/license-aliases.ts';
import type { LicenseStore } from '../../ports/license-store.ts';
import type { ProductStore } from '../../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../../refusal.ts';
import { started } from '../ends.ts';
import { answeredStatus } from '../forced.ts';
import { type AskedKey, createKeyLookup } from '../key-lookup.ts';
import { type License, type LicenseStatus, statusOf } from '../license.ts';

/** A license as clients of another system see it. Never says whose it is. */
export interface ForeignLicense<P extends AdaptedProduct = AdaptedProduct>
  extends Pick<License, 'isLive' | 'maxDomains' | 'domainsUsed' | 'expiresAt' | 'updatesUntil' | 'createdAt'> {
  /** The key that was asked for. */
  readonly key: string;
  /** See `LicenseRecord`. */
  readonly number: number;
  readonly status: LicenseStatus;
  /** The number of its activations. Some take no slot. */
  readonly activations: number;
  /** Whether its days start with its first activation, and have not. */
  readonly waitsForActivation: boolean;
  /** The verifications of no present domain: of removed ones, and those that named none. */
  readonly otherVerifications: number;
  readonly product: P;
}

type Work<Done, P extends AdaptedProduct> = (
  asked: AskedKey,
  license: ForeignLicense<P>,
) => Promise<Done | Refused<'invalid_key'>>;
type Opened<Done, P extends AdaptedProduct> = Promise<
  (Done & { readonly license: ForeignLicense<P> }) | Refused<'invalid_key'>
>;

/** Works with licenses for clients of one system. A license is unknown if its product does not let these clients in. */
interface ForeignLicenses<P extends AdaptedProduct> {
  /** Opens the license and does the work with it. Returns the license as the work does, or as it was before. */
  asking<Done extends object>(licenseKey: string, work: Work<Done, P>): Opened<Done, P>;
  /** As `asking`, but returns the license as it is after the work. */
  changing<Done extends object>(licenseKey: string, work: Work<Done, P>): Opened<Done, P>;
  /**
   * Returns the license after its days have started, if it is active and they start with its first activation. Without it, a license would
   * never end whose clients activate nothing.
   */
  start(asked: AskedKey, license: ForeignLicense<P>): Promise<ForeignLicense<P> | Refused<'invalid_key'>>;
}

export interface ForeignPorts {
  readonly store: Pick<LicenseStore, 'look' | 'change'>;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly products: Pick<ProductStore, 'findAdapted'>;
  readonly clock: Clock;
}

/** `find` reads as much of a product as the answers need. */
export function createForeignLicenses<P extends AdaptedProduct>(
  system: keyof ProductAdapters,
  { store, aliases, clock }: Pick<ForeignPorts, 'store' | 'aliases' | 'clock'>,
  find: (id: ProductId) => Promise<P | undefined>,
): ForeignLicenses<P> {
  const { withKey } = createKeyLookup(aliases, clock);

  async function open({ key, shown, alias, hasEnded }: AskedKey): Promise<ForeignLicense<P> | Refused<'invalid_key'>> {
    const record = await store.look({ key });
    const now = clock.now();
    if (record === undefined || hasEnded(now)) return refuse('invalid_key');
    const product = await find(record.license.productId);
    if (!product?.adapters[system].isOn) return refuse('invalid_key');
    const { isLive, maxDomains, domainsUsed, expiresAt, updatesUntil, createdAt } = record.license;
    return {
      ...{ isLive, maxDomains, domainsUsed, updatesUntil, createdAt },
      key: shown,
      number: record.number,
      status: answeredStatus(record.license, now),
      activations: activationsOf(record.license),
      waitsForActivation: record.license.daysFromActivation !== null,
      expiresAt: earlier(expiresAt, alias?.validUntil ?? null),
      otherVerifications: record.license.retired.verificationCount,
      product,
    };
  }

  const asking: ForeignLicenses<P>['asking'] = (licenseKey, work) =>
    withKey(licenseKey, async (asked) => {
      const license = await open(asked);
      if (isRefused(license)) return license;
      const done = await work(asked, license);
      return isRefused(done) ? done : { license, ...done };
    });

  return {
    asking,
    changing: (licenseKey, work) =>
      asking(licenseKey, async (asked, before) => {
        const done = await work(asked, before);
        if (isRefused(done)) return done;
        const license = await open(asked);
        return isRefused(license) ? license : { ...done, license };
      }),
    async start(asked, license) {
      if (!license.waitsForActivation || license.status !== 'active') return license;
      const { key, hasEnded } = asked;
      const changed = await store.change(key, undefined, (before) => {
        const now = clock.now();
        if (hasEnded(now)) return refuse('invalid_key');
        if (before.daysFromActivation === null || statusOf(before, now) !== 'active') return { license: before };
        const after = started(before, now);
        const by = { actor: 'license-api', reason: 'It was verified without an activation.' };
        return { license: after, event: event('license.changed', key, by, now, { expires_at: after.expiresAt }) };
      });
      return isRefused(changed) ? changed : await open(asked);
    },
  };
}

/** Returns what was refused as a part of the answer. A key that is unknown has no answer, so its refusal stays one. */
export function answerOfRefused<Reason extends string>(
  refused: Refused<Reason>,
): Refused<'invalid_key'> | { readonly refused: Refused<Exclude<Reason, 'invalid_key'>> } {
  const { reason } = refused;
  if (reason === 'invalid_key') return refuse('invalid_key');
  return { refused: { ...refused, reason: reason as Exclude<Reason, 'invalid_key'> } };
}

/** The number of activations of a license. Some take no slot. */
export function activationsOf({ domainsUsed, freeDomains }: Pick<License, 'domainsUsed' | 'freeDomains'>): number {
  return domainsUsed + freeDomains;
}

/** Returns the earlier of two ends. `null` is none. */
function earlier(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
