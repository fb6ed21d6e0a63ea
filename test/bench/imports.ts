import { rm, writeFile } from 'node:fs/promises';
import { t } from '../../apps/wiring/tokens.ts';
import { operator } from '../support/by.ts';
import { runServerProgram } from '../support/server-process.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { type Binding, mintBindings, withParts } from './seed.ts';

/** The time of `license import` for keys of another system, including the start of the program. */
export interface Imports {
  readonly licenses: number;
  readonly seconds: Seconds;
  /** The same with a holder, a reference, a domain and metadata in each line. */
  readonly fullSeconds: Seconds;
}
type Seconds = Readonly<Partial<Record<DatabaseKind, number>>>;

export async function measureImports(
  folder: TemporaryFolder,
  databases: Databases,
  { licenses, seed }: { readonly licenses: number; readonly seed: number },
  tell: (line: string) => void,
): Promise<Imports> {
  const bindings = mintBindings(licenses, seed);
  const csv = folder.file('licenses.csv');
  const measure = async (what: string, header: string, lineOf: (binding: Binding, n: number) => string) => {
    const seconds: Partial<Record<DatabaseKind, number>> = {};
    await writeFile(csv, `${header}\n${bindings.map(lineOf).join('')}`);
    for (const kind of databases.kinds) {
      tell(`imports: ${licenses} licenses${what} into ${kind}`);
      seconds[kind] = await secondsToImport(csv, licenses, await databases.create(kind), folder);
    }
    await rm(csv);
    return seconds;
  };
  return {
    licenses,
    seconds: await measure('', 'key,product', ({ key }) => `${key},sample\n`),
    fullSeconds: await measure(
      ' with holders and domains',
      'key,product,max_domains,expires_at,holder_email,holder_name,reference,metadata,domains',
      ({ key, domain }, n) =>
        `${key},sample,3,2999-01-31,holder${n}@example.com,Holder ${n},order-${n},"{""plan"":""gold""}",${domain}@2025-06-30T10:00:00Z\n`,
    ),
  };
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
