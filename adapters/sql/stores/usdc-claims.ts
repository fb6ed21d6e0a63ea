import type { Knex } from 'knex';
import { type OrderId, toClaimId, toOrderId } from '../../../core/id.ts';
import type { ClaimFilter, ClaimOfOrder, UsdcClaims } from '../../../core/ports/usdc-claims.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { ClaimState, UsdcClaim } from '../../../core/usdc/claim.ts';
import { comparableId, type Database } from '../database.ts';
import { addWorkAnew } from './add-work.ts';
import { record } from './audit-log.ts';
import { holdOrders } from './hold-orders.ts';
import { type OrderRow, toOrder } from './order-rows.ts';
import { tell } from './tell.ts';
import { type MovedRow, movedRow, toMoved } from './usdc-moved.ts';
import { countChanges } from './usdc-store.ts';

interface ClaimRow extends MovedRow {
  readonly id: number;
  readonly order_id: number;
  readonly sent_at: number;
  readonly state: string;
  readonly reason: string | null;
  readonly created_at: number;
  readonly decided_at: number | null;
}

export function createSqlUsdcClaims({ read, write }: Pick<Database, 'read' | 'write'>): UsdcClaims {
  return {
    add: (claim, decide, news) =>
      write(async (trx) => {
        const [order] = await holdOrders(trx, [claim.orderId]);
        if (order === undefined) return 'claimed';
        const decision = decide(await ofOrder(trx, claim.orderId), order);
        if (isRefused(decision)) return decision;
        if (!(await isWatched(trx, claim.chainId, claim.blockNumber))) return 'not_watched_yet';
        if ((await countedLogs(trx, claim.chainId, claim.txHash)).includes(claim.logIndex)) return 'counted';
        const rows: ClaimRow[] = await trx('usdc_claims')
          .insert({
            ...movedRow(claim.chainId, { ...claim, isFinal: true }),
            ...{ order_id: claim.orderId, sent_at: claim.sentAt, created_at: claim.createdAt, state: 'open' },
          })
          .onConflict()
          .ignore()
          .returning('*');
        const [row] = rows;
        if (row === undefined) return 'claimed';
        const added = toClaim(row);
        if (decision.event !== undefined) await record(trx, [decision.event]);
        await tell(trx, news(added));
        return added;
      }),

    usedLogs: (chainId, txHash, orderId) =>
      read(async (knex) => {
        const claimed: number[] = await knex('usdc_claims')
          .where({ chain_id: chainId, tx_hash: txHash })
          .where((query) => query.whereNot({ state: 'rejected' }).orWhere({ order_id: orderId }))
          .pluck('log_index');
        return [...claimed, ...(await countedLogs(knex, chainId, txHash))];
      }),

    ofOrder: (id) => read((knex) => ofOrder(knex, id)),

    find: (id) =>
      read(async (knex) => {
        const row: ClaimRow | undefined = await knex('usdc_claims')
          .where({ id: comparableId(id) })
          .first();
        const [found] = await withOrders(knex, row === undefined ? [] : [row]);
        return found;
      }),

    list: (filter) => read(async (knex) => await withOrders(knex, await listed(knex, filter))),

    change: (id, at, decide) =>
      write(async (trx) => {
        const row: ClaimRow | undefined = await trx('usdc_claims')
          .where({ id: comparableId(id) })
          .first();
        const [order] = row ? await holdOrders(trx, [row.order_id]) : [];
        // The one who was faster may have changed it while this one waited for the order.
        const now: ClaimRow | undefined = order && (await trx('usdc_claims').where({ id }).first());
        if (order === undefined || now === undefined) return undefined;
        const before = toClaim(now);
        const decision = decide(before, order);
        if (isRefused(decision)) return decision;
        const { after, event } = decision;
        if (after.state === 'taken' && before.state !== 'taken') {
          if (!(await countTransfer(trx, after))) return 'counted';
          await addWorkAnew(trx, 'usdc', after.chainId, at);
        }
        const { state, reason, decidedAt } = after;
        await trx('usdc_claims').where({ id }).update({ state, reason, decided_at: decidedAt });
        if (event !== undefined) await record(trx, [event]);
        await tell(trx, decision);
        return after;
      }),
  };
}

/** Whether a block can bring no payment by itself any more: all blocks up to it are known, or nobody waits for one. */
async function isWatched(trx: Knex.Transaction, chainId: number, block: number): Promise<boolean> {
  const watch: { last_block: number | null } | undefined = await trx('usdc_watches')
    .where({ chain_id: chainId })
    .first('last_block');
  if (watch?.last_block != null) return watch.last_block >= block;
  return (await trx('usdc_quotes').where({ chain_id: chainId, is_held: 1 }).first('id')) === undefined;
}

/** The numbers of the logs of a transaction that have paid an order, or were sent back for one. */
async function countedLogs(knex: Knex, chainId: number, txHash: string): Promise<readonly number[]> {
  const of = { chain_id: chainId, tx_hash: txHash };
  const paid: number[] = await knex('usdc_transfers').where(of).pluck('log_index');
  const sentBack: number[] = await knex('usdc_sent_back').where(of).pluck('log_index');
  return [...paid, ...sentBack];
}

/** Adds a transfer to what has come for its order. Returns false if it counts already. */
async function countTransfer(trx: Knex.Transaction, claim: UsdcClaim): Promise<boolean> {
  const { chainId, orderId } = claim;
  if ((await countedLogs(trx, chainId, claim.txHash)).includes(claim.logIndex)) return false;
  const quote: { id: number } | undefined = await trx('usdc_quotes')
    .where({ order_id: orderId, chain_id: chainId })
    .first('id');
  if (quote === undefined) return false;
  const added: unknown[] = await trx('usdc_transfers')
    .insert({ ...movedRow(chainId, { ...claim, isFinal: true }), quote_id: quote.id })
    .onConflict(['chain_id', 'tx_hash', 'log_index'])
    .ignore()
    .returning('quote_id');
  if (added.length === 0) return false;
  await countChanges(trx, 'id', [quote.id]);
  return true;
}

async function ofOrder(knex: Knex, id: OrderId): Promise<readonly UsdcClaim[]> {
  const rows: ClaimRow[] = await knex('usdc_claims').where({ order_id: id }).orderBy('id');
  return rows.map(toClaim);
}

async function listed(knex: Knex, { isLive, sellerId, state, before, limit }: ClaimFilter): Promise<ClaimRow[]> {
  return await knex('usdc_claims as c')
    .join('orders as o', 'o.id', 'c.order_id')
    .where({ 'o.is_live': Number(isLive) })
    .modify((query) => {
      if (sellerId !== undefined) query.where('o.seller_id', comparableId(sellerId));
      if (state !== undefined) query.where('c.state', state);
      if (before !== undefined) query.where('c.id', '<', comparableId(before));
    })
    .orderBy('c.id', 'desc')
    .limit(limit)
    .select('c.*');
}

async function withOrders(knex: Knex, rows: readonly ClaimRow[]): Promise<readonly ClaimOfOrder[]> {
  const ids = [...new Set(rows.map((row) => row.order_id))];
  const orders: OrderRow[] = ids.length === 0 ? [] : await knex('orders').whereIn('id', ids);
  return rows.flatMap((row) => {
    const order = orders.find(({ id }) => id === row.order_id);
    return order === undefined ? [] : [{ claim: toClaim(row), order: toOrder(order) }];
  });
}

function toClaim(row: ClaimRow): UsdcClaim {
  const { isFinal: _, ...moved } = toMoved(row);
  return {
    ...moved,
    id: toClaimId(row.id),
    orderId: toOrderId(row.order_id),
    chainId: row.chain_id,
    sentAt: row.sent_at,
    state: row.state as ClaimState,
    reason: row.reason,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
  };
}
