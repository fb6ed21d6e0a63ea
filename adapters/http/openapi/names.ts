/** Joins words that have `-`, `_` or `.` between them: `list-licenses` becomes `listLicenses`. */
export function camelCase(words: string): string {
  return words.replaceAll(/[-_.]+([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** Does the same with a capital at the start: `order.paid` becomes `OrderPaid`. */
export function pascalCase(words: string): string {
  return camelCase(`-${words}`);
}
