import { rm, writeFile } from 'node:fs/promises';
import { t } from '../../apps/wiring/tokens.ts';
import { operator } from '../support/by.ts';
import { runServerProgram } from '../support/server-process.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { mintBindings, withParts } from './seed.ts';

/** The time of `license import` for keys of another system, including the start of the program. */
export interface Imports {
  readonly licenses: number;
  readonly seconds: Readonly<Partial<Record<DatabaseKind, number>>>;
}

export async function measureImports(
  folder: TemporaryFolder,
  databases: Databases,
  { licenses, seed }: { readonly licenses: number; readonly seed: number },
  tell: (line: string) => void,
): Promise<Imports> {
  const csv = folder.file('licenses.csv');
  const lines = mintBindings(licenses, seed).map(({ key }) => `${key},sample\n`);
  await writeFile(csv, `key,product\n${lines.join('')}`);
  const seconds: Partial<Record<DatabaseKind, number>> = {};
  for (const kind of databases.kinds) {
    tell(`imports: ${licenses} licenses into ${kind}`);
    seconds[kind] = await secondsToImport(csv, licenses, await databases.create(kind), folder);
  }
  await rm(csv);
  return { licenses, seconds };
}

async function secondsToImport(csv: string, licenses: number, url: string, folder: TemporaryFolder): Promise<number> {
  await withParts(url, async (parts) =>
    (await parts.get(t.products)).add({ title: 'Sample', ownerId: null }, operator),
  );
  const began = performance.now();
  const { code, stdout, stderr } = await runServerProgram(['license', 'import', csv, '--json'], {
    DATABASE_URL: url,
    FILES_URL: `disk:${folder.file('files')}`,
  });
  const seconds = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`The import ended with ${code}: ${stderr.slice(0, 1_000)}`);
  if (JSON.parse(stdout).imported !== licenses) throw new Error(`The import of ${licenses} licenses printed ${stdout}`);
  return seconds;
}
