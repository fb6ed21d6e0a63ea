import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { standings } from '../../core/licensing/license.ts';
import type { LeftOut } from '../../core/ports/license-imports.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import type { Faulty } from '../../core/selling/sheet-report.ts';
import { describeLeftOut } from '../server/left-out.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, administer, type ChangeOptions, changing, operator, RefusedCommand } from './action.ts';
import { createProgress } from './progress.ts';
import { counted } from './table.ts';
import type { Terminal } from './terminal.ts';

const format = `
The first line names the columns, in any order. Only product is required; every other cell may be empty:
  key                   LIC-XXXX-XXXX-XXXX-XXXX, or a key of another system, which becomes the alias of a new key [a new key]
  alias                 a key of another system, 8 to 128 characters, which leads to the license too
  alias_kind            its system: lemonsqueezy, edd, gumroad, freemius, keygen, woocommerce or other [other]
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

The server keeps running meanwhile. The licenses become visible only after the whole file is checked. From then on, the import
is completed in any case: by this command or, if it is killed, by the server or the next import.`;

export function addLicenseImportCommand(license: Command, terminal: Terminal): void {
  changing(
    license
      .command('import')
      .description('Import licenses of another system with their keys and domains: the whole file, or nothing')
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
  const progress = createProgress(terminal.stderr);
  const imports = await parts.get(t.sheetImports);
  try {
    const result = await imports.importAny(source, operator(options), {
      read(lines) {
        if (terminal.stderr.isTTY) progress.at(lines);
      },
      checked() {
        progress.end();
        interrupted.check();
        interrupted.announce('The whole file has been checked, so the import is finished before the command stops.');
      },
    });
    interrupted.check();
    if (isRefused(result)) return result;
    return 'first' in result ? refusal(result) : answer(result);
  } finally {
    progress.end();
    source.destroy();
  }
}

function answer({ added, leftOut }: { readonly added: number; readonly leftOut: readonly LeftOut[] }): Answer {
  return {
    json: { imported: added, ...(leftOut.length > 0 && { leftOut }) },
    text: `Imported ${counted(added, 'license')}.`,
    failure: leftOut.length > 0 ? failure(leftOut) : undefined,
  };
}

/** Lists the lines that had no fault, but could not be imported in the end. */
function failure(leftOut: readonly LeftOut[]): string {
  const what = `${counted(leftOut.length, 'line')} of the file could no longer be imported:`;
  return [what, ...describeLeftOut(leftOut)].join('\n');
}

/** Lists the first faults, one on each line, and the number of all. */
function refusal({ first, others }: Faulty): Refused {
  const count = first.length + others;
  const lines = [
    `Nothing was imported: there ${count === 1 ? 'is' : 'are'} ${counted(count, 'fault')}.`,
    ...first.map(({ line, message }) => `Line ${line}: ${message}`),
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
