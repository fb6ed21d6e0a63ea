import { type Refused, refuse } from '../refusal.ts';

/** A picture of a product, besides its thumbnail. */
export interface ProductPicture {
  /** The storage key of the file. */
  readonly key: string;
  /** What people read who cannot see it. */
  readonly alt: string;
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
