import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { isStorageKey } from '../../adapters/files/storage-key.ts';
import { assertEmpty, fill, type Snapshot, withSnapshot } from '../../adapters/sql/archive.ts';
import { type Digest, digestOf, readLines, writeLines, writeNew } from '../../adapters/sql/archive-lines.ts';
import { format, type Manifest, readManifest, writeManifest } from '../../adapters/sql/archive-manifest.ts';
import { ImportRefused } from '../../adapters/sql/archive-refused.ts';
import { type ArchivedRow, type ArchivedTable, archivedTables } from '../../adapters/sql/archive-tables.ts';
import type { Database } from '../../adapters/sql/database.ts';
import { type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../compose.ts';
import type { StoredFiles } from '../file-serving.ts';
import { stopSignal } from '../stop-signal.ts';
import { t } from '../tokens.ts';
import { version } from '../version.ts';
import { type Answer, type AnswerOptions, administer, answering, RefusedCommand } from './action.ts';

export function addMovingCommands(program: Command): void {
  answering(
    program
      .command('export')
      .description('Write all data and files into a folder, while the server runs')
      .argument('<folder>', 'made by this; it may be there if it is empty'),
  ).action((name: string, options: AnswerOptions) =>
    administer(options, (parts) => exportTo(resolve(name), parts, interruptible('exported'))),
  );

  answering(
    program
      .command('import')
      .description('Take over all data and files of an export, into an empty database: all or nothing')
      .argument('<folder>', 'what export has made'),
  ).action((name: string, options: AnswerOptions) =>
    administer(options, (parts) => importFrom(resolve(name), parts, interruptible('imported'))),
  );
}

/** Passes on what comes, as long as nobody has told the process to stop. */
type Interruptible = <T>(pieces: AsyncIterable<T>) => AsyncGenerator<T>;

function interruptible(done: string): Interruptible {
  let stopped: string | undefined;
  stopSignal().then((signal) => {
    stopped = signal;
  });
  return async function* (pieces) {
    for await (const piece of pieces) {
      if (stopped !== undefined) throw new RefusedCommand(`Nothing was ${done}: stopped by ${stopped}.`);
      yield piece;
    }
  };
}

async function exportTo(folder: string, parts: Parts, watched: Interruptible): Promise<Answer | Refused> {
  const { DATABASE_URL } = await parts.get(t.config);
  if (DATABASE_URL.kind === 'sqlite' && !existsSync(DATABASE_URL.path)) {
    return refuse('no_database', `There is no database ${DATABASE_URL.path}.`);
  }
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    return refuse('folder_not_empty', `${folder} is not empty.`);
  }
  const database = await parts.get(t.database);
  const files = await parts.get(t.files);
  const now = (await parts.get(t.clock)).now();
  const manifest = await madeWhole(folder, async (temporary) => {
    const { keys, ...written } = await withSnapshot(database, (snapshot) => exportRows(snapshot, temporary, watched));
    const content = {
      format,
      program: `latchkey ${version}`,
      exported_at: new Date(now).toISOString(),
      ...written,
      files: await exportFiles(files, keys, temporary, watched),
    } as const;
    await writeManifest(temporary, content);
    return content;
  });
  return answer('export', 'Exported', folder, manifest);
}

/** Makes a folder under another name beside its place, so that it is there whole or not at all. */
async function madeWhole<T>(folder: string, work: (temporary: string) => Promise<T>): Promise<T> {
  await access(dirname(folder));
  const temporary = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  try {
    const done = await work(temporary);
    await rename(temporary, folder);
    return done;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Answers the keys of the files that the rows refer to, too. */
async function exportRows({ schema, rows }: Snapshot, folder: string, watched: Interruptible) {
  const keys = new Set<string>();
  const tables: Manifest['tables'] = {};
  async function* noting(table: ArchivedTable) {
    for await (const page of watched(rows(table))) {
      for (const key of filesOf(table, page)) keys.add(key);
      yield page;
    }
  }
  await mkdir(join(folder, 'tables'));
  for (const table of archivedTables) tables[table.name] = await writeLines(linesOf(folder, table), noting(table));
  return { schema, tables, keys };
}

async function exportFiles(files: StoredFiles, keys: ReadonlySet<string>, folder: string, watched: Interruptible) {
  const written: Manifest['files'] = [];
  for (const key of keys) {
    if (!(await files.has(key))) {
      throw new RefusedCommand(`Nothing was exported: the file ${key} is not where FILES_URL says.`);
    }
    const place = join(folder, 'files', key);
    await mkdir(dirname(place), { recursive: true });
    written.push({ key, ...(await writeNew(place, watched(files.read(key)))) });
  }
  return written;
}

async function importFrom(folder: string, parts: Parts, watched: Interruptible): Promise<Answer | Refused> {
  const { FILES_URL } = await parts.get(t.config);
  if (FILES_URL.kind === 'temporary') {
    return refuse('files_temporary', 'FILES_URL=temporary: would lose the files: set where they are to be kept.');
  }
  const manifest = await readManifest(folder);
  const database = await parts.get(t.database);
  await assertEmpty(database);
  const rowsOf = (table: ArchivedTable) =>
    watched(readLines(linesOf(folder, table), manifest.tables[table.name] ?? { rows: 0, bytes: 0, sha256: '' }));
  await checkWhole(folder, manifest, rowsOf);
  const files = await parts.get(t.files);
  await withFiles(files, database, async (put) => {
    for (const file of manifest.files) await importFile(files, folder, file, watched, put);
    await fill(database, rowsOf);
  });
  return answer('import', 'Imported', folder, manifest);
}

/** Reads all rows once, and looks for the files, before anything is changed. */
async function checkWhole(
  folder: string,
  manifest: Manifest,
  rowsOf: (table: ArchivedTable) => AsyncIterable<readonly ArchivedRow[]>,
): Promise<void> {
  const keys = new Set(manifest.files.map(({ key }) => key));
  for (const { key, bytes } of manifest.files) {
    if (!isStorageKey(key)) throw new ImportRefused(`${JSON.stringify(key)} is not what a file may be called.`);
    if ((await stat(join(folder, 'files', key))).size !== bytes) throw changed(key);
  }
  for (const table of archivedTables) {
    for await (const rows of rowsOf(table)) {
      const missing = filesOf(table, rows).find((key) => !keys.has(key));
      if (missing !== undefined) throw new ImportRefused(`the manifest lacks the file ${missing} of ${table.name}.`);
    }
  }
}

/** Does the work; where it fails, the files whose keys it has noted are taken away. */
async function withFiles(
  files: StoredFiles,
  database: Database,
  work: (put: string[]) => Promise<void>,
): Promise<void> {
  const put: string[] = [];
  try {
    await work(put);
  } catch (error) {
    // Where the answer to a commit was lost, the rows may be there. Files too many are swept by the server one day.
    const isEmpty = await assertEmpty(database).then(
      () => true,
      () => false,
    );
    if (isEmpty) await Promise.allSettled(put.map((key) => files.delete(key)));
    throw error;
  }
}

/** Stores a file, unless the very same is there: of a storage that the old and the new service share, nothing is moved. */
async function importFile(
  files: StoredFiles,
  folder: string,
  { key, ...expected }: Manifest['files'][number],
  watched: Interruptible,
  put: string[],
): Promise<void> {
  if (await files.has(key)) {
    if (isSame(await digestOf(watched(files.read(key))), expected)) return;
    throw new ImportRefused(`another file is stored as ${key} already.`);
  }
  const copy = join(files.staging, randomUUID());
  try {
    const content = createReadStream(join(folder, 'files', key));
    if (!isSame(await writeNew(copy, watched(content)), expected)) {
      throw changed(key);
    }
    put.push(key);
    await files.put(key, copy);
  } finally {
    await rm(copy, { force: true });
  }
}

function changed(key: string): ImportRefused {
  return new ImportRefused(`the file ${key} is not as it was exported.`);
}

function isSame(one: Digest, other: Digest): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}

function filesOf({ files = [] }: ArchivedTable, rows: readonly ArchivedRow[]): string[] {
  return rows.flatMap((row) => files.map((column) => row[column]).filter((key) => typeof key === 'string'));
}

function linesOf(folder: string, { name }: ArchivedTable): string {
  return join(folder, 'tables', `${name}.jsonl`);
}

function answer(command: string, done: string, folder: string, { schema, tables, files }: Manifest): Answer {
  const rows = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table.rows]));
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    json: { [command]: { folder, schema, rows, files: { count: files.length, bytes } } },
    text: `${done} ${total} rows and ${files.length} files (${bytes} bytes): ${folder}.`,
  };
}
