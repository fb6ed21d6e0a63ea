import type { LemonSqueezyAdapter } from '../marketplace/product-adapters.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { Instance, LicenseInstances } from '../ports/license-instances.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { hostOfInstance, nameOfInstance, newInstanceId, parseInstanceId } from './instance.ts';
import { type AskedKey, createKeyLookup } from './key-lookup.ts';
import { type Inactive, type License, type LicenseStatus, statusOf } from './license.ts';
import type { LicenseKey } from './license-key.ts';
import type { Licensing } from './licensing.ts';

/** A license as clients of another system see it. Never says whose it is. */
export interface ForeignLicense
  extends Pick<License, 'isLive' | 'maxDomains' | 'domainsUsed' | 'expiresAt' | 'createdAt'> {
  /** The key that was asked for. */
  readonly key: string;
  /** See `LicenseRecord`. */
  readonly number: number;
  readonly status: LicenseStatus;
  /** Whether it has any activation. Some take no slot. */
  readonly isActivated: boolean;
  readonly product: { readonly title: string };
  readonly ids: LemonSqueezyAdapter;
}

type Refusal = Inactive | 'domain_limit_reached' | 'free_domain_limit_reached' | 'instance_not_found';

/** The license after the operation. `refused`: why it was not carried out, or why the license is not valid. */
export interface ForeignAnswer {
  readonly license: ForeignLicense;
  readonly instance?: Instance | undefined;
  readonly refused?: Refused<Refusal>;
}

type Answered = Promise<ForeignAnswer | Refused<'invalid_key'>>;

/**
 * The license API as clients of Lemon Squeezy know it: a license is activated for instances. A license is unknown if its
 * product does not let these clients in.
 */
export interface Instances {
  /**
   * A name that is a host activates this domain, and its instance stays the same. Any other name makes one more instance
   * with each call.
   */
  activate(licenseKey: string, name: string): Answered;
  /** If an instance is given and the license is valid, this counts as a verification of the activation. */
  validate(licenseKey: string, instanceId?: string): Answered;
  /** Allowed in every status of the license. */
  deactivate(licenseKey: string, instanceId: string): Answered;
}

interface InstancesPorts {
  readonly licensing: Pick<Licensing, 'activate' | 'verify' | 'deactivate'>;
  readonly store: Pick<LicenseStore, 'look'>;
  readonly aliases: Pick<LicenseAliases, 'find'>;
  readonly products: Pick<ProductStore, 'findById'>;
  readonly instances: LicenseInstances;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'bytes'>;
}

export function createInstances(ports: InstancesPorts): Instances {
  const { licensing, store, aliases, products, instances, clock, secrets } = ports;
  const { withKey } = createKeyLookup(aliases, clock);

  async function open({ key, shown, alias, hasEnded }: AskedKey): Promise<ForeignLicense | Refused<'invalid_key'>> {
    const record = await store.look({ key });
    const now = clock.now();
    if (record === undefined || hasEnded(now)) return refuse('invalid_key');
    const product = await products.findById(record.license.productId);
    if (!product?.adapters.lemonsqueezy.isOn) return refuse('invalid_key');
    const { isLive, maxDomains, domainsUsed, freeDomains, expiresAt, createdAt } = record.license;
    return {
      ...{ isLive, maxDomains, domainsUsed, createdAt },
      key: shown,
      number: record.number,
      status: statusOf(record.license, now),
      isActivated: domainsUsed + freeDomains > 0,
      expiresAt: earlier(expiresAt, alias?.validUntil ?? null),
      product: { title: product.title },
      ids: product.adapters.lemonsqueezy,
    };
  }

  const withInstance = async ({ key }: AskedKey, text: string): Promise<Instance | undefined> => {
    const id = parseInstanceId(text);
    return id && (await instances.find(key, id));
  };

  type Work = (asked: AskedKey, license: ForeignLicense) => Promise<Partial<ForeignAnswer> | Refused<'invalid_key'>>;

  /** Opens the license and does the work with it. */
  const asking = (licenseKey: string, work: Work): Answered =>
    withKey(licenseKey, async (asked) => {
      const license = await open(asked);
      if (isRefused(license)) return license;
      const done = await work(asked, license);
      return 'reason' in done ? done : { license, ...done };
    });

  /** As `asking`, but returns the license as it is after the work. */
  const changing = (licenseKey: string, work: Work): Answered =>
    asking(licenseKey, async (asked, before) => {
      const done = await work(asked, before);
      if ('reason' in done) return done;
      const license = await open(asked);
      return isRefused(license) ? license : { ...done, license };
    });

  /** The activation stands already, so an outage must not take another slot. Without its name, it goes by its id. */
  async function keep(key: LicenseKey, instance: Omit<Instance, 'activatedAt'>): Promise<Instance> {
    const unnamed = { ...instance, activatedAt: clock.now() };
    try {
      // Without one, somebody has deactivated it already.
      return (await instances.keep(key, instance)) ?? unnamed;
    } catch (error) {
      if (error instanceof Unavailable && instance.domain === nameOfInstance(instance.id)) return unnamed;
      throw error;
    }
  }

  return {
    activate: (licenseKey, name) =>
      changing(licenseKey, async ({ key }) => {
        const id = newInstanceId(secrets);
        const host = hostOfInstance(name);
        const done = await licensing.activate({ licenseKey, domain: host ?? nameOfInstance(id) });
        if (isRefused(done))
          return done.reason === 'invalid_key' ? refuse(done.reason) : { refused: { ...done, reason: done.reason } };
        const { domain } = done;
        // An address can have secrets in it, and who activates its host next reads the name.
        return { instance: await keep(key, { id, name: host === undefined ? name : domain, domain }) };
      }),

    validate: (licenseKey, instanceId) =>
      asking(licenseKey, async (asked, { status }) => {
        const instance = instanceId === undefined ? undefined : await withInstance(asked, instanceId);
        if (status !== 'active') return { instance, refused: refuse(status) };
        if (instanceId === undefined) return {};
        if (instance === undefined) return { refused: refuse('instance_not_found') };
        const verdict = await licensing.verify({ licenseKey, domain: instance.domain });
        if (!isRefused(verdict)) return { instance };
        const { reason } = verdict;
        if (reason === 'invalid_key') return refuse(reason);
        if (reason === 'invalid_domain' || reason === 'not_entitled') return { refused: refuse('instance_not_found') };
        return { instance, refused: refuse(reason) };
      }),

    deactivate: (licenseKey, instanceId) =>
      changing(licenseKey, async (asked) => {
        const instance = await withInstance(asked, instanceId);
        if (instance === undefined) return { refused: refuse('instance_not_found') };
        const done = await licensing.deactivate({ licenseKey, domain: instance.domain });
        if (!isRefused(done)) return {};
        return done.reason === 'invalid_key' ? refuse(done.reason) : { refused: refuse('instance_not_found') };
      }),
  };
}

/** Returns the earlier of two ends. `null` is none. */
function earlier(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
