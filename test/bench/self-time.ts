import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sum } from './statistics.ts';

/** Sums the self time of a CPU profile (`npm run bench -- --profile <folder>`) by group, and prints the shares. */

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

const socketCalls = /^(write|writev|write(Latin1|Utf8|Ascii|Ucs2)String|writeBuffer|shutdown|readStart)$/;

/** The first group that matches a function has its time. */
const groups: Readonly<Record<string, (frame: Frame) => boolean>> = {
  'writing to the socket': ({ functionName, url }) => url === '' && socketCalls.test(functionName),
  'garbage collector': ({ functionName }) => functionName === '(garbage collector)',
  'native code': ({ functionName }) => functionName === '(program)',
  "Node's HTTP and streams": ({ url }) =>
    /^node:(_http|net|stream|internal\/(streams?|http|net|stream_base))/.test(url),
  'other parts of Node': ({ url }) => url.startsWith('node:'),
  sqlite3: ({ url }) => url.includes('/node_modules/sqlite3/'),
  pg: ({ url }) => /\/node_modules\/pg(-[a-z]+)?\//.test(url),
  'memory of facts': ({ url }) => url.includes('/adapters/sql/remembered-facts.'),
  zod: ({ url }) => url.includes('/node_modules/zod/'),
  'metrics (prom-client)': ({ url }) =>
    url.includes('/node_modules/prom-client/') || url.includes('/adapters/prometheus/'),
  'log (pino)': ({ url }) => /\/node_modules\/(pino|sonic-boom)/.test(url),
  'koa and @koa/router': ({ url }) => /\/node_modules\/(koa|@koa)/.test(url),
  'rate limits': ({ url }) => /\/node_modules\/rate-limiter-flexible\/|\/adapters\/(limits|http\/rate-limit)/.test(url),
  'shortcut, headers, other HTTP': ({ url }) => url.includes('/adapters/http/'),
  'batches, statements, verifier': ({ url }) => url.includes('/adapters/sql/'),
  'rules and use cases': ({ url }) => url.includes('/core/'),
  other: () => true,
};

/** The maps of the parts of the program, by their addresses. */
const maps = new Map<string, SourceMap>();

/** The frame in the file that it was written in. A program has many files in one. */
function inItsFile(frame: Frame): Frame {
  const { url, lineNumber, columnNumber } = frame;
  if (!url.includes('/dist/program/')) return frame;
  const map = maps.get(url) ?? new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')));
  maps.set(url, map);
  const entry = map.findEntry(lineNumber, columnNumber);
  return 'originalSource' in entry ? { ...frame, url: new URL(entry.originalSource, url).href } : frame;
}

/** Leaves out idle time, and the start: all that comes before the first answer of the shortcut. */
function timesIn({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, inItsFile(callFrame)]));
  const times = new Map<string, number>();
  const first = samples.findIndex((id) => frames.get(id)?.url.includes('/adapters/http/shortcut.') === true);
  samples.forEach((id, index) => {
    if (index < first) return;
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') return;
    const name = Object.keys(groups).find((group) => groups[group]?.(frame)) ?? '';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  });
  return times;
}

for (const file of process.argv.slice(2)) {
  const times = timesIn(JSON.parse(readFileSync(file, 'utf8')));
  const total = sum([...times.values()]);
  process.stdout.write(`${file}: ${(total / 1e6).toFixed(1)} s\n`);
  for (const [name, time] of [...times].sort(([, one], [, other]) => other - one))
    process.stdout.write(`${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}\n`);
}
