import type { Tier } from '../accounts/tier.ts';
import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';
import type { Category, Template } from '../templates/template.ts';

export interface TemplateFilter {
  readonly tiers: readonly Tier[];
  readonly category?: string | undefined;
}

/** What of a template may be changed later. */
export type TemplateChange = Partial<
  Pick<Template, 'title' | 'description' | 'tier' | 'tags' | 'parameters' | 'zip'> & { category: Category }
>;

/** Project templates. */
export interface TemplateStore {
  add(template: Omit<Template, 'id' | 'downloadCount'>, event: Event): Promise<Template | Refused<'slug_taken'>>;
  /** When it gets another zip, notes for `FileReferences` that the reference to the old one ended when the event happened. */
  update(id: number, change: TemplateChange, event: Event): Promise<void>;
  findById(id: number): Promise<Template | undefined>;
  findBySlug(slug: string): Promise<Template | undefined>;
  /** Newest first. A category that nothing is in gives an empty list. */
  list(filter: TemplateFilter): Promise<Template[]>;
  /** Adds one to its downloads; concurrent ones are each counted. */
  countDownload(id: number): Promise<void>;
}
