import { toTemplateId } from '../../core/id.ts';
import type { TemplateStore } from '../../core/ports/template-store.ts';
import { refuse } from '../../core/refusal.ts';
import { changeIn } from './change.ts';
import { type MemoryDatabase, newestFirst, patch } from './database.ts';

export function createMemoryTemplateStore({ templates, events, unreferenced }: MemoryDatabase): TemplateStore {
  const findBySlug = (slug: string) => [...templates.values()].find((template) => template.slug === slug);
  return {
    async add(added, event) {
      if (findBySlug(added.slug)) return refuse('slug_taken', `A template has the slug ${added.slug} already.`);
      const template = { ...added, id: toTemplateId(templates.size + 1), downloadCount: 0 };
      templates.set(template.id, template);
      events.push(event);
      return template;
    },
    change: changeIn(templates, events, (before, after, { at }) => {
      if (before.zip !== after.zip) unreferenced.set(before.zip, at);
    }),
    findById: async (id) => templates.get(id),
    findBySlug: async (slug) => findBySlug(slug),
    list: async ({ tiers, category }) =>
      newestFirst(templates).filter(
        (template) => tiers.includes(template.tier) && (category === undefined || template.category === category),
      ),
    async countDownload(id) {
      patch(templates, id, { downloadCount: (templates.get(id)?.downloadCount ?? 0) + 1 });
    },
  };
}
