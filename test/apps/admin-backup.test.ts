import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { cp, open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { create } from 'tar';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Actor } from '../../core/accounts/role.ts';
import { addFiles, sound } from '../support/fill-service.ts';
import { good } from '../support/good.ts';
import { domain } from '../support/license-acts.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runCommand } from '../support/run-command.ts';
import { openS3, s3Server } from '../support/s3.ts';
import { runServerProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

const operator: Actor = { kind: 'operator', by: { actor: 'Ada', reason: 'to keep' } };

/** Runs a command. Returns its JSON document, and its lines on standard error. */
async function run(settings: Record<string, string>, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], settings);
  const lines = stderr.split('\n').slice(0, -1);
  return { code, lines, answer: code === 0 ? JSON.parse(stdout) : stdout };
}

/** Runs a command that is refused. Returns the message of the error, which is the last line of standard error. */
async function refusal(settings: Record<string, string>, ...args: readonly string[]): Promise<string> {
  const { code, lines, answer } = await run(settings, ...args);
  expect({ code, answer }, lines.join('\n')).to.deep.equal({ code: 1, answer: '' });
  return JSON.parse(lines.at(-1) ?? '').error.message;
}

needing(skipLong).describe('backup and restore', () => {
  let folder: TemporaryFolder;
  let settings: { DATABASE_URL: string; FILES_URL: string };
  let admin: Administration;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    settings = placeIn('old');
    admin = administer(settings);
  });
  afterEach(() => folder.remove());
  const placeIn = (name: string) => ({
    DATABASE_URL: `sqlite:${folder.file(`${name}/latchkey.db`)}`,
    FILES_URL: `disk:${folder.file(`${name}/files`)}`,
  });
  const names = (name = '.') => readdirSync(folder.file(name)).sort();

  for (const place of ['backup', 'backup.tar']) {
    it(`restores ${place} at another place: everything as it was at one moment while the server ran`, async () => {
      const first = await admin.beside((parts) => addAll(parts, 'first'));
      const backup = folder.file(place);
      await using server = await startServer(settings);
      await admin.beside(async (parts) => {
        let isDone = false;
        const backingUp = run(settings, 'backup', backup).finally(() => {
          isDone = true;
        });
        for (let round = 0; !isDone; round++) {
          await addAll(parts, `round-${round}`);
          const query = new URLSearchParams({ license_key: first.licenseKey, domain: 'a.com' });
          expect((await fetch(`${server.url}/verify?${query}`)).status).to.equal(200);
        }
        const { code, lines, answer } = await backingUp;
        expect({ code, place: answer.backup.place }).to.deep.equal({ code: 0, place: backup });
        expect(lines[0]).to.equal('Copying the database');
        expect(lines[1]).to.match(/^Copying \d+ files$/);
      });
      const { code, lines, answer } = await run(placeIn('new'), 'restore', backup);
      expect(code, lines.join()).to.equal(0);
      expect(answer.restore).to.include({ place: backup, links_stay_good: true });
      const held = await administer(placeIn('new')).beside(keptIn);
      const count = (table: string) => held.rows[table]?.length ?? 0;
      expect(count('licenses')).to.equal(held.rows.audit_log?.filter(({ type }) => type === 'license.issued').length);
      // A product has two files; a template and an upload have one each. The product without files is not published.
      expect(count('licenses')).to.be.at.least(1);
      expect(Object.keys(held.files)).to.have.lengthOf(2 * count('products') + count('templates') + count('uploads'));
    });

    it(`restores every row and file unchanged from ${place}; links, media and licenses still work`, async () => {
      const { link, licenseKey, media } = await admin.beside((parts) => addAll(parts, 'first'));
      await admin.beside((parts) => addAll(parts, 'second'));
      const backup = folder.file(place);
      const { answer } = await run(settings, 'backup', backup);
      const before = await admin.beside(keptIn);
      rmSync(folder.file('old'), { recursive: true });
      const { code } = await run(placeIn('new'), 'restore', backup);
      expect(code).to.equal(0);
      const restored = administer(placeIn('new'));
      expect(await restored.beside(keptIn)).to.deep.equal(before);
      expect(answer.backup.files).to.deep.equal({
        count: Object.keys(before.files).length,
        bytes: Object.values(before.files).reduce((sum, { bytes }) => sum + bytes, 0),
      });
      expect(names('new')).to.include.members(['files', 'latchkey.db', 'secret.key']);
      await using server = await startServer(placeIn('new'));
      expect((await fetch(`${server.url}${link.pathname}${link.search}`)).status).to.equal(200);
      expect((await fetch(`${server.url}/${media}`)).status).to.equal(200);
      const query = new URLSearchParams({ license_key: licenseKey, domain: 'a.com' });
      expect(await (await fetch(`${server.url}/verify?${query}`)).json()).to.include({ valid: true });
      expect(names('new').filter((name) => name.startsWith('.'))).to.deep.equal([]);
      expect(names().filter((name) => name.startsWith('.'))).to.deep.equal([]);
    });
  }

  it('lets only their user read backups and restored files', async () => {
    await admin.beside((parts) => addAll(parts, 'first'));
    const umask = process.umask(0o022);
    try {
      // The program itself runs, because it sets the permissions of new files (umask). This process has another umask.
      for (const place of ['backup', 'backup.tar']) await runServerProgram(['backup', folder.file(place)], settings);
      await runServerProgram(['restore', folder.file('backup')], placeIn('new'));
    } finally {
      process.umask(umask);
    }
    const made = [
      'backup',
      'backup.tar',
      'backup/secret.key',
      'backup/latchkey.db',
      'new/latchkey.db',
      'new/secret.key',
    ];
    for (const name of made) {
      expect(statSync(folder.file(name)).mode & 0o077, name).to.equal(0);
    }
  });

  it('never overwrites existing files, and refuses to write to a place that has some', async () => {
    await admin.beside((parts) => addAll(parts, 'first'));
    mkdirSync(folder.file('full'));
    for (const name of ['full/notes', 'taken.tar']) writeFileSync(folder.file(name), 'precious');
    expect(await refusal(settings, 'backup', folder.file('full'))).to.equal(`${folder.file('full')} is not empty.`);
    expect(await refusal(settings, 'backup', folder.file('taken.tar'))).to.equal(
      `${folder.file('taken.tar')} exists already.`,
    );
    for (const name of ['full/notes', 'taken.tar'])
      expect(readFileSync(folder.file(name), 'utf8')).to.equal('precious');
    await run(settings, 'backup', folder.file('backup.tar'));
    const before = await admin.beside(keptIn);
    expect(await refusal(settings, 'restore', folder.file('backup.tar'))).to.equal(
      `${folder.file('old/latchkey.db')} exists already: restore to an empty place.`,
    );
    expect(await admin.beside(keptIn)).to.deep.equal(before);
    mkdirSync(folder.file('new'));
    writeFileSync(folder.file('new/secret.key'), 'f'.repeat(64));
    expect(await refusal(placeIn('new'), 'restore', folder.file('backup.tar'))).to.match(
      /secret\.key exists already, with another secret: restore to an empty place\.$/,
    );
    const [key = ''] = Object.keys(before.files);
    rmSync(folder.file('new'), { recursive: true });
    mkdirSync(join(folder.file('new/files'), key, '..'), { recursive: true });
    writeFileSync(join(folder.file('new/files'), key), 'other');
    expect(await refusal(placeIn('new'), 'restore', folder.file('backup.tar'))).to.equal(
      `Nothing was restored: another file is stored as ${key} already.`,
    );
    expect(names('new')).to.deep.equal(['files']);
    expect(readFileSync(join(folder.file('new/files'), key), 'utf8')).to.equal('other');
  });

  it('refuses an incomplete backup, and a file that is not a backup, and leaves nothing of it', async () => {
    await admin.beside((parts) => addAll(parts, 'first'));
    const good = folder.file('good');
    await run(settings, 'backup', good);
    await run(settings, 'backup', `${good}.tar`);
    for (const [what, { change, says, inTarToo }] of Object.entries(damages)) {
      const damaged = folder.file('damaged');
      await cp(good, damaged, { recursive: true });
      await change(damaged);
      const files = readdirSync(damaged, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(damaged, name)).isFile(),
      );
      await create({ file: `${damaged}.tar`, cwd: damaged, portable: true }, files);
      for (const place of inTarToo ? [damaged, `${damaged}.tar`] : [damaged]) {
        expect(await refusal(placeIn('new'), 'restore', place), `${what}, ${basename(place)}`).to.match(says);
        expect(await filesIn(folder.file('new')), what).to.deep.equal([]);
      }
      await rm(damaged, { recursive: true });
    }
    const cut = folder.file('cut.tar');
    await cp(`${good}.tar`, cut);
    truncateSync(cut, Math.floor(statSync(cut).size / 2));
    expect(await refusal(placeIn('new'), 'restore', cut)).to.match(/cut\.tar is not a complete tar file\.$/);
    expect(await refusal(placeIn('new'), 'restore', join(good, 'latchkey.db'))).to.match(
      /^This is a copy of the database alone/,
    );
    writeFileSync(folder.file('text.tar'), 'This is no archive. '.repeat(100));
    expect(await refusal(placeIn('new'), 'restore', folder.file('text.tar'))).to.match(/is not a complete tar file\.$/);
    writeFileSync(folder.file('evil.txt'), 'evil');
    await create({ file: folder.file('evil.tar'), cwd: folder.path }, ['evil.txt']);
    expect(await refusal(placeIn('new'), 'restore', folder.file('evil.tar'))).to.match(
      /contains "evil\.txt", which is not part of a backup/,
    );
    expect(await filesIn(folder.file('new'))).to.deep.equal([]);
    expect((await run(placeIn('new'), 'restore', good)).code).to.equal(0);
  });

  it('leaves nothing if a backup fails', async () => {
    const { media } = await admin.beside((parts) => addAll(parts, 'first'));
    for (const place of ['backup', 'backup.tar']) {
      const file = folder.file(`old/files/${media}`);
      const content = readFileSync(file);
      rmSync(file);
      expect(await refusal(settings, 'backup', folder.file(place))).to.equal(
        `Nothing was backed up: the file ${media} is missing in FILES_URL.`,
      );
      writeFileSync(file, content);
    }
    await admin.text('product', 'add', '--title', 'Tip Jar');
    await admin.text('license', 'issue', '--product', 'tip-jar', '--count', '2000');
    await damage(folder.file('old/latchkey.db'));
    expect(await refusal(settings, 'backup', folder.file('backup.tar'))).to.match(
      /^The database file is damaged: run /,
    );
    expect(names()).to.deep.equal(['old']);
  });

  it('refuses a missing database, a missing folder, an unsuitable name, and a target without SQLite or lasting files', async () => {
    expect(await refusal(settings, 'backup', folder.file('backup'))).to.include(
      `There is no Latchkey database at ${folder.file('old/latchkey.db')}.`,
    );
    expect(names()).to.not.include('backup');
    await admin.text('migrate');
    expect(await refusal(settings, 'backup', folder.file('none/backup'))).to.equal(
      `There is no ${folder.file('none')}.`,
    );
    for (const name of ['backup.db', 'backup.tar.gz', 'backup.zip']) {
      expect(await refusal(settings, 'backup', folder.file(name))).to.match(
        /a backup is a folder, or a file whose name/,
      );
    }
    expect(await refusal(placeIn('new'), 'restore', folder.file('none'))).to.equal(
      `There is no ${folder.file('none')}.`,
    );
    await run(settings, 'backup', folder.file('backup'));
    const other = { ...placeIn('new'), DATABASE_URL: 'postgres://127.0.0.1:9/none' };
    expect(await refusal(other, 'restore', folder.file('backup'))).to.match(/^A backup is restored to SQLite/);
    expect(await refusal({ ...placeIn('new'), FILES_URL: 'temporary:' }, 'restore', folder.file('backup'))).to.match(
      /^FILES_URL=temporary: would lose the files/,
    );
  });

  it('leaves SECRET_KEY out of the backup, says so, and needs one to restore', async () => {
    const SECRET_KEY = 'a secret of at least thirty-two characters';
    const given = { ...settings, SECRET_KEY };
    await administer(given).beside((parts) => addAll(parts, 'first'));
    const { stdout } = await runCommand(['backup', folder.file('backup')], given);
    expect(stdout).to.match(/\nSECRET_KEY is not in the backup: keep it elsewhere\.\n$/);
    for (const name of readdirSync(folder.file('backup'), { recursive: true, encoding: 'utf8' })) {
      const file = folder.file(`backup/${name}`);
      if (statSync(file).isFile()) expect(readFileSync(file, 'latin1')).to.not.include(SECRET_KEY);
    }
    expect(await refusal(placeIn('new'), 'restore', folder.file('backup'))).to.match(/with SECRET_KEY: set it/);
    const other = { ...placeIn('new'), SECRET_KEY: 'another secret that has enough characters' };
    expect((await run(other, 'restore', folder.file('backup'))).answer.restore.links_stay_good).to.equal(false);
  });

  needing(s3Server.skip).it('includes the files of a bucket', async () => {
    const bucket = await openS3();
    const keptInBucket = async () => {
      const url = new URL(s3Server.url ?? '');
      url.pathname = `/${bucket.options.prefix}`;
      const keys = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('AWS_')));
      const inBucket = { ...keys, ...settings, FILES_URL: url.href } as Record<string, string>;
      await administer(inBucket).beside((parts) => addAll(parts, 'first', false));
      expect((await run(inBucket, 'backup', folder.file('backup.tar'))).code).to.equal(0);
      return await administer(inBucket).beside(keptIn);
    };
    const before = await keptInBucket().finally(() => bucket.close());
    expect((await run(placeIn('new'), 'restore', folder.file('backup.tar'))).code).to.equal(0);
    expect(await administer(placeIn('new')).beside(keptIn)).to.deep.equal(before);
  });
});

/** Defects of a backup, and the message for each. */
const damages: Record<string, { change(folder: string): Promise<void> | void; says: RegExp; inTarToo?: true }> = {
  'a changed database': {
    change: (folder) => damage(join(folder, 'latchkey.db')),
    says: /^Nothing was restored: latchkey\.db has changed since it was written\.$/,
  },
  'a file that grew': {
    inTarToo: true,
    change: (folder) => appendFileSync(lastFileOf(folder), 'more'),
    says: /^Nothing was restored: the file \w+\/[\w.]+ has changed since it was written\.$/,
  },
  'a missing file': { change: (folder) => rm(lastFileOf(folder)), says: /^There is no .*\.(?:png|zip)\.$/ },
  'another secret': {
    change: (folder) => writeFileSync(join(folder, 'secret.key'), 'f'.repeat(64)),
    says: /^Nothing was restored: secret\.key has changed since it was written\.$/,
  },
  'no manifest': {
    inTarToo: true,
    change: (folder) => rm(join(folder, 'manifest.json')),
    says: /^There is no .*manifest\.json\.$/,
  },
  'a newer schema': {
    change: (folder) => edit(folder, (text) => text.replace(/"schema": "[^"]+"/, '"schema": "9999-later"')),
    says: /^Nothing was restored: the backup was made by a newer version, latchkey [^ ]+\. Restore it with that version\.$/,
  },
  'a newer format': {
    change: (folder) => edit(folder, (text) => text.replace('"format": 1', '"format": 2')),
    says: /^Nothing was restored: the backup was made by a newer version/,
  },
  'a file name that leads to another folder': {
    change: (folder) => edit(folder, (text) => text.replace(/"key": "[^"]+"/, '"key": "../../etc/passwd"')),
    says: /^Nothing was restored: "\.\.\/\.\.\/etc\/passwd" is not a valid file name\.$/,
  },
};

function edit(folder: string, change: (text: string) => string): void {
  const file = join(folder, 'manifest.json');
  const text = readFileSync(file, 'utf8');
  expect(change(text)).to.not.equal(text);
  writeFileSync(file, change(text));
}

function lastFileOf(folder: string): string {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return join(folder, 'files', files.at(-1).key);
}

/** Returns the files in a folder and its subfolders. */
async function filesIn(folder: string): Promise<string[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}

/** Overwrites the second half of a file, which contains rows. */
async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size / 2, 0xff), 0, size / 2, size / 2);
  await handle.close();
}

/** Returns all rows, and the digests of all files. */
async function keptIn(parts: Parts) {
  const database = await parts.get(t.database);
  const files = await parts.get(t.files);
  const tables: string[] = await database.read((knex) =>
    knex('sqlite_schema').where({ type: 'table' }).whereRaw("name NOT LIKE 'sqlite_%'").pluck('name'),
  );
  const rows: Record<string, Record<string, unknown>[]> = {};
  for (const name of tables) rows[name] = await database.read((knex) => knex(name));
  const digests: Record<string, { bytes: number; sha256: string }> = {};
  for await (const key of files.storedBefore('', 8e15)) {
    const content = await buffer(files.read(key));
    digests[key] = { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }
  return { rows, files: digests };
}

/** Adds data with files of every kind. Returns a link, a license key with `a.com`, and a public image. */
async function addAll(parts: Parts, name: string, isDisk = true) {
  const { caller, product, template } = await addFiles(parts, name);
  await sound((await parts.get(t.products)).change(String(product.id), 'approve', operator));
  const terms = { productId: product.id, maxDomains: 2, expiresAt: null };
  const [licenseKey = ''] = good(await (await parts.get(t.issuing)).issue(terms, 1, operator));
  await sound((await parts.get(t.licensing)).activate({ licenseKey, domain: domain('a.com') }));
  const { url } = isDisk
    ? await sound((await parts.get(t.templates)).download(caller, template.slug))
    : { url: 'http://localhost/' };
  return { link: new URL(url), licenseKey, media: product.thumbnail ?? '' };
}
