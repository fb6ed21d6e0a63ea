import type { Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { checkedPrices, type PriceList } from './price-list.ts';
import type { Listing, Product } from './product.ts';
import type { ProductLinks } from './product-links.ts';
import { checkedTerms, type HostRules, type ParsePattern, type ProductTerms } from './product-terms.ts';

/** Makes every field optional. `undefined` leaves a field as it is. */
type Some<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** The fields to change. */
export interface ListingEdit extends Some<Listing> {
  readonly sellerName?: string | null | undefined;
  /** The whole list. */
  readonly prices?: PriceList | undefined;
  /** `null`: buyers pay the price. */
  readonly leastPrices?: PriceList | null | undefined;
  readonly links?: Some<ProductLinks> | undefined;
  readonly terms?: (Some<Omit<ProductTerms, 'hosts'>> & { readonly hosts?: Some<HostRules> | undefined }) | undefined;
}

/** Returns the product with the changes, and the names of the fields that differ. Title and slug are independent. */
export function editProduct(
  product: Product,
  { terms = {}, links = {}, ...edit }: ListingEdit,
  now: Instant,
  parsePattern: ParsePattern,
):
  | { readonly after: Product; readonly fields: readonly string[] }
  | Refused<'product_archived' | 'invalid_terms' | 'invalid_prices'> {
  if (product.archivedAt !== null) return archived();
  const { hosts = {}, ...numbers } = terms;
  const wanted = { ...product.terms, ...given(numbers), hosts: { ...product.terms.hosts, ...given(hosts) } };
  const checked = checkedTerms(wanted, parsePattern);
  if (isRefused(checked)) return checked;
  const edited: Product = { ...product, ...given(edit), links: { ...product.links, ...given(links) }, terms: checked };
  const prices = checkedPrices(edited);
  if (isRefused(prices)) return prices;
  const after = { ...edited, ...prices };
  const fields = [...(Object.keys(edit) as (keyof typeof edit)[]), 'links' as const, 'terms' as const].filter(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(product[field]),
  );
  return { after: fields.length === 0 ? product : { ...after, updatedAt: now }, fields };
}

export function archived(): Refused<'product_archived'> {
  return refuse('product_archived', 'The product is archived. An archived product cannot be changed.');
}

/** Leaves out the fields that are `undefined`. */
function given<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const some = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(some) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
