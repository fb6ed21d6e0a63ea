import { quotedStart } from '../../core/selling/cell.ts';

/**
 * The columns of the file, each with the default for an empty cell or a missing column; `undefined` if it is required.
 */
export const whenEmpty = {
  key: '',
  alias: '',
  alias_kind: 'other',
  product: undefined,
  max_domains: '1',
  expires_at: 'never',
  days_from_activation: '',
  updates_until: 'never',
  entitlements: '',
  status: 'active',
  holder_email: '',
  holder_name: '',
  reference: '',
  metadata: '',
  domains: '',
} as const satisfies Record<string, string | undefined>;
export type Column = keyof typeof whenEmpty;
export const columnNames = Object.keys(whenEmpty) as Column[];

/** Returns what is wrong with the names in the first line, or `undefined`. `head` is the line as it is. */
export function wrongHeader(head: string, found: readonly string[]): string | undefined {
  if (head.includes('\0')) return 'It contains NUL. Save the file as CSV in UTF-8.';
  const other = otherSeparator(head);
  if (other !== undefined) return other;
  const known: readonly string[] = columnNames;
  const missing = columnNames.filter((name) => whenEmpty[name] === undefined && !found.includes(name));
  const names = `The header can name the columns ${columnNames.join(', ')}`;
  if (missing.length > 0) return `${names}: it lacks ${missing.join(', ')}.`;
  const unknown = found.find((name, index) => !known.includes(name) || found.indexOf(name) !== index);
  return unknown && `${names}, each once: ${quotedStart(unknown)} is unknown or a duplicate.`;
}

const otherSeparators = { ';': 'semicolons', '\t': 'tabs' } as const;

/**
 * Returns a message if the columns are not separated by commas. Spreadsheets use semicolons in countries whose numbers
 * have a decimal comma.
 */
function otherSeparator(head: string): string | undefined {
  const known: readonly string[] = columnNames;
  const isNamed = (separator: string) => {
    const found = head.split(separator).map((name) =>
      name
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    );
    return found.filter((name) => known.includes(name)).length > 1;
  };
  const used = Object.entries(otherSeparators).find(([separator]) => isNamed(separator));
  return used && `The cells are separated by ${used[1]}. Save the file with commas between the cells.`;
}
