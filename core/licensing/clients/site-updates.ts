import { dayOf } from '../../day-text.ts';
import type { ProductId } from '../../id.ts';
import type { Product } from '../../marketplace/product.ts';
import type { ProductVersion } from '../../marketplace/product-version.ts';
import type { Clock, Instant } from '../../ports/clock.ts';
import type { ProductStore } from '../../ports/product-store.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../../refusal.ts';
import type { DownloadLink } from '../../templates/templates.ts';
import { day } from '../../time.ts';
import { type Inactive, statusOf } from '../license.ts';
import type { Licensing } from '../licensing.ts';
import { activationsOf, createForeignLicenses, type ForeignLicense, type ForeignPorts } from './foreign-license.ts';
import { type AskedSite, activationOf, type OtherItem, refusingOther } from './sites.ts';

/** Returns a link that serves a stored file until a time, but only while `mayFetch` says so for both. */
export type LicenseLink = (license: number, key: string, filename: string, until: Instant) => string;

/** What a site learns about updates. */
export interface SiteUpdate {
  readonly license: ForeignLicense<Product>;
  /** `undefined` if nothing is released, or if the site belongs to another product. */
  readonly version?: ProductVersion | undefined;
  /** The file of the version. Only if the license is valid for the site, and covers the version. */
  readonly file?: DownloadLink | undefined;
  /** Why there is no file, with a sentence for people. */
  readonly refused?: Refused<NoFile>;
}

/** `version` is `undefined` if nothing is released. */
export type KnownUpdate = Pick<SiteUpdate, 'version'> & { readonly product: Product };

/** Reasons for which a site gets no file. The last two say nothing against its license. */
export type NoFile = Inactive | OtherItem | 'invalid_domain' | 'nothing_released' | 'updates_ended';

/** Updates of what sites have, for clients of EDD Software Licensing. */
export interface SiteUpdates {
  /**
   * Returns the newest version that the license covers, or the newest of all if the site has that one or there is none. If
   * the license is valid for the site, this counts as a verification of the activation.
   */
  latest(asked: AskedSite & { readonly installed: string }): Promise<SiteUpdate | Refused<'invalid_key'>>;
  /**
   * What everybody may know without a license: the newest version of the public product with this id there. `undefined` if there is no
   * such product.
   */
  known(itemId: number): Promise<KnownUpdate | undefined>;
  /**
   * Whether a link that was made for the license still serves the stored file: a version that is released must have it, the
   * license must be active and activated, and its product must let these clients in.
   */
  mayFetch(license: number, key: string): Promise<boolean>;
}

interface SiteUpdatesPorts extends ForeignPorts {
  readonly licensing: Pick<Licensing, 'verify'>;
  readonly products: Pick<
    ProductStore,
    'findById' | 'findAdapted' | 'findPublicEddItem' | 'findVersion' | 'newestFor' | 'hasFile'
  >;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'digest'>;
  readonly linkTo: LicenseLink;
}

/** Milliseconds for which a link is valid. Sites keep the answer for some hours before they update. */
const linkLifetime = day;

export function createSiteUpdates({ licensing, secrets, linkTo, ...ports }: SiteUpdatesPorts): SiteUpdates {
  const { store, products, clock } = ports;
  const { asking } = createForeignLicenses('edd', ports, products.findById);
  return {
    latest: ({ licenseKey, item, site, installed }) =>
      asking<Omit<SiteUpdate, 'license'>>(licenseKey, async (_, license) => {
        const other = refusingOther(license, item);
        if (other) return { refused: refuse(other.reason, 'The license is for another product.') };
        const { id: productId, slug } = license.product;
        const wish = ofAll(productId);
        const verdict =
          site === ''
            ? refuse('invalid_domain')
            : await licensing.verify({ licenseKey, domain: activationOf(site, secrets) });
        const reason = isRefused(verdict) ? verdict.reason : undefined;
        if (reason === 'invalid_key') return refuse(reason);
        const [newest, covered] = await products.newestFor([wish, { ...wish, updatesUntil: license.updatesUntil }]);
        const isOffered =
          reason === undefined && covered !== undefined && (covered === newest || covered !== installed);
        const number = isOffered ? covered : newest;
        const version = number === undefined ? undefined : await products.findVersion(productId, number);
        if (version === undefined) return { refused: refuse('nothing_released', 'Nothing is released yet.') };
        if (reason !== undefined) {
          const refused = reason === 'not_entitled' ? 'invalid_domain' : reason;
          return { version, refused: refuse(refused, 'The license is not active on this site.') };
        }
        if (!isOffered) return { version, refused: refuse('updates_ended', endedOn(license.updatesUntil)) };
        const filename = `${slug}-${version.number}.zip`;
        // Whoever has a key that was replaced has nothing beyond its end.
        const until = Math.min(clock.now() + linkLifetime, license.expiresAt ?? Number.POSITIVE_INFINITY);
        const url = linkTo(license.number, version.zip, filename, until);
        return { version, file: { url, filename } };
      }),

    async known(itemId) {
      const product = await products.findPublicEddItem(itemId);
      if (product === undefined) return undefined;
      const [newest] = await products.newestFor([ofAll(product.id)]);
      const version = newest === undefined ? undefined : await products.findVersion(product.id, newest);
      return { product, version };
    },

    async mayFetch(number, key) {
      const license = (await store.look({ number }))?.license;
      if (license === undefined || statusOf(license, clock.now()) !== 'active' || activationsOf(license) === 0)
        return false;
      const { productId } = license;
      if (!(await products.findAdapted(productId))?.adapters.edd.isOn) return false;
      const [released] = await products.newestFor([ofAll(productId)]);
      return released !== undefined && (await products.hasFile(productId, key));
    },
  };
}

/** Asks for the newest of all releases of a product. */
function ofAll(productId: ProductId) {
  return { productId, agreed: null, updatesUntil: null };
}

function endedOn(updatesUntil: Instant | null): string {
  return `The updates of this license ended${updatesUntil === null ? '' : ` on ${dayOf(updatesUntil)}`} (UTC).`;
}
