import type { ProductId } from '../id.ts';
import type { ProductTerms } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { endsOf } from './ends.ts';

/** The terms of a new license. */
export interface Terms {
  readonly productId: ProductId;
  /** 1 to 1,000,000. */
  readonly maxDomains: number;
  /** `null` means perpetual, unless `daysFromActivation` is given. */
  readonly expiresAt: Instant | null;
  /** The days from the first activation to the expiry. Only with the expiry `null`. */
  readonly daysFromActivation?: number | null;
  /** It may fetch the releases made until then. `null`, the default, means all. */
  readonly updatesUntil?: Instant | null;
  /** None by default. */
  readonly entitlements?: readonly string[];
}

/** What an offer gives to a license, besides its number of domains and its duration. */
interface OfferedRights {
  readonly updatesMonths: number | null;
  readonly entitlements: readonly string[];
}

/** Returns what a license gets if its seller says nothing else. Without an offer, it gets all updates. */
export function termsAtIssue(
  productId: ProductId,
  { maxDomains, duration }: Pick<ProductTerms, 'maxDomains' | 'duration'>,
  now: Instant,
  offer: OfferedRights | null = null,
): Terms {
  const ends = endsOf(duration, offer === null ? undefined : { months: offer.updatesMonths }, now);
  return { productId, maxDomains, ...ends, entitlements: offer?.entitlements ?? [] };
}
