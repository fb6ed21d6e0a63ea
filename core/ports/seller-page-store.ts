import type { UserId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { SellerPage } from '../sellers/seller-page.ts';
import type { Change } from './change.ts';

/** The public pages of sellers. Each user has at most one. */
export interface SellerPageStore {
  findOf(userId: UserId): Promise<SellerPage | undefined>;
  findBySlug(slug: string): Promise<SellerPage | undefined>;
  /** Returns at most `limit` pages of sellers who are not suspended, the oldest sellers first. */
  listed(limit: number): Promise<Pick<SellerPage, 'slug' | 'updatedAt'>[]>;
  /** Makes or changes the page of a user, who must exist. `slug_taken`: another user's page has the slug. */
  change<R extends string = never>(
    userId: UserId,
    decide: (before: SellerPage | undefined) => Change<SellerPage> | Refused<R>,
  ): Promise<SellerPage | Refused<R | 'slug_taken'>>;
}
