import { createReadStream, existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { isStorageKey } from '../../adapters/files/storage-key.ts';
import { keepSecret, readSecret } from '../../adapters/node/secret-file.ts';
import { createSigner } from '../../adapters/node/signer.ts';
import { giveToOwnerOf } from '../../adapters/ownership.ts';
import {
  type BackupManifest,
  backupNames,
  parseBackupManifest,
  RestoreRefused,
} from '../../adapters/sql/archive/backup-manifest.ts';
import { writeNew } from '../../adapters/sql/archive/lines.ts';
import { syncFolder } from '../../adapters/sync-folder.ts';
import { type Refused, refuse } from '../../core/refusal.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import type { StoredFiles } from '../wiring/file-serving.ts';
import { archivedSecret, fingerprintOf, secretFileOf, secretName } from '../wiring/signing-secret.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, type AnswerOptions, answering, printAnswer } from './action.ts';
import { inFolderBeside } from './folder-beside.ts';
import { interruptible } from './interruptible.ts';
import { createProgress, type Progress } from './progress.ts';
import { contentOf, filesTemporary, isSame, piecesOf, storeArchived, type Work, wrongKey } from './stored-archive.ts';
import type { Terminal } from './terminal.ts';

export function addRestoreCommand(program: Command, terminal: Terminal): void {
  answering(
    program
      .command('restore')
      .description('Restore the database and the files of a backup to an empty place: all or nothing')
      .argument('<place>', 'the folder or .tar that backup has written'),
  ).action(async (name: string, options: AnswerOptions) => {
    const config: Config = { ...readConfig(terminal.environment), LOG_LEVEL: 'silent' };
    const progress = createProgress(terminal.stderr);
    const work = { progress, watched: interruptible(terminal, 'restored') };
    await printAnswer(terminal, options, await restore(resolve(name), config, work).finally(progress.end));
  });
}

async function restore(source: string, config: Config, work: Work): Promise<Answer | Refused> {
  const { DATABASE_URL, FILES_URL } = config;
  if (DATABASE_URL.kind !== 'sqlite') {
    return refuse(
      'not_sqlite',
      'A backup is restored to SQLite: set DATABASE_URL=sqlite:<file>. To move to Postgres, restore to SQLite first, then export and import.',
    );
  }
  if (FILES_URL.kind === 'temporary') {
    return filesTemporary;
  }
  const target = resolve(DATABASE_URL.path);
  const present = ['', '-wal', '-shm', '-journal'].map((end) => `${target}${end}`).find((file) => existsSync(file));
  if (present !== undefined) return refuse('exists', `${present} exists already: restore to an empty place.`);
  const isFolder = (await stat(source)).isDirectory();
  if (!isFolder && (await isDatabase(source))) return refuse('database_alone', databaseAlone);
  await mkdir(dirname(target), { recursive: true });
  const manifest = await inFolderBeside(target, async (temporary) => {
    if (!isFolder) await unpack(source, temporary, work.progress);
    const backup = await check(isFolder ? source : temporary, temporary, config, work);
    // The database is put in its place last, so that nobody can open an incomplete one.
    const { composeFiles } = await import('../wiring/compose.ts');
    const parts = await composeFiles(config, createSigner(backup.secret?.text ?? config.SECRET_KEY));
    const done = parts.get(t.files).then((files) => putInPlace(backup, target, files, work));
    await done.finally(() => parts.close());
    return backup.manifest;
  });
  return answerOf(source, target, manifest, config);
}

const databaseAlone =
  'This is a copy of the database alone, as older versions made it: stop the server, and put it where DATABASE_URL points.';

async function isDatabase(file: string): Promise<boolean> {
  return (await text(createReadStream(file, { end: 14 }))) === 'SQLite format 3';
}

async function unpack(source: string, folder: string, progress: Progress): Promise<void> {
  progress.step('Unpacking');
  const { unpackTar } = await import('../../adapters/tar/tar-file.ts');
  const known: readonly string[] = [...Object.values(backupNames), secretName];
  let count = 0;
  await unpackTar(source, folder, {
    allows: (name) => known.includes(name) || (name.startsWith('files/') && isStorageKey(name.slice('files/'.length))),
    each: () => progress.at(++count),
  });
}

/** A backup that was checked, except for its files. */
interface Backup {
  readonly manifest: BackupManifest;
  readonly files: string;
  /** Whether each file is deleted once it is stored, so that it does not take space twice. */
  readonly isUnpacked: boolean;
  /** A copy of its database, on the file system where it is restored. */
  readonly database: string;
  /** Its secret and the file for it, unless SECRET_KEY is set. */
  readonly secret: { readonly file: string; readonly text: string } | undefined;
}

async function check(folder: string, temporary: string, config: Config, { progress, watched }: Work): Promise<Backup> {
  const manifest = parseBackupManifest(await readFile(join(folder, backupNames.manifest), 'utf8'));
  const strange = manifest.files.find(({ key }) => !isStorageKey(key));
  if (strange) throw refused(wrongKey(strange.key));
  const secret = await secretOf(folder, manifest, config);
  progress.step('Checking the database');
  const database = join(temporary, 'copy.db');
  const content = await writeNew(database, watched(piecesOf(join(folder, backupNames.database))));
  if (!isSame(content, manifest.database)) throw refused(`${backupNames.database} has changed since it was written.`);
  return { manifest, files: join(folder, 'files'), isUnpacked: folder === temporary, database, secret };
}

async function secretOf(folder: string, manifest: BackupManifest, config: Config): Promise<Backup['secret']> {
  const text = await archivedSecret(folder, manifest, config.SECRET_KEY, refused);
  const file = secretFileOf(config);
  if (text === undefined || file === undefined) return undefined;
  if (((await readSecret(file)) ?? text) !== text) {
    throw refused(`${file} exists already, with another secret: restore to an empty place.`);
  }
  return { file, text };
}

/** Stores all files, then the secret, then the database. If anything fails, removes everything again. */
async function putInPlace(
  { manifest, files: from, isUnpacked, database, secret }: Backup,
  target: string,
  files: StoredFiles,
  { progress, watched }: Work,
): Promise<void> {
  const put: string[] = [];
  let madeSecret = false;
  try {
    progress.step(`Storing ${manifest.files.length} files`);
    for (const [index, file] of manifest.files.entries()) {
      await storeArchived(files, join(from, file.key), file, { watched, put, refuse: refused });
      if (isUnpacked) await rm(join(from, file.key));
      progress.at(index + 1, manifest.files.length);
    }
    if (secret && !existsSync(secret.file)) {
      madeSecret = true;
      await keepSecret(secret.file, secret.text);
    }
    await giveToOwnerOf(dirname(target), database);
    await link(database, target);
  } catch (error) {
    await Promise.allSettled(put.map((key) => files.delete(key)));
    if (secret && madeSecret) await rm(secret.file, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
}

function refused(why: string): RestoreRefused {
  return new RestoreRefused(why);
}

function answerOf(source: string, target: string, manifest: BackupManifest, { SECRET_KEY: given }: Config): Answer {
  const { schema, signing_secret } = manifest;
  const { text, database, files } = contentOf(manifest);
  const isSameSecret = given === '' || fingerprintOf(given) === signing_secret.fingerprint;
  const summary = `Restored ${text} from ${source}.`;
  return {
    json: {
      restore: { place: source, schema, database: { file: target, ...database }, files, linksStayGood: isSameSecret },
    },
    text: isSameSecret
      ? summary
      : `${summary}\nSECRET_KEY differs from the one at backup time: older links no longer work.`,
  };
}
