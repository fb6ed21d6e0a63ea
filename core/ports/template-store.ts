import type { Tier } from '../accounts/tier.ts';
import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';
import type { Category, Template } from '../templates/template.ts';

export interface TemplateFilter {
  readonly tiers: readonly Tier[];
  readonly category?: string | undefined;
}

/** The fields of a template that can be changed later. */
export type TemplateChange = Partial<
  Pick<Template, 'title' | 'description' | 'tier' | 'tags' | 'parameters' | 'zip'> & { category: Category }
>;

/** Project templates. */
export interface TemplateStore {
  add(template: Omit<Template, 'id' | 'downloadCount'>, event: Event): Promise<Template | Refused<'slug_taken'>>;
  /** If the zip changes, records for `FileReferences` that the old zip is unreferenced from the time of the event. */
  update(id: number, change: TemplateChange, event: Event): Promise<void>;
  findById(id: number): Promise<Template | undefined>;
  findBySlug(slug: string): Promise<Template | undefined>;
  /** Newest first. Returns an empty list for an unused category. */
  list(filter: TemplateFilter): Promise<Template[]>;
  /** Adds one to the number of downloads. Counts every one of concurrent calls. */
  countDownload(id: number): Promise<void>;
}
