import { isPublicFile } from '../../core/marketplace/file-visibility.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { isPublic } from '../../core/marketplace/product.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import { day } from '../../core/time.ts';
import type { Signer } from '../contracts/signer.ts';

/** Makes the public addresses of products and files. */
export interface Addresses {
  /**
   * Returns the address of a product's page. If the product is not public, the address contains a signed preview that
   * expires after `previewDays`. Show it only to the seller.
   */
  product(product: Product): string;
  /** Returns the address of the page of a public product. */
  publicPage(slug: string): string;
  /**
   * Checks the `preview` parameter of a product's address. Returns `invalid` if we did not sign it for this product.
   */
  judgePreview(product: Product, preview: string): 'good' | 'ended' | 'invalid';
  /**
   * Returns a file's address. A public file has a permanent address that nobody can guess. A private file gets a
   * signed link that expires.
   */
  media(key: string): Promise<string>;
  /** Returns the same address as `media`, but relative if the file is on this service. */
  image(key: string): Promise<string>;
}

/** Days until the preview of an unpublished product expires. */
export const previewDays = 7;

interface AddressPorts {
  readonly baseUrl: string;
  readonly signer: Signer;
  readonly files: Pick<FileStorage, 'link'>;
  readonly clock: Clock;
  /** In milliseconds. */
  readonly linkLifetime: number;
}

export function createAddresses({ baseUrl, signer, files, clock, linkLifetime }: AddressPorts): Addresses {
  const { origin } = new URL(baseUrl);
  const signed = ({ id }: Product, end: string) => `preview\n${id}\n${end}`;
  const publicPage = (slug: string) => `${baseUrl}/marketplace/${slug}`;
  const media = async (key: string) =>
    isPublicFile(key)
      ? `${baseUrl}/${key}`
      : await files.link(key, key.slice(key.lastIndexOf('/') + 1), clock.now() + linkLifetime);
  return {
    product(product) {
      const page = publicPage(product.slug);
      if (isPublic(product)) return page;
      const end = String(Math.floor((clock.now() + previewDays * day) / 1000));
      return `${page}?preview=${end}.${signer.sign(signed(product, end))}`;
    },
    publicPage,
    judgePreview(product, preview) {
      const [, end, signature] = /^(\d{1,12})\.([\w-]+)$/.exec(preview) ?? [];
      if (end === undefined || signature === undefined) return 'invalid';
      if (!signer.verifies(signed(product, end), signature)) return 'invalid';
      return clock.now() < Number(end) * 1000 ? 'good' : 'ended';
    },
    media,
    async image(key) {
      const address = await media(key);
      return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
    },
  };
}

/** The addresses of the pictures of a product, in their order. */
export async function galleryOf(
  { pictures }: Pick<Product, 'pictures'>,
  addresses: Pick<Addresses, 'image'>,
): Promise<readonly string[]> {
  return await Promise.all(pictures.map(({ key }) => addresses.image(key)));
}
