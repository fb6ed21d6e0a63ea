import type { Knex } from 'knex';
import { type OrderId, toOrderId } from '../../../core/id.ts';
import type { Looked, StoredTransfer, UsdcOfOrder, UsdcStore } from '../../../core/ports/usdc-store.ts';
import type { OrderState } from '../../../core/purchases/order.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { EvmAddress } from '../../../core/usdc/evm-address.ts';
import type { UsdcQuote } from '../../../core/usdc/usdc-quote.ts';
import type { Database } from '../database.ts';
import { addWorkAnew } from './add-work.ts';
import { record } from './audit-log.ts';
import { holdOrders } from './hold-orders.ts';
import { type MovedRow, movedRow, toMoved } from './usdc-moved.ts';
import {
  addSentBack,
  countAgain,
  goingBackOn,
  removeGone,
  removeSentBack,
  saveSentBack,
  sentBackOf,
  takenAwayFrom,
} from './usdc-sent-back.ts';

interface QuoteRow {
  readonly id: number;
  readonly order_id: number;
  readonly chain_id: number;
  readonly address: string;
  readonly amount: number;
  readonly created_at: number;
  readonly ends_at: number;
  readonly is_held: number;
  readonly changes: number;
  readonly told: number;
}

interface TransferRow extends MovedRow {
  readonly quote_id: number;
  readonly is_soft: number;
}

/** The states in which an order waits for money. */
const awaited: readonly OrderState[] = ['open', 'processing', 'soft'];

interface WatchRow {
  readonly chain_id: number;
  readonly revision: number;
  readonly last_block: number | null;
}

export function createSqlUsdcStore({ read, write }: Pick<Database, 'read' | 'write'>): UsdcStore {
  return {
    open: (quote) =>
      write(async (trx) => {
        const { orderId, chainId, address, amount, createdAt, endsAt } = quote;
        // Two clicks at once ask for one quote.
        await trx('orders').where({ id: orderId }).forUpdate().first('id');
        const known = await trx<QuoteRow>('usdc_quotes').where({ order_id: orderId, chain_id: chainId }).first();
        if (known !== undefined) return toQuote(known);
        const rows: QuoteRow[] = await trx('usdc_quotes')
          .insert({
            ...{ order_id: orderId, chain_id: chainId, address, amount },
            ...{ created_at: createdAt, ends_at: endsAt, is_held: 1 },
          })
          .onConflict(trx.raw('(chain_id, address, amount) WHERE is_held = 1'))
          .ignore()
          .returning('*');
        const [added] = rows;
        if (added === undefined) return 'amount_taken';
        await addWorkAnew(trx, 'usdc', chainId, createdAt);
        return toQuote(added);
      }),

    ofOrder: (id) => read((knex) => ofOrder(knex, id)),

    sendBack: (id, at, decide) =>
      write(async (trx) => {
        const [order] = await holdOrders(trx, [id]);
        if (order === undefined) return 'counted';
        const decision = decide(await ofOrder(trx, id), order);
        if (isRefused(decision)) return decision;
        const { sentBack: added, event } = decision;
        if (!(await addSentBack(trx, added))) return 'counted';
        if (event !== undefined) await record(trx, [event]);
        await countChanges(trx, 'order_id', [id]);
        await addWorkAnew(trx, 'usdc', added.chainId, at);
        return added;
      }),

    undoSentBack: (id, txHash, event) =>
      write(async (trx) => {
        const [order] = await holdOrders(trx, [id]);
        const undone = order && (await removeSentBack(trx, order, txHash, await ofOrder(trx, id)));
        if (undone !== 'undone') return undone;
        await record(trx, [event]);
        await countChanges(trx, 'order_id', [id]);
        return undone;
      }),

    watch: (chainId) =>
      read(async (knex) => {
        // The revision is read first: what is read after it is at least as new.
        const watch = await knex<WatchRow>('usdc_watches').where({ chain_id: chainId }).first();
        const held: (QuoteRow & { state: OrderState })[] = await knex('usdc_quotes as q')
          .join('orders as o', 'o.id', 'q.order_id')
          .where({ 'q.chain_id': chainId, 'q.is_held': 1 })
          .select('q.*', 'o.state')
          .orderBy('q.id');
        // What has come on all chains of its order.
        const sums: { quote_id: number; sum: number | string }[] = await knex('usdc_quotes as q')
          .join('usdc_quotes as other', 'other.order_id', 'q.order_id')
          .join('usdc_transfers as t', 't.quote_id', 'other.id')
          .where({ 'q.chain_id': chainId, 'q.is_held': 1 })
          .groupBy('q.id')
          .select('q.id as quote_id')
          .sum({ sum: 't.amount' });
        const received = new Map(sums.map(({ quote_id: id, sum }) => [id, Number(sum)]));
        const takenAway = await takenAwayFrom(
          knex,
          held.filter(({ id }) => received.has(id)).map((row) => row.order_id),
        );
        const pending: TransferRow[] = await knex('usdc_transfers')
          .where({ chain_id: chainId, is_final: 0 })
          .orderBy(['block_number', 'log_index']);
        return {
          revision: watch?.revision ?? 0,
          cursor: watch?.last_block ?? undefined,
          held: held.map((row) => ({
            ...toQuote(row),
            received: Math.max(0, (received.get(row.id) ?? 0) - (takenAway.get(row.order_id) ?? 0)),
            isAwaited: awaited.includes(row.state),
          })),
          pending: pending.map(toTransfer),
          sentBack: await goingBackOn(knex, chainId),
        };
      }),

    save: (chainId, revision, looked) =>
      write(async (trx) => {
        if (!(await holdWatch(trx, chainId, revision))) return false;
        await trx<WatchRow>('usdc_watches')
          .where({ chain_id: chainId })
          .update({ revision: revision + 1, last_block: looked.cursor });
        const { sentBack = [] } = looked;
        // First: others hold an order before they change what came for it.
        const orders = await holdOrders(
          trx,
          sentBack.map(({ before }) => before.orderId),
        );
        await saveTransfers(trx, chainId, looked);
        const gone = await removeGone(trx, sentBack);
        for (const order of orders) {
          if (gone.includes(order.id)) await countAgain(trx, order, await ofOrder(trx, order.id));
        }
        await saveSentBack(trx, sentBack);
        await countChanges(
          trx,
          'order_id',
          orders.map(({ id }) => id),
        );
        return true;
      }),

    release: (chainId, endedBefore) =>
      write(async (trx) => {
        await trx('usdc_quotes')
          .where({ chain_id: chainId, is_held: 1 })
          .where((query) =>
            // A payment of a subscription can wait for months. When it is paid or over, it keeps its amount as long as others.
            query
              .where('ends_at', '<', endedBefore)
              .orWhereExists(
                trx('orders as o')
                  .whereRaw('o.id = usdc_quotes.order_id')
                  .whereNotIn('o.state', awaited)
                  .where('o.updated_at', '<', endedBefore)
                  .select('o.id'),
              ),
          )
          .update({ is_held: 0 });
        // The next quote is newer than all blocks until now: nobody searches what lies between.
        if ((await trx('usdc_quotes').where({ chain_id: chainId, is_held: 1 }).first('id')) !== undefined) return;
        if ((await trx('usdc_transfers').where({ chain_id: chainId, is_final: 0 }).first('quote_id')) !== undefined)
          return;
        await trx('usdc_watches').where({ chain_id: chainId }).update({ last_block: null }).increment('revision', 1);
      }),

    untold: (chainId) =>
      read(async (knex) => {
        const rows: QuoteRow[] = await knex('usdc_quotes')
          .where({ chain_id: chainId })
          .whereRaw('changes > told')
          .orderBy('id');
        return rows.map(({ id, order_id, changes }) => ({ quoteId: id, orderId: toOrderId(order_id), changes }));
      }),

    tell: ({ quoteId, changes }) =>
      write(async (trx) => {
        await trx('usdc_quotes').where({ id: quoteId }).where('told', '<', changes).update({ told: changes });
      }),
  };
}

/** Locks the watch of a chain if it still has this revision. */
async function holdWatch(trx: Knex.Transaction, chainId: number, revision: number): Promise<boolean> {
  const first = { chain_id: chainId, revision: 0, last_block: null };
  await trx<WatchRow>('usdc_watches').insert(first).onConflict('chain_id').ignore();
  const row = await trx<WatchRow>('usdc_watches').where({ chain_id: chainId }).forUpdate().first();
  return row?.revision === revision;
}

async function saveTransfers(trx: Knex.Transaction, chainId: number, looked: Looked): Promise<void> {
  const { gone, added, settled, softened = [] } = looked;
  const at = ({ txHash, logIndex, blockHash }: StoredTransfer) => ({
    ...{ chain_id: chainId, tx_hash: txHash, log_index: logIndex, block_hash: blockHash },
  });
  for (const transfer of gone)
    await trx('usdc_transfers')
      .where({ ...at(transfer), is_final: 0 })
      .delete();
  for (const transfer of softened) await trx('usdc_transfers').where(at(transfer)).update({ is_soft: 1 });
  for (const transfer of settled) await trx('usdc_transfers').where(at(transfer)).update({ is_final: 1 });
  for (const transfer of added) {
    const { chain_id, tx_hash, log_index } = at(transfer);
    // A seller can have entered it as sent back to another seller.
    if ((await trx('usdc_sent_back').where({ chain_id, tx_hash, log_index }).first('order_id')) !== undefined) continue;
    await trx('usdc_transfers')
      .insert({ ...movedRow(chainId, transfer), quote_id: transfer.quoteId, is_soft: Number(transfer.isSoft) })
      // A reorganization can move a transaction into an earlier block.
      .onConflict(['chain_id', 'tx_hash', 'log_index'])
      .merge(['block_number', 'block_hash', 'is_final', 'is_soft']);
  }
  await countChanges(
    trx,
    'id',
    [...gone, ...added, ...settled, ...softened].map(({ quoteId }) => quoteId),
  );
}

/** Marks some quotes, or all quotes of some orders, as changed, so that their orders are told. */
export async function countChanges(
  trx: Knex.Transaction,
  column: 'id' | 'order_id',
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await trx('usdc_quotes')
    .whereIn(column, [...new Set(ids)].sort())
    .increment('changes', 1);
}

async function ofOrder(knex: Knex, id: OrderId): Promise<UsdcOfOrder> {
  const quotes: QuoteRow[] = await knex('usdc_quotes').where({ order_id: id }).orderBy('id');
  const ids = quotes.map((quote) => quote.id);
  const rows: TransferRow[] =
    ids.length === 0
      ? []
      : await knex('usdc_transfers').whereIn('quote_id', ids).orderBy(['chain_id', 'block_number', 'log_index']);
  const sentBack = rows.length === 0 ? [] : await sentBackOf(knex, id);
  return { quotes: quotes.map(toQuote), transfers: rows.map(toTransfer), sentBack };
}

function toQuote(row: QuoteRow): UsdcQuote {
  return {
    id: row.id,
    orderId: toOrderId(row.order_id),
    chainId: row.chain_id,
    address: row.address as EvmAddress,
    amount: row.amount,
    createdAt: row.created_at,
    endsAt: row.ends_at,
  };
}

function toTransfer(row: TransferRow): StoredTransfer {
  return { ...toMoved(row), quoteId: row.quote_id, isSoft: row.is_soft === 1 };
}
