/** Words that a search can correct: of letters, from five on. A digit less or more is another thing, not a typo. */
const correctable = /^[\p{L}\p{M}]{5,24}$/u;

/**
 * The texts under which a word is kept, so that it is found by a word with one typo: the word, and the word without each of
 * its letters. Empty for a word that is not corrected.
 *
 * Two words with one typo between them have one of these in common. So looking for a word reads only a few rows.
 */
export function spellingsOf(word: string): string[] {
  if (!correctable.test(word)) return [];
  const letters = [...word];
  return [...new Set([word, ...letters.map((_, at) => letters.toSpliced(at, 1).join(''))])];
}

/** Whether two words differ by one letter that is missing, added or another one, or by two letters that changed places. */
export function isOneTypo(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]];
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  const isSame = (from: number, otherFrom: number) => short.slice(from).join('') === long.slice(otherFrom).join('');
  if (long.length - short.length === 1) return isSame(at, at + 1);
  if (long.length !== short.length || at === short.length) return false;
  const isSwapped = at + 1 < long.length && short[at] === long[at + 1] && short[at + 1] === long[at];
  return isSame(at + 1, at + 1) || (isSwapped && isSame(at + 2, at + 2));
}
