import MiniSearch from 'minisearch';

/** A part of a guide, from one heading to the next. */
export interface GuidePart {
  /** Its address in the folder of the guides, such as `selling#delete-versions`. */
  readonly id: string;
  readonly title: string;
  /** The title of its guide. */
  readonly guide: string;
  /** Without marks of Markdown. */
  readonly text: string;
}

/** A part that was found, with the place of its text where the words are. */
export interface FoundPart extends Omit<GuidePart, 'text'> {
  /** Pieces of the text. Each second one, from the second on, is a word that was looked for. */
  readonly excerpt: readonly string[];
}

/** A piece of JSON: the server and the script of the pages search with the same settings. */
export const searchSettings = {
  fields: ['title', 'text'],
  storeFields: ['title', 'guide', 'text'],
  // A letter more, less or other in short words, two in words from six letters on. Two letters in the wrong order are two.
  searchOptions: { prefix: true, fuzzy: 0.25, maxFuzzy: 2, boost: { title: 3 }, combineWith: 'AND' },
} as const;

const longestQuery = 100;
/** More words, and words of one letter, would delay other requests. */
const mostWords = 8;
const shortestWord = 2;
const mostFound = 20;
const excerptLength = 160;

/** Returns a function that finds parts of guides, the best first: with all words, or with some of them if no part has all. */
export async function createGuideSearch(parts: readonly GuidePart[]): Promise<(query: string) => FoundPart[]> {
  const { fields, storeFields, searchOptions } = searchSettings;
  const index = new MiniSearch<GuidePart>({ fields: [...fields], storeFields: [...storeFields], searchOptions });
  await index.addAllAsync(parts, { chunkSize: 10 });
  return (query) => {
    const typed = query.slice(0, longestQuery).split(/\s+/);
    const asked = typed
      .filter((word) => word.length >= shortestWord)
      .slice(0, mostWords)
      .join(' ');
    const all = index.search(asked);
    const found = all.length > 0 ? all : index.search(asked, { combineWith: 'OR' });
    return found.slice(0, mostFound).map(({ id, terms, title, guide, text }) => ({
      id,
      title,
      guide,
      excerpt: excerptOf(text, terms),
    }));
  };
}

/** Cuts a text around the first of these words, and into pieces at each of them. */
function excerptOf(text: string, words: readonly string[]): string[] {
  const written = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).sort((a, b) => b.length - a.length);
  const any = new RegExp(`(${written.join('|')})`, 'iu');
  const at = Math.max(text.search(any), 0);
  // A sample can be long and have no blank at all.
  const before = Math.max(text.lastIndexOf(' ', at - excerptLength / 4) + 1, at - excerptLength);
  const start = at < excerptLength / 2 ? 0 : before;
  const last = text.indexOf(' ', start + excerptLength);
  const cut = text.slice(start, Math.min(last === -1 ? text.length : last, start + 2 * excerptLength));
  const whole = `${start > 0 ? '… ' : ''}${cut}${start + cut.length < text.length ? ' …' : ''}`;
  return whole.split(new RegExp(any.source, 'giu'));
}
