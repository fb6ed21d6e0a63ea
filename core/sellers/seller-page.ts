import type { UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';

/** The public page of a seller. */
export interface SellerPage {
  readonly userId: UserId;
  /** Lower-case letters, digits and hyphens. Unique. */
  readonly slug: string;
  readonly name: string;
  /** Markdown, as descriptions of products. */
  readonly about: string;
  readonly updatedAt: Instant;
}

/** The largest numbers of characters. */
export const sellerPageLimits = { slug: 40, name: 80, about: 5_000 } as const;

/** Whether a text can be the end of the address of a page. */
export function isSellerSlug(text: string): boolean {
  return text.length <= sellerPageLimits.slug && /^(?=.*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}
