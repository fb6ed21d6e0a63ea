import type { VNode } from 'preact';

/** How a button looks, beside plain. */
export type Look = 'primary' | 'danger' | 'small' | 'small danger' | 'small quiet' | 'primary buy';

/** A link that looks like a button. */
export function ButtonLink({
  href,
  text,
  about,
  look,
}: {
  readonly href: string;
  readonly text: string;
  /** What the link is about, for screen readers, if several links have the same text. */
  readonly about?: string;
  readonly look?: Look | undefined;
}): VNode {
  return (
    <a class={look === undefined ? 'button' : `button ${look}`} href={href}>
      {text}
      {about !== undefined && <span class="unseen"> {about}</span>}
    </a>
  );
}
