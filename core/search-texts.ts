/** The number of characters that a search compares. */
const longest = 64;

/** The start of a word: no letter or digit is before it. Scripts without spaces between words start one with each character. */
const starts =
  /(?<![\p{L}\p{M}\p{N}])\S|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** Returns the text from the start of every word on. */
export function fromEachStart(text: string): string[] {
  return [...text.matchAll(starts)].map(({ index }) => text.slice(index));
}

/** Returns the characters that a search compares. */
export function compared(text: string): string {
  return [...text].slice(0, longest).join('');
}
