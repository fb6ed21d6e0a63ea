import { type Facet, facets } from '../../../core/marketplace/catalogue-terms.ts';
import { parsePrice } from '../../../core/marketplace/product.ts';
import type { StorefrontWish } from '../../../core/marketplace/storefront.ts';
import { type CatalogueOrder, catalogueOrders } from '../../../core/ports/catalogue.ts';
import type { Context } from '../state.ts';

/** The parameters of the address that keep the choices of a visitor. */
export const choiceNames = ['q', ...facets, 'from', 'to', 'supported'] as const;
export type Choice = (typeof choiceNames)[number];

export interface Chosen {
  readonly choices: Readonly<Partial<Record<Choice, string>>>;
  readonly order: CatalogueOrder;
}

const longest = 200;

/** Reads the choices from an address. What makes no sense is left out. */
export function chosenIn(query: Context['query']): Chosen {
  const choices: Partial<Record<Choice, string>> = {};
  for (const name of choiceNames) {
    const text = textIn(query[name]);
    if (text !== '' && isSensible(name, text)) choices[name] = text;
  }
  return { choices, order: catalogueOrders.find((order) => order === query.sort) ?? 'newest' };
}

/** The place in the list that an address names. */
export function placeIn(query: Context['query']): Pick<StorefrontWish, 'after' | 'before'> {
  const [after, before] = [textIn(query.after), textIn(query.before)];
  return after !== '' ? { after } : before !== '' ? { before } : {};
}

export function wishOf({ choices, order }: Chosen): Omit<StorefrontWish, 'limit'> {
  const { q: search, from = '', to = '', supported, ...values } = choices;
  const byFacet: Partial<Record<Facet, string>> = values;
  return {
    ...byFacet,
    search,
    isSupported: supported !== undefined,
    priceFrom: parsePrice(from),
    priceTo: parsePrice(to),
    order,
  };
}

/** The query of the list with these choices, or empty. */
export function queryOf({ choices, order }: Chosen, place: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...choices, ...(order !== 'newest' && { sort: order }), ...place });
  return query.size === 0 ? '' : `?${query}`;
}

export function without({ choices, order }: Chosen, ...names: readonly Choice[]): Chosen {
  const rest = Object.entries(choices).filter(([name]) => !names.includes(name as Choice));
  return { choices: Object.fromEntries(rest), order };
}

/** Databases cannot compare with NUL. */
function textIn(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').trim().slice(0, longest) : '';
}

function isSensible(name: Choice, text: string): boolean {
  if (name === 'from' || name === 'to') return parsePrice(text) !== undefined;
  return name !== 'supported' || text === '1';
}
