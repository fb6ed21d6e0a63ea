import { wrongParameter } from './trouble.ts';

export interface Given {
  readonly [name: string]: string | Given;
}

/** Reads a form with nested names, such as `line_items[0][quantity]=1`. */
export function parseForm(text: string): Given {
  const form: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]/).filter((part) => part !== '');
    let place = form;
    for (const part of path.slice(0, -1)) {
      place[part] ??= {};
      place = place[part] as Record<string, unknown>;
    }
    place[path.at(-1) ?? ''] = value;
  }
  return form as Given;
}

/** The allowed form of a parameter: a text, a hash of any names, or a hash with these names. */
export type Allowed = 'text' | 'texts' | { readonly [name: string]: Allowed };

/** Throws for a parameter that the double does not know. So a misspelt one does not go unnoticed. */
export function checkNames(given: Given, allowed: { readonly [name: string]: Allowed }, path = ''): void {
  for (const [name, value] of Object.entries(given)) {
    const full = path === '' ? name : `${path}[${name}]`;
    const rule = allowed[name] ?? allowed['*'];
    const fits = rule === 'text' ? typeof value === 'string' : rule !== undefined && typeof value !== 'string';
    if (!fits) throw wrongParameter(full, `Received unknown parameter: ${full}`, 'parameter_unknown');
    if (typeof value !== 'string' && typeof rule === 'object') checkNames(value, rule, full);
  }
}

export function textAt(given: Given, ...path: readonly string[]): string | undefined {
  const found = path.reduce<string | Given | undefined>(
    (place, name) => (typeof place === 'object' ? place[name] : undefined),
    given,
  );
  return typeof found === 'string' ? found : undefined;
}

/** Returns the texts of a hash, for example of metadata. */
export function textsAt(given: Given, ...path: readonly string[]): Record<string, string> {
  const found = path.reduce<string | Given | undefined>(
    (place, name) => (typeof place === 'object' ? place[name] : undefined),
    given,
  );
  return Object.fromEntries(
    Object.entries(typeof found === 'object' ? found : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
