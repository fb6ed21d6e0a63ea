import type { VNode } from 'preact';
import type { Product } from '../../../core/marketplace/product.ts';
import { linkKinds } from '../../../core/marketplace/product-links.ts';
import { OutLink } from '../ui/out-link.tsx';
import { Picture, wide } from '../ui/picture.tsx';
import { words } from './words.ts';

/** The video as a picture, and the other pictures. Each leads to the whole one. */
export function Gallery({
  product: {
    pictures,
    links: { video },
  },
  images,
  cover,
}: {
  readonly product: Product;
  readonly images: readonly string[];
  readonly cover: string | null;
}): VNode | null {
  const hasVideo = video !== null && cover !== null;
  if (pictures.length === 0 && !hasVideo) return null;
  return (
    <ul class="gallery" aria-label={words.marketplace.pictures}>
      {hasVideo && (
        <li>
          <OutLink
            href={video}
            look="video"
            text={
              <>
                <Picture src={cover} sizes="(max-width: 60rem) 45vw, 11rem" room={wide} isLazy />
                <span>{words.marketplace.links.video}</span>
              </>
            }
          />
        </li>
      )}
      {pictures.map(({ key, alt }, at) => (
        <li key={key}>
          <a href={images[at] ?? ''}>
            <Picture src={images[at] ?? ''} alt={alt} sizes="(max-width: 60rem) 45vw, 11rem" room={wide} isLazy />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What the seller shows elsewhere. No page of another site is shown in a frame. */
export function Links({
  product: { links },
  hasVideoAbove,
}: {
  readonly product: Product;
  readonly hasVideoAbove: boolean;
}): VNode | null {
  const shown = linkKinds.flatMap((kind) =>
    links[kind] === null || (kind === 'video' && hasVideoAbove) ? [] : [[kind, links[kind]] as const],
  );
  if (shown.length === 0) return null;
  return (
    <p class="choices out-links">
      {shown.map(([kind, href]) => (
        <OutLink key={kind} href={href} text={words.marketplace.links[kind]} look="button" />
      ))}
    </p>
  );
}
