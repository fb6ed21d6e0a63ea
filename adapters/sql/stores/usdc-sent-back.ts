import type { Knex } from 'knex';
import { type OrderId, toOrderId } from '../../../core/id.ts';
import type { ChangedSentBack, UsdcOfOrder } from '../../../core/ports/usdc-store.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { isNeeded, refundsAgain } from '../../../core/usdc/refunds-again.ts';
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
  order: Order,
  txHash: string,
  known: UsdcOfOrder,
): Promise<'undone' | 'final' | 'needed' | undefined> {
  const named = known.sentBack.filter((one) => one.txHash === txHash);
  const gone = named.filter(({ isFinal }) => !isFinal);
  if (gone.length === 0) return named.length === 0 ? undefined : 'final';
  if (isNeeded(order.payment, known, gone)) return 'needed';
  await trx('usdc_sent_back').where({ order_id: order.id, tx_hash: txHash, is_final: 0 }).delete();
  await countAgain(trx, order, { ...known, sentBack: known.sentBack.filter((one) => !gone.includes(one)) });
  return 'undone';
}

/** Saves what the transfers back of an order refund after one of them has gone. */
export async function countAgain(trx: Knex.Transaction, { payment }: Order, known: UsdcOfOrder): Promise<void> {
  for (const { refund, ...one } of refundsAgain(payment, known)) {
    await trx('usdc_sent_back')
      .where({ chain_id: one.chainId, tx_hash: one.txHash, log_index: one.logIndex, is_final: 0 })
      .update({ refund });
  }
}

async function insert(trx: Knex.Transaction, added: SentBack): Promise<boolean> {
  const rows: unknown[] = await trx('usdc_sent_back')
    .insert({ ...movedRow(added.chainId, added), order_id: added.orderId, refund: added.refund })
    .onConflict(['chain_id', 'tx_hash', 'log_index'])
    .ignore()
    .returning('order_id');
  return rows.length > 0;
}

/** Removes what is not in the chain any more. Returns the orders that had it. */
export async function removeGone(
  trx: Knex.Transaction,
  changed: readonly ChangedSentBack[],
): Promise<readonly OrderId[]> {
  const gone: OrderId[] = [];
  for (const { before, after } of changed) {
    if (after === undefined && (await take(trx, before)) !== undefined) gone.push(before.orderId);
  }
  return gone;
}

/** Saves where a look at the chain has found what was sent back. */
export async function saveSentBack(trx: Knex.Transaction, changed: readonly ChangedSentBack[]): Promise<void> {
  // All are taken out first: a reorganization can give one the number that another one had.
  const kept: SentBack[] = [];
  for (const { before, after } of changed) {
    const refund = after && (await take(trx, before));
    // Since the look began, it can have been counted again.
    if (after !== undefined && refund !== undefined) kept.push({ ...after, refund });
  }
  for (const one of kept) await insert(trx, one);
}

/** Removes one that is not final. Returns what it refunds, or `undefined` if it has changed meanwhile. */
async function take(
  trx: Knex.Transaction,
  { chainId, txHash, logIndex, blockHash }: SentBack,
): Promise<number | undefined> {
  const row = { chain_id: chainId, tx_hash: txHash, log_index: logIndex, block_hash: blockHash, is_final: 0 };
  // Its order is held, so it stays the same until it is removed.
  const taken: SentBackRow | undefined = await trx('usdc_sent_back').where(row).first();
  if (taken === undefined) return undefined;
  await trx('usdc_sent_back').where(row).delete();
  return taken.refund;
}

function toSentBack(row: SentBackRow): SentBack {
  return { ...toMoved(row), chainId: row.chain_id, orderId: toOrderId(row.order_id), refund: row.refund };
}
