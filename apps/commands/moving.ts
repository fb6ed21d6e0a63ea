import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { isStorageKey } from '../../adapters/files/storage-key.ts';
import { keepSecret } from '../../adapters/node/secret-file.ts';
import { assertEmpty, fill, type Snapshot, withSnapshot } from '../../adapters/sql/archive/archive.ts';
import { readLines, writeLines } from '../../adapters/sql/archive/lines.ts';
import { format, type Manifest, readManifest, writeManifest } from '../../adapters/sql/archive/manifest.ts';
import { ImportRefused } from '../../adapters/sql/archive/refused.ts';
import { type ArchivedRow, type ArchivedTable, archivedTables } from '../../adapters/sql/archive/tables.ts';
import { type Database, isCopyable } from '../../adapters/sql/database.ts';
import { iso } from '../../core/iso.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import type { StoredFiles } from '../wiring/file-serving.ts';
import { adoptSigningSecret, archivedSecret, fingerprintOf, secretName } from '../wiring/signing-secret.ts';
import { t } from '../wiring/tokens.ts';
import { version } from '../wiring/version.ts';
import { type Answer, type AnswerOptions, administer, answering } from './action.ts';
import { madeWhole } from './folder-beside.ts';
import { type Interruptible, interruptible } from './interruptible.ts';
import { warnIfLong } from './progress.ts';
import { changed, copyStored, filesTemporary, storeArchived, totalOf, wrongKey } from './stored-archive.ts';
import type { Terminal } from './terminal.ts';

export function addMovingCommands(program: Command, terminal: Terminal): void {
  answering(
    program
      .command('export')
      .description('Write all data and files into a folder, while the server runs')
      .argument('<folder>', 'a new or empty folder')
      .addHelpText(
        'after',
        '\nThe export contains all rows as they were at one moment. Until all are read, Postgres keeps old versions of rows, which makes a busy server slower.',
      ),
  ).action((name: string, options: AnswerOptions) =>
    administer(terminal, options, (parts) => exportTo(resolve(name), parts, terminal)),
  );

  answering(
    program
      .command('import')
      .description('Import all data and files of an export into an empty database: all or nothing')
      .argument('<folder>', 'the folder that export has written'),
  ).action((name: string, options: AnswerOptions) =>
    administer(terminal, options, (parts) => importFrom(resolve(name), parts, interruptible(terminal, 'imported')), {
      mustExist: false,
    }),
  );
}

async function exportTo(folder: string, parts: Parts, terminal: Terminal): Promise<Answer | Refused> {
  const watched = interruptible(terminal, 'exported');
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    return refuse('folder_not_empty', `${folder} is not empty.`);
  }
  const database = await parts.get(t.database);
  const files = await parts.get(t.files);
  const secret = await parts.get(t.signingSecret);
  const now = (await parts.get(t.clock)).now();
  const manifest = await madeWhole(folder, async (temporary) => {
    const rows = (snapshot: Snapshot) => exportRows(snapshot, temporary, watched);
    const { keys, ...written } = isCopyable(database)
      ? await (await import('../../adapters/sql/sqlite/copy.ts')).withSqliteCopy(
          database,
          join(temporary, 'latchkey.db'),
          rows,
        )
      : await warnIfLong(snapshotIsLong, withSnapshot(database, rows), terminal.stderr);
    const content = {
      format,
      program: `latchkey ${version}`,
      exported_at: iso(now),
      signing_secret: { included: !secret.isGiven, fingerprint: fingerprintOf(secret.text) },
      ...written,
      files: await exportFiles(files, keys, temporary, watched),
    } as const;
    if (!secret.isGiven) await keepSecret(join(temporary, secretName), secret.text);
    await writeManifest(temporary, content);
    return content;
  });
  return answer('export', 'Exported', folder, manifest);
}

const snapshotIsLong =
  'Reading the rows takes long. Until all are read, Postgres keeps every old version of a row, and licenses that are verified often get slower. Afterwards it recovers by itself. If the server is busy, export at a quiet time, or dump a replica.';

/** Writes the rows of all tables. Also returns the keys of the files that the rows refer to. */
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
    const place = join(folder, 'files', key);
    await mkdir(dirname(place), { recursive: true });
    written.push(await copyStored(files, key, place, { watched, done: 'exported' }));
  }
  return written;
}

async function importFrom(folder: string, parts: Parts, watched: Interruptible): Promise<Answer | Refused> {
  const config = await parts.get(t.config);
  if (config.FILES_URL.kind === 'temporary') {
    return filesTemporary;
  }
  const manifest = await readManifest(folder);
  const database = await parts.get(t.database);
  await assertEmpty(database);
  const rowsOf = (table: ArchivedTable) =>
    watched(readLines(linesOf(folder, table), manifest.tables[table.name] ?? { rows: 0, bytes: 0, sha256: '' }));
  await checkWhole(folder, manifest, rowsOf);
  const secret = await archivedSecret(folder, manifest, config.SECRET_KEY, refused);
  if (secret !== undefined) await adoptSigningSecret(config, database, secret); // Before any part reads the secret.
  const files = await parts.get(t.files);
  await withFiles(files, database, async (put) => {
    for (const file of manifest.files) {
      await storeArchived(files, join(folder, 'files', file.key), file, { watched, put, refuse: refused });
    }
    await fill(database, rowsOf);
  });
  return answer('import', 'Imported', folder, manifest);
}

/** Reads all rows and checks that all files exist, before anything is changed. */
async function checkWhole(
  folder: string,
  manifest: Manifest,
  rowsOf: (table: ArchivedTable) => AsyncIterable<readonly ArchivedRow[]>,
): Promise<void> {
  const keys = new Set(manifest.files.map(({ key }) => key));
  for (const { key, bytes } of manifest.files) {
    if (!isStorageKey(key)) throw refused(wrongKey(key));
    if ((await stat(join(folder, 'files', key))).size !== bytes) throw refused(changed(key));
  }
  for (const table of archivedTables) {
    for await (const rows of rowsOf(table)) {
      const missing = filesOf(table, rows).find((key) => !keys.has(key));
      if (missing !== undefined) throw refused(`the manifest lacks the file ${missing} of ${table.name}.`);
    }
  }
}

/**
 * Does the work. If it fails, deletes the files whose keys it has added to `put`, unless their rows may exist: the
 * answer to the commit was lost, or the database is no longer empty. The sweep of the server deletes files that no row
 * refers to.
 */
async function withFiles(
  files: StoredFiles,
  database: Database,
  work: (put: string[]) => Promise<void>,
): Promise<void> {
  const put: string[] = [];
  try {
    await work(put);
  } catch (error) {
    if (error instanceof OutcomeUnknown) throw error;
    const isEmpty = await assertEmpty(database).then(
      () => true,
      () => false,
    );
    if (isEmpty) await Promise.allSettled(put.map((key) => files.delete(key)));
    throw error;
  }
}

function refused(why: string): ImportRefused {
  return new ImportRefused(why);
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
  const { count, bytes } = totalOf(files);
  return {
    json: { [command]: { folder, schema, rows, files: { count, bytes } } },
    text: `${done} ${total} rows and ${count} files (${bytes} bytes): ${folder}.`,
  };
}
