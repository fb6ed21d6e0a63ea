import type { Refused } from '../refusal.ts';

/** Returns the canonical pattern of preview hosts, or a refusal that says what is wrong. */
export type ParsePattern = (text: string) => string | Refused;

/** Loads the function at its first use, because it needs a large list of public suffixes. */
export type LoadParsePattern = () => Promise<ParsePattern>;
