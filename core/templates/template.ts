import { includes, type Tier } from '../accounts/tier.ts';
import type { TemplateId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';

export const categories = ['defi-dex', 'token-tools', 'nfts-games', 'launch-token-sales', 'templates-clones'] as const;
export type Category = (typeof categories)[number];

export const parameterTypes = ['string', 'number', 'boolean', 'address', 'select'] as const;

/** Something that whoever uses a template fills in. */
export interface TemplateParameter {
  readonly name: string;
  readonly type: (typeof parameterTypes)[number];
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: string | number | boolean | null;
  /** What can be chosen of, for `select`. */
  readonly options?: readonly string[] | undefined;
}

export interface Template {
  readonly id: TemplateId;
  /** Never digits alone: those are always an id. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  /** The lowest tier that sees it. `free` also means that it may be had without a purchase. */
  readonly tier: Tier;
  readonly tags: readonly string[];
  readonly parameters: readonly TemplateParameter[];
  readonly createdAt: Instant;
  /** Links to its zip that were given out. */
  readonly downloadCount: number;
  /** Where its zip is stored. */
  readonly zip: string;
}

/** What of a template may be changed later. */
export type TemplateChange = Partial<
  Pick<Template, 'title' | 'description' | 'category' | 'tier' | 'tags' | 'parameters' | 'zip'>
>;

const slug = /^(?=.*[a-z-])[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a text may be a slug: lower-case words of letters and digits with single hyphens between, not digits alone. */
export function isSlug(text: string): boolean {
  return text.length <= 80 && slug.test(text);
}

export function isVisible(template: Template, tier: Tier): boolean {
  return includes(tier, template.tier);
}
