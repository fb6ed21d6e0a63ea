import { expect } from 'chai';
import { damage } from '../support/damage.ts';
import { openRaw } from '../support/raw-sqlite.ts';
import { itLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

describe('a damaged database file', () => {
  let folder: TemporaryFolder;
  let file: string;
  let admin: Administration;
  let settings: Record<string, string>;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    file = folder.file('latchkey.db');
    settings = { DATABASE_URL: `sqlite:${file}` };
    admin = administer(settings);
    await admin.text('migrate');
  });
  afterEach(() => folder.remove());

  itLong(
    'makes a call that reads the damage return 503, and the server unready; the log names the file and what to do',
    async () => {
      await damage(file, 'licenses', 'activations');
      await using server = await startServer(settings);
      const { status } = await fetch(`${server.url}/verify?license_key=LIC-AAAA-BBBB-CCCC-DDDD&domain=a.com`);
      expect(status).to.equal(503);
      const ready = await fetch(`${server.url}/health/ready`);
      expect(ready.status).to.equal(503);
      expect(await ready.json()).to.have.nested.property('checks.database', 'down');
      const advice = server.log.map(({ msg }) => String(msg)).filter((text) => text.includes('latchkey-server check'));
      expect(advice).to.have.length(1);
      expect(advice[0]).to.include(file);
    },
  );

  itLong('is found by `check`, which ends with exit code 1 and changes nothing', async () => {
    expect(await admin.text('check')).to.equal('The database file is not damaged.');
    expect(await admin.json('check')).to.deep.equal({ findings: [] });
    await damage(file, 'licenses');
    expect(await findings()).to.match(/^latchkey-server: The database file is damaged\. Restore a backup\.\n.+/);
  });

  itLong('is found by `check` if a row refers to a missing row', async () => {
    const raw = await openRaw(file);
    await raw.run(
      "PRAGMA foreign_keys = OFF; INSERT INTO products (slug, title, owner_id, created_at) VALUES ('a', 'a', 9, 1)",
    );
    await raw.close();
    expect(await findings()).to.include('row 1 of products refers to a missing row of users');
  });

  itLong('is not searched for if the file does not exist', async () => {
    await folder.remove();
    expect(await admin.refusal('check')).to.include(`There is no Latchkey database at ${file}.`);
  });

  const findings = async () => {
    const { code, stdout, stderr } = await admin.fed('', 'check');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    return stderr;
  };
});
