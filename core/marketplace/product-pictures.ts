import { type Refused, refuse } from '../refusal.ts';
import type { PictureShape } from './checked-file.ts';

/** A picture of a product, besides its thumbnail. */
export interface ProductPicture {
  /** The storage key of the file. */
  readonly key: string;
  /** What people read who cannot see it. */
  readonly alt: string;
  /** As it was sent. Older pictures have none. */
  readonly shape?: PictureShape;
}

export const mostPictures = 8;
/** The largest number of characters. */
export const longestAlt = 200;

/** What sellers do with one of the pictures: put it first, or take it away. Its file stays an upload of its seller. */
export type PictureChange = 'first' | 'remove';

export function withPicture(
  pictures: readonly ProductPicture[],
  added: ProductPicture,
): readonly ProductPicture[] | Refused<'too_many_pictures'> {
  if (pictures.length >= mostPictures) {
    return refuse('too_many_pictures', `A product has at most ${mostPictures} pictures besides its thumbnail.`);
  }
  return [...pictures, added];
}

export function changedPictures(
  pictures: readonly ProductPicture[],
  key: string,
  change: PictureChange,
): readonly ProductPicture[] | Refused<'picture_not_found'> {
  const one = pictures.find((picture) => picture.key === key);
  if (one === undefined) return refuse('picture_not_found', 'The product does not have this picture any more.');
  const others = pictures.filter((picture) => picture.key !== key);
  return change === 'first' ? [one, ...others] : others;
}

/** The banner that WordPress shows above the details of a plugin, in pixels. It takes twice this size too. */
const banner = { width: 772, height: 250 };

/**
 * Returns the first picture that has the shape of a banner of WordPress, and whether it has twice the size. Shapes that differ by
 * less than a fiftieth count as the same.
 */
export function bannerOf(
  pictures: readonly ProductPicture[],
): { readonly key: string; readonly isDouble: boolean } | undefined {
  for (const { key, shape } of pictures) {
    if (shape === undefined || shape.width < banner.width) continue;
    const off = (shape.width * banner.height) / (shape.height * banner.width) - 1;
    if (Math.abs(off) < 0.02) return { key, isDouble: shape.width >= 2 * banner.width };
  }
  return undefined;
}
