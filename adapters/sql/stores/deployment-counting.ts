import type { Knex } from 'knex';
import { knownChains } from '../../../core/deployments/chains.ts';
import { day } from '../../../core/time.ts';
import { holdLock } from '../advisory-locks.ts';
import type { DeploymentRow } from './deployment-rows.ts';

/* The tables of figures: see the migrations `0086-deployment-figures` and `0092-deployment-spans`. */

/** Stands for all templates, in the place of the id of one. */
export const allTemplates = 0;
/** Stands for deployments that name no template of this server. */
export const noTemplate = -1;
/** Stands for all further chains of a day. */
export const otherChains = 0;

/** How many chains without a name a day counts apart. So the sums of a day are few, whatever is reported. */
const mostChains = 50;
/** How many deployments one transaction counts. */
const atOnce = 200;

/** Which deployments are not in the sums yet, or not as confirmed. The index `deployments_to_count` has this condition. */
export const toCount = "counted = 0 OR (counted = 1 AND state = 'confirmed')";

interface DaySum {
  readonly template_id: number;
  readonly is_live: number;
  readonly day: number;
  readonly chain_id: number;
  readonly reported: number;
  readonly confirmed: number;
}

interface SumRow {
  readonly template_id: number;
  readonly is_live: number;
  readonly user_id: number;
  readonly product_id: number;
  readonly version: string;
  readonly reported: number;
  readonly confirmed: number;
  readonly first_at: number;
  readonly last_at: number;
}

type Change = Pick<DaySum, 'reported' | 'confirmed'>;

/** Counts the next deployments that are not in the sums, or not as confirmed. Returns how many. */
export async function countSome(trx: Knex.Transaction): Promise<number> {
  const rows: DeploymentRow[] = await trx('deployments')
    .whereRaw(`(${toCount})`)
    .orderBy('id')
    .limit(atOnce)
    .forUpdate();
  if (rows.length === 0) return 0;
  const chains = await chainsOf(trx, rows);
  const counted = rows.map((row) => {
    const isConfirmed = row.state === 'confirmed';
    const chain = row.counted_chain ?? chains(row);
    const change = { reported: row.counted === 0 ? 1 : 0, confirmed: isConfirmed ? 1 : 0 };
    return { row, chain, change, after: isConfirmed ? 2 : 1 };
  });
  await add(trx, counted);
  const alike = new Map<string, { readonly counted: number; readonly counted_chain: number; readonly ids: number[] }>();
  for (const { row, chain, after } of counted) {
    const name = `${after} ${chain}`;
    const some = alike.get(name) ?? { counted: after, counted_chain: chain, ids: [] };
    some.ids.push(row.id);
    alike.set(name, some);
  }
  for (const { ids, ...change } of alike.values()) await trx('deployments').whereIn('id', ids).update(change);
  return rows.length;
}

/** Takes deployments out of the sums that are about to be deleted. The caller holds their rows. */
export async function uncount(trx: Knex.Transaction, rows: readonly DeploymentRow[]): Promise<void> {
  const counted = rows.filter((row) => row.counted > 0);
  await add(
    trx,
    counted.map((row) => ({
      row,
      chain: row.counted_chain ?? otherChains,
      change: { reported: -1, confirmed: row.counted === 2 ? -1 : 0 },
    })),
  );
  const templates = new Set([allTemplates, ...rows.map((row) => row.template_id ?? noTemplate)]);
  const empty = (table: string) =>
    trx(table)
      .whereIn('template_id', [...templates])
      .where('reported', '<=', 0);
  await empty('deployment_days').delete();
  await empty('deployment_sums')
    .whereIn('user_id', [...new Set([0, ...rows.map((row) => row.user_id)])])
    .delete();
}

/** Returns as which chain a deployment counts: known ones always as themselves, others as long as there are few on its day. */
async function chainsOf(
  trx: Knex.Transaction,
  rows: readonly DeploymentRow[],
): Promise<(row: DeploymentRow) => number> {
  const keyOf = (live: number, at: number) => `${live} ${at - (at % day)}`;
  const seen = new Map<string, Set<number>>();
  for (const key of new Set(rows.map(({ is_live, at }) => keyOf(is_live, at)))) {
    const [is_live = 0, on = 0] = key.split(' ').map(Number);
    const ids: (number | string)[] = await trx('deployment_days')
      .where({ template_id: allTemplates, is_live, day: on })
      .pluck('chain_id');
    seen.set(key, new Set(ids.map(Number)));
  }
  return ({ is_live, at, chain_id }) => {
    const there = seen.get(keyOf(is_live, at)) ?? new Set();
    if (!there.has(chain_id) && !knownChains.has(chain_id) && there.size >= mostChains) return otherChains;
    there.add(chain_id);
    return chain_id;
  };
}

async function add(
  trx: Knex.Transaction,
  changes: readonly { readonly row: DeploymentRow; readonly chain: number; readonly change: Change }[],
): Promise<void> {
  // The rows that triggers write have no order of their own.
  await holdLock(trx, 'deploymentFigures');
  const days = new Map<string, DaySum>();
  const sums = new Map<string, SumRow>();
  for (const { row, chain, change } of changes) {
    const template = row.template_id ?? noTemplate;
    for (const template_id of [template, allTemplates]) {
      const one = { template_id, is_live: row.is_live, day: row.at - (row.at % day), chain_id: chain, ...change };
      addTo(days, [one.template_id, one.is_live, one.day, one.chain_id], one);
    }
    const own = { template_id: template, user_id: 0, product_id: 0, version: '', ...change };
    const { release_product_id: product_id, release_version: version } = row;
    const release = product_id !== null && version !== null && change.confirmed !== 0;
    const confirmed = { reported: change.confirmed, confirmed: change.confirmed };
    for (const one of [
      own,
      { ...own, user_id: row.user_id },
      { ...own, template_id: allTemplates, user_id: row.user_id },
      ...(release ? [{ ...own, product_id, version, ...confirmed }] : []),
    ]) {
      const sum = { ...one, is_live: row.is_live, first_at: row.at, last_at: row.at };
      addTo(sums, [sum.template_id, sum.is_live, sum.user_id, sum.product_id, sum.version], sum);
    }
  }
  await store(trx, 'deployment_days', ['template_id', 'is_live', 'day', 'chain_id'], [...days.values()]);
  await store(
    trx,
    'deployment_sums',
    ['template_id', 'is_live', 'user_id', 'product_id', 'version'],
    [...sums.values()],
    {
      first_at:
        'CASE WHEN excluded.first_at < deployment_sums.first_at THEN excluded.first_at ELSE deployment_sums.first_at END',
      last_at:
        'CASE WHEN excluded.last_at > deployment_sums.last_at THEN excluded.last_at ELSE deployment_sums.last_at END',
    },
  );
}

function addTo<Row extends Change & { first_at?: number; last_at?: number }>(
  to: Map<string, Row>,
  key: readonly (number | string)[],
  one: Row,
): void {
  const name = JSON.stringify(key);
  const there = to.get(name);
  to.set(name, {
    ...one,
    reported: one.reported + (there?.reported ?? 0),
    confirmed: one.confirmed + (there?.confirmed ?? 0),
    ...(one.first_at !== undefined && {
      first_at: Math.min(one.first_at, there?.first_at ?? one.first_at),
      last_at: Math.max(one.last_at ?? 0, there?.last_at ?? 0),
    }),
  });
}

/** In the order of the keys, so that it never waits for a transaction of an older process that waits for this one. */
async function store<Row extends Change>(
  trx: Knex.Transaction,
  table: string,
  keys: readonly (keyof Row & string)[],
  rows: readonly Row[],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (rows.length === 0) return;
  const sum = (name: string) => trx.raw(`${table}.${name} + excluded.${name}`);
  const compare = (one: Row, other: Row) =>
    keys.map((key) => (one[key] < other[key] ? -1 : one[key] > other[key] ? 1 : 0)).find((sign) => sign !== 0) ?? 0;
  await trx(table)
    .insert(rows.toSorted(compare))
    .onConflict([...keys])
    .merge({
      reported: sum('reported'),
      confirmed: sum('confirmed'),
      ...Object.fromEntries(Object.entries(more).map(([name, text]) => [name, trx.raw(text)])),
    });
}
