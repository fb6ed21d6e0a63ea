import type { ComponentChildren, VNode } from 'preact';

/** A link of a seller to another site. It opens a new tab, and search engines do not count it as advice of this site. */
export function OutLink({
  href,
  text = href.replace(/^https:\/\//, ''),
  look,
}: {
  readonly href: string;
  readonly text?: ComponentChildren;
  /** The classes of a button. Without them, it is a link in a text. */
  readonly look?: string;
}): VNode {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener nofollow ugc"
      class={look ?? 'breakable'}
      dir={look ? undefined : 'ltr'}
    >
      {text}
    </a>
  );
}
