import { searchedText } from '../search-texts.ts';
import { licenseOf, type Order } from './order.ts';

/** Returns the texts by which an order is found: a search finds it if one of them begins with the searched text. */
export function orderTexts(order: Pick<Order, 'id' | 'buyer' | 'agreed' | 'licenseKey' | 'renews' | 'partOf'>) {
  // Besides, a part is found by what its order has.
  const own = order.partOf === null ? [String(order.id), order.buyer.email] : [];
  const texts = [...own, order.agreed.title, licenseOf(order) ?? ''];
  return [...new Set(texts.map(searchedText))].filter((text) => text !== '');
}
