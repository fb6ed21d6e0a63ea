import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { accentAddress } from './accent.ts';
import { type Asset, assetAddress } from './assets.ts';
import { ButtonLink } from './button-link.tsx';
import type { Frame, Part, Person, SiteLook } from './frame.ts';
import { Icon, Mark } from './icon.tsx';
import { countOf } from './numbers.ts';
import { keptHtml } from './remembered.ts';
import { SandboxBar } from './sandbox-bar.tsx';
import { CopyButton } from './secret.tsx';
import { frameWords } from './words.ts';

interface Page {
  readonly frame: Frame;
  readonly title: string;
  /** What search engines show of it. Without it, that of the site. */
  readonly description?: string | undefined;
  /** Whether the page is the current one of the navigation, and not only below it. */
  readonly isEntry?: boolean;
  /** Scripts of our own. The page must also work without them. */
  readonly scripts?: readonly Asset[];
  /** Whether the policy of the page lets its forms be sent, so that one can sign out here. */
  readonly canSend?: boolean;
  /** Whether search engines must not list the page. */
  readonly isUnlisted?: boolean;
  /** More elements for the head. */
  readonly head?: ComponentChildren;
  /** Must contain the element with the id `content`. */
  readonly children: ComponentChildren;
}

/** A whole page: head, header with navigation, and content. */
export function Layout({
  frame,
  title,
  description = frame.look?.description || frameWords.lead,
  isEntry = false,
  scripts = [],
  canSend = false,
  isUnlisted = false,
  head,
  children,
}: Page): VNode {
  const address = (name: Asset) => `${frame.root}${assetAddress(name)}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <meta name="description" content={description} />
        {isUnlisted && <meta name="robots" content="noindex" />}
        <link
          rel="icon"
          type="image/svg+xml"
          href={frame.look?.icon ? `${frame.root}${frame.look.icon}` : address('icon.svg')}
        />
        <link rel="preload" as="font" type="font/woff2" href={address('inter.woff2')} crossorigin="anonymous" />
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
        <Header
          {...{ site: frame.site, root: frame.root, part: frame.part, person: frame.person, logo: frame.look?.logo }}
          {...{ isEntry, canSend, canFind: scripts.includes('palette.js') }}
        />
        <SandboxBar root={frame.root} until={frame.person?.sandboxUntil} />
        {children}
        <Footer root={frame.root} texts={frame.look?.texts} links={frame.look?.links} />
        {scripts.includes('copy.js') && <CopyButton />}
      </body>
    </html>
  );
}

type HeaderFacts = Pick<Page, 'isEntry' | 'canSend'> &
  Pick<Frame, 'site' | 'root' | 'part' | 'person'> &
  Pick<SiteLook, 'logo'> & {
    /** Whether the page has the script that finds other pages. */
    readonly canFind: boolean;
  };

const Header = keptHtml(({ site, root, part, person, logo, isEntry, canSend, canFind }: HeaderFacts): VNode => {
  const { navigation } = frameWords;
  const isBuilding = person?.sells || part === 'guides' || part === 'reference';
  const links: (readonly [Part, string, string])[] = [['products', `${root}marketplace`, navigation.products]];
  if (isBuilding) {
    links.push(
      ['guides', `${root}docs`, navigation.guides],
      ['reference', `${root}docs/reference`, navigation.reference],
    );
  }
  if (person?.sells) links.push(['selling', `${root}selling`, navigation.selling]);
  if (person?.isAdmin) links.push(['admin', `${root}admin`, navigation.admin]);
  return (
    <header>
      <a class="brand" href={root} dir="auto">
        {logo ? <img class="logo" src={`${root}${logo}`} alt="" height="28" /> : <Mark />}
        <span title={site}>{site}</span>
      </a>
      <nav id="navigation" popover="auto" aria-label={navigation.label}>
        {links.map(([name, href, title]) => (
          <a key={name} href={href} aria-current={name === part ? (isEntry ? 'page' : 'true') : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="header-end">
        {canFind && (
          <button
            type="button"
            class="finder"
            hidden
            data-find={navigation.find}
            data-none={navigation.notFound}
            title={navigation.findKeys}
          >
            <Icon name="search" />
            <span class="unseen">{navigation.find}</span>
          </button>
        )}
        {person ? (
          <>
            <Bell root={root} unread={person.unread} />
            <AccountMenu root={root} person={person} isCurrent={part === 'account'} canSend={canSend} />
          </>
        ) : (
          <a class="button small" href={`${root}sign-in`} aria-current={part === 'account' ? 'true' : undefined}>
            {navigation.signIn}
          </a>
        )}
        {/* On a phone, the navigation is a menu that this button opens, also without scripts. */}
        <button type="button" class="menu" popovertarget="navigation">
          <Icon name="menu" />
          <span class="unseen">{navigation.menu}</span>
        </button>
      </div>
    </header>
  );
});

/** Who is signed in, with a menu that opens without scripts too. */
function AccountMenu({
  root,
  person: { name, sandboxUntil },
  isCurrent,
  canSend,
}: {
  readonly root: string;
  readonly person: Person;
  readonly isCurrent: boolean;
  readonly canSend: boolean | undefined;
}): VNode {
  const { account } = frameWords;
  return (
    <>
      <button type="button" class="account-opener" popovertarget="account-menu">
        <span class="avatar" aria-hidden="true">
          {Array.from(name.trim())[0]?.toUpperCase()}
        </span>
        <span class="unseen">{account.opener(name)}</span>
        <Icon name="unfold" />
      </button>
      <div id="account-menu" class="account-menu" popover="auto">
        <p class="account-name" dir="auto">
          {name}
        </p>
        <a href={`${root}account`} aria-current={isCurrent ? 'true' : undefined}>
          <Icon name="account" />
          {frameWords.navigation.account}
        </a>
        <a href={`${root}account/purchases`}>
          <Icon name="purchases" />
          {account.purchases}
        </a>
        <a href={`${root}account/security`}>
          <Icon name="security" />
          {account.security}
        </a>
        {sandboxUntil !== undefined && (
          <a href={`${root}sandbox/leave`}>
            <Icon name="leave" />
            {account.signOut}
          </a>
        )}
        {canSend && sandboxUntil === undefined && (
          <form method="post" action={`${root}sign-out`}>
            <button type="submit">
              <Icon name="leave" />
              {account.signOut}
            </button>
          </form>
        )}
      </div>
    </>
  );
}

interface FooterFacts extends Pick<Frame, 'root'> {
  readonly texts: SiteLook['texts'] | undefined;
  readonly links: SiteLook['links'] | undefined;
}

/** The owner's texts, the links that the owner wants on each page, and the way to the guides. */
const Footer = keptHtml(({ root, texts = [], links: own = [] }: FooterFacts): VNode => {
  const named = texts.map((text) => ({ title: frameWords.texts[text], href: `${root}${text}` }));
  const guides = [
    { title: frameWords.help, href: `${root}docs/buying` },
    { title: frameWords.developers, href: `${root}docs` },
  ];
  const links = [...named, ...own, ...guides];
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
});

function Bell({ root, unread }: { readonly root: string; readonly unread: number }): VNode {
  const { notifications } = frameWords.navigation;
  return (
    <a
      class="bell"
      href={`${root}account/notifications`}
      aria-label={notifications(unread)}
      title={notifications(unread)}
    >
      <Icon name="notifications" />
      {unread > 0 && <span class="count">{countOf(unread)}</span>}
    </a>
  );
}

export function renderPage(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}

/** A page that only says something, with a way on: to the products, if there is no better one. */
export function MessagePage({
  frame,
  title,
  text,
  on = { href: '', text: frameWords.newest },
}: {
  readonly frame: Frame;
  readonly title: string;
  readonly text: string;
  /** `href` is the path from the site's first page. */
  readonly on?: { readonly href: string; readonly text: string };
}): VNode {
  return (
    <Layout frame={frame} title={`${title} · ${frame.site}`} isUnlisted>
      <main id="content" class="message">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <ButtonLink href={`${frame.root}${on.href}`} text={on.text} />
        </p>
      </main>
    </Layout>
  );
}
