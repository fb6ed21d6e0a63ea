import { expect } from 'chai';
import { itLong } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

describe('administration of the keys of leases', () => {
  let folder: TemporaryFolder;
  let settings: Record<string, string>;
  let admin: Administration;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: `disk:${folder.file('files')}` };
    admin = administer(settings);
    await admin.text('migrate');
  });
  afterEach(() => folder.remove());

  itLong('makes the first key when it is printed, and then prints the same', async () => {
    const { keys } = await admin.json('keys');
    expect(keys).to.have.length(1);
    expect(keys[0].public_key).to.match(/^[\w-]{43}$/);
    expect(keys[0]).to.include({ retired_at: null, needed_until: null });
    expect(await admin.json('keys')).to.deep.equal({ keys });
    expect(await admin.text('keys')).to.include(keys[0].public_key);
  });

  itLong('says that a mistyped command is unknown', async () => {
    expect(await admin.misuse('keys', 'rotat')).to.equal("unknown command 'rotat'");
  });

  itLong('prints the keys without the secret that encrypts them, and replaces them if it is lost', async () => {
    const { keys } = await admin.json('keys');
    const other = administer({ ...settings, SECRET_KEY: 'another secret of forty characters or so' });
    expect(await other.json('keys')).to.deep.equal({ keys });
    const rotated = await other.json('keys', 'rotate');
    expect(rotated.keys.map(({ kid }: { kid: string }) => kid)[1]).to.equal(keys[0].kid);
  });

  itLong('replaces the key, keeps the old public one, and says so in the audit trail', async () => {
    const before = await admin.json('keys');
    const { keys } = await admin.json('keys', 'rotate', '--reason', 'stolen');
    expect(keys.map((key: { kid: string }) => key.kid)[1]).to.equal(before.keys[0].kid);
    expect(keys[1].needed_until).to.be.a('string');
    const { events } = await admin.json('audit');
    expect(events[0]).to.include({ type: 'lease_key.rotated', subject: keys[0].kid, reason: 'stolen' });
    expect(JSON.stringify(events)).not.to.include('v1.');
  });
});
