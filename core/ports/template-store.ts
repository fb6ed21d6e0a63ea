import type { Tier } from '../accounts/tier.ts';
import type { Event } from '../events/event.ts';
import type { TemplateId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { Template } from '../templates/template.ts';
import type { ChangeById } from './change.ts';

export interface TemplateFilter {
  readonly tiers: readonly Tier[];
  readonly category?: string | undefined;
}

/** Project templates. */
export interface TemplateStore {
  add(template: Omit<Template, 'id' | 'downloadCount'>, event: Event): Promise<Template | Refused<'slug_taken'>>;
  /** If the zip changes, records for `FileReferences` that the old zip is unreferenced from the time of the event. */
  readonly change: ChangeById<TemplateId, Template>;
  findById(id: TemplateId): Promise<Template | undefined>;
  findBySlug(slug: string): Promise<Template | undefined>;
  /** Newest first. Returns an empty list for an unused category. */
  list(filter: TemplateFilter): Promise<Template[]>;
  /** Adds one to the number of downloads. Counts every one of concurrent calls. */
  countDownload(id: TemplateId): Promise<void>;
}
