import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRaw } from '../support/raw-sqlite.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { pngOf } from '../support/samples.ts';
import { runServerProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { administer } from './admin-program.ts';

/** Returns the files in a folder that users other than the owner can access. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
    .sort();
}

/** A separate process, because the permissions of new files depend on the process. */
const inItsOwnProcess = (args: readonly string[], settings: Record<string, string>) => runServerProgram(args, settings);

needing(skipLong).describe('the files of the server', () => {
  let folder: TemporaryFolder;
  let umask: number;
  let settings: { DATABASE_URL: string; FILES_URL: string };
  beforeEach(async () => {
    umask = process.umask(0o022); // The usual value after a login.
    folder = await makeTemporaryFolder();
    settings = {
      DATABASE_URL: `sqlite:${folder.file('data/latchkey.db')}`,
      FILES_URL: `disk:${folder.file('data/files')}`,
    };
  });
  afterEach(async () => {
    process.umask(umask);
    await folder.remove();
  });

  it('are private to its user from the first start: folders, database, its log, secret, uploads and exports', async () => {
    await using server = await startServer(settings);
    const admin = administer(settings, inItsOwnProcess);
    await admin.text('user', 'add', '--name', 'Ada', '--email', 'a@example.com', '--tier', 'pro');
    const { key } = await admin.json('key', 'create', '--user', 'a@example.com');
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(pngOf(10, 10))]), 'a.png');
    const answer = await fetch(`${server.url}/api/marketplace/upload`, {
      method: 'POST',
      headers: { 'X-API-Key': key.secret ?? key.key },
      body: form,
    });
    expect(answer.status).to.equal(200);
    await admin.text('export', folder.file('exported'));
    const names = readdirSync(folder.path, { recursive: true });
    expect(names).to.include.members([
      'data/latchkey.db-wal',
      'data/secret.key',
      'data/files/media',
      'exported/tables',
    ]);
    expect(openToOthers(folder.path)).to.deep.equal([]);
  });

  it('become private if an older version left them readable; a folder with files of others is not changed', async () => {
    await administer(settings, inItsOwnProcess).text('migrate');
    await administer(settings, inItsOwnProcess).text('product', 'add', '--title', 'Jar');
    const files = folder.file('data/files');
    mkdirSync(files, { recursive: true });
    writeFileSync(folder.file('data/notes.txt'), 'not ours');
    for (const name of ['latchkey.db', 'notes.txt']) chmodSync(folder.file(`data/${name}`), 0o644);
    for (const name of ['data', 'data/files']) chmodSync(folder.file(name), 0o755);
    const raw = await openRaw(folder.file('data/latchkey.db'));
    try {
      await raw.all('UPDATE products SET title = title'); // SQLite's log gets the permissions of the database.
      expect(openToOthers(folder.path)).to.include.members(['data/latchkey.db-shm', 'data/latchkey.db-wal']);
      await using _ = await startServer(settings);
      expect(openToOthers(folder.path)).to.deep.equal(['data', 'data/notes.txt']);
    } finally {
      await raw.close();
    }
  });
});
