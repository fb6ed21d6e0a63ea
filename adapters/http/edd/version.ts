import escapeHtml from 'escape-html';
import type { KnownUpdate, SiteUpdate } from '../../../core/licensing/clients/site-updates.ts';
import { isPublic, type Product } from '../../../core/marketplace/product.ts';
import { bannerOf } from '../../../core/marketplace/product-pictures.ts';
import type { ProductVersion } from '../../../core/marketplace/product-version.ts';
import type { Addresses } from '../addresses.ts';
import type { Texts } from '../body.ts';
import { describe } from '../ui/description.tsx';
import { timeOf } from './answers.ts';

/** What the answer needs of this service. */
export interface VersionTools {
  readonly addresses: Pick<Addresses, 'publicPage' | 'media'>;
  readonly baseUrl: string;
}

/** Returns the body of the answer of get_version if there is no version to tell of. */
export function noVersion(msg: string): object {
  const nothing = { new_version: '', stable_version: '', sections: '', license_check: '' };
  return { ...nothing, msg, homepage: '', package: '', icons: [], banners: [] };
}

/** What a site is told of a version. `refused` says why it gets no file, if the caller has to know. */
interface ToldUpdate extends KnownUpdate {
  readonly file?: SiteUpdate['file'];
  readonly refused?: { readonly detail?: string | undefined } | undefined;
}

/** Returns the body of the answer of get_version. Lists are texts in the form of PHP, as there: old clients read only those. */
export async function renderUpdate(
  { product, version, file, refused }: ToldUpdate,
  sent: Texts,
  tools: VersionTools,
): Promise<object> {
  if (version === undefined) return noVersion(refused?.detail ?? '');
  const { name, page, sections, icons, banners, platforms } = await partsOf(product, version, tools);
  return {
    new_version: version.number,
    stable_version: version.number,
    name,
    slug: escapeHtml(sent.slug || product.slug),
    url: page,
    last_updated: timeOf(version.createdAt),
    homepage: page,
    package: file?.url ?? '',
    download_link: file?.url ?? '',
    sections: serialized(sections),
    banners: serialized({ high: '', low: '', ...banners }),
    icons: serialized(icons),
    ...platforms,
    ...(refused && { msg: refused.detail }),
  };
}

/** Returns the metadata that plugin-update-checker reads. It shows `upgrade_notice` if there is no file. */
export async function renderMetadata(
  { license: { product }, file, refused }: SiteUpdate,
  version: ProductVersion,
  tools: VersionTools,
): Promise<object> {
  const { name, page, sections, icons, banners, platforms } = await partsOf(product, version, tools);
  return {
    name,
    slug: product.slug,
    version: version.number,
    download_url: file?.url ?? '',
    homepage: page,
    last_updated: timeOf(version.createdAt),
    sections,
    icons,
    banners,
    ...platforms,
    ...(refused && { upgrade_notice: refused.detail }),
  };
}

/** What both answers say in their own form. */
async function partsOf(product: Product, version: ProductVersion, { addresses, baseUrl }: VersionTools) {
  const [description, changelog] = await Promise.all([
    describe(product.description, baseUrl),
    describe(version.notes, baseUrl),
  ]);
  const banner = bannerOf(product.pictures);
  const shown = banner && (await addresses.media(banner.key));
  const { requires, tested, requiresPhp } = product.adapters.edd.plugin;
  return {
    // WordPress prints it as HTML.
    name: escapeHtml(product.title),
    page: isPublic(product) ? addresses.publicPage(product.slug) : '',
    sections: { description: description.html, changelog: changelog.html },
    icons: product.thumbnail === null ? {} : { '1x': await addresses.media(product.thumbnail) },
    banners: { ...(shown && { low: shown }), ...(shown && banner.isDouble && { high: shown }) },
    platforms: {
      ...(requires !== null && { requires }),
      ...(tested !== null && { tested }),
      ...(requiresPhp !== null && { requires_php: requiresPhp }),
    },
  };
}

/** Returns texts by name as PHP's `serialize` writes an array of them. Lengths are in bytes. */
export function serialized(texts: Readonly<Record<string, string>>): string {
  const entries = Object.entries(texts);
  const parts = entries.flat().map((text) => `s:${Buffer.byteLength(text)}:"${text}";`);
  return `a:${entries.length}:{${parts.join('')}}`;
}
