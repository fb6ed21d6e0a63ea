import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { standings } from '../../core/licensing/license.ts';
import type { Finished, LeftOut } from '../../core/ports/license-imports.ts';
import type { ForeignExport } from '../../core/ports/license-sheet.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import { reportOf } from '../../core/selling/check-lines.ts';
import { foreignExportOf, type LineName, lineNameOf, lineTitle } from '../../core/selling/foreign-export.ts';
import type { Checked, Faulty } from '../../core/selling/sheet-report.ts';
import { type ExportOptions, mapIn, withExportOptions } from '../export-options.ts';
import { describeLeftOut } from '../server/left-out.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, administer, type ChangeOptions, changing, operator, RefusedCommand } from './action.ts';
import { createProgress } from './progress.ts';
import { counted, table } from './table.ts';
import type { Terminal } from './terminal.ts';

const format = `
The first line names the columns, in any order. Only product is required; every other cell may be empty:
  key                   LIC-XXXX-XXXX-XXXX-XXXX, or a key of another system, which becomes the alias of a new key [a new key]
  alias                 a key of another system, 8 to 128 characters, which leads to the license too
  alias_kind            its system: lemonsqueezy, edd, gumroad, freemius, keygen, woocommerce, slm or other [other]
  product               id or slug of a product
  max_domains           1 to 1000000 [1]
  expires_at            a date (the end of that day) or a date and time, in UTC, past or future; or never [never]
  days_from_activation  1 to 36500: the days from the first activation to the expiry, if expires_at is never
  updates_until         until when it gets new releases: as expires_at [never]
  entitlements          codes with blanks between them, such as pro team
  status                ${standings.join(', ')}, or expired with a past expires_at [active]
  holder_email, holder_name, reference
  metadata              a JSON object of texts
  domains               domains with blanks between them, each with @ and the time of its activation, or without [now]

With --from, the file is an export of another system: CSV, or answers of its API as JSON. Say which product its licenses get.
A line of --map-file is as --map: the product there, =, and the product here.

The server keeps running meanwhile. The licenses become visible only after the whole file is checked. From then on, the import
is completed in any case: by this command or, if it is killed, by the server or the next import.`;

type ImportOptions = ChangeOptions & ExportOptions;

export function addLicenseImportCommand(license: Command, terminal: Terminal): void {
  changing(
    withExportOptions(
      license
        .command('import')
        .description('Import licenses of another system with their keys and domains: the whole file, or nothing')
        .argument('<file>', 'a file in UTF-8; - is standard input'),
    ).addHelpText('after', format),
  ).action((file: string, options: ImportOptions) =>
    administer(terminal, options, async (parts) => {
      const foreign = await exportOf(options);
      if (isRefused(foreign)) return refuse(foreign.reason, foreign.detail ?? whyNot[foreign.reason]);
      const source = file === '-' ? terminal.stdin : (await open(file)).createReadStream();
      // Without a listener, Node would end the process. The reader gets the error too.
      source.on('error', () => undefined);
      return await importFile(parts, source, { ...options, foreign }, terminal);
    }),
  );
}

async function exportOf({ from, product, theirProduct, dryRun, ...maps }: ImportOptions) {
  return foreignExportOf({ from, product, theirProduct, map: await mapIn(maps), isCheck: dryRun === true });
}

const whyNot = {
  export_needs_product: 'With --from, say which product here its licenses get: --product, or --map for several.',
  product_needs_system: '--product needs --from.',
  their_product_needs_system: '--their-product needs --from.',
  their_product_needs_product: '--their-product needs --product.',
  map_needs_system: '--map needs --from.',
  product_and_map: 'Use either --product or --map.',
  invalid_map: 'The map is not as 123=simple-dex.',
} as const satisfies Record<Extract<ReturnType<typeof foreignExportOf>, Refused>['reason'], string>;

async function importFile(
  parts: Parts,
  source: Readable,
  options: ImportOptions & { readonly foreign: ForeignExport | undefined },
  terminal: Terminal,
): Promise<Answer | Refused> {
  const interrupted = stopping(source, terminal);
  const progress = createProgress(terminal.stderr);
  const imports = await parts.get(t.sheetImports);
  try {
    const { foreign } = options;
    const read = (lines: number) => {
      if (terminal.stderr.isTTY) progress.at(lines);
    };
    if (options.dryRun) {
      const found = await imports.checkAny(source, operator(options), { foreign, read });
      interrupted.check();
      return isRefused(found) ? found : checkAnswer(found, options.from);
    }
    const result = await imports.importAny(source, operator(options), {
      foreign,
      read,
      checked() {
        progress.end();
        interrupted.check();
        interrupted.announce('The whole file has been checked, so the import is finished before the command stops.');
      },
    });
    interrupted.check();
    if (isRefused(result)) return result;
    const name = lineNameOf(options.from);
    return 'first' in result ? refusal(result, name) : answer(result, name);
  } finally {
    progress.end();
    source.destroy();
  }
}

function answer({ added, leftOut, passedOver }: Finished, name: LineName): Answer {
  const passed = passedOver > 0 ? ` Passed over ${counted(passedOver, name)}: --dry-run says why.` : '';
  return {
    json: { imported: added, passedOver, ...(leftOut.length > 0 && { leftOut }) },
    text: `Imported ${counted(added, 'license')}.${passed}`,
    failure: leftOut.length > 0 ? failure(leftOut, name) : undefined,
  };
}

function checkAnswer(found: Checked, from: string | undefined): Answer {
  const { head, rows, lines } = reportOf(found, from);
  const { kind: _, ...json } = found;
  return { json, text: [...(rows.length > 0 ? [table([head, ...rows])] : []), ...lines].join('\n') };
}

/** Lists the lines that had no fault, but could not be imported in the end. */
function failure(leftOut: readonly LeftOut[], name: LineName): string {
  const what = `${counted(leftOut.length, name)} of the file could no longer be imported:`;
  return [what, ...describeLeftOut(leftOut, name)].join('\n');
}

/** Lists the first faults, one on each line, and the number of all. */
function refusal({ first, others }: Faulty, name: LineName): Refused {
  const count = first.length + others;
  const lines = [
    `Nothing was imported: there ${count === 1 ? 'is' : 'are'} ${counted(count, 'fault')}.`,
    ...first.map(({ line, message }) => `${lineTitle(name, line)}: ${message}`),
    ...(others > 0 ? [`And ${counted(others, 'more fault')}.`] : []),
  ];
  return refuse('file_refused', lines.join('\n'));
}

/** Stops reading a file when the process is stopped. */
function stopping(source: Readable, terminal: Terminal) {
  let stopped: RefusedCommand | undefined;
  let later: string | undefined;
  terminal.stopSignal().then((signal) => {
    if (later !== undefined) {
      terminal.stderr.write(`${later}\n`);
      return;
    }
    stopped = new RefusedCommand(`Nothing was imported: stopped by ${signal}.`);
    source.destroy(stopped);
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
