import type { Visit } from './visit.ts';

/** The values of the filters of a list, by name. An empty value filters nothing. */
export type Choices = Readonly<Record<string, string>>;

/** Reads the filters from the address. Databases cannot compare with NUL. */
export function choicesIn<const Name extends string>(
  { query }: Visit,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const texts = names.map((name) => [name, (query[name] ?? '').replaceAll('\0', '').trim()]);
  return Object.fromEntries(texts) as Record<Name, string>;
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

const day = 86_400_000;

/** The start of a day in UTC, or of one after it. `undefined` if the text is no day. */
export function startOf(text: string, daysLater = 0): number | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
  return isDay ? at + daysLater * day : undefined;
}
