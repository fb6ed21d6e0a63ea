import type { Knex } from 'knex';
import type { Order } from '../../../core/purchases/order.ts';
import { orderTexts } from '../../../core/purchases/order-search.ts';

/** Stores the texts by which a search finds an order, if they have changed. Those of a part find the order of its bundle. */
export async function replaceOrderTexts(trx: Knex.Transaction, before: Order | undefined, after: Order): Promise<void> {
  const texts = orderTexts(after);
  const old = before === undefined ? [] : orderTexts(before);
  const added = texts.filter((text) => !old.includes(text));
  const gone = old.filter((text) => !texts.includes(text));
  const { id, partOf, sellerId: seller_id, isLive } = after;
  const order_id = partOf ?? id;
  if (gone.length > 0) await trx('order_texts').where({ order_id }).whereIn('text', gone).delete();
  if (added.length > 0) {
    const is_live = Number(isLive);
    await trx('order_texts')
      .insert(added.map((text) => ({ order_id, text, seller_id, is_live })))
      // Two products of a bundle can have the same title.
      .onConflict(['order_id', 'text'])
      .ignore();
  }
}
