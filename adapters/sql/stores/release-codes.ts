import type { Knex } from 'knex';
import { toProductId, toReleaseCodeId } from '../../../core/id.ts';
import { mostReleaseCodes, type ReleaseCode, type ReleaseCodes } from '../../../core/ports/release-codes.ts';
import { refuse } from '../../../core/refusal.ts';
import { comparableId, type Database, isRowId, returned } from '../database.ts';
import { inSteps } from '../in-steps.ts';
import { record } from './audit-log.ts';
import { holdTemplate } from './deployment-checks.ts';
import type { DeploymentRow } from './deployment-rows.ts';

interface CodeRow {
  readonly id: number;
  readonly product_id: number;
  readonly version: string;
  readonly contract: string;
  readonly hash: string;
  readonly created_at: number;
}

/** How many deployments one transaction confirms. */
const atOnce = 200;
/** How many codes one step looks at. */
const codesAtOnce = 500;

/** A deployment that matched no code, and matches one now. */
interface Late {
  readonly id: number;
  readonly template_id: number;
  readonly code_id: number;
  readonly product_id: number;
  readonly version: string;
}

const codes = (knex: Knex) => knex<CodeRow>('release_codes');

export function createSqlReleaseCodes({ read, write }: Database): ReleaseCodes {
  return {
    async list(productId, before, limit) {
      const rows = await read((knex) =>
        codes(knex)
          .where({ product_id: comparableId(productId) })
          .modify((query) => {
            if (before !== undefined) query.where('id', '<', comparableId(before));
          })
          .orderBy('id', 'desc')
          .limit(limit),
      );
      return rows.map(toCode);
    },

    add: (code, event) =>
      write(async (trx) => {
        // So that two calls for one product count one after the other.
        await trx('products').where({ id: code.productId }).forNoKeyUpdate().first('id');
        const { productId: product_id, version, contract, hash, createdAt: created_at } = code;
        const there = await codes(trx).where({ product_id, version, hash }).first();
        if (there !== undefined) return toCode(there);
        const counted = await codes(trx).where({ product_id }).count<{ all: number | string }[]>({ all: '*' });
        if (Number(counted[0]?.all) >= mostReleaseCodes)
          return refuse(
            'too_many_codes',
            `A product can have ${mostReleaseCodes} codes. Delete some that nobody needs.`,
          );
        const rows = await codes(trx).insert({ product_id, version, contract, hash, created_at }).returning('*');
        await record(trx, [event]);
        return toCode(returned(rows));
      }),

    remove: (productId, id, event) =>
      write(async (trx) => {
        if (!isRowId(id)) return false;
        const removed = await codes(trx).where({ id, product_id: productId }).delete();
        if (removed > 0) await record(trx, [event]);
        return removed > 0;
      }),

    confirm: (templateId, isLive, { productId, version, hash }) =>
      inSteps(async () => {
        const matching = (knex: Knex) =>
          knex<DeploymentRow>('deployments').where({
            ...{ template_id: templateId, code_hash: hash, state: 'mismatch', is_live: Number(isLive) },
          });
        if ((await read((knex) => matching(knex).first('id'))) === undefined) {
          // A check that has just ended, and did not see the code yet, is stored when the template is free.
          await write((trx) => holdTemplate(trx, templateId));
          if ((await read((knex) => matching(knex).first('id'))) === undefined) return undefined;
        }
        return await write(async (trx) => {
          await holdTemplate(trx, templateId);
          const ids = await matching(trx).limit(atOnce).forUpdate().pluck('id');
          return await trx<DeploymentRow>('deployments')
            .whereIn('id', ids)
            .update({ state: 'confirmed', release_product_id: productId, release_version: version });
        });
      }),

    async confirmSome(after) {
      const { looked, late } = await read(async (knex) => {
        const window = () =>
          codes(knex)
            .where('id', '>', comparableId(after ?? toReleaseCodeId(0)))
            .orderBy('id')
            .limit(codesAtOnce);
        const ids: number[] = await window().pluck('id');
        const found: Late[] = await knex
          .from(window().as('c'))
          .join('products as p', 'p.id', 'c.product_id')
          .join('deployments as d', (on) =>
            on
              .on('d.template_id', 'p.template_id')
              .andOn('d.code_hash', 'c.hash')
              .andOn('d.is_live', 'p.is_live')
              .andOnVal('d.state', 'mismatch'),
          )
          .select('d.id', 'd.template_id', 'c.id as code_id', 'c.product_id', 'c.version')
          .limit(atOnce);
        return { looked: ids, late: found };
      });
      if (late.length > 0) await write((trx) => confirmLate(trx, late));
      const last = looked.length < codesAtOnce ? undefined : looked.at(-1);
      const next = late.length < atOnce ? last : (after ?? toReleaseCodeId(0));
      return {
        confirmed: new Set(late.map(({ id }) => id)).size,
        next: next === undefined ? undefined : toReleaseCodeId(next),
      };
    },
  };
}

/** Of several codes, the newest one counts, as in a check. */
async function confirmLate(trx: Knex.Transaction, late: readonly Late[]): Promise<void> {
  for (const id of new Set(late.map(({ template_id }) => template_id).sort((one, other) => one - other)))
    await holdTemplate(trx, id);
  for (const one of late.toSorted((a, b) => b.code_id - a.code_id))
    await trx<DeploymentRow>('deployments')
      .where({ id: one.id, state: 'mismatch' })
      .update({ state: 'confirmed', release_product_id: one.product_id, release_version: one.version });
}

function toCode({ id, product_id, version, contract, hash, created_at }: CodeRow): ReleaseCode {
  return {
    ...{ id: toReleaseCodeId(id), productId: toProductId(product_id), version, contract, hash },
    createdAt: created_at,
  };
}
