import type { ProductId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';

/** The terms of a new license. */
export interface Terms {
  readonly productId: ProductId;
  /** 1 to 1,000,000. */
  readonly maxDomains: number;
  readonly expiresAt: Instant | null;
}
