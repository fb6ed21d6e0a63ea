import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type LicenseKey, parseLicenseKey } from '../../core/licensing/license-key.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../compose.ts';
import { t } from '../tokens.ts';
import { type Answer, administer, by, type ChangeOptions, changing } from './action.ts';
import { type Entry, judgeEntries, type Problem, readEntries, told } from './import-file.ts';

const format = `
The first line names the columns, in any order; a cell may be left empty, but for key and product:
  key          LIC-XXXX-XXXX-XXXX-XXXX
  product      id or slug of a product
  max_domains  1 to 1000000 [1]
  expires_at   a date or a date and time, UTC, also a past one; or never [never]
  status       active, suspended, revoked, or expired with a past expires_at [active]`;

export function addLicenseImportCommand(license: Command): void {
  changing(
    license
      .command('import')
      .description('Take over licenses whose keys were minted elsewhere: all of the file, or nothing')
      .argument('<csv>', 'a CSV file in UTF-8; - is standard input')
      .addHelpText('after', format),
  ).action((file: string, options: ChangeOptions) =>
    administer(options, async (parts) => importFile(parts, await readText(file), options)),
  );
}

async function importFile(parts: Parts, text: string | undefined, options: ChangeOptions): Promise<Answer | Refused> {
  if (text === undefined) return refuse('not_utf_8', 'Nothing was imported: the file is not text in UTF-8.');
  const { entries, problems } = readEntries(text);
  const products = await productIds(parts, entries);
  const judged = judgeEntries(entries, products, (await parts.get(t.clock)).now());
  const wrong = [...problems, ...judged.problems];
  if (wrong.length === 0) {
    const issuing = await parts.get(t.issuing);
    const refused = await issuing.import(judged.licenses, by(options));
    const { length } = judged.licenses;
    if (refused === undefined) return { json: { imported: length }, text: `Imported ${length} licenses.` };
  }
  return refusal([...wrong, ...(await takenKeys(parts, entries))]);
}

function refusal(problems: readonly Problem[]): Refused {
  const lines = problems.toSorted((one, other) => one.line - other.line);
  const told = lines.map(({ line, what }) => `Line ${line}: ${what}`).join(' ');
  return refuse('file_refused', `Nothing was imported. ${told}`);
}

async function productIds(parts: Parts, entries: readonly Entry[]): Promise<Map<string, number | undefined>> {
  const products = await parts.get(t.products);
  const ids = new Map<string, number | undefined>();
  for (const name of new Set(entries.map(({ cells }) => cells.product))) {
    const product = await products.find(name);
    ids.set(name, isRefused(product) ? undefined : product.id);
  }
  return ids;
}

/** Looked up one by one, as the store names the first alone. */
async function takenKeys(parts: Parts, entries: readonly Entry[]): Promise<Problem[]> {
  const licensing = await parts.get(t.licensing);
  const isTaken = async (key: LicenseKey) => !isRefused(await licensing.status(key));
  const problems: Problem[] = [];
  for (const { line, cells } of entries) {
    const key = parseLicenseKey(cells.key);
    if (key && (await isTaken(key))) problems.push({ line, what: `${told(cells, 'key')}: A license has it already.` });
  }
  return problems;
}

/** The text of a file without its byte order mark, or `undefined` where its bytes are no UTF-8. */
async function readText(file: string): Promise<string | undefined> {
  const bytes = await (file === '-' ? buffer(process.stdin) : readFile(file));
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
}
