import { includes, type Tier } from '../accounts/tier.ts';
import type { TemplateId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';

export const categories = ['defi-dex', 'token-tools', 'nfts-games', 'launch-token-sales', 'templates-clones'] as const;
export type Category = (typeof categories)[number];

export const parameterTypes = ['string', 'number', 'boolean', 'address', 'select'] as const;

/** A value that the user of a template fills in. */
export interface TemplateParameter {
  readonly name: string;
  readonly type: (typeof parameterTypes)[number];
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: string | number | boolean | null;
  /** The choices, for `select`. */
  readonly options?: readonly string[] | undefined;
}

export interface Template {
  readonly id: TemplateId;
  /** Never only digits, because digits are always an id. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  /** The lowest tier that sees it. A `free` template can also be downloaded without a purchase. */
  readonly tier: Tier;
  readonly tags: readonly string[];
  readonly parameters: readonly TemplateParameter[];
  readonly createdAt: Instant;
  /** The number of granted download links. */
  readonly downloadCount: number;
  /** The storage key of its zip. */
  readonly zip: string;
}

/** New values for the fields of a template that can be changed. */
export type TemplateChange = Partial<
  Pick<Template, 'title' | 'description' | 'category' | 'tier' | 'tags' | 'parameters' | 'zip'>
>;

const slug = /^(?=.*[a-z-])[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a text is a slug: lower-case letters and digits with single hyphens between them, and not only digits. */
export function isSlug(text: string): boolean {
  return text.length <= 80 && slug.test(text);
}

export function isVisible(template: Template, tier: Tier): boolean {
  return includes(tier, template.tier);
}
