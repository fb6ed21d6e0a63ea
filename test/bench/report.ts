import type { Change } from './changes.ts';
import { type Exactness, isExact } from './exactness.ts';
import { busiest, control, type Goal, isQuiet, judge, mostBusy, noisiest } from './goals.ts';
import { mostNoise, type Noise } from './noise.ts';
import { isTimeKnown } from './processor-time.ts';
import type { Measured } from './rounds.ts';
import type { Found } from './sections.ts';
import type { Soak } from './soak.ts';
import { median, quantile, ratio } from './statistics.ts';
import { bare, type Verifications } from './verifications.ts';
import type { Webhooks } from './webhooks.ts';

/** Returns the table of results: medians, and the middle half of the rates. */
export function tableOf({ generator, measured }: Verifications): string {
  const base = measured.get(bare)?.series.rate ?? [];
  const rows = [...measured].map(([name, { series }]) => [
    name,
    median(series.rate).toFixed(0),
    `${quantile(series.rate, 0.25).toFixed(0)}–${quantile(series.rate, 0.75).toFixed(0)}`,
    ratio(series.rate, base).toFixed(2),
    ...[series.main, series.whole, series.database].map((times) => (times.length ? median(times).toFixed(1) : '–')),
    median(series.p50).toFixed(2),
    median(series.p99).toFixed(2),
    percent(Math.max(...series.busy)),
    series.others.length ? percent(median(series.others)) : '–',
    ...[series.waits, series.interruptions].map((counts) => (counts.length ? median(counts).toFixed(3) : '–')),
    median(series.rss).toFixed(0),
  ]);
  const rates = ['answers/s', 'middle half', 'to bare'];
  const times = ['main µs', 'process µs', 'database µs'];
  const title = ['', ...rates, ...times, 'p50 ms', 'p99 ms', 'load', 'others', 'waits', 'interrupted', 'RSS MiB'];
  const notes = [
    `Loaded by ${generator}. "load" is the part of a core that its busiest process used, at most. "others" is the part of all processors' time that other processes and machines took.`,
    '"waits" and "interrupted" count, for an answer, how often the main thread gave its processor up, and how often it lost it.',
    isTimeKnown
      ? 'Microseconds of processor time an answer: of the main thread, of its whole process, of the database server.'
      : 'Rates only: this system does not tell the processor time of threads. Linux does, in /proc/<pid>/task/<tid>/schedstat.',
  ];
  return `${notes.join('\n')}\n\n${markdown(title, rows)}`;
}

/** Returns the table of goals and results. */
export function judgementOf(goals: readonly Goal[], measured: ReadonlyMap<string, Measured>, isFull: boolean): string {
  const noise = control(measured);
  const lines: string[] = [];
  if (noise !== undefined) lines.push(`The bare route in proportion to itself: ${noise.toFixed(2)}.`);
  const reason = reasonNotToJudge(noise, measured, isFull);
  if (reason !== undefined) lines.push(`no verdict: ${reason}`);
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

function reasonNotToJudge(
  noise: number | undefined,
  measured: ReadonlyMap<string, Measured>,
  isFull: boolean,
): string | undefined {
  const busy = busiest(measured);
  const others = noisiest(measured);
  if (busy !== undefined && busy > mostBusy) return `the load generator was at ${percent(busy)} of a core`;
  if (others !== undefined && others > mostNoise) return `others took ${percent(others)} of the processors' time`;
  if (noise !== undefined && !isQuiet(noise)) return 'the machine was too noisy';
  return isFull ? undefined : 'too few rounds or licenses';
}

export function exactnessTextOf(exactness: readonly Exactness[]): string {
  return exactness
    .map((one) => {
      const { database, received, answered, valid, counted } = one;
      const verdict = isExact(one) ? 'exact' : 'WRONG';
      return `${database}: ${valid} answered as valid, ${counted} counted; ${answered} answered in all, ${received} received: ${verdict}`;
    })
    .join('\n');
}

/** Returns the table of the figures that were measured once, or nothing if there are none. */
export function singlesTableOf({
  uploads,
  imports,
  starts,
  lists,
  search,
  storefront,
  snapshot,
  webhooks,
  cost = [],
  workers = [],
}: Found): string | undefined {
  const rows: string[][] = [];
  if (uploads) {
    const { one, four, ratio } = uploads;
    rows.push(['Peak memory, four uploads at once', mebibytes(four), `one: ${mebibytes(one)}`, ratio.toFixed(2)]);
  }
  if (imports) {
    for (const [kind, seconds] of Object.entries(imports.seconds)) {
      rows.push([`Import of ${number(imports.licenses)} licenses, ${kind}`, `${seconds.toFixed(2)} s`, '', '']);
    }
    for (const [kind, seconds] of Object.entries(imports.fullSeconds)) {
      const what = `Import of ${number(imports.licenses)} licenses with holders and domains, ${kind}`;
      rows.push([what, `${seconds.toFixed(2)} s`, '', '']);
    }
  }
  if (starts) rows.push(['Start on a new database', `${starts.median.toFixed(2)} s`, '', '']);
  for (const [found, of] of [
    [lists, 'rows of others'],
    [search, 'licenses'],
    [storefront, 'products'],
  ] as const) {
    for (const { name, few, many, ratio } of found?.all ?? []) {
      const [fewer, more] = [number(found?.sizes.few ?? 0), number(found?.sizes.many ?? 0)];
      rows.push([`${name}, ${more} ${of}`, milliseconds(many), `${fewer}: ${milliseconds(few)}`, ratio.toFixed(2)]);
    }
  }
  for (const [kind, { first, seconds, beside }] of Object.entries(snapshot?.found ?? {})) {
    const of = `of ${number(snapshot?.domains ?? 0)} domains, ${kind}`;
    rows.push([`Snapshot ${of}`, `${seconds.toFixed(2)} s`, `the first: ${first.toFixed(1)} s`, '']);
    rows.push([`Verifications beside snapshots ${of}`, '', 'alone', beside.toFixed(2)]);
  }
  if (webhooks) rows.push(...webhookRows(webhooks));
  for (const { name, main, bare, noise } of cost) {
    rows.push([name, `${main.toFixed(0)} µs`, `the bare route${besideOthers(noise)}`, (main / bare).toFixed(1)]);
  }
  for (const { name, all, primary, database, ratio, noise } of workers) {
    const of = `primary ${primary.toFixed(1)}, database ${database.toFixed(1)}`;
    rows.push([
      `A verification, ${name}`,
      `${all.toFixed(1)} µs (${of})`,
      `one process${besideOthers(noise)}`,
      ratio.toFixed(2),
    ]);
  }
  return rows.length === 0 ? undefined : markdown(['', 'found', 'to', 'ratio'], rows);
}

/** Returns the table of what calls cost in two versions. */
export function changesTableOf(changes: readonly Change[]): string {
  const rows = changes.map(({ name, before, now, ratio, verdict }) => [
    name,
    before.toFixed(2),
    now.toFixed(2),
    ratio.toFixed(2),
    verdict,
  ]);
  return markdown(['main thread, bare route = 1', 'before', 'now', 'ratio', ''], rows);
}

/** Says that the machine was too noisy for a figure. */
function besideOthers(noise: Noise | undefined): string {
  return noise !== undefined && noise.others > mostNoise ? `, NOISY: others took ${percent(noise.others)}` : '';
}

function webhookRows({ sizes, endpoints, rates, calls, beside }: Webhooks): string[][] {
  return [
    ...Object.entries(rates).map(([kind, rate]) => [
      `Webhooks to ${endpoints} endpoints, ${kind}`,
      `${number(Math.round(rate))} a second`,
      '',
      '',
    ]),
    ...calls.map(({ name, few, many, ratio }) => [
      `${name}, ${number(sizes.waiting)} waiting webhooks`,
      milliseconds(many),
      `none: ${milliseconds(few)}`,
      ratio.toFixed(2),
    ]),
    ...Object.entries(beside).map(([kind, ratio]) => [
      `Verifications with a subscriber, ${number(sizes.activations)} domains, ${kind}`,
      '',
      'without',
      ratio.toFixed(2),
    ]),
  ];
}

export function soakReportOf({ growth, exactness }: Soak): string {
  return `Memory of the second half to that of the second tenth: ${growth.toFixed(2)}\n${exactnessTextOf([exactness])}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function milliseconds(time: number): string {
  return `${time.toFixed(2)} ms`;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}

/** With separators: 10,000. */
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
