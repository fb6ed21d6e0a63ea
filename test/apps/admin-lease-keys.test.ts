import { expect } from 'chai';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

describe('administration of the keys of leases', () => {
  let folder: TemporaryFolder;
  let admin: Administration;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    admin = administer({
      DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`,
      FILES_URL: `disk:${folder.file('files')}`,
    });
    await admin.text('migrate');
  });
  afterEach(() => folder.remove());

  it('makes the first key when it is printed, and then prints the same', async () => {
    const { keys } = await admin.json('keys');
    expect(keys).to.have.length(1);
    expect(keys[0].public_key).to.match(/^[\w-]{43}$/);
    expect(keys[0]).to.include({ retired_at: null, needed_until: null });
    expect(await admin.json('keys')).to.deep.equal({ keys });
    expect(await admin.text('keys')).to.include(keys[0].public_key);
  });

  it('replaces the key, keeps the old public one, and says so in the audit trail', async () => {
    const before = await admin.json('keys');
    const { keys } = await admin.json('keys', 'rotate', '--reason', 'stolen');
    expect(keys.map((key: { kid: string }) => key.kid)[1]).to.equal(before.keys[0].kid);
    expect(keys[1].needed_until).to.be.a('string');
    const { events } = await admin.json('audit');
    expect(events[0]).to.include({ type: 'lease_key.rotated', subject: keys[0].kid, reason: 'stolen' });
    expect(JSON.stringify(events)).not.to.include('v1.');
  });
});
