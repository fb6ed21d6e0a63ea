import { type ProductVersion, versionLimits } from '../marketplace/product-version.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Template } from '../templates/template.ts';
import type { DownloadLink } from '../templates/templates.ts';
import { isUsable, type Order } from './order.ts';

/** A page of the versions that a buyer may download, newest first. `next` is `null` after the last page. */
export interface BoughtVersions {
  readonly versions: readonly ProductVersion[];
  readonly next: number | null;
}

/** The files that buyers can download while the order is usable: the agreed version, and all later ones. */
export interface BoughtFiles {
  /** `before` is the `next` of the previous page. */
  versions(
    order: Order,
    page: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<BoughtVersions>;
  /** Returns a link to the zip of a version. */
  download(order: Order, number: string): Promise<DownloadLink | Refused<'not_found'>>;
  /** The template that is sold with the product. */
  template(order: Order): Promise<Template | undefined>;
  /** Returns a link to the zip of the template, and counts it. */
  downloadTemplate(order: Order): Promise<DownloadLink | Refused<'not_found'>>;
}

export interface BoughtFilePorts {
  readonly products: Pick<ProductStore, 'findById' | 'findVersion' | 'versions'>;
  readonly templates: Pick<TemplateStore, 'findById' | 'countDownload'>;
  readonly files: Pick<FileStorage, 'link'>;
  readonly clock: Clock;
  /** In milliseconds. */
  readonly linkLifetime: number;
}

export function createBoughtFiles({ products, templates, files, clock, linkLifetime }: BoughtFilePorts): BoughtFiles {
  const link = async (key: string, filename: string): Promise<DownloadLink> => ({
    url: await files.link(key, filename, clock.now() + linkLifetime),
    filename,
  });

  /** The first and the last version that the buyer may have, by their ordinals. Buyers get no version without a review. */
  async function rangeOf(order: Order): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const { productId, agreed } = order;
    const product = isUsable(order) ? await products.findById(productId) : undefined;
    if (product === undefined) return undefined;
    const version = agreed.version === null ? undefined : await products.findVersion(productId, agreed.version);
    const first = version?.ordinal ?? 1;
    const isInReview = !product.isApproved && product.status !== 'published';
    return { first, last: isInReview ? (version?.ordinal ?? 0) : versionLimits.versions };
  }

  async function template(order: Order): Promise<Template | undefined> {
    const { templateId } = order.agreed;
    return templateId === null || !isUsable(order) ? undefined : await templates.findById(templateId);
  }

  return {
    template,

    async versions(order, { before, limit }) {
      const range = await rangeOf(order);
      if (range === undefined) return { versions: [], next: null };
      const end = Math.min(before ?? range.last + 1, range.last + 1);
      const page = await products.versions(order.productId, { before: end, limit: limit + 1 });
      const found = page.filter(({ ordinal }) => ordinal >= range.first);
      const versions = found.slice(0, limit);
      return { versions, next: found.length > limit ? (versions.at(-1)?.ordinal ?? null) : null };
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
      return await link(version.zip, `${order.agreed.slug}-${version.number}.zip`);
    },

    async downloadTemplate(order) {
      const found = await template(order);
      if (found === undefined) return refuse('not_found', 'This order has no such file.');
      const made = await link(found.zip, `${found.slug}.zip`);
      await templates.countDownload(found.id);
      return made;
    },
  };
}
