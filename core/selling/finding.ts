import type { AuditId, UserId } from '../id.ts';
import { type LicenseStatus, statusOf } from '../licensing/license.ts';
import { searchedLicense } from '../licensing/license-search-texts.ts';
import type { AuditEntry, AuditLog } from '../ports/audit-log.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { LicenseOrder, LicensePlace, LicenseQuery, LicenseSearch } from '../ports/license-search.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { FindLicense } from './find-license.ts';
import { findProductOf, narrowedTo, type Seller, shownActor } from './seller.ts';
import type { SoldLicense } from './sold-license.ts';

/** Which licenses a seller wants to see. */
export interface LicenseWish {
  /**
   * The start of the key, of an active domain, of the holder's name or address, or of the reference; or the last four
   * characters of the key.
   */
  readonly search?: string | undefined;
  /** Id or slug. */
  readonly product?: string | undefined;
  readonly status?: LicenseStatus | undefined;
  /** Can only narrow: a seller has no licenses of other owners. */
  readonly ownerId?: UserId | undefined;
  /** Can only narrow: the other mode than the seller's has no licenses. */
  readonly isLive?: boolean | undefined;
  readonly expiresBefore?: Instant | undefined;
  /** The newest first, if nothing is said. A search is in the order of the texts that it finds. */
  readonly order?: LicenseOrder | undefined;
  readonly after?: LicensePlace | undefined;
  readonly limit: number;
}

/** `next` is `null` after the last page. A page can be short or empty, and still not be the last. */
export interface LicensePage {
  readonly licenses: readonly SoldLicense[];
  readonly next: LicensePlace | null;
}

/** One page of the history of a license, newest first. */
export interface LicenseHistory {
  readonly entries: readonly AuditEntry[];
  /** The `before` of the next page, or `null` if this is the last one. */
  readonly next: AuditId | null;
}

/** How sellers read licenses. */
export interface Finding {
  /** May be some seconds old. Of a product that the seller cannot reach, it lists nothing. */
  list(wish: LicenseWish, seller: Seller): Promise<LicensePage | Refused<'forbidden' | 'unknown_place'>>;
  readonly show: FindLicense;
  /**
   * Returns the changes of a license. As the actor of a change, sellers see their own address, `license-api` (a site) or
   * `administrator`; those who may read the audit trail see who it was. May be some seconds old.
   */
  events(
    key: string,
    page: { readonly before?: AuditId | undefined; readonly limit: number },
    seller: Seller,
  ): Promise<LicenseHistory | Refused<'invalid_key'>>;
}

const nothing: LicensePage = { licenses: [], next: null };

interface FindingPorts {
  readonly find: FindLicense;
  readonly aliases: Pick<LicenseAliases, 'of'>;
  readonly search: LicenseSearch;
  readonly products: ProductStore;
  readonly log: AuditLog;
  readonly clock: Clock;
}

export function createFinding({ find, aliases, search, products, log, clock }: FindingPorts): Finding {
  return {
    show: find,

    async list({ search: wanted = '', product: idOrSlug, ownerId, isLive, order = 'newest', ...same }, seller) {
      const reach = narrowedTo(ownerId, seller, 'licenses:manage');
      if (isRefused(reach)) return reach;
      const text = searchedLicense(wanted);
      if (same.after && !isPlaceIn(same.after, text === '' ? order : 'search')) {
        return refuse('unknown_place', 'This place belongs to another list.');
      }
      if (reach === undefined || (isLive !== undefined && isLive !== reach.isLive)) return nothing;
      const product =
        idOrSlug === undefined ? undefined : await findProductOf(products, idOrSlug, seller, 'licenses:manage');
      if (isRefused(product)) return nothing;
      const now = clock.now();
      const query: LicenseQuery = {
        ...same,
        reach,
        productId: product?.id,
      };
      const found = text === '' ? await search.list(query, order, now) : await search.find(query, text, now);
      const licenses = found.licenses.map((one) => ({ ...one, status: statusOf(one.license, now) }));
      return { licenses, next: found.next ?? null };
    },

    async events(key, { before, limit }, seller) {
      const found = await find(key, seller);
      if (isRefused(found)) return found;
      const { key: subject } = found.license;
      // What happened before a key was replaced is in the trail under that key.
      const formerly = (await aliases.of(subject)).flatMap(({ formerKey }) => formerKey ?? []);
      const entries = await log.list({ subject, formerly, before, limit: limit + 1 });
      const shown = entries.slice(0, limit).map((entry) => ({ ...entry, actor: shownActor(entry.actor, seller) }));
      return { entries: shown, next: entries.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },
  };
}

function isPlaceIn({ by }: LicensePlace, list: LicenseOrder | 'search'): boolean {
  if (list === 'search') return by !== null && !('expiresAt' in by);
  return list === 'expires' ? by !== null && 'expiresAt' in by : by === null;
}
