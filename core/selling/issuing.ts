import type { Abort } from '../abort.ts';
import { accountOf, byOf } from '../accounts/role.ts';
import { addUnderNewKeys, addWithin, fewLicenses } from '../licensing/add-licenses.ts';
import { neverActivated, statusOf } from '../licensing/license.ts';
import { type LicenseNotes, noNotes } from '../licensing/license-notes.ts';
import { noteTexts } from '../licensing/license-search-texts.ts';
import { termsAtIssue } from '../licensing/terms.ts';
import { refusingLicenses } from '../marketplace/bundle.ts';
import { offeredAs } from '../marketplace/offers.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { LongWork } from '../ports/long-work.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { actsInSandbox, mostLicensesInSandbox } from '../sandbox/sandbox.ts';
import type { Seller } from './seller.ts';
import { findProductOf } from './seller.ts';
import type { SoldLicense } from './sold-license.ts';

/** The most licenses that a seller issues in one call. */
export const mostIssued = 1_000;

/** A seller's request for new licenses. Absent values come from the terms of the offer, or of the product without one. */
export interface IssueOrder extends Partial<LicenseNotes> {
  /** Id or slug. */
  readonly product: string;
  /** The slug of an offer of the product. */
  readonly offer?: string | undefined;
  /** 1 to `mostIssued`. */
  readonly count: number;
  /** 1 to `termLimits.maxDomains`. */
  readonly maxDomains?: number | undefined;
  /** `null` means perpetual. */
  readonly expiresAt?: Instant | null | undefined;
  /** `null` means all releases. */
  readonly updatesUntil?: Instant | null | undefined;
  readonly entitlements?: readonly string[] | undefined;
}

type IssueRefusal =
  | 'product_not_found'
  | 'offer_not_found'
  | 'product_archived'
  | 'bundle_without_licenses'
  | 'expiry_not_later'
  | 'notes_too_long'
  | 'too_many_licenses';

/**
 * All licenses of a call are stored at once, and other writes wait meanwhile. What takes the time are the texts by which
 * a search finds them, and metadata: 1,000 characters take about as long as one text. With usual notes, a call can issue
 * `mostIssued`.
 */
const mostTexts = 12_000;

/** Returns how many licenses with these notes can be issued in one call. */
function mostWith(notes: LicenseNotes): number {
  const texts = Object.values(noteTexts).reduce((sum, textsOf) => sum + textsOf(notes).length, 0);
  const characters = Object.entries(notes.metadata).reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  return Math.min(mostIssued, Math.floor(mostTexts / Math.max(1, texts + characters / 1_000)));
}

/**
 * Issues licenses under new keys, all or none. Calls of one account for more than `fewLicenses` are carried out one after the
 * other. If `stop` aborts before such a call has its turn, nothing is issued.
 */
export type IssueLicenses = (
  order: IssueOrder,
  seller: Seller,
  stop?: Abort,
) => Promise<SoldLicense[] | Refused<IssueRefusal>>;

export function createIssueLicenses(
  store: Pick<LicenseStore, 'add' | 'addWithin'>,
  products: ProductStore,
  clock: Clock,
  secrets: Secrets,
  longWork: LongWork,
): IssueLicenses {
  async function issue(order: IssueOrder, seller: Seller) {
    const {
      product: idOrSlug,
      offer: wanted,
      count,
      maxDomains,
      expiresAt,
      updatesUntil,
      entitlements,
      ...given
    } = order;
    const product = await findProductOf(products, idOrSlug, seller, 'licenses:manage');
    if (isRefused(product)) return product;
    if (product.archivedAt !== null) {
      return refuse('product_archived', 'The product is archived, so no licenses can be issued for it.');
    }
    const refused = refusingLicenses(product);
    if (refused) return refused;
    const sold = wanted === undefined ? { product, offer: null } : offeredAs(product, wanted);
    if (sold === undefined) return refuse('offer_not_found', `The product has no offer ${wanted}.`);
    const now = clock.now();
    if (typeof expiresAt === 'number' && expiresAt <= now) {
      return refuse('expiry_not_later', 'The expiry must be in the future.');
    }
    const { ownerId, isLive } = product;
    const notes = { ...noNotes, ...given };
    const most = mostWith(notes);
    if (count > most) {
      return refuse(
        'notes_too_long',
        `With notes as long as these, it must be at most ${most}. Issue fewer licenses in one call, or shorten the notes.`,
      );
    }
    const terms = {
      ...termsAtIssue(product.id, sold.product.terms, now, sold.offer),
      ...(maxDomains !== undefined && { maxDomains }),
      ...(expiresAt !== undefined && { expiresAt, daysFromActivation: null }),
      ...(updatesUntil !== undefined && { updatesUntil }),
      ...(entitlements !== undefined && { entitlements }),
      standing: 'active',
      createdAt: now,
      notes,
    } as const;
    const by = byOf(seller.actor);
    const issued =
      actsInSandbox(seller.actor) && ownerId !== null
        ? await addWithin(store, secrets, terms, count, by, { id: ownerId, most: mostLicensesInSandbox })
        : await addUnderNewKeys(store, secrets, terms, count, by);
    if (isRefused(issued)) {
      return refuse(issued.reason, `An account of the sandbox can have ${mostLicensesInSandbox} licenses.`);
    }
    return issued.map(({ notes: _, ...one }) => {
      const license = { ...neverActivated, ...one, ownerId, isLive };
      return { license, status: statusOf(license, now), product, notes };
    });
  }

  return async (order, seller, stop) =>
    order.count <= fewLicenses
      ? await issue(order, seller)
      : await longWork(accountOf(seller.actor), () => issue(order, seller), stop);
}
