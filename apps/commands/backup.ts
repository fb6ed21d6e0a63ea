import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { keepSecret } from '../../adapters/node/secret-file.ts';
import { copyDatabase } from '../../adapters/sql/archive/backup.ts';
import { type BackupManifest, backupFormat, backupNames } from '../../adapters/sql/archive/backup-manifest.ts';
import { type Digest, digestOf } from '../../adapters/sql/archive/lines.ts';
import { type CopyableDatabase, isCopyable } from '../../adapters/sql/database.ts';
import { iso } from '../../core/iso.ts';
import { type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import { fingerprintOf, secretName } from '../wiring/signing-secret.ts';
import { t } from '../wiring/tokens.ts';
import { version } from '../wiring/version.ts';
import { type Answer, type AnswerOptions, administer, answering, RefusedCommand } from './action.ts';
import { inFolderBeside } from './folder-beside.ts';
import { interruptible } from './interruptible.ts';
import { createProgress } from './progress.ts';
import { contentOf, copyStored, piecesOf, type Work } from './stored-archive.ts';
import type { Terminal } from './terminal.ts';

export function addBackupCommand(program: Command, terminal: Terminal): void {
  answering(
    program
      .command('backup')
      .description('Write a copy of the database and all files, as they are at one moment, while the server runs')
      .argument('<place>', 'a new folder, or a new file whose name ends in .tar'),
  ).action((name: string, options: AnswerOptions) =>
    administer(terminal, options, async (parts) => {
      const progress = createProgress(terminal.stderr);
      const work = { progress, watched: interruptible(terminal, 'backed up') };
      return await backUp(resolve(name), parts, work).finally(progress.end);
    }),
  );
}

async function backUp(place: string, parts: Parts, work: Work): Promise<Answer | Refused> {
  const database = await parts.get(t.database);
  if (!isCopyable(database)) {
    return refuse(
      'not_sqlite',
      'backup works with SQLite only. With Postgres use its own tools, or `export`, which writes rows and files together.',
    );
  }
  if (/\.(?:db|sqlite3?|gz|tgz|zip|zst|xz|bz2)$/i.test(place)) {
    return refuse('wrong_name', `${place}: a backup is a folder, or a file whose name ends in .tar.`);
  }
  const into = place.endsWith('.tar') ? intoTar : intoFolder;
  const startedAt = new Date((await parts.get(t.clock)).now());
  const manifest = await into(place, (add, temporary) => write(parts, database, temporary, add, work), startedAt);
  return answerOf(place, manifest);
}

/** Adds a written file to the backup, under its name there. */
type Add = (name: string, path: string) => Promise<void>;
type Fill = (add: Add, temporary: string) => Promise<BackupManifest>;

async function intoFolder(place: string, fill: Fill): Promise<BackupManifest> {
  if (existsSync(place) && (await readdir(place)).length > 0) throw new RefusedCommand(`${place} is not empty.`);
  return await inFolderBeside(place, async (temporary) => {
    const folder = join(temporary, 'backup');
    await mkdir(folder);
    const manifest = await fill(async (name, path) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await rename(path, join(folder, name));
    }, temporary);
    await rename(folder, place);
    return manifest;
  });
}

async function intoTar(place: string, fill: Fill, startedAt: Date): Promise<BackupManifest> {
  if (existsSync(place)) throw new RefusedCommand(`${place} exists already.`);
  const { createTar } = await import('../../adapters/tar/tar-file.ts');
  return await inFolderBeside(place, async (temporary) => {
    const file = join(temporary, 'backup.tar');
    const tar = await createTar(file, startedAt);
    try {
      const manifest = await fill(async (name, path) => {
        await tar.add(name, path);
        await rm(path);
      }, temporary);
      await tar.end();
      // Created first, because a rename would replace a file that somebody else creates meanwhile.
      await (await open(place, 'wx', 0o600)).close();
      await rename(file, place);
      return manifest;
    } finally {
      await tar.close();
    }
  });
}

async function write(
  parts: Parts,
  source: CopyableDatabase,
  temporary: string,
  add: Add,
  { progress, watched }: Work,
): Promise<BackupManifest> {
  const secret = await parts.get(t.signingSecret);
  const files = await parts.get(t.files);
  progress.step('Copying the database');
  const database = join(temporary, backupNames.database);
  const { schema, files: keys } = await copyDatabase(source, database);
  const content: Digest = await digestOf(watched(piecesOf(database)));
  await add(backupNames.database, database);
  if (!secret.isGiven) {
    await keepSecret(join(temporary, secretName), secret.text);
    await add(secretName, join(temporary, secretName));
  }
  progress.step(`Copying ${keys.length} files`);
  const written: BackupManifest['files'] = [];
  for (const key of keys) {
    const copy = join(temporary, 'file');
    written.push(await copyStored(files, key, copy, { watched, done: 'backed up' }));
    await add(`files/${key}`, copy);
    progress.at(written.length, keys.length);
  }
  const manifest: BackupManifest = {
    format: backupFormat,
    program: `latchkey ${version}`,
    made_at: iso((await parts.get(t.clock)).now()),
    schema,
    database: content,
    signing_secret: { included: !secret.isGiven, fingerprint: fingerprintOf(secret.text) },
    files: written,
  };
  const file = join(temporary, backupNames.manifest);
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx', flush: true });
  await add(backupNames.manifest, file);
  return manifest;
}

function answerOf(place: string, manifest: BackupManifest): Answer {
  const { text: parts, ...content } = contentOf(manifest);
  const { included } = manifest.signing_secret;
  const text = `Backed up ${parts}: ${place}.`;
  return {
    json: { backup: { place, schema: manifest.schema, ...content, secretIncluded: included } },
    text: included ? text : `${text}\nSECRET_KEY is not in the backup: keep it elsewhere.`,
  };
}
