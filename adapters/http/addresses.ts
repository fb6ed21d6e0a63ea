import { isPublicFile } from '../../core/marketplace/kept-files.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { isPublic } from '../../core/marketplace/product.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileStorage } from '../../core/ports/file-storage.ts';
import type { Signer } from '../signer.ts';

/** The public addresses of what this service shows. */
export interface Addresses {
  /** A product's page. Where it is not public, with a signed preview that ends after 7 days, which its seller alone is told. */
  product(product: Product): string;
  /** What the `preview` of a product's address is: one that shows it, one that has ended, or none of ours. */
  judgePreview(product: Product, preview: string): 'good' | 'ended' | 'invalid';
  /** A file: by its unguessable key where it is public, else by a signed link that ends. */
  media(key: string): Promise<string>;
  /** The same address, but relative if it is on this service. */
  image(key: string): Promise<string>;
}

const previewLifetime = 7 * 24 * 3_600_000;

/** `linkLifetime` is in milliseconds. */
export function createAddresses(
  baseUrl: string,
  signer: Signer,
  files: Pick<FileStorage, 'link'>,
  clock: Clock,
  linkLifetime: number,
): Addresses {
  const { origin } = new URL(baseUrl);
  const signed = ({ id }: Product, end: string) => `preview\n${id}\n${end}`;
  const media = async (key: string) =>
    isPublicFile(key)
      ? `${baseUrl}/${key}`
      : await files.link(key, key.slice(key.lastIndexOf('/') + 1), clock.now() + linkLifetime);
  return {
    product(product) {
      const page = `${baseUrl}/marketplace/${product.slug}`;
      if (isPublic(product)) return page;
      const end = String(Math.floor((clock.now() + previewLifetime) / 1000));
      return `${page}?preview=${end}.${signer.sign(signed(product, end))}`;
    },
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
