import type { Knex } from 'knex';
import { isInCatalogue, type Term, termsOf } from '../../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { type ProductRow, toProduct } from '../product-rows.ts';

const productsAtOnce = 500;

/** Keeps the entry of a product in the catalogue, and the counts of its terms, in the transaction of the change. */
export async function keepInCatalogue(trx: Knex.Transaction, product: Product): Promise<void> {
  const { id, price } = product;
  const earlier: { terms: string } | undefined = await trx('catalogue').where({ id }).first('terms');
  const before = new Set(earlier?.terms.split(' '));
  const isListed = isInCatalogue(product);
  if (!isListed && earlier === undefined) return;
  const after = new Map((isListed ? termsOf(product) : []).map((term) => [term.term, term]));
  const lost = [...before].filter((term) => term !== '' && !after.has(term));
  await count(trx, [
    ...[...after.values()].map((term) => ({ ...term, products: before.has(term.term) ? 0 : 1 })),
    ...lost.map((term) => ({ term, kind: 'word', label: null, products: -1 }) as const),
  ]);
  if (lost.length > 0) await trx('catalogue_terms').whereIn('term', lost).where('products', '<=', 0).delete();
  if (!isListed) {
    await trx('catalogue').where({ id }).delete();
    return;
  }
  const sold = trx<{ id: number; sold: number }>('products').where({ id }).select('sold');
  await trx('catalogue')
    .insert({ id, price, sold, terms: written([...after.values()]) })
    .onConflict('id')
    .merge(['price', 'terms']);
}

/** Makes the catalogue of all products anew. */
export async function fillCatalogue(trx: Knex.Transaction): Promise<void> {
  await trx('catalogue').delete();
  await trx('catalogue_terms').delete();
  const counts = new Map<string, Counted>();
  for (let last = 0; ; ) {
    const rows: (ProductRow & { readonly sold: number })[] = await trx('products')
      .where('id', '>', last)
      .orderBy('id')
      .limit(productsAtOnce);
    const end = rows.at(-1);
    if (end === undefined) break;
    last = end.id;
    const listed = rows
      .map((row) => ({ row, product: toProduct(row) }))
      .filter(({ product }) => isInCatalogue(product));
    const entries = listed.map(({ row: { id, price, sold }, product }) => {
      const terms = termsOf(product);
      for (const term of terms)
        counts.set(term.term, { ...term, products: (counts.get(term.term)?.products ?? 0) + 1 });
      return { id, price, sold, terms: written(terms) };
    });
    if (entries.length > 0) await trx('catalogue').insert(entries);
  }
  const all = [...counts.values()];
  for (let from = 0; from < all.length; from += productsAtOnce) {
    await trx('catalogue_terms').insert(all.slice(from, from + productsAtOnce));
  }
}

interface Counted extends Term {
  readonly products: number;
}

/** With a space on both sides of each, so that a whole term can be found in the text. */
function written(terms: readonly Term[]): string {
  return ` ${terms.map(({ term }) => term).join(' ')} `;
}

/** Always in the same order, so that two transactions do not wait for each other. */
async function count(trx: Knex.Transaction, changes: readonly Counted[]): Promise<void> {
  if (changes.length === 0) return;
  const sorted = changes.toSorted((one, other) => (one.term < other.term ? -1 : 1));
  await trx('catalogue_terms')
    .insert(sorted)
    .onConflict('term')
    .merge({
      products: trx.raw('catalogue_terms.products + excluded.products'),
      label: trx.raw('coalesce(excluded.label, catalogue_terms.label)'),
    });
}
