import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { accentAddress } from './accent.ts';
import { type Asset, assetAddress } from './assets.ts';
import { ButtonLink } from './button-link.tsx';
import type { Frame, Part } from './frame.ts';
import { frameWords } from './words.ts';

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
        {frame.look?.accent && <link rel="stylesheet" href={`${frame.root}${accentAddress(frame.look.accent)}`} />}
        {scripts.map((name) => (
          <script key={name} type="module" src={address(name)} />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          {frameWords.skip}
        </a>
        <Header frame={frame} isEntry={isEntry} />
        {children}
        <Footer frame={frame} />
      </body>
    </html>
  );
}

function Header({ frame: { site, root, part, person }, isEntry }: Pick<Page, 'frame' | 'isEntry'>): VNode {
  const { navigation } = frameWords;
  const links: (readonly [Part, string, string])[] = [
    ['products', `${root}marketplace`, navigation.products],
    ['guides', `${root}docs`, navigation.guides],
    ['reference', `${root}docs/reference`, navigation.reference],
  ];
  if (person?.sells) links.push(['selling', `${root}selling`, navigation.selling]);
  if (person?.isAdmin) links.push(['admin', `${root}admin`, navigation.admin]);
  links.push(
    person ? ['account', `${root}account`, navigation.account] : ['account', `${root}sign-in`, navigation.signIn],
  );
  return (
    <header>
      <a class="brand" href={root} dir="auto">
        {site}
      </a>
      <nav id="navigation" popover="auto" aria-label={navigation.label}>
        {links.map(([name, href, title]) => (
          <a key={name} href={href} aria-current={name === part ? (isEntry ? 'page' : 'true') : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {person && <Bell root={root} unread={person.unread} />}
      {/* On a phone, the navigation is a menu that this button opens, also without scripts. */}
      <button type="button" class="menu" popovertarget="navigation">
        {navigation.menu}
      </button>
    </header>
  );
}

/** The owner's texts, and the links that the owner wants on each page. */
function Footer({ frame: { root, look } }: Pick<Page, 'frame'>): VNode | null {
  const texts = look?.texts.map((text) => ({ title: frameWords.texts[text], href: `${root}${text}` })) ?? [];
  const links = [...texts, ...(look?.links ?? [])];
  if (links.length === 0) return null;
  return (
    <footer>
      <nav aria-label={frameWords.footer}>
        {links.map(({ title, href }) => (
          <a key={href} class="site-link" href={href} dir="auto">
            {title}
          </a>
        ))}
      </nav>
    </footer>
  );
}

function Bell({ root, unread }: { readonly root: string; readonly unread: number }): VNode {
  const { notifications } = frameWords.navigation;
  return (
    <a
      class="bell"
      href={`${root}account/notifications`}
      aria-label={notifications(unread)}
      title={notifications(unread)}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M12 3a6 6 0 0 0-6 6v4l-2 4h16l-2-4V9a6 6 0 0 0-6-6zM10 20a2 2 0 0 0 4 0" />
      </svg>
      {unread > 0 && <span class="count">{unread > 99 ? '99+' : unread}</span>}
    </a>
  );
}

export function renderPage(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}

/** A page that only says something, with a way back to the products. */
export function MessagePage({
  frame,
  title,
  text,
}: {
  readonly frame: Frame;
  readonly title: string;
  readonly text: string;
}): VNode {
  return (
    <Layout frame={frame} title={`${title} · ${frame.site}`}>
      <main id="content" class="message">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <ButtonLink href={frame.root} text={frameWords.newest} />
        </p>
      </main>
    </Layout>
  );
}
