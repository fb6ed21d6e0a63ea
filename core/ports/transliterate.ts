/** Returns a text with its letters in the Latin alphabet, as far as they are known: `Привет` becomes `Privet`. */
export type Transliterate = (text: string) => string;
