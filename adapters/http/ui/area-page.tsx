import type { ComponentChildren, VNode } from 'preact';
import { type KeyMode, keyModes } from '../../../core/accounts/api-key.ts';
import type { Asset } from './assets.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { ChoiceLinks } from './choice-links.tsx';
import type { Frame } from './frame.ts';
import { Icon, type IconName } from './icon.tsx';
import { Layout } from './layout.tsx';
import { keptHtml } from './remembered.ts';
import { areaWords } from './words.ts';

/**
 * The areas of the dashboard. Each has the names of its pages, with their paths from the site's first page. `:mode` is
 * `live` or `test`.
 */
export const areas = {
  account: {
    plan: 'account',
    purchases: 'account/purchases',
    deployments: 'account/deployments',
    security: 'account/security',
    notifications: 'account/notifications',
  },
  selling: {
    overview: 'selling/:mode',
    products: 'selling/:mode/products',
    licenses: 'selling/:mode/licenses',
    deployments: 'selling/:mode/deployments',
    orders: 'selling/:mode/orders',
    coupons: 'selling/:mode/coupons',
    webhooks: 'selling/:mode/webhooks',
  },
  admin: {
    users: 'admin/users',
    moderation: 'admin/moderation',
    products: 'admin/products',
    licenses: 'admin/licenses',
    deployments: 'admin/deployments',
    orders: 'admin/orders',
    audit: 'admin/audit',
    mails: 'admin/mails',
    settings: 'admin/settings',
    system: 'admin/system',
  },
} as const;
export type Area = keyof typeof areas;

/** The name of a page of any area. */
type PageName = { readonly [A in Area]: keyof (typeof areas)[A] }[Area];

/** The name of each area, and of each page in its navigation. */
export type AreaNames = {
  readonly [A in Area]: {
    readonly label: string;
    readonly pages: Readonly<Record<keyof (typeof areas)[A], string>>;
  };
};
export type PlaceIn<A extends Area> = {
  readonly [One in A]: { readonly area: One; readonly at: keyof (typeof areas)[One] };
}[A];

/** The path of an entry of the navigation, from the site's first page. */
export function placePath({ area, at }: PlaceIn<Area>, mode: KeyMode | ':mode' = ':mode'): string {
  const paths: Readonly<Record<string, string>> = areas[area];
  return (paths[at] ?? '').replace(':mode', mode);
}

/** Returns the name of an entry of the navigation. It is also the title of its page. */
export function placeName({ area, at }: PlaceIn<Area>): string {
  const names: Readonly<Record<string, string>> = areaWords[area].pages;
  return names[at] ?? '';
}

/** Returns an entry of the navigation, with its path from the site's first page, for the breadcrumbs of a page below it. */
export function entryOf(place: PlaceIn<Area>, mode?: KeyMode): { readonly path: string; readonly title: string } {
  return { path: placePath(place, mode), title: placeName(place) };
}

/** A page of the dashboard: the navigation of its area, breadcrumbs, messages, title and content. */
export function AreaPage({
  frame,
  place,
  title = placeName(place),
  isBelow = false,
  above = [],
  mode = 'live',
  head,
  scripts = [],
  tags,
  actions,
  children,
}: {
  readonly frame: Frame;
  /** The area, and the entry of its navigation that the page belongs to. */
  readonly place: PlaceIn<Area>;
  /** Without it, that of the entry. */
  readonly title?: string | undefined;
  /** Whether the page is directly below the entry. */
  readonly isBelow?: boolean;
  /** The pages between the entry and this page, the entry first. Empty if this page is the entry, or `isBelow`. */
  readonly above?: readonly { readonly href: string; readonly title: string }[];
  /** Whether the page shows live or test data. */
  readonly mode?: KeyMode;
  /** More elements for the head. */
  readonly head?: ComponentChildren;
  readonly scripts?: readonly Asset[];
  /** The state of what the page is about, after the title. */
  readonly tags?: ComponentChildren;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { area, at } = place;
  const entry = { href: `${frame.root}${placePath(place, mode)}`, title: placeName(place) };
  const way = isBelow ? [entry] : above;
  const isHome = way.length === 0 && at === Object.keys(areas[area])[0];
  return (
    <Layout
      frame={{ ...frame, part: area }}
      title={`${title} · ${frame.site}`}
      scripts={['local-times.js', 'send-once.js', 'palette.js', 'current-place.js', ...scripts]}
      canSend
      head={head}
    >
      <div class="area">
        <Places {...{ place, mode, root: frame.root, person: frame.person, isHere: way.length === 0 }} />
        <main id="content">
          {way.length > 0 && <Breadcrumbs above={way} title={title} />}
          <Notice frame={frame} />
          <div class="title">
            <h1 dir="auto">{title}</h1>
            {tags && <span class="tags">{tags}</span>}
            {actions}
          </div>
          {frame.person?.needsSecondFactor && area === 'admin' && isHome && <Reminder root={frame.root} />}
          {children}
        </main>
      </div>
    </Layout>
  );
}

interface PlacesFacts extends Pick<Frame, 'root' | 'person'> {
  readonly place: PlaceIn<Area>;
  readonly mode: KeyMode;
  /** Whether the page is the entry itself. */
  readonly isHere: boolean;
}

/** The navigation of an area. */
const Places = keptHtml(({ place: { area, at }, mode, root, person, isHere }: PlacesFacts): VNode => {
  const names: Readonly<Record<string, string>> = areaWords[area].pages;
  return (
    <nav class="places" aria-label={areaWords[area].label}>
      <ul>
        {Object.entries(areas[area]).map(([name, path]) => (
          <li key={name}>
            <a
              class="place"
              href={`${root}${path.replace(':mode', mode)}`}
              aria-current={name === at ? (isHere ? 'page' : 'true') : undefined}
            >
              <Icon name={name as PageName satisfies IconName} />
              {names[name]}
              <Waiting at={`${area}/${name}`} person={person} />
            </a>
          </li>
        ))}
      </ul>
      {area === 'selling' && person?.sandboxUntil === undefined && (
        <ModeSwitch root={root} path={areas.selling[at]} mode={mode} />
      )}
    </nav>
  );
});

/** The number of orders or products that wait for the reader, beside the entry of the navigation. */
function Waiting({ at, person }: { readonly at: string } & Pick<Frame, 'person'>): VNode | null {
  const { waiting } = areaWords;
  const counts = new Map([
    ['selling/orders', { count: person?.ordersToDo, words: waiting.orders }],
    ['admin/orders', { count: person?.waitingOrders, words: waiting.orders }],
    ['admin/moderation', { count: person?.waitingProducts, words: waiting.products }],
  ]);
  const { count = 0, words } = counts.get(at) ?? {};
  if (count === 0 || words === undefined) return null;
  return (
    <>
      {' '}
      <span class="count">{words(count)}</span>
    </>
  );
}

/** A page with one form and without navigation, such as the one for signing in. */
export function CardPage({
  frame,
  title,
  isWide = false,
  scripts = [],
  children,
}: {
  readonly frame: Frame;
  readonly title: string;
  /** Whether it has long lines, such as commands. */
  readonly isWide?: boolean;
  readonly scripts?: readonly Asset[];
  readonly children: ComponentChildren;
}): VNode {
  return (
    <Layout
      frame={{ ...frame, part: 'account' }}
      title={`${title} · ${frame.site}`}
      scripts={[
        ...(frame.person?.sandboxUntil === undefined ? [] : (['local-times.js'] as const)),
        'send-once.js',
        ...scripts,
      ]}
      canSend
      isUnlisted
    >
      <main id="content" class={isWide ? 'sheet wide' : 'sheet'}>
        <Notice frame={frame} />
        <h1>{title}</h1>
        {children}
      </main>
    </Layout>
  );
}

/** Leads to the same page with live or with test data. */
function ModeSwitch({
  root,
  path,
  mode,
}: {
  readonly root: string;
  readonly path: string;
  readonly mode: KeyMode;
}): VNode {
  return (
    <ChoiceLinks
      label={areaWords.modes.label}
      names={areaWords.modes}
      values={keyModes}
      chosen={mode}
      hrefOf={(one) => `${root}${path.replace(':mode', one)}`}
    />
  );
}

/** The message about what the last form did. */
export function Notice({ frame: { notice } }: { readonly frame: Frame }): VNode | null {
  if (notice === undefined) return null;
  return (
    <p class="notice" role="status">
      {notice}
    </p>
  );
}

function Reminder({ root }: { readonly root: string }): VNode {
  return (
    <p class="note">
      {areaWords.reminder} <a href={`${root}${areas.account.security}`}>{areaWords.toSecondFactor}</a>
    </p>
  );
}
