import type { AskedItem, AskedSite } from '../../../core/licensing/clients/sites.ts';
import { parseWholeNumber } from '../../../core/whole-number.ts';
import { longestText, type Texts } from '../body.ts';
import { meaningsOf } from '../encoded-twice.ts';
import type { Context } from '../state.ts';

/** The most products that one call can ask for. */
export const mostProducts = 20;

/**
 * The parameters of each product in a call for several, by the name that the client gives it, as in `products[jar][item_id]`. `undefined`
 * if the call is for one. What the products do not say themselves, the call says for all.
 */
export function productsIn({ url = '', ...sent }: Texts): ReadonlyMap<string, Texts> | undefined {
  const named = Object.entries(sent).filter(([name]) => /^products(?:\[|$)/.test(name));
  if (named.length === 0) return undefined;
  const products = new Map<string, Map<string, string>>();
  for (const [name, value] of named) {
    const [, product, parameter] = /^products\[([^[\]]+)\]\[(\w+)\]$/.exec(name) ?? [];
    if (product === undefined || parameter === undefined) continue;
    const fields = products.get(product) ?? new Map([['url', url]]);
    products.set(product, fields.set(parameter, value));
  }
  return new Map(Array.from(products, ([product, fields]) => [product, Object.fromEntries(fields)]));
}

/** What a call says of its site. Old clients name it only in the header `User-Agent`, as WordPress does. */
export function siteIn(sent: Texts, ctx: Context): AskedSite {
  const { license = '', url = '' } = sent;
  const [, address = ''] = ctx.get('User-Agent').split(';');
  return { licenseKey: license, item: itemIn(sent), site: url || address.trim().slice(0, longestText) };
}

function itemIn({ item_id: id = '', item_name: name = '' }: Texts): AskedItem {
  return { id: parseWholeNumber(id, 1, Number.MAX_SAFE_INTEGER), names: name === '' ? [] : meaningsOf(name) };
}
