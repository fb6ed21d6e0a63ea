import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { LRUCache } from 'lru-cache';
import type { ProductId } from '../../core/id.ts';
import { standings } from '../../core/licensing/license.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { ImportLine, LeftOut, LicenseImport } from '../../core/ports/license-imports.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import { describeLeftOut } from '../server/left-out.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, administer, by, type ChangeOptions, changing, RefusedCommand } from './action.ts';
import { createJudge, describeCell, type Entry, type Problem, readEntry, readHeader } from './import-file.ts';
import { createProgress } from './progress.ts';
import { counted } from './table.ts';
import type { Terminal } from './terminal.ts';
import { readTextLines } from './text-lines.ts';

/** The maximum number of listed faults. A file may have one for each of its cells. */
const mostListed = 100;
/** The maximum number of product ids that are cached while a file is read. */
const mostProducts = 1_000;

const format = `
The first line names the columns, in any order. A cell may be empty, except for key and product:
  key          LIC-XXXX-XXXX-XXXX-XXXX
  product      id or slug of a product
  max_domains  1 to 1000000 [1]
  expires_at   a date (the end of that day) or a date and time, in UTC, past or future; or never [never]
  status       ${standings.join(', ')}, or expired with a past expires_at [active]

The server keeps running meanwhile. The licenses become visible only after the whole file is checked. From then on, the import
is completed in any case: by this command or, if it is killed, by the server or the next import.`;

export function addLicenseImportCommand(license: Command, terminal: Terminal): void {
  changing(
    license
      .command('import')
      .description('Import licenses with keys that were made elsewhere: the whole file, or nothing')
      .argument('<csv>', 'a CSV file in UTF-8; - is standard input')
      .addHelpText('after', format),
  ).action((file: string, options: ChangeOptions) =>
    administer(terminal, options, async (parts) => {
      const source = file === '-' ? terminal.stdin : (await open(file)).createReadStream();
      // Without a listener, Node would end the process. The reader gets the error too.
      source.on('error', () => undefined);
      return await importFile(parts, source, options, terminal);
    }),
  );
}

async function importFile(
  parts: Parts,
  source: Readable,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<Answer | Refused> {
  const interrupted = stopping(source, terminal);
  const begun = await (await parts.get(t.issuing)).beginImport(by(options));
  if (isRefused(begun)) {
    source.destroy();
    return begun;
  }
  const progress = createProgress(terminal.stderr);
  const showLine = (done: number) => {
    if (terminal.stderr.isTTY) progress.at(done);
  };
  try {
    const faults = await stageFile(parts, source, begun, showLine);
    interrupted.check();
    if (faults.count > 0) {
      await begun.undo();
      return refusal(faults);
    }
  } catch (error) {
    await begun.undo().catch(() => undefined); // If this fails, the rest is undone later.
    throw error;
  } finally {
    progress.end();
  }
  interrupted.announce('The whole file has been checked, so the import is finished before the command stops.');
  const { added, leftOut } = await begun.finish();
  const json = { imported: added, ...(leftOut.length > 0 && { leftOut }) };
  return {
    json,
    text: `Imported ${counted(added, 'license')}.`,
    failure: leftOut.length > 0 ? failure(leftOut) : undefined,
  };
}

/** The first faults of a file, and the number of all. */
interface Faults {
  readonly first: Problem[];
  count: number;
}

async function stageFile(
  parts: Parts,
  source: Readable,
  { stage }: LicenseImport,
  showLine: (done: number) => void,
): Promise<Faults> {
  const products = await productIds(parts);
  const judge = createJudge(products.known, (await parts.get(t.clock)).now());
  const faults: Faults = { first: [], count: 0 };
  let header: readonly string[] | undefined;
  let line = 0;
  for await (const texts of readTextLines(source)) {
    const problems: Problem[] = [];
    const entries = new Map<number, Entry>();
    for (const text of texts) {
      line += 1;
      if (header === undefined) {
        const found = readHeader(text);
        if ('what' in found) return { first: [found], count: 1 };
        header = found;
        continue;
      }
      const entry = readEntry(header, line, text);
      if (entry === undefined) continue;
      if ('what' in entry) problems.push(entry);
      else entries.set(line, entry);
    }
    const lines: ImportLine[] = [];
    for (const entry of entries.values()) {
      await products.look(entry.cells.product);
      const judged = judge(entry);
      problems.push(...judged.problems);
      const key = parseLicenseKey(entry.cells.key);
      if (key !== undefined) lines.push({ line: entry.line, key, terms: judged.terms });
    }
    for (const { line: at, first } of await stage(lines)) {
      const entry = entries.get(at);
      const what = first === undefined ? 'A license already has this key.' : `Line ${first} already has this key.`;
      if (entry) problems.push({ line: at, what: `${describeCell(entry.cells, 'key')}: ${what}` });
    }
    faults.count += problems.length;
    const room = mostListed - faults.first.length;
    faults.first.push(...problems.toSorted((one, other) => one.line - other.line).slice(0, room));
    showLine(line);
  }
  return faults;
}

/** Finds the ids of products by the ids or slugs in the file. */
async function productIds(parts: Parts) {
  const products = await parts.get(t.products);
  const ids = new LRUCache<string, ProductId | 'unknown'>({ max: mostProducts });
  return {
    known(name: string): ProductId | undefined {
      const id = ids.get(name);
      return id === 'unknown' ? undefined : id;
    },
    /** Looks for a product by id or slug. Must be called before `known`. */
    async look(name: string): Promise<void> {
      if (ids.has(name)) return;
      const product = await products.find(name);
      ids.set(name, isRefused(product) ? 'unknown' : product.id);
    },
  };
}

/** Lists the lines that had no fault, but could not be imported in the end. */
function failure(leftOut: readonly LeftOut[]): string {
  const what = `${counted(leftOut.length, 'line')} of the file could no longer be imported:`;
  return [what, ...describeLeftOut(leftOut)].join('\n');
}

/** Lists the first faults, one on each line, and the number of all. */
function refusal({ first, count }: Faults): Refused {
  const lines = [
    `Nothing was imported: there ${count === 1 ? 'is' : 'are'} ${counted(count, 'fault')}.`,
    ...first.map(({ line, what }) => `Line ${line}: ${what}`),
    ...(count > mostListed ? [`And ${counted(count - mostListed, 'more fault')}.`] : []),
  ];
  return refuse('file_refused', lines.join('\n'));
}

/** Stops reading a file when the process is stopped. */
function stopping(source: Readable, terminal: Terminal) {
  let stopped: RefusedCommand | undefined;
  let later: string | undefined;
  terminal.stopSignal().then((signal) => {
    stopped = new RefusedCommand(`Nothing was imported: stopped by ${signal}.`);
    source.destroy(stopped);
    if (later !== undefined) terminal.stderr.write(`${later}\n`);
  });
  return {
    check() {
      if (stopped !== undefined) throw stopped;
    },
    /** Sets the text to print if the process is stopped from now on. */
    announce(text: string) {
      later = text;
    },
  };
}
