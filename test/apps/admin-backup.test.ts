import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect } from 'chai';
import { t } from '../../apps/tokens.ts';
import { openRaw } from '../support/raw-sqlite.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

describe('backup', function () {
  this.timeout(60_000); // It starts a process for every command.
  let folder: TemporaryFolder;
  let admin: Administration;
  let settings: { DATABASE_URL: string; FILES_URL: string };
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: 'temporary:' };
    admin = administer(settings);
  });
  afterEach(() => folder.remove());
  const files = () => readdirSync(folder.path).sort();

  it('writes a database with the licenses as they were at one moment, while others write', async () => {
    const file = folder.file('backup.db');
    await using server = await startServer(settings);
    const [before, after] = await admin.beside(async (parts) => {
      const products = await parts.get(t.products);
      const issuing = await parts.get(t.issuing);
      const by = { actor: 'test' };
      const { id: productId } = await products.add({ title: 'Tip Jar', ownerId: null }, by);
      const terms = { productId, maxDomains: 1, expiresAt: null };
      const held = await issuing.issue(terms, 500, by);
      let isDone = false;
      const backup = admin.json('backup', file).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await issuing.issue(terms, 5, by);
        const license_key = held.at(-1) ?? '';
        await fetch(`${server.url}/verify?${new URLSearchParams({ license_key, domain: 'a.com' })}`);
      }
      expect(await backup).to.deep.equal({ backup: { file, bytes: readFileSync(file).length } });
      return [held, (await issuing.list({ limit: 1_000_000 })).map(({ key }) => key)];
    });
    const raw = await openRaw(file);
    expect(await raw.all('PRAGMA integrity_check')).to.deep.equal([{ integrity_check: 'ok' }]);
    const [counts] = await raw.all(
      "SELECT (SELECT count(*) FROM licenses) AS licenses, (SELECT count(*) FROM audit_log WHERE type = 'license.issued') AS events",
    );
    await raw.close();
    expect(counts?.events).to.equal(counts?.licenses);
    const copy = administer({ DATABASE_URL: `sqlite:${file}` });
    const kept = (await copy.json('license', 'list', '--limit', '10000')).licenses.map(
      ({ key }: { key: string }) => key,
    );
    expect(kept.length).to.be.at.least(before.length);
    expect(kept).to.deep.equal(after.slice(0, kept.length));
    expect(after.length).to.be.greaterThan(before.length);
  });

  it('never overwrites', async () => {
    const file = folder.file('backup.db');
    await admin.text('migrate');
    writeFileSync(file, 'precious');
    const present = files();
    expect(await admin.refusal('backup', file)).to.equal(`${file} exists already.`);
    expect(await admin.refusal('backup', folder.file('latchkey.db'))).to.match(/exists already/);
    expect(readFileSync(file, 'utf8')).to.equal('precious');
    expect(files()).to.deep.equal(present);
  });

  it('leaves no file where it fails', async () => {
    await admin.text('product', 'add', '--title', 'Tip Jar');
    await admin.text('license', 'issue', '--product', 'tip-jar', '--count', '2000');
    await damage(folder.file('latchkey.db'));
    expect(await admin.refusal('backup', folder.file('backup.db'))).to.match(/malformed/);
    expect(files().filter((name) => !name.startsWith('latchkey.db'))).to.deep.equal([]);
  });

  it('needs a folder, and a database to copy, which it does not make', async () => {
    expect(await admin.refusal('backup', folder.file('backup.db'))).to.equal(
      `There is no database ${folder.file('latchkey.db')}.`,
    );
    expect(files()).to.deep.equal([]);
    await admin.text('migrate');
    expect(await admin.refusal('backup', folder.file('none/backup.db'))).to.equal(
      `There is no ${folder.file('none')}.`,
    );
  });

  it('tells where the copy is', async () => {
    await admin.text('migrate');
    expect(await admin.text('backup', folder.file('backup.db'))).to.match(/^Wrote .*\/backup\.db \(\d+ bytes\)\.$/);
  });
});

/** Overwrites the second half of a file, where rows are. */
async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size / 2, 0xff), 0, size / 2, size / 2);
  await handle.close();
}
