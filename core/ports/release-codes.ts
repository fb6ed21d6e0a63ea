import type { Event } from '../events/event.ts';
import type { ProductId, ReleaseCodeId, TemplateId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';
import type { Release } from './deployment-checks.ts';

/** The code of a contract in a version of a product that is sold with a template. */
export interface ReleaseCode extends Release {
  readonly id: ReleaseCodeId;
  /** The name of the contract. */
  readonly contract: string;
  /** The hash of the code that runs, without its metadata. */
  readonly hash: string;
  readonly createdAt: Instant;
}

/** How many codes a product can have. */
export const mostReleaseCodes = 500;

/** The codes that sellers have registered for their products. */
export interface ReleaseCodes {
  /** Newest first. */
  list(productId: ProductId, before: ReleaseCodeId | undefined, limit: number): Promise<ReleaseCode[]>;
  /**
   * Returns the code that the version has already with this hash, with the name that it got first. Refuses more than
   * `mostReleaseCodes` of a product.
   */
  add(code: Omit<ReleaseCode, 'id'>, event: Event): Promise<ReleaseCode | Refused<'too_many_codes'>>;
  /** Returns false if the product has no such code. What was confirmed by it stays so. */
  remove(productId: ProductId, id: ReleaseCodeId, event: Event): Promise<boolean>;
  /** Confirms the deployments of a template that had not matched any code, and have this one. Returns how many. */
  confirm(templateId: TemplateId, isLive: boolean, code: ReleaseCode): Promise<number>;
  /**
   * Does the same for a limited number of codes and deployments: codes of the products that are linked to a template now,
   * after one of them. `next` is where to go on: `undefined` after the last code.
   */
  confirmSome(
    after: ReleaseCodeId | undefined,
  ): Promise<{ readonly confirmed: number; readonly next: ReleaseCodeId | undefined }>;
}
