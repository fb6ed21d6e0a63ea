import type { VNode } from 'preact';
import { type PictureForm, pictureTypes, pictureWidths } from '../../contracts/pictures.ts';

/** The room of a picture that its style makes 16 to 9. */
export const wide = { width: 640, height: 360 } as const;

interface PictureProps {
  /** The address of a picture. Only public pictures of this server have several sizes. */
  readonly src: string;
  /** How wide the page shows it, as the attribute `sizes` says it. */
  readonly sizes: string;
  /** What people read who cannot see it. Without it, it says nothing more than the title beside it. */
  readonly alt?: string;
  readonly class?: string;
  readonly isLazy?: boolean;
  /** It is the largest thing that a visitor sees first. */
  readonly isFirst?: boolean;
  /** The room in pixels that the page keeps, if it is known. */
  readonly room?: { readonly width: number; readonly height: number };
}

/** A picture in the size and format that suit the browser. */
export function Picture({
  src,
  sizes,
  alt = '',
  class: className,
  isLazy = false,
  isFirst = false,
  room,
}: PictureProps): VNode {
  const common = {
    class: className,
    ...room,
    ...(isFirst && { fetchpriority: 'high' as const }),
    ...(isLazy && { loading: 'lazy' as const, decoding: 'async' as const }),
  };
  if (!hasForms(src)) return <img src={src} alt={alt} {...common} />;
  const [smaller, usual] = pictureTypes;
  const usualForms = formsOf(src, usual);
  return (
    <picture>
      {/* On a phone, the first picture shares the line with style and font. The widest form would be seen late. */}
      {isFirst &&
        pictureTypes.map((type) => (
          <source
            key={type}
            type={`image/${type}`}
            media="(max-width: 40rem)"
            srcset={pictureAddress(src, { width: 640, type })}
          />
        ))}
      <source type={`image/${smaller}`} srcset={formsOf(src, smaller)} sizes={sizes} />
      <img
        src={pictureAddress(src, { width: 640, type: usual })}
        srcset={usualForms}
        sizes={sizes}
        alt={alt}
        {...common}
      />
    </picture>
  );
}

/** Returns the address of a picture in another form, or the address itself if the picture has none. */
export function pictureAddress(src: string, { width, type }: PictureForm): string {
  return hasForms(src) ? `${src}?width=${width}&type=${type}` : src;
}

function formsOf(src: string, type: PictureForm['type']): string {
  return pictureWidths.map((width) => `${pictureAddress(src, { width, type })} ${width}w`).join(', ');
}

function hasForms(src: string): boolean {
  return /^[^?#]*\/media\/[a-z0-9-]+\.(?:png|jpg)$/.test(src);
}
