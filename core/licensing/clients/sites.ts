import { foldedName } from '../../marketplace/product-adapters.ts';
import type { LicenseInstances } from '../../ports/license-instances.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../../refusal.ts';
import type { DomainName } from '../domain-name.ts';
import type { KeyNotEnough } from '../domain-proof.ts';
import { hostOfInstance, instanceIdOf, longestInstanceName, nameOfInstance } from '../instance.ts';
import type { Inactive } from '../license.ts';
import type { Licensing } from '../licensing.ts';
import { answerOfRefused, createForeignLicenses, type ForeignLicense, type ForeignPorts } from './foreign-license.ts';

/** The product that a client belongs to, as it knows it. */
export interface AskedItem {
  /** The slug of the product here, in the address of its metadata. If it is given, only the slug is compared. */
  readonly slug?: string;
  /** Decides, if the client sends it. */
  readonly id: number | undefined;
  /** What the name that the client sends can mean: clients encode it in several ways. */
  readonly names: readonly string[];
}

/** What a client of EDD Software Licensing says of itself. */
export interface AskedSite {
  readonly licenseKey: string;
  readonly item: AskedItem;
  /** The address of the site, or any other text that names a machine. Empty if the client sends none. */
  readonly site: string;
  /** The network of the caller. */
  readonly from?: string;
}

export type OtherItem = 'other_item' | 'other_item_name';
type Refusal =
  | Inactive
  | KeyNotEnough
  | OtherItem
  | 'site_missing'
  | 'never_activated'
  | 'domain_not_found'
  | 'domain_limit_reached'
  | 'free_domain_limit_reached';

/** The license after the operation. `refused`: why it was not carried out, or why the license is not valid. */
export interface SiteAnswer {
  readonly license: ForeignLicense;
  readonly refused?: Refused<Refusal>;
}

type Answered = Promise<SiteAnswer | Refused<'invalid_key'>>;

/**
 * The license API as clients of EDD Software Licensing know it: a license is activated for sites. A license is unknown if its
 * product does not let these clients in. A license of another product is refused, so that no software takes it for its own.
 */
export interface Sites {
  /** A site that is a host activates this domain. Any other text is an instance, which stays the same for the same text. */
  activate(asked: AskedSite): Answered;
  /** If the license is valid, this counts as a verification of the activation. */
  check(asked: AskedSite): Answered;
  /** Allowed in every status of the license. */
  deactivate(asked: AskedSite): Answered;
}

interface SitesPorts extends ForeignPorts {
  readonly licensing: Pick<Licensing, 'activate' | 'verify' | 'deactivate'>;
  readonly instances: Pick<LicenseInstances, 'keep'>;
  readonly secrets: Pick<Secrets, 'digest'>;
}

export function createSites({ licensing, instances, secrets, ...ports }: SitesPorts): Sites {
  const { asking, changing } = createForeignLicenses('edd', ports, ports.products.findAdapted);
  return {
    activate: ({ licenseKey, item, site, from }) =>
      changing<Partial<SiteAnswer>>(licenseKey, async ({ key }, license) => {
        const other = refusingOther(license, item);
        if (other) return { refused: other };
        if (site === '') return { refused: refuse('site_missing') };
        const domain = activationOf(site, secrets);
        const done = await licensing.activate({ licenseKey, domain, from });
        if (isRefused(done)) return answerOfRefused(done);
        if (hostOfInstance(site) === undefined) {
          const name = [...site].slice(0, longestInstanceName).join('');
          await instances.keep(key, { id: instanceIdOf(site, secrets), name, domain });
        }
        return {};
      }),

    check: ({ licenseKey, item, site }) =>
      asking<Partial<SiteAnswer>>(licenseKey, async (_, license) => {
        const other = refusingOther(license, item);
        if (other) return { refused: other };
        if (license.status !== 'active') return { refused: refuse(license.status) };
        if (license.activations === 0) return { refused: refuse('never_activated') };
        if (site === '') return { refused: refuse('domain_not_found') };
        const verdict = await licensing.verify({ licenseKey, domain: activationOf(site, secrets) });
        if (!isRefused(verdict)) return {};
        const { reason } = verdict;
        if (reason === 'invalid_domain' || reason === 'not_entitled') return { refused: refuse('domain_not_found') };
        return answerOfRefused(refuse(reason));
      }),

    deactivate: ({ licenseKey, item, site, from }) =>
      changing<Partial<SiteAnswer>>(licenseKey, async (_, license) => {
        const other = refusingOther(license, item);
        if (other) return { refused: other };
        if (site === '') return { refused: refuse('site_missing') };
        const done = await licensing.deactivate({ licenseKey, domain: activationOf(site, secrets), from });
        return isRefused(done) ? answerOfRefused(done) : {};
      }),
  };
}

/** Refuses a client that belongs to another product. What the product has not set never matches. */
export function refusingOther(
  { product }: Pick<ForeignLicense, 'product'>,
  { slug, id, names }: AskedItem,
): Refused<OtherItem> | undefined {
  if (slug !== undefined) return slug === product.slug ? undefined : refuse('other_item');
  const { itemId, itemName } = product.adapters.edd;
  if (id !== undefined) return id === itemId ? undefined : refuse('other_item');
  const isNamed = itemName !== null && names.some((name) => foldedName(name) === foldedName(itemName));
  return isNamed ? undefined : refuse('other_item_name');
}

/** Returns the name under which a site is activated. */
export function activationOf(site: string, secrets: Pick<Secrets, 'digest'>): DomainName {
  return hostOfInstance(site) ?? nameOfInstance(instanceIdOf(site, secrets));
}
