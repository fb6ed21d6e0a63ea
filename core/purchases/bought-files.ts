import { dayOf } from '../day-text.ts';
import type { OrderId, TemplateId, UserId } from '../id.ts';
import { mayFetch } from '../licensing/ends.ts';
import type { ProductVersion } from '../marketplace/product-version.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { OrderLink, OrderStore } from '../ports/order-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Template } from '../templates/template.ts';
import type { DownloadLink } from '../templates/templates.ts';
import { isUsable, type Order } from './order.ts';

/** Above the ordinal of every version: a product has few, but deleted ones leave gaps. */
const lastOrdinal = 999_999_999;

/** A page of the versions of what was bought, newest first. `next` is `null` after the last page. */
export interface BoughtVersions {
  readonly versions: readonly ProductVersion[];
  /** Until when the license gets updates, if that is over for some of these versions. They cannot be downloaded. */
  readonly updatesUntil: Instant | null;
  /** Those of the versions that came after the end of the updates. */
  readonly tooNew: ReadonlySet<ProductVersion>;
  readonly next: number | null;
}

/**
 * The files that buyers can download while the order is usable: the agreed version, and all later ones that exist and were
 * made while the license gets updates.
 */
export interface BoughtFiles {
  /** `before` is the `next` of the previous page. */
  versions(
    order: Order,
    page: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<BoughtVersions>;
  /** Returns a link to the zip of a version. */
  download(order: Order, number: string): Promise<DownloadLink | Refused<'not_found' | 'updates_ended'>>;
  /** The template that is sold with the product. */
  template(order: Order): Promise<Template | undefined>;
  /** Whether a link that was made for the order still serves its file. */
  mayFetch(id: OrderId): Promise<boolean>;
  /** Returns a link to the zip of the template, and counts it. */
  downloadTemplate(order: Order): Promise<DownloadLink | Refused<'not_found'>>;
  /** Does the same for the newest usable order of the user with this template. `undefined` if there is none. */
  downloadTemplateOf(user: UserId, template: TemplateId): Promise<DownloadLink | Refused<'not_found'> | undefined>;
}

export interface BoughtFilePorts {
  readonly products: Pick<ProductStore, 'findById' | 'findVersion' | 'versions'>;
  readonly templates: Pick<TemplateStore, 'findById' | 'countDownload'>;
  readonly orders: Pick<OrderStore, 'find' | 'findWithTemplate'>;
  readonly licenses: Pick<LicenseStore, 'find'>;
  readonly linkTo: OrderLink;
  readonly clock: Clock;
  /** In milliseconds. */
  readonly linkLifetime: number;
}

export function createBoughtFiles({
  products,
  templates,
  orders,
  licenses,
  linkTo,
  clock,
  linkLifetime,
}: BoughtFilePorts): BoughtFiles {
  const link = ({ id }: Order, key: string, filename: string): DownloadLink => ({
    url: linkTo(id, key, filename, clock.now() + linkLifetime),
    filename,
  });

  /** The first and the last version that the buyer may have, by their ordinals. Buyers get no version without a review. */
  async function rangeOf(order: Order): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const { productId, agreed, renews } = order;
    const product = isUsable(order) && renews === null ? await products.findById(productId) : undefined;
    if (product === undefined) return undefined;
    // A version without an order that claims it can be deleted. Whoever pays late gets all others.
    const version = agreed.version === null ? undefined : await products.findVersion(productId, agreed.version);
    const first = version?.ordinal ?? 1;
    const isInReview = !product.isApproved && product.status !== 'published';
    return { first, last: isInReview ? (version?.ordinal ?? 0) : lastOrdinal };
  }

  /** Whether the buyer may have a version. What was agreed stays, whatever the seller sets later. */
  async function coverOf({ licenseKey, agreed }: Order) {
    const { license } = (licenseKey && (await licenses.find(licenseKey))) || {};
    const updatesUntil = license?.updatesUntil ?? null;
    const covers = ({ number, createdAt, isForEverybody = false }: ProductVersion) =>
      isForEverybody || number === agreed.version || mayFetch({ updatesUntil }, createdAt);
    return { updatesUntil, covers };
  }

  async function template(order: Order): Promise<Template | undefined> {
    const { templateId } = order.agreed;
    return templateId === null || !isUsable(order) ? undefined : await templates.findById(templateId);
  }

  async function downloadTemplate(order: Order): Promise<DownloadLink | Refused<'not_found'>> {
    const found = await template(order);
    if (found === undefined) return refuse('not_found', 'This order has no such file.');
    const made = link(order, found.zip, `${found.slug}.zip`);
    await templates.countDownload(found.id);
    return made;
  }

  return {
    template,
    downloadTemplate,

    async downloadTemplateOf(user, templateId) {
      const order = await orders.findWithTemplate(user, templateId);
      return order && (await downloadTemplate(order));
    },

    async mayFetch(id) {
      const order = await orders.find(id);
      return order !== undefined && isUsable(order);
    },

    async versions(order, { before, limit }) {
      const range = await rangeOf(order);
      if (range === undefined) return { versions: [], next: null, updatesUntil: null, tooNew: new Set() };
      const end = Math.min(before ?? range.last + 1, range.last + 1);
      const page = await products.versions(order.productId, { before: end, limit: limit + 1 });
      const found = page.filter(({ ordinal }) => ordinal >= range.first);
      const versions = found.slice(0, limit);
      const { updatesUntil, covers } = await coverOf(order);
      const tooNew = new Set(versions.filter((version) => !covers(version)));
      const next = found.length > limit ? (versions.at(-1)?.ordinal ?? null) : null;
      return { versions, next, updatesUntil: tooNew.size === 0 ? null : updatesUntil, tooNew };
    },

    async download(order, number) {
      const range = await rangeOf(order);
      const version = range && (await products.findVersion(order.productId, number));
      if (
        range === undefined ||
        version === undefined ||
        version.ordinal < range.first ||
        version.ordinal > range.last
      ) {
        return refuse('not_found', 'This order has no such file.');
      }
      const { updatesUntil, covers } = await coverOf(order);
      if (!covers(version)) {
        const end = updatesUntil === null ? '' : ` on ${dayOf(updatesUntil)}`;
        return refuse(
          'updates_ended',
          `The updates of this license ended${end} (UTC). Version ${version.number} was released later.`,
        );
      }
      return link(order, version.zip, `${order.agreed.slug}-${version.number}.zip`);
    },
  };
}
