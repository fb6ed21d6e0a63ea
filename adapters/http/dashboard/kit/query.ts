import { startOfDay } from '../../../../core/day-text.ts';
import { day } from '../../../../core/time.ts';
import type { Visit } from './page.ts';

/** The values of the filters of a list, by name. An empty value filters nothing. */
export type Choices = Readonly<Record<string, string>>;

/** Reads the filters from the address. */
export function choicesIn<const Name extends string>(
  { query }: Visit,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  return Object.fromEntries(names.map((name) => [name, choiceOf(query[name])])) as Record<Name, string>;
}

/** Reads the filters with the names of these fields. */
export function choicesOf<Name extends string>(
  { query }: Visit,
  fields: Readonly<Record<Name, unknown>>,
): Readonly<Record<Name, string>> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, choiceOf(query[name])])) as Record<Name, string>;
}

/** Databases cannot compare with NUL. */
function choiceOf(text = ''): string {
  return text.replaceAll('\0', '').trim();
}

/** The choice, if it is one of these values. */
export function chosen<const Value extends string>(text: string, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === text);
}

export function isAny(choices: Choices): boolean {
  return Object.values(choices).some((text) => text !== '');
}

/** The address of a list with its filters, without the empty ones. */
export function addressWith(address: string, choices: Choices): string {
  const query = new URLSearchParams(Object.entries(choices).filter(([, text]) => text !== ''));
  return query.size === 0 ? address : `${address}?${query}`;
}

/** The start of a day in UTC, or of one after it. `undefined` if the text is no day. */
export function startOf(text: string, daysLater = 0): number | undefined {
  const at = startOfDay(text);
  return at === undefined ? undefined : at + daysLater * day;
}
