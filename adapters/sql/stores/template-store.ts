import type { Knex } from 'knex';
import type { Tier } from '../../../core/accounts/tier.ts';
import { toTemplateId } from '../../../core/id.ts';
import type { TemplateStore } from '../../../core/ports/template-store.ts';
import { refuse } from '../../../core/refusal.ts';
import type { Category, Template } from '../../../core/templates/template.ts';
import { builtOnce } from '../built-once.ts';
import type { Database } from '../database.ts';
import { sharedRead } from '../shared-reads.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';
import { noteUnreferenced } from './file-references.ts';
import { findRow } from './find-row.ts';

interface TemplateRow {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly tier: string;
  readonly tags: string;
  readonly parameters: string;
  readonly zip: string;
  readonly created_at: number;
  readonly download_count: number;
}

/** The shape is the list of tiers, as JSON. */
const ofTiers = builtOnce<string, TemplateRow[], []>(templatesOf);
const ofCategory = builtOnce<string, TemplateRow[], [string]>((knex, tiers, category) =>
  templatesOf(knex, tiers).where({ category }),
);

function templatesOf(knex: Knex, tiers: string): Knex.QueryBuilder {
  return knex('templates').whereIn('tier', JSON.parse(tiers)).orderBy('id', 'desc');
}

export function createSqlTemplateStore({ read, readStale = read, write }: Database): TemplateStore {
  const { findWhere, findById } = findRow(read, 'templates', toTemplate);
  /** All accounts of a tier have the same list. Its key is the tiers, as they are a shape, and the category. */
  const listed = sharedRead(async (keys) => {
    const lists = keys.map(async (key) => {
      const [tiers, category]: [string, (string | null)?] = JSON.parse(key);
      const rows = await readStale((knex) =>
        category == null ? ofTiers(knex, tiers) : ofCategory(knex, tiers, category),
      );
      return [key, rows.map(toTemplate)] as const;
    });
    return new Map(await Promise.all(lists));
  });
  return {
    add: (template, event) =>
      write(async (trx) => {
        const [row] = await trx<TemplateRow>('templates')
          .insert(toRow({ ...template, downloadCount: 0 }))
          .onConflict('slug')
          .ignore()
          .returning('*');
        if (row === undefined) return refuse('slug_taken', `A template with the slug ${template.slug} already exists.`);
        await record(trx, [event]);
        return toTemplate(row);
      }),
    change: changeRow(write, 'templates', toTemplate, toRow, async (trx, before, after, { at }) => {
      if (before.zip !== after.zip) await noteUnreferenced(trx, before.zip, at);
    }),
    findById,
    findBySlug: (slug) => findWhere({ slug }),
    list: async ({ tiers, category }) => (await listed(JSON.stringify([JSON.stringify(tiers), category]))) ?? [],
    countDownload: (id) =>
      write(async (trx) => {
        await trx('templates').where({ id }).increment('download_count');
      }),
  };
}

function toRow(template: Omit<Template, 'id'>): Omit<TemplateRow, 'id'> {
  const { slug, title, description, category, tier, zip, tags, parameters, createdAt, downloadCount } = template;
  return {
    ...{ slug, title, description, category, tier, zip },
    tags: JSON.stringify(tags),
    parameters: JSON.stringify(parameters),
    created_at: createdAt,
    download_count: downloadCount,
  };
}

function toTemplate(row: TemplateRow): Template {
  return {
    id: toTemplateId(row.id),
    slug: row.slug,
    title: row.title,
    description: row.description,
    category: row.category as Category,
    tier: row.tier as Tier,
    tags: JSON.parse(row.tags),
    parameters: JSON.parse(row.parameters),
    createdAt: row.created_at,
    downloadCount: row.download_count,
    zip: row.zip,
  };
}
