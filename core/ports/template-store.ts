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
  /** If it gets another zip, notes for `FileReferences` that the reference to the old one ended when the event happened. */
  readonly change: ChangeById<TemplateId, Template>;
  findById(id: TemplateId): Promise<Template | undefined>;
  findBySlug(slug: string): Promise<Template | undefined>;
  /** Newest first. A category that nothing is in gives an empty list. */
  list(filter: TemplateFilter): Promise<Template[]>;
  /** Adds one to its downloads; concurrent ones are each counted. */
  countDownload(id: TemplateId): Promise<void>;
}
