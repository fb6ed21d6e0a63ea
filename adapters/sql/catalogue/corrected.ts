import type { Knex } from 'knex';
import { searchedWords, withWords } from '../../../core/marketplace/catalogue-terms.ts';
import { isOneTypo, spellingsOf } from '../../../core/marketplace/spelling.ts';
import { lastCharacter } from '../last-character.ts';

/** The rows that looking for one word reads. More words with the same spelling than that are nobody's language. */
const mostRead = 300;
/** The words of a search that are corrected. */
const mostWords = 5;

/** See `Catalogue.corrected`. */
export async function corrected(knex: Knex, search: string): Promise<string | undefined> {
  const words = [...new Set(searchedWords(search))];
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const known = new Set<string>(await knex('catalogue_terms').whereIn('term', words).pluck('term'));
  const longer: unknown = await knex('catalogue_terms')
    .whereBetween('term', [last, `${last}${lastCharacter}`])
    .first('term');
  const unknown = words.filter((word) => !known.has(word) && (word !== last || longer === undefined));
  if (unknown.length === 0 || unknown.length > mostWords) return undefined;
  const other = new Map<string, string>();
  for (const word of unknown) {
    const found = await nearest(knex, word);
    if (found === undefined) return undefined;
    other.set(word, found);
  }
  return withWords(search, other);
}

/** The word with one typo to this one that most products have. */
async function nearest(knex: Knex, word: string): Promise<string | undefined> {
  const spellings = spellingsOf(word);
  if (spellings.length === 0) return undefined;
  const found = knex('catalogue_spellings').whereIn('spelling', spellings).limit(mostRead).select('term');
  const rows: { term: string; products: number }[] = await knex
    .from(found.as('found'))
    .join('catalogue_terms as t', 't.term', 'found.term')
    .orderBy([{ column: 't.products', order: 'desc' }, 't.term'])
    .select('t.term', 't.products');
  return rows.find(({ term }) => isOneTypo(word, term))?.term;
}
