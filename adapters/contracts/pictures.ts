import type { Abort } from '../../core/abort.ts';
import type { ImageKind } from '../../core/marketplace/checked-file.ts';

/** The widths in which pages ask for pictures, in pixels. */
export const pictureWidths = [320, 640, 1200] as const;
/** The formats of these pictures, the smallest first. */
export const pictureTypes = ['avif', 'webp'] as const;

/** A size and a format of a picture. */
export interface PictureForm {
  readonly width: (typeof pictureWidths)[number];
  readonly type: (typeof pictureTypes)[number];
}

/** The texts of a picture that other sites show with a link. Each can be empty, except the color. */
export interface ShareCard {
  readonly title: string;
  /** Shown under the title if there is room. */
  readonly line: string;
  readonly price: string;
  readonly site: string;
  /** A CSS color. */
  readonly accent: string;
}

/** The new size of a picture in bytes, or a sentence that says why it cannot be used. */
export type Renewed = { readonly size: number } | { readonly fault: string };

/**
 * Draws pictures of strangers anew, so that pages never show the uploaded bytes. If the package for that is not
 * installed, pictures stay as they are. The work of each caller takes turns with that of all others.
 */
export interface Pictures {
  /**
   * Replaces a picture by one of the same kind without metadata, upright, at most 1,600 pixels wide and high. Returns
   * `undefined` and changes nothing if the package is not installed. Throws `Unavailable` if too much work waits.
   */
  renew(path: string, kind: ImageKind, caller: string, stop?: Abort): Promise<Renewed | undefined>;
  /**
   * Returns a picture as PNG with at most 256 colors, at most so wide and high, without changing it. `undefined`: the package
   * is not installed, or the picture is damaged. Throws `Unavailable` if too much work waits.
   */
  small(
    path: string,
    largest: { readonly width: number; readonly height: number },
    caller: string,
  ): Promise<Buffer | undefined>;
  /**
   * Returns a stored picture in this form, not enlarged. `undefined`: it cannot be drawn, or not soon. `not_installed`: no
   * picture can be drawn here.
   */
  sized(key: string, form: PictureForm, caller: string): Promise<Buffer | 'not_installed' | undefined>;
  /**
   * Returns a picture of 1,200 × 630 pixels, as JPEG, with these texts and possibly a stored picture. `undefined`: not soon.
   * `failed`: it could not be drawn, and is not tried again for an hour. `not_installed`: no texts can be drawn here.
   */
  shared(
    card: ShareCard,
    key: string | undefined,
    caller: string,
  ): Promise<Buffer | 'failed' | 'not_installed' | undefined>;
}
