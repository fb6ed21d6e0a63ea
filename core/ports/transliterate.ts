/** Returns a text with its letters in the Latin alphabet, as far as they are known: `Привет` becomes `Privet`. Accents and emoji are left out. */
export type Transliterate = (text: string) => string;

/** Loads the function at its first use, because its tables are large. */
export type LoadTransliterate = () => Promise<Transliterate>;
