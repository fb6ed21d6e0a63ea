/** The last character of Unicode. No text that begins with `start` is greater than `start` with this character. */
export const lastCharacter = '\u{10FFFF}';
