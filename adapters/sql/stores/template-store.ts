import type { Tier } from '../../../core/accounts/tier.ts';
import type { TemplateStore } from '../../../core/ports/template-store.ts';
import { refuse } from '../../../core/refusal.ts';
import type { Category, Template } from '../../../core/templates/template.ts';
import { type Database, isRowId } from '../database.ts';
import { record } from './audit-log.ts';
import { noteUnreferenced } from './file-references.ts';

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

export function createSqlTemplateStore({ read, readStale = read, write }: Database): TemplateStore {
  const findWhere = async (where: Partial<TemplateRow>) => {
    const row = await read((knex) => knex<TemplateRow>('templates').where(where).first());
    return row && toTemplate(row);
  };
  return {
    add: ({ createdAt, tags, parameters, ...rest }, event) =>
      write(async (trx) => {
        const { slug, title, description, category, tier, zip } = rest;
        const columns = { slug, title, description, category, tier, zip, created_at: createdAt };
        const [row] = await trx<TemplateRow>('templates')
          .insert({ ...columns, ...toTexts({ tags, parameters }) })
          .onConflict('slug')
          .ignore()
          .returning('*');
        if (row === undefined) return refuse('slug_taken', `A template has the slug ${slug} already.`);
        await record(trx, [event]);
        return toTemplate(row);
      }),
    update: (id, change, event) =>
      write(async (trx) => {
        if (change.zip !== undefined) {
          const before = await trx<TemplateRow>('templates').where({ id }).forUpdate().first('zip');
          if (before !== undefined && before.zip !== change.zip) await noteUnreferenced(trx, before.zip, event.at);
        }
        const columns = { ...change, ...toTexts(change) } as Partial<TemplateRow>;
        if (Object.keys(columns).length > 0) await trx<TemplateRow>('templates').where({ id }).update(columns);
        await record(trx, [event]);
      }),
    findById: async (id) => (isRowId(id) ? await findWhere({ id }) : undefined),
    findBySlug: (slug) => findWhere({ slug }),
    async list({ tiers, category }) {
      const rows = await readStale((knex) =>
        knex<TemplateRow>('templates')
          .whereIn('tier', tiers)
          .modify((query) => {
            if (category !== undefined) query.where({ category });
          })
          .orderBy('id', 'desc'),
      );
      return rows.map(toTemplate);
    },
    countDownload: (id) =>
      write(async (trx) => {
        await trx('templates').where({ id }).increment('download_count');
      }),
  };
}

function toTexts({ tags, parameters }: Partial<Pick<Template, 'tags' | 'parameters'>>) {
  return {
    ...(tags && { tags: JSON.stringify(tags) }),
    ...(parameters && { parameters: JSON.stringify(parameters) }),
  } as Pick<TemplateRow, 'tags' | 'parameters'>;
}

function toTemplate(row: TemplateRow): Template {
  return {
    id: row.id,
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
