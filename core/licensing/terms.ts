import type { ProductId } from '../id.ts';
import type { ProductTerms } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';

/** The terms of a new license. */
export interface Terms {
  readonly productId: ProductId;
  /** 1 to 1,000,000. */
  readonly maxDomains: number;
  /** `null` means perpetual, unless `daysFromActivation` is given. */
  readonly expiresAt: Instant | null;
  /** The days from the first activation to the expiry. Only with the expiry `null`. */
  readonly daysFromActivation?: number | null;
}

/** Returns what a license gets if its seller says nothing else. */
export function termsAtIssue(productId: ProductId, { maxDomains, duration }: ProductTerms, now: Instant): Terms {
  const { days = null, from = 'issue' } = duration ?? {};
  if (days === null) return { productId, maxDomains, expiresAt: null };
  return from === 'issue'
    ? { productId, maxDomains, expiresAt: expiryAfter(days, now) }
    : { productId, maxDomains, expiresAt: null, daysFromActivation: days };
}

/** Returns the expiry of a license that starts now. */
export function expiryAfter(days: number, now: Instant): Instant {
  return now + days * day;
}
