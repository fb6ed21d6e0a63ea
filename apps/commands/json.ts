import { iso } from '../../core/iso.ts';

/** Renders the result of a use case as JSON: names in snake_case, times (`at`, `expiresAt`) in ISO 8601. */
export function toJson(answer: object): string {
  return JSON.stringify(answer, (_, part: unknown) => (isRecord(part) ? renamed(part) : part), 2);
}

function isRecord(part: unknown): part is object {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

function renamed(part: object): object {
  const entries = Object.entries(part).map(([name, value]: [string, unknown]) => {
    const isTime = /(?:^at|At|_at)$/.test(name) && typeof value === 'number';
    return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), isTime ? iso(value) : value];
  });
  return Object.fromEntries(entries);
}
