import { control, type Goal, isQuiet, judge } from './goals.ts';
import type { Measured } from './rounds.ts';
import type { Found } from './sections.ts';
import type { Soak } from './soak.ts';
import { median, quantile, ratio } from './statistics.ts';
import { bare, type Exactness } from './verifications.ts';

/** The table of what was measured: medians, and the middle half of the rates. */
export function tableOf(measured: ReadonlyMap<string, Measured>): string {
  const base = measured.get(bare)?.series.rate ?? [];
  const rows = [...measured].map(([name, { series }]) => [
    name,
    median(series.rate).toFixed(0),
    `${quantile(series.rate, 0.25).toFixed(0)}–${quantile(series.rate, 0.75).toFixed(0)}`,
    ratio(series.rate, base).toFixed(2),
    median(series.cpu).toFixed(0),
    median(series.p50).toFixed(2),
    median(series.p99).toFixed(2),
    median(series.rss).toFixed(0),
  ]);
  return markdown(['', 'answers/s', 'middle half', 'to bare', 'CPU µs', 'p50 ms', 'p99 ms', 'RSS MiB'], rows);
}

/** What is promised, beside what was found. */
export function judgementOf(goals: readonly Goal[], measured: ReadonlyMap<string, Measured>, isFull: boolean): string {
  const noise = control(measured);
  const lines: string[] = [];
  if (noise !== undefined) lines.push(`The bare route in proportion to itself: ${noise.toFixed(2)}.`);
  const reason =
    noise !== undefined && !isQuiet(noise)
      ? 'machine too noisy: nothing is judged'
      : isFull
        ? undefined
        : 'too few rounds or licenses: nothing is judged';
  if (reason !== undefined) lines.push(reason);
  const rows = goals.map((goal) => [
    goal.what,
    goal.value.toFixed(2),
    `${goal.isFloor ? '≥' : '≤'} ${goal.must}`,
    `${goal.isFloor ? '≥' : '≤'} ${goal.aim}`,
    reason === undefined ? judge(goal) : '',
  ]);
  if (rows.length > 0) lines.push('', markdown(['', 'found', 'must', 'aim', ''], rows));
  return lines.join('\n');
}

export function exactnessOf(exactness: readonly Exactness[]): string {
  return exactness
    .map(({ database, answered, counted }) => {
      const verdict = answered === counted ? 'exact' : 'WRONG';
      return `${database}: ${answered} answered as valid, ${counted} counted: ${verdict}`;
    })
    .join('\n');
}

/** The table of what was measured once, or nothing where there is none. */
export function singlesTableOf({ uploads, imports, starts, lists }: Found): string | undefined {
  const rows: string[][] = [];
  if (uploads) {
    const { one, four, ratio } = uploads;
    rows.push(['Peak memory, four uploads at once', mebibytes(four), `one: ${mebibytes(one)}`, ratio.toFixed(2)]);
  }
  if (imports) {
    for (const [kind, seconds] of Object.entries(imports.seconds)) {
      rows.push([`Import of ${number(imports.licenses)} licenses, ${kind}`, `${seconds.toFixed(2)} s`, '', '']);
    }
  }
  if (starts) rows.push(['Start on a new database', `${starts.median.toFixed(2)} s`, '', '']);
  if (lists) {
    for (const { name, few, many, ratio } of lists.all) {
      const what = `${name}, ${number(lists.sizes.many)} rows of others`;
      rows.push([what, milliseconds(many), `${number(lists.sizes.few)}: ${milliseconds(few)}`, ratio.toFixed(2)]);
    }
  }
  return rows.length === 0 ? undefined : markdown(['', 'found', 'to', 'ratio'], rows);
}

export function soakReportOf({ growth, exactness }: Soak): string {
  return `Memory of the second half to that of the second tenth: ${growth.toFixed(2)}\n${exactnessOf([exactness])}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function milliseconds(time: number): string {
  return `${time.toFixed(2)} ms`;
}

/** As people read it: 10,000. */
function number(count: number): string {
  return count.toLocaleString('en-US');
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
