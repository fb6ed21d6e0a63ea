import type { VNode } from 'preact';
import { baseCurrency } from '../../../core/currency.ts';
import { type Facet, facets } from '../../../core/marketplace/catalogue-terms.ts';
import type { FacetValues, StorefrontWish } from '../../../core/marketplace/storefront.ts';
import { type CatalogueOrder, catalogueOrders } from '../../../core/ports/catalogue.ts';
import type { Context } from '../state.ts';
import { nameOf } from '../ui/names.ts';
import { readableNumber } from '../ui/numbers.ts';
import { priceOf, readPrice } from '../ui/prices.ts';
import { words } from './words.ts';

/** The parameters of the address that keep the choices of a visitor. */
const choiceNames = ['q', ...facets, 'from', 'to', 'supported'] as const;
type Choice = (typeof choiceNames)[number];

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
  const order = ordersFor(choices).find((one) => one === query.sort) ?? usualOrder(choices);
  return { choices, order };
}

/** Only a search can be sorted by relevance. */
function ordersFor({ q }: Chosen['choices']): readonly CatalogueOrder[] {
  return q === undefined ? catalogueOrders.filter((order) => order !== 'relevance') : catalogueOrders;
}

/** The order that nobody has to choose. */
function usualOrder({ q }: Chosen['choices']): CatalogueOrder {
  return q === undefined ? 'newest' : 'relevance';
}

/** Whether an address with these choices has to name the order. */
function isOwnOrder({ choices, order }: Chosen): boolean {
  return order !== usualOrder(choices) && ordersFor(choices).includes(order);
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
    priceFrom: readPrice(from),
    priceTo: readPrice(to),
    order,
  };
}

/** The query of the list with these choices, or empty. */
export function queryOf(chosen: Chosen, place: Readonly<Record<string, string>> = {}): string {
  const { choices, order } = chosen;
  const query = new URLSearchParams({ ...choices, ...(isOwnOrder(chosen) && { sort: order }), ...place });
  return query.size === 0 ? '' : `?${query}`;
}

function without({ choices, order }: Chosen, ...names: readonly Choice[]): Chosen {
  const rest = Object.entries(choices).filter(([name]) => !names.includes(name as Choice));
  return { choices: Object.fromEntries(rest), order };
}

/** Databases cannot compare with NUL. */
function textIn(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').trim().slice(0, longest) : '';
}

function isSensible(name: Choice, text: string): boolean {
  if (name === 'from' || name === 'to') return readPrice(text) !== undefined;
  return name !== 'supported' || text === '1';
}

const formId = 'filters';

interface Shown {
  readonly chosen: Chosen;
  /** The address of the marketplace. */
  readonly address: string;
}

/** The words to search for. They are sent with the filters. */
export function SearchBox({ chosen: { choices } }: Pick<Shown, 'chosen'>): VNode {
  return <SearchField form={formId} value={choices.q ?? ''} />;
}

/** The field and the button of a search. `form` is the id of the form that sends it, if that is not around it. */
export function SearchField({ form, value = '' }: { readonly form?: string; readonly value?: string }): VNode {
  const { marketplace } = words;
  return (
    <search class="search-box">
      <label class="unseen" for="q">
        {marketplace.search}
      </label>
      <input
        type="search"
        id="q"
        name="q"
        form={form}
        value={value}
        placeholder={marketplace.placeholder}
        maxlength={200}
        dir="auto"
        autocomplete="off"
      />
      <button type="submit" class="button primary" form={form}>
        {marketplace.find}
      </button>
    </search>
  );
}

/** The filters. On a phone they are folded, on a wide screen beside the products. */
export function FilterPanel({ chosen, address, values }: Shown & { readonly values: FacetValues }): VNode {
  const { marketplace } = words;
  const { choices, order } = chosen;
  const active = Object.keys(choices).filter((name) => name !== 'q').length;
  const amount = (name: 'from' | 'to', short: string, label: string) => (
    <label>
      <span aria-hidden="true">{short}</span>
      <span class="unseen">{label}</span>
      <input type="text" name={name} inputmode="decimal" autocomplete="off" value={choices[name] ?? ''} />
    </label>
  );
  return (
    <details class="market-filters">
      <summary class="filters-opener">
        {marketplace.filters}
        {active > 0 && <span class="count">{active}</span>}
      </summary>
      <form id={formId} method="get" action={address}>
        {facets.map((facet) => {
          const value = choices[facet] ?? '';
          const options = values[facet];
          const isKnown = value === '' || options.some(({ label }) => label === value);
          const known = isKnown ? options : [{ label: value, products: undefined }, ...options];
          if (known.length === 0) return null;
          return (
            <div key={facet}>
              <label for={facet}>{marketplace.facets[facet]}</label>
              <select id={facet} name={facet} dir="auto">
                <option value="">{marketplace.any}</option>
                {known.map(({ label, products }) => (
                  <option key={label} value={label} selected={label === value}>
                    {products === undefined ? nameOf(label) : `${nameOf(label)} (${readableNumber(products)})`}
                  </option>
                ))}
              </select>
            </div>
          );
        })}
        <fieldset>
          <legend>{marketplace.price}</legend>
          <div class="price-range">
            {amount('from', marketplace.from, marketplace.priceFrom)}
            {amount('to', marketplace.to, marketplace.priceTo)}
          </div>
        </fieldset>
        <label class="check">
          <input type="checkbox" name="supported" value="1" checked={choices.supported !== undefined} />
          {marketplace.onlySupported}
        </label>
        {isOwnOrder(chosen) && <input type="hidden" name="sort" value={order} />}
        <button type="submit" class="button">
          {marketplace.apply}
        </button>
      </form>
    </details>
  );
}

/** Each order is a link, so that it needs no script. */
export function SortLinks({ chosen, address }: Shown): VNode {
  const { marketplace } = words;
  return (
    <nav class="sort-links" aria-label={marketplace.sort}>
      <ul>
        {ordersFor(chosen.choices).map((order) => (
          <li key={order}>
            <a
              class="sort-link"
              href={`${address}${queryOf({ ...chosen, order })}`}
              aria-current={order === chosen.order ? 'true' : undefined}
            >
              {marketplace.orders[order]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The filters that are set, each with a link that removes it. */
export function ActiveFilters({ chosen, address }: Shown): VNode | null {
  const { marketplace } = words;
  const active = Object.entries(chosen.choices) as [Choice, string][];
  if (active.length === 0) return null;
  return (
    <ul class="active-filters" aria-label={marketplace.activeFilters}>
      {active.map(([name, value]) => (
        <li key={name}>
          <a
            class="chip"
            href={`${address}${queryOf(without(chosen, name))}`}
            aria-label={marketplace.without(labelOf(name, value))}
          >
            <span dir="auto">{labelOf(name, value)}</span>
            <span class="cross" aria-hidden="true">
              ×
            </span>
          </a>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <a href={`${address}${queryOf({ choices: {}, order: chosen.order })}`}>{marketplace.clear}</a>
        </li>
      )}
    </ul>
  );
}

function labelOf(name: Choice, value: string): string {
  const { marketplace } = words;
  const price = priceOf(readPrice(value) ?? 0, baseCurrency);
  switch (name) {
    case 'q':
      return `“${value}”`;
    case 'from':
      return marketplace.pricedFrom(price);
    case 'to':
      return marketplace.pricedTo(price);
    case 'supported':
      return marketplace.supported;
    case 'category':
    case 'subcategory':
    case 'module':
    case 'blockchain':
      return nameOf(value);
  }
}
