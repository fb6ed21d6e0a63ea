import type { Knex } from 'knex';
import { type OrderId, toOrderId } from '../../../core/id.ts';
import type { ChangedSentBack } from '../../../core/ports/usdc-store.ts';
import { type SentBack, withoutRefund } from '../../../core/usdc/sent-back.ts';
import { type MovedRow, movedRow, toMoved } from './usdc-moved.ts';

interface SentBackRow extends MovedRow {
  readonly order_id: number;
  readonly refund: number;
}

/** The most transfers back that one look at a chain asks about. */
const mostAtOnce = 100;

/** Returns what was sent back for an order. */
export async function sentBackOf(knex: Knex, id: OrderId): Promise<readonly SentBack[]> {
  const rows: SentBackRow[] = await knex('usdc_sent_back')
    .where({ order_id: id })
    .orderBy(['chain_id', 'block_number', 'log_index']);
  return rows.map(toSentBack);
}

/** The oldest ones of a chain that are not final. */
export async function goingBackOn(knex: Knex, chainId: number): Promise<readonly SentBack[]> {
  const rows: SentBackRow[] = await knex('usdc_sent_back')
    .where({ chain_id: chainId, is_final: 0 })
    .orderBy('block_number')
    .limit(mostAtOnce);
  return rows.map(toSentBack);
}

/** Returns for each of these orders the amount that counts as if it had never come. */
export async function takenAwayFrom(knex: Knex, orders: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows: SentBackRow[] = orders.length === 0 ? [] : await knex('usdc_sent_back').whereIn('order_id', orders);
  const sums = new Map<number, number>();
  for (const row of rows) sums.set(row.order_id, (sums.get(row.order_id) ?? 0) + withoutRefund(toSentBack(row)));
  return sums;
}

/** Returns false if the transfer counts already: as sent back, or as a payment. */
export async function addSentBack(trx: Knex.Transaction, added: SentBack): Promise<boolean> {
  const transaction = { chain_id: added.chainId, tx_hash: added.txHash };
  // What has paid an order is no refund of another one.
  const paying = await trx('usdc_transfers')
    .where({ ...transaction, log_index: added.logIndex })
    .first('quote_id');
  // A reorganization has moved the transaction, and the next look at the chain changes those that are known.
  const moving = await trx('usdc_sent_back')
    .where({ ...transaction, is_final: 0 })
    .whereNot({ block_hash: added.blockHash })
    .first('order_id');
  return paying === undefined && moving === undefined && (await insert(trx, added));
}

/** Removes what of a transaction is not final. See `UsdcStore.undoSentBack`. */
export async function removeSentBack(
  trx: Knex.Transaction,
  id: OrderId,
  txHash: string,
): Promise<'undone' | 'final' | undefined> {
  const of = { order_id: id, tx_hash: txHash };
  const removed = await trx('usdc_sent_back')
    .where({ ...of, is_final: 0 })
    .delete();
  if (removed > 0) return 'undone';
  return (await trx('usdc_sent_back').where(of).first('order_id')) === undefined ? undefined : 'final';
}

async function insert(trx: Knex.Transaction, added: SentBack): Promise<boolean> {
  const rows: unknown[] = await trx('usdc_sent_back')
    .insert({ ...movedRow(added.chainId, added), order_id: added.orderId, refund: added.refund })
    .onConflict(['chain_id', 'tx_hash', 'log_index'])
    .ignore()
    .returning('order_id');
  return rows.length > 0;
}

/** Saves what a look at the chain has found. Returns the orders whose transfers have changed. */
export async function saveSentBack(
  trx: Knex.Transaction,
  changed: readonly ChangedSentBack[],
): Promise<readonly OrderId[]> {
  // All are taken out first: a reorganization can give one the number that another one had.
  const kept: SentBack[] = [];
  for (const { before, after } of changed) {
    const { chainId, txHash, logIndex, blockHash } = before;
    const removed = await trx('usdc_sent_back')
      .where({ chain_id: chainId, tx_hash: txHash, log_index: logIndex })
      .where({ block_hash: blockHash, is_final: 0 })
      .delete();
    if (removed > 0 && after !== undefined) kept.push(after);
  }
  for (const one of kept) await insert(trx, one);
  return changed.map(({ before }) => before.orderId);
}

function toSentBack(row: SentBackRow): SentBack {
  return { ...toMoved(row), chainId: row.chain_id, orderId: toOrderId(row.order_id), refund: row.refund };
}
