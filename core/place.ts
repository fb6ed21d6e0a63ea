import { parseId } from './id.ts';
import { type Refused, refuse } from './refusal.ts';

/** A place in a list: after this object, which need not be in the list any more. */
export interface Place<Id extends number> {
  readonly id: Id;
  /** The text by which a search found the object. `null` without a search. */
  readonly text: string | null;
}

/** Writes a place as text that can be part of a URL or of a command line: the id, and after `~` the text of a search. */
export function formatPlace({ id, text }: Place<number>): string {
  return text === null ? String(id) : `${id}~${encodeURIComponent(text)}`;
}

/** Reads what `formatPlace` writes. `mint` makes the id. */
export function parsePlace<Id extends number>(
  written: string,
  mint: (number: number) => Id,
): Place<Id> | Refused<'unknown_place'> {
  const [digits = '', ...rest] = written.split('~');
  const id = parseId(digits, mint);
  const text = rest.length === 0 ? null : decoded(rest.join('~'));
  if (id === undefined || text === undefined) return refuse('unknown_place', `${written} is no place in this list.`);
  return { id, text };
}

/** Reads a place in a list that has no search: an id. Returns `undefined` for the first page. */
export function parseIdPlace<Id extends number>(
  written: string | undefined,
  mint: (number: number) => Id,
): Id | undefined | Refused<'unknown_place'> {
  if (written === undefined) return undefined;
  return parseId(written, mint) ?? refuse('unknown_place', `${written} is no place in this list.`);
}

/** Makes a page from what was read, which is one object more than `limit` if there is a next page. */
export function pageOf<T extends { readonly id: number }>(
  found: readonly T[],
  limit: number,
): { readonly items: readonly T[]; readonly next: string | null } {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : String(last.id) };
}

/** Decodes a part of a place. Returns `undefined` if it is damaged. */
export function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes('\0') ? undefined : plain;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
