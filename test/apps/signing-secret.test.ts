import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { expect } from 'chai';
import { createSigner } from '../../adapters/node/signer.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { openRaw } from '../support/raw-sqlite.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runServerProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer, onlyLine } from './admin-program.ts';

const old = 'd3b07384-d113-4ec6-a5d8-0123456789ab';
const given = 'a secret of at least thirty-two characters';
const signed = (parts: Parts) => parts.get(t.signer).then((signer) => signer.sign('a link'));
const signedBy = async (admin: Administration) => await admin.beside(signed);

/** Returns the permissions of a file or folder in octal. */
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

needing(skipLong).describe('the signing secret', () => {
  let folder: TemporaryFolder;
  let settings: { DATABASE_URL: string; FILES_URL: string };
  let admin: Administration;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: `disk:${folder.file('files')}` };
    admin = administer(settings);
  });
  afterEach(() => folder.remove());
  const secretFile = () => folder.file('secret.key');
  /** Returns the bytes of the database and its log as text. */
  const databaseText = () =>
    readdirSync(folder.path)
      .filter((name) => name.startsWith('latchkey.db'))
      .map((name) => readFileSync(folder.file(name), 'latin1'))
      .join('');
  /** Creates a database like those of earlier versions. */
  const makeOld = async () => {
    await admin.text('migrate');
    const raw = await openRaw(folder.file('latchkey.db'));
    await raw.all(`INSERT INTO settings (name, value) VALUES ('signing_secret', '${old}')`);
    await raw.close();
  };

  it('is created at the first start in a file that nobody else may read, and not in the database', async () => {
    const server = await startServer(settings);
    await server.stop('SIGTERM');
    const secret = readFileSync(secretFile(), 'utf8').trim();
    expect(secret).to.match(/^[0-9a-f]{64}$/);
    expect(modeOf(secretFile())).to.equal('600');
    expect(databaseText()).to.not.include(secret);
    expect(JSON.stringify(server.log)).to.not.include(secret);
    expect(await signedBy(admin)).to.equal(await signedBy(admin));
  });

  it('moves from the database of an older version into the file, and old signatures stay valid', async () => {
    await makeOld();
    expect(databaseText()).to.include(old);
    await using server = await startServer(settings);
    expect(readFileSync(secretFile(), 'utf8').trim()).to.equal(old);
    expect(modeOf(secretFile())).to.equal('600');
    expect(databaseText()).to.not.include(old);
    expect(JSON.stringify(server.log)).to.not.include(old);
    expect(await signedBy(admin)).to.equal(createSigner(old).sign('a link'));
  });

  it('is the same for several processes that start at once, on a new database and on an old one', async () => {
    for (const prepare of [() => admin.text('migrate'), makeOld]) {
      await prepare();
      const all = await Promise.all(Array.from({ length: 3 }, () => signedBy(admin)));
      expect(new Set(all).size).to.equal(1);
      expect(await signedBy(admin)).to.equal(all[0]);
      expect(readdirSync(folder.path).filter((name) => name.startsWith('secret.key'))).to.deep.equal(['secret.key']);
      for (const name of readdirSync(folder.path)) rmSync(folder.file(name), { recursive: true });
    }
  });

  it('is SECRET_KEY if that is set: no file is created, and the secret in the database is deleted', async () => {
    await makeOld();
    const set = administer({ ...settings, SECRET_KEY: given });
    expect(await signedBy(set)).to.equal(createSigner(given).sign('a link'));
    expect(existsSync(secretFile())).to.equal(false);
    expect(databaseText()).to.not.include(old).and.to.not.include(given);
    expect(await admin.refusal('export', folder.file('exported'))).to.match(/secret\.key is missing.*SECRET_KEY/);
  });

  it('must have 32 characters or more, and is never printed', async () => {
    const short = 'tiny-but-mine';
    const { code, stdout, stderr } = await runServerProgram(['product', 'list'], { ...settings, SECRET_KEY: short });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(onlyLine(stderr)).to.match(/^SECRET_KEY must be .*32 characters/);
    expect(stderr).to.not.include(short);
    const help = await runServerProgram(['--help'], { ...settings, SECRET_KEY: given });
    expect(help.stdout).to.include('SECRET_KEY');
    expect(help.stdout + help.stderr).to.not.include(given);
  });

  it('ends the program with one line if its file is missing, has another secret or a short one, or is a folder', async () => {
    const refusal = () => admin.refusal('export', folder.file('exported'));
    await signedBy(admin);
    const secret = readFileSync(secretFile(), 'utf8');
    rmSync(secretFile());
    expect(await refusal()).to.equal(
      `${secretFile()} is missing: put the signing secret of this database back there, or set SECRET_KEY.`,
    );
    const other = 'f'.repeat(64);
    writeFileSync(secretFile(), other);
    expect(await refusal())
      .to.match(/^.*secret\.key does not contain the signing secret of this database: /)
      .and.to.not.include(other);
    writeFileSync(secretFile(), 'short');
    expect(await refusal()).to.equal(`${secretFile()} must contain a secret of 32 characters or more.`);
    rmSync(secretFile());
    mkdirSync(secretFile());
    expect(await refusal()).to.match(/^.*secret\.key is a folder, not a file\.$/);
    rmSync(secretFile(), { recursive: true });
    writeFileSync(secretFile(), secret);
    await admin.text('product', 'list');
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot('belongs to the owner of its folder, even if root has created it', async () => {
    chownSync(folder.path, 65_534, 65_534);
    await signedBy(administer(settings));
    expect(statSync(secretFile())).to.include({ uid: 65_534, gid: 65_534 });
  });

  it('becomes private again if others could read the file', async () => {
    await signedBy(admin);
    chmodSync(secretFile(), 0o644);
    await signedBy(admin);
    expect(modeOf(secretFile())).to.equal('600');
  });
});

needing(skipLong ?? postgresServer.skip).describe('the signing secret with Postgres', () => {
  let folder: TemporaryFolder;
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    schema = await makeSchema();
  });
  afterEach(async () => {
    await schema.drop();
    await folder.remove();
  });
  const machine = (name: string, more: Record<string, string> = {}) =>
    administer({ DATABASE_URL: schema.url, FILES_URL: `disk:${folder.file(`${name}/files`)}`, ...more });
  const refusal = (work: Promise<unknown>) => work.then(() => undefined).catch((error: Error) => error.message);
  const settingsRows = () =>
    machine('any', { SECRET_KEY: given }).beside(async (parts) => {
      const database = await parts.get(t.database);
      return await database.read((knex) => knex('settings').pluck('name'));
    });

  it('is in the folder of files on the first machine; another machine is refused until SECRET_KEY is set', async () => {
    const first = await signedBy(machine('one'));
    expect(modeOf(folder.file('one/files/secret.key'))).to.equal('600');
    expect(await signedBy(machine('one'))).to.equal(first);
    expect(await refusal(signedBy(machine('two')))).to.match(/secret\.key is missing: .* set SECRET_KEY/);
    const SECRET_KEY = readFileSync(folder.file('one/files/secret.key'), 'utf8').trim();
    expect(await signedBy(machine('two', { SECRET_KEY }))).to.equal(first);
    expect(await signedBy(machine('one'))).to.equal(first);
  });

  it('is created on one machine if two start at once; the other one is refused', async () => {
    const all = await Promise.allSettled(['one', 'two'].map((name) => signedBy(machine(name))));
    expect(all.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
  });

  it('must be set as SECRET_KEY if files are in a bucket, because there may be many machines', async () => {
    const many = machine('one', { FILES_URL: 's3://bucket?endpoint=http://127.0.0.1:9' });
    expect(await refusal(signedBy(many))).to.match(/^SECRET_KEY is not set: /);
  });

  it('is read from the database of an older version, with a warning that says what to do, until SECRET_KEY is set', async () => {
    await machine('any').text('migrate');
    await machine('any').beside(async (parts) => {
      const row = { name: 'signing_secret', value: old };
      await (await parts.get(t.database)).write(async (trx) => await trx('settings').insert(row));
    });
    await using server = await startServer({
      DATABASE_URL: schema.url,
      FILES_URL: `disk:${folder.file('one/files')}`,
    });
    const warnings = server.log.filter(({ level }) => level === 40).map(({ msg }) => msg);
    expect(warnings).to.have.lengthOf(1);
    expect(String(warnings[0])).to.match(/still in the database\. Set SECRET_KEY/);
    expect(JSON.stringify(server.log)).to.not.include(old);
    expect(await signedBy(machine('two'))).to.equal(createSigner(old).sign('a link'));
    expect(await signedBy(machine('two', { SECRET_KEY: old }))).to.equal(createSigner(old).sign('a link'));
    expect(await settingsRows()).to.not.include('signing_secret');
  });
});
