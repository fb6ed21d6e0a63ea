import { searchedText } from '../search-texts.ts';
import type { Order } from './order.ts';

/** Returns the texts by which an order is found: a search finds it if one of them begins with the searched text. */
export function orderTexts({
  id,
  buyer,
  agreed,
  licenseKey,
  renews,
}: Pick<Order, 'id' | 'buyer' | 'agreed' | 'licenseKey' | 'renews'>) {
  const texts = [String(id), buyer.email, agreed.title, licenseKey ?? renews ?? ''];
  return [...new Set(texts.map(searchedText))].filter((text) => text !== '');
}
