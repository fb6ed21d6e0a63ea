import { searchable } from '../accounts/user.ts';
import { compared } from '../search-texts.ts';
import type { Order } from './order.ts';

/** Returns the texts by which an order is found: a search finds it if one of them begins with the searched text. */
export function orderTexts({ id, buyer, agreed, licenseKey }: Pick<Order, 'id' | 'buyer' | 'agreed' | 'licenseKey'>) {
  const texts = [String(id), buyer.email, agreed.title, licenseKey ?? ''];
  return [...new Set(texts.map(searchedOrder))].filter((text) => text !== '');
}

/** The text that a text of an order must begin with. Empty if all orders match. */
export function searchedOrder(search = ''): string {
  return compared(searchable(search).replaceAll('\0', '').trim());
}
