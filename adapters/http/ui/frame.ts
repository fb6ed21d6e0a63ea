import type { Instant } from '../../../core/ports/clock.ts';
import type { FooterLink } from '../../../core/site/footer-links.ts';
import type { SiteText } from '../../../core/site/setting.ts';

/** How the owner has set up the site. */
export interface SiteLook {
  /** What the site is about, in a sentence. Empty: the owner has not said. */
  readonly description: string;
  /** The address of the owner's logo, from the first page. */
  readonly logo?: string | undefined;
  /** The address of the icon that is made of it. */
  readonly icon?: string | undefined;
  /** The owner's accent color, such as `#1b6b50`. */
  readonly accent: string | undefined;
  /** The texts of the owner that have a page. */
  readonly texts: readonly SiteText[];
  /** The links at the end of each page. */
  readonly links: readonly FooterLink[];
  /** Whether visitors get accounts for a day. */
  readonly isSandbox?: boolean;
}

/** The values that every page shows around its content. */
export interface Frame {
  /** The name of the site. */
  readonly site: string;
  /** Without it, the page looks as if the owner had set nothing. */
  readonly look?: SiteLook;
  /** The relative address of the site's first page, such as `../`. So pages work behind any path prefix. */
  readonly root: string;
  /** The entry of the navigation that the page belongs to. */
  readonly part?: Part | undefined;
  /** Who is signed in. */
  readonly person?: Person | undefined;
  /** A message about what the last form did. */
  readonly notice?: string;
}

export type Part = 'products' | 'guides' | 'reference' | 'selling' | 'account' | 'admin';

/** The facts that pages show about the person who is signed in. */
export interface Person {
  readonly name: string;
  readonly isAdmin: boolean;
  /** The number of unread notifications. */
  readonly unread: number;
  /** The number of orders that wait for this administrator. */
  readonly waitingOrders: number;
  /** The number of own orders that wait for this seller, on the pages for sellers. */
  readonly ordersToDo?: number;
  /** The number of products that wait for the approval of this administrator. */
  readonly waitingProducts: number;
  /** Whether the navigation has the pages for sellers. It has them for each administrator. */
  readonly sells: boolean;
  /** When the account is deleted, if it is one of a sandbox. */
  readonly sandboxUntil?: Instant | undefined;
  /** Whether pages remind the person to set up a second factor. */
  readonly needsSecondFactor: boolean;
}

/** Returns the relative address of the first page, as seen from a path. */
export function rootOf(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}
