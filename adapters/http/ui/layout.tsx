import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Asset, assetAddress } from './assets.ts';
import type { Frame } from './frame.ts';
import { texts } from './texts.ts';

interface Page {
  readonly frame: Frame;
  readonly title: string;
  /** Whether the page is the current one of the navigation, and not only below it. */
  readonly isEntry?: boolean;
  /** Scripts of our own. The page must also work without them. */
  readonly scripts?: readonly Asset[];
  /** More elements for the head. */
  readonly head?: ComponentChildren;
  /** Must contain the element with the id `content`. */
  readonly children: ComponentChildren;
}

/** A whole page: head, header with navigation, and content. */
export function Layout({ frame, title, isEntry = false, scripts = [], head, children }: Page): VNode {
  const address = (name: Asset) => `${frame.root}${assetAddress(name)}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={address('icon.svg')} />
        {head}
        <link rel="stylesheet" href={address('style.css')} />
        {scripts.map((name) => (
          <script key={name} type="module" src={address(name)} />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          {texts.skip}
        </a>
        <Header frame={frame} isEntry={isEntry} />
        {children}
      </body>
    </html>
  );
}

function Header({ frame: { site, root, part }, isEntry }: Pick<Page, 'frame' | 'isEntry'>): VNode {
  const links = [
    ['products', root],
    ['guides', `${root}docs`],
    ['reference', `${root}docs/reference`],
  ] as const;
  return (
    <header>
      <a class="brand" href={root} dir="auto">
        {site}
      </a>
      <nav aria-label={texts.navigation.label}>
        {links.map(([name, href]) => (
          <a key={name} href={href} aria-current={name === part ? (isEntry ? 'page' : 'true') : undefined}>
            {texts.navigation[name]}
          </a>
        ))}
      </nav>
    </header>
  );
}

export function renderPage(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}
