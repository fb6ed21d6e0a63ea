import type { SiteUpdate } from '../../../core/licensing/site-updates.ts';
import { isPublic } from '../../../core/marketplace/product.ts';
import type { Addresses } from '../addresses.ts';
import { describe } from '../ui/description.tsx';
import { timeOf } from './answers.ts';
import type { Sent } from './parameters.ts';
import { serialized } from './php.ts';

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

/** Returns the body of the answer of get_version. Lists are texts in the form of PHP, as there: old clients read only those. */
export async function renderUpdate(
  { license, version, file, reason }: SiteUpdate,
  sent: Sent,
  { addresses, baseUrl }: VersionTools,
): Promise<object> {
  const { product } = license;
  if (version === undefined) return noVersion(reason ?? '');
  const page = isPublic(product) ? addresses.publicPage(product.slug) : '';
  const [description, changelog] = await Promise.all([
    describe(product.description, baseUrl),
    describe(version.notes, baseUrl),
  ]);
  return {
    new_version: version.number,
    stable_version: version.number,
    name: product.title,
    slug: sent.slug || product.slug,
    url: page,
    last_updated: timeOf(version.createdAt),
    homepage: page,
    package: file?.url ?? '',
    download_link: file?.url ?? '',
    sections: serialized({ description: description.html, changelog: changelog.html }),
    banners: serialized({ high: '', low: '' }),
    icons: serialized(product.thumbnail === null ? {} : { '1x': await addresses.media(product.thumbnail) }),
    ...(reason !== undefined && { msg: reason }),
  };
}
