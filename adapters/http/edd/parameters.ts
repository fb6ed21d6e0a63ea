import type { AskedItem, AskedSite } from '../../../core/licensing/sites.ts';
import { parseWholeNumber } from '../../../core/whole-number.ts';
import { mayHaveBody, readFields } from '../body.ts';
import type { Context } from '../state.ts';

/** The parameters of a call, by name. */
export type Sent = Readonly<Record<string, string>>;

/** Longer values name no product, license or site. */
const longest = 2048;

/** The query and the form in the body, as PHP puts them together: the body has precedence. */
export async function sentIn(ctx: Context): Promise<Sent> {
  const given = { ...ctx.query, ...(ctx.method === 'POST' && mayHaveBody(ctx.req) && (await readFields(ctx))) };
  const texts = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.replace(/\p{C}/gu, '').trim().slice(0, longest)] as const] : [],
  );
  return Object.fromEntries(texts);
}

/** The most products that one call can ask for. */
export const mostProducts = 20;

/**
 * The parameters of each product in a call for several, by the name that the client gives it, as in `products[jar][item_id]`. `undefined`
 * if the call is for one. What the products do not say themselves, the call says for all.
 */
export function productsIn({ url = '', ...sent }: Sent): ReadonlyMap<string, Sent> | undefined {
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
export function siteIn(sent: Sent, ctx: Context): AskedSite {
  const { license = '', url = '' } = sent;
  const [, address = ''] = ctx.get('User-Agent').split(';');
  return { licenseKey: license, item: itemIn(sent), site: url || address.trim().slice(0, longest) };
}

function itemIn({ item_id: id = '', item_name: name = '' }: Sent): AskedItem {
  return { id: parseWholeNumber(id, 1, Number.MAX_SAFE_INTEGER), names: name === '' ? [] : meanings(name) };
}

/** Their examples encode the name before WordPress encodes it once more, some with `+` for blanks. */
function meanings(name: string): string[] {
  try {
    return [name, decodeURIComponent(name), decodeURIComponent(name.replaceAll('+', ' '))];
  } catch {
    return [name];
  }
}
