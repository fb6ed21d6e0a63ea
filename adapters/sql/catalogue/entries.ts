import type { Knex } from 'knex';
import { isInCatalogue, type Term, type TermKind, termsOf } from '../../../core/marketplace/catalogue-terms.ts';
import { priceRange } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { spellingsOf } from '../../../core/marketplace/spelling.ts';
import { type ProductRow, toProduct } from '../product-rows.ts';

/** The tables that `fillCatalogue` writes. */
export const catalogueTables = ['catalogue', 'catalogue_terms', 'catalogue_spellings'] as const;

const productsAtOnce = 500;
/** SQLite inserts at most 500 rows at once. */
const rowsAtOnce = 500;

/** Keeps the entry of a product in the catalogue, and the counts of its terms, in the transaction of the change. */
export async function keepInCatalogue(trx: Knex.Transaction, product: Product): Promise<void> {
  const { id } = product;
  const price = priceRange(product).lowest;
  const earlier: Texts | undefined = await trx('catalogue').where({ id }).first('terms', 'described');
  const isListed = isInCatalogue(product);
  if (!isListed && earlier === undefined) return;
  const before = new Map([
    ...termsIn(earlier?.terms).map((term) => [term, 'word'] as const),
    ...termsIn(earlier?.described).map((term) => [term, 'described'] as const),
  ]);
  const after = new Map((isListed ? termsOf(product) : []).map((term) => [term.term, term]));
  const changes = [...new Set([...before.keys(), ...after.keys()])].map((term) => {
    const { kind = 'word', label = null } = after.get(term) ?? {};
    const products = Number(after.has(term)) - Number(before.has(term));
    const described = Number(kind === 'described' && after.has(term)) - Number(before.get(term) === 'described');
    return { term, label, kind: kept(kind), products, described };
  });
  await count(
    trx,
    changes.filter(({ products, described }) => products !== 0 || described !== 0),
  );
  if (!isListed) {
    await trx('catalogue').where({ id }).delete();
    return;
  }
  const sold = trx<{ id: number; sold: number }>('products').where({ id }).select('sold');
  await trx('catalogue')
    .insert({ id, price, sold, ...textsOf([...after.values()]) })
    .onConflict('id')
    .merge(['price', 'terms', 'described']);
}

/** Makes the catalogue of all products anew, in a transaction that keeps others from changing them. */
export async function fillCatalogue(trx: Knex.Transaction): Promise<void> {
  for (const table of catalogueTables) await trx(table).delete();
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
    const entries = listed.map(({ row: { id, sold }, product }) => {
      const terms = termsOf(product);
      const price = priceRange(product).lowest;
      for (const term of terms) counts.set(term.term, addedTo(counts.get(term.term), term));
      return { id, price, sold, ...textsOf(terms) };
    });
    if (entries.length > 0) await trx('catalogue').insert(entries);
  }
  const all = [...counts.values()];
  for (const some of inParts(all)) {
    await trx('catalogue_terms').insert(some);
    await keepSpellings(trx, some);
  }
}

interface Counted extends Omit<Term, 'kind'> {
  readonly kind: Exclude<TermKind, 'described'>;
  readonly products: number;
  /** The products in which only the description has the word. */
  readonly described: number;
}

function addedTo(counted: Counted | undefined, { kind, ...term }: Term): Counted {
  return {
    ...term,
    kind: kept(kind),
    products: (counted?.products ?? 0) + 1,
    described: (counted?.described ?? 0) + Number(kind === 'described'),
  };
}

/** A word is the same, wherever it stands. */
const kept = (kind: TermKind) => (kind === 'described' ? 'word' : kind);

interface Texts {
  readonly terms: string;
  /** The words that only the description has. Apart, so that the indexes stay small. */
  readonly described: string;
}

function textsOf(terms: readonly Term[]): Texts {
  const described = terms.filter(({ kind }) => kind === 'described');
  return {
    terms: written(terms.filter(({ kind }) => kind !== 'described')),
    described: described.length === 0 ? '' : written(described),
  };
}

function termsIn(texts = ''): string[] {
  return texts.split(' ').filter((term) => term !== '');
}

/** With a space on both sides of each, so that a whole term can be found in the text. */
function written(terms: readonly Term[]): string {
  return ` ${terms.map(({ term }) => term).join(' ')} `;
}

/**
 * Adds to the counts of terms, and removes terms that no product has any more. Always in the same order, so that two
 * transactions do not wait for each other.
 */
async function count(trx: Knex.Transaction, changes: readonly Counted[]): Promise<void> {
  if (changes.length === 0) return;
  const sorted = changes.toSorted((one, other) => (one.term < other.term ? -1 : 1));
  const counted: Counted[] = [];
  for (const some of inParts(sorted)) {
    const rows: Counted[] = await trx('catalogue_terms')
      .insert(some)
      .onConflict('term')
      .merge({
        products: trx.raw('catalogue_terms.products + excluded.products'),
        described: trx.raw('catalogue_terms.described + excluded.described'),
        label: trx.raw('coalesce(excluded.label, catalogue_terms.label)'),
      })
      .returning(['term', 'kind', 'products']);
    counted.push(...rows);
  }
  const added = new Set(changes.filter(({ products }) => products > 0).map(({ term }) => term));
  await keepSpellings(
    trx,
    counted.filter(({ term, products }) => products === 1 && added.has(term)),
  );
  const gone = counted.filter(({ products }) => products <= 0);
  if (gone.length === 0) return;
  const terms = gone.map(({ term }) => term);
  await trx('catalogue_terms').whereIn('term', terms).delete();
  for (const some of inParts(spellingRows(gone))) {
    await trx('catalogue_spellings')
      .whereIn(
        ['spelling', 'term'],
        some.map(({ spelling, term }) => [spelling, term]),
      )
      .delete();
  }
}

interface SpellingRow {
  readonly spelling: string;
  readonly term: string;
}

function spellingRows(terms: readonly Pick<Counted, 'term' | 'kind'>[]): SpellingRow[] {
  return terms
    .filter(({ kind }) => kind === 'word')
    .flatMap(({ term }) => spellingsOf(term).map((spelling) => ({ spelling, term })));
}

/** Keeps under which spellings words are found. */
async function keepSpellings(trx: Knex.Transaction, terms: readonly Counted[]): Promise<void> {
  for (const some of inParts(spellingRows(terms))) {
    await trx('catalogue_spellings').insert(some).onConflict(['spelling', 'term']).ignore();
  }
}

function* inParts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) yield rows.slice(from, from + rowsAtOnce);
}
