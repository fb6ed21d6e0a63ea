import { compared, normalized } from '../search-texts.ts';
import { isPublic, type Product } from './product.ts';

/** The filters whose values sellers choose. */
export const facets = ['category', 'subcategory', 'module', 'blockchain'] as const;
export type Facet = (typeof facets)[number];

/**
 * The kinds of terms that the catalogue counts: words, words that only the description has, the values of filters, and
 * products with support.
 */
export type TermKind = 'word' | 'described' | Facet | 'supported';

/** One thing by which a product is found. No word begins like the term of a filter. */
export interface Term {
  readonly term: string;
  readonly kind: TermKind;
  /** The value of a filter as its seller wrote it. */
  readonly label: string | null;
}

/** Letters that Unicode does not take apart into a plain letter and an accent, and a letter with two forms. */
const folded: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** Scripts without spaces between words. Each of their characters is a word. */
const unspaced = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]';
const word = new RegExp(`${unspaced}\\p{M}*|(?:(?!${unspaced})[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** Makes upper and lower case the same, and letters with and without accents. Done here, so that all databases find the same. */
function fold(text: string): string {
  return normalized(text, 'NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßæœøđðłþıς]/g, (letter) => folded[letter] ?? letter)
    .normalize('NFC');
}

/** Returns the words of a text in their order, folded. A word consists of letters and digits. */
function wordsOf(text: string): string[] {
  return wordsIn(fold(text));
}

function wordsIn(folded: string): string[] {
  return [...folded.matchAll(word)].map(([found]) => compared(found));
}

/** The term of a filter. Spaces and signs in the value are all the same. */
function facetTerm(facet: Facet, value: string): string {
  const name = fold(value)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return `:${facet}:${compared(name)}`;
}

const supportedTerm = ':supported';

/** The number of different words of a description that a search finds: so many words fill about four pages of a book. */
const describedWords = 500;

type Searched =
  | 'title'
  | 'tagline'
  | 'tags'
  | 'sellerName'
  | 'category'
  | 'subcategory'
  | 'module'
  | 'blockchains'
  | 'isSupported'
  | 'description';

/** Returns all terms of a product, each once. */
export function termsOf(product: Pick<Product, Searched>): Term[] {
  const { title, tagline, tags, sellerName, category, subcategory, module, blockchains, isSupported } = product;
  const values: Readonly<Record<Facet, readonly (string | null)[]>> = {
    category: [category],
    subcategory: [subcategory],
    module: [module],
    blockchain: blockchains,
  };
  const terms: Term[] = [title, tagline, ...tags, sellerName ?? '']
    .flatMap(wordsOf)
    .map((term) => ({ term, kind: 'word', label: null }));
  for (const kind of facets) {
    for (const label of values[kind]) {
      if (label !== null && wordsOf(label).length > 0) terms.push({ term: facetTerm(kind, label), kind, label });
    }
  }
  if (isSupported) terms.push({ term: supportedTerm, kind: 'supported', label: null });
  const found = new Map(terms.map((one) => [one.term, one]));
  const room = found.size + describedWords;
  for (const term of wordsOf(product.description)) {
    if (found.size === room) break;
    if (!found.has(term)) found.set(term, { term, kind: 'described', label: null });
  }
  return [...found.values()];
}

/** Which products to show. Values are compared without case, accents and signs. */
export interface CatalogueFilter extends Readonly<Partial<Record<Facet, string | undefined>>> {
  /**
   * Words in title, tagline, tags, name of the seller and description. All of the first 16 must be there; the last one may
   * be the beginning of a word.
   */
  readonly search?: string | undefined;
  /** Only products whose seller provides support. */
  readonly isSupported?: boolean | undefined;
  /** In cents, both included. */
  readonly priceFrom?: number | undefined;
  readonly priceTo?: number | undefined;
}

/** Whether everybody can find the product, and buy it. */
export function isInCatalogue(product: Product): boolean {
  return isPublic(product) && product.archivedAt === null;
}

/** The conditions for a product to be found: it has all terms, and a word that begins with `start`. */
export interface Sought {
  readonly terms: readonly string[];
  readonly start: string | undefined;
}

/** The last word of a search may be the beginning of one. */
export function sought({ search = '', isSupported = false, ...filter }: CatalogueFilter): Sought {
  const words = searchedWords(search);
  const values = facets.flatMap((facet) => {
    const value = filter[facet];
    return value ? [facetTerm(facet, value)] : [];
  });
  return {
    terms: [...new Set([...words.slice(0, -1), ...values, ...(isSupported ? [supportedTerm] : [])])],
    start: words.at(-1),
  };
}

/** The words of a search that are compared. The others are ignored, so that the time of a search is bounded. */
const longestSearch = 16;

/** The words of a search as the catalogue compares them. The last one may be the beginning of a word. */
export function searchedWords(search: string): readonly string[] {
  return wordsOf(search).slice(0, longestSearch);
}

/** Returns a search, folded, with other words. `other` maps words as `searchedWords` returns them. */
export function withWords(search: string, other: ReadonlyMap<string, string>): string {
  return fold(search).replace(word, (one) => other.get(compared(one)) ?? one);
}

/** The number of characters before and after a word in an excerpt. */
const around = { before: 40, after: 110 } as const;

/**
 * Returns the part of a description that shows why a search finds the product. `undefined` if the other texts on its card
 * have all the words, or the start of the description has none.
 */
export function excerptFor(search: string, shown: readonly string[], description: string): string | undefined {
  const seen = shown.flatMap(wordsOf);
  const missing = searchedWords(search).filter((one) => !seen.some((word) => word.startsWith(one)));
  const at = missing.length === 0 ? undefined : startOf(missing, description);
  return at === undefined ? undefined : cut(description, at);
}

/** So many folded characters at the start of a description are searched for an excerpt: a page shows many of them. */
const mostSearched = 10_000;

/** Parts of a text that end with a whole word, unless that is longer. */
const parts = /[\s\S]{1,400}(?=\s|$)|\S{1,400}/gu;

/**
 * Returns the position of the first word that begins with one of these. Folds the text in parts, because folding changes
 * positions. If the word exists only in the folded text, as for `㎏`, returns the position of its part.
 */
function startOf(starts: readonly string[], text: string): number | undefined {
  const isFound = (one: string) => starts.some((start) => one.startsWith(start));
  let left = mostSearched;
  for (const { 0: part, index } of text.matchAll(parts)) {
    if (left <= 0) break;
    const folded = fold(part);
    left -= folded.length;
    if (!wordsIn(folded).some(isFound)) continue;
    const found = [...part.matchAll(word)].find(([one]) => isFound(compared(fold(one))));
    return index + (found?.index ?? 0);
  }
  return undefined;
}

/** The text around the start of a word, in one line. Ends with whole words where there are spaces, and has the word. */
function cut(text: string, at: number): string {
  const [from, to] = [Math.max(0, at - around.before), at + around.after];
  const [before, after] = [text.slice(from, at), text.slice(at, to)];
  const [isFirst, isLast] = [from === 0, to >= text.length];
  const space = isLast ? -1 : after.search(/\s\S*$/);
  const whole = `${isFirst ? before : before.replace(/^\S*?(?=\s)/, '')}${space > 0 ? after.slice(0, space) : after}`;
  const line = whole.replace(/\s+/g, ' ').replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${isFirst ? '' : '… '}${line.trim()}${isLast ? '' : ' …'}`;
}

/** Splits a text at the words by which a search finds it. Each second piece, from the second on, is such a word. */
export function foundIn(text: string, search: string): readonly string[] {
  const words = searchedWords(search);
  const [start, whole] = [words.at(-1), new Set(words)];
  if (start === undefined) return [text];
  const pieces: string[] = [''];
  let end = 0;
  for (const { 0: one, index } of text.matchAll(word)) {
    const folded = compared(fold(one));
    if (!whole.has(folded) && !folded.startsWith(start)) continue;
    pieces[pieces.length - 1] += text.slice(end, index);
    pieces.push(one, '');
    end = index + one.length;
  }
  pieces[pieces.length - 1] += text.slice(end);
  return pieces;
}
