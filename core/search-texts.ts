/** The number of characters that a search compares. */
const longest = 64;

/** The start of a word: no letter or digit is before it. Scripts without spaces between words start one with each character. */
const starts =
  /(?<![\p{L}\p{M}\p{N}])\S|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** Returns the text from the start of every word on. */
export function fromEachStart(text: string): string[] {
  return [...text.matchAll(starts)].map(({ index }) => text.slice(index));
}

/** No script has so many accents on one letter. Two signs of half-width Katakana become accents too. */
const tooManyMarks = /((?:\p{M}|[\uFF9E\uFF9F]){16})(?:\p{M}|[\uFF9E\uFF9F])+/gu;

/** Each of these two becomes 8 or 18 letters. No other sign becomes more than 7. */
const wholeSentences = /[\uFDFA\uFDFB]/g;

/**
 * Normalizes a text of a stranger. Leaves out marks that no script has, because the time for a long run of them grows with its
 * square, and signs that stand for whole sentences, because they make a text much longer.
 */
export function normalized(text: string, form: 'NFC' | 'NFKD'): string {
  return text.replace(tooManyMarks, '$1').replace(wholeSentences, ' ').normalize(form);
}

/** The form in which texts are searched. Upper and lower case are the same. */
export function searchable(text: string): string {
  return normalized(text, 'NFC').toLowerCase();
}

/** Returns what somebody types into a search in this form, without what no text has. */
export function typed(search = ''): string {
  return searchable(search).replaceAll('\0', '').trim();
}

/** The text with which a text must begin, so that a search finds it. Empty if all match. */
export function searchedText(search = ''): string {
  return compared(typed(search));
}

/** Returns the characters that a search compares. */
export function compared(text: string): string {
  return [...text].slice(0, longest).join('');
}
