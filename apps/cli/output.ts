import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { environment } from './environment.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
type Out = NodeJS.WriteStream;

/** Colors a text for this stream, if it is a terminal that shows colors. See https://no-color.org. */
export function colored(style: Style, text: string, stream: Out = process.stdout): string {
  const { NO_COLOR, TERM } = environment;
  const isPlain = !stream.isTTY || (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb';
  return isPlain ? text : styleText(style, text, { validateStream: false });
}

/** Replaces control characters, which could move the cursor of a terminal. Texts come from other people. */
function harmless(text: string): string {
  return text.replace(/(?!\n)\p{Control}|[\u202a-\u202e\u2066-\u2069]/gu, ' ');
}

/** Prints a line of the result. */
export function say(text = ''): void {
  process.stdout.write(`${harmlessStyled(text)}\n`);
}

/** Prints what is not part of the result, such as advice, on standard error. */
export function note(text: string): void {
  process.stderr.write(`${harmlessStyled(text)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const esc = '\u001b';
const ownColors = new RegExp(`(${esc}\\[\\d+m)`);

/** Leaves colors in the text. */
function harmlessStyled(text: string): string {
  return text
    .split(ownColors)
    .map((part, n) => (n % 2 === 1 ? part : harmless(part)))
    .join('');
}

const gap = 2;
const narrowest = 6;

/** Prints rows below a head. In a terminal, the widest columns become narrower until the table fits. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const [first, ...rest] = tableLines([head, ...rows], width);
  say(colored('bold', first ?? ''));
  for (const line of rest) say(line);
}

/** Formats rows as columns. `width` is the most columns of the terminal. */
function tableLines(rows: readonly (readonly string[])[], width: number | undefined): string[] {
  const cells = rows.map((row) => row.map((cell) => harmless(cell).replaceAll('\n', ' ')));
  const columns = Math.max(0, ...cells.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...cells.map((row) => stringWidth(row[column] ?? ''))),
  );
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - gap * (columns - 1);
  while (widths.reduce((sum, one) => sum + one, 0) > room) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= narrowest) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return cells.map((row) =>
    row
      .map((cell, column) => {
        const shown = shortened(cell, widths[column] ?? 0);
        return shown + ' '.repeat((widths[column] ?? 0) - stringWidth(shown));
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let kept = '';
  for (const { segment } of segments.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Prints facts with their names beside them. */
export function printFacts(facts: readonly (readonly [name: string, value: string])[]): void {
  const width = Math.max(...facts.map(([name]) => name.length));
  for (const [name, value] of facts) say(`${colored('dim', name.padEnd(width))}  ${value}`);
}

/** `2026-11-22`, or what `null` means. */
export function day(iso: string | null, none = 'never'): string {
  return iso === null ? none : iso.slice(0, 10);
}

/** The last day before an end, as the pages show it. An end within a day is on its last day. */
export function lastDay(end: string | null, none = 'never'): string {
  return day(end === null ? null : new Date(Date.parse(end) - 1).toISOString(), none);
}

export function inBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(count) / 3), units.length);
  return `${(count / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Shows how much of a transfer is done, on standard error and only in a terminal. */
export function startProgress(label: string, total: number | undefined): { at(done: number): void; end(): void } {
  const { show, end } = startStatus();
  return { at: (done) => show(`${label}${barOf(done, total)} ${inBytes(done)}`), end };
}

/** A bar for how much is done, if the total is known. */
export function barOf(done: number, total: number | undefined): string {
  if (!total) return '';
  const share = Math.min(1, done / total);
  return ` [${'#'.repeat(Math.floor(share * 20)).padEnd(20, '.')}] ${Math.floor(share * 100)} %`;
}

/** Shows one line that changes, on standard error and only in a terminal. */
export function startStatus(): { show(text: string): void; end(): void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => undefined, end: () => undefined };
  let shown = '';
  return {
    show(text) {
      const line = text.slice(0, Math.max(10, (stderr.columns ?? 80) - 1));
      if (line === shown) return;
      shown = line;
      stderr.write(`\r\u001b[2K${line}`);
    },
    end() {
      shown = '';
      stderr.write('\r\u001b[2K');
    },
  };
}

/** Formats an amount in the smallest unit of its currency. */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
