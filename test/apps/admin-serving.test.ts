import { expect } from 'chai';
import { type NeighbourServer, startNeighbour } from '../support/neighbour-server.ts';
import { itLong, needing, skipLong } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

needing(skipLong).describe('administration while the server runs on the same file', () => {
  let folder: TemporaryFolder;
  let server: NeighbourServer;
  let admin: Administration;
  before(async () => {
    folder = await makeTemporaryFolder();
    const settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: 'temporary:' };
    server = await startNeighbour(settings);
    admin = administer(settings);
    await admin.text('product', 'add', '--title', 'Tip Jar');
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await folder.remove();
  });

  const domain = 'app.example.com';
  const verify = async (license_key: string) =>
    (await (await fetch(`${server.url}/verify?${new URLSearchParams({ license_key, domain })}`)).json()) as {
      valid: boolean;
      error?: string;
    };
  const activate = (license_key: string) =>
    fetch(`${server.url}/activate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key, domain }),
    });

  itLong('affects the very next verification', async () => {
    const key = await admin.text('license', 'issue', '--product', 'tip-jar');
    expect((await activate(key)).status).to.equal(200);
    expect(await verify(key)).to.include({ valid: true });
    await admin.text('license', 'suspend', key);
    expect(await verify(key)).to.include({ valid: false, error: 'suspended' });
    await admin.text('license', 'reinstate', key);
    expect(await verify(key)).to.include({ valid: true });
    await admin.text('license', 'revoke', key);
    expect(await verify(key)).to.include({ valid: false, error: 'revoked' });
  });

  it('makes an expired license valid again by a renewal', async () => {
    const key = 'LIC-PAST-0000-0000-0001';
    await admin.fed(`key,product,expires_at\n${key},tip-jar,2020-01-01\n`, 'license', 'import', '-');
    expect(await verify(key)).to.include({ valid: false, error: 'expired' });
    await admin.text('license', 'renew', key, '--expires', '1y');
    expect((await activate(key)).status).to.equal(200);
    expect(await verify(key)).to.include({ valid: true });
  });

  it('shows a license like the status operation', async () => {
    const key = await admin.text('license', 'issue', '--product', 'tip-jar', '--max-domains', '2', '--expires', '1y');
    await activate(key);
    await verify(key);
    const status = (await (await fetch(`${server.url}/status?license_key=${key}`)).json()) as { license: object };
    expect((await admin.json('license', 'show', key)).license).to.deep.equal(status.license);
  });

  it('shows the changes by the server itself in the audit trail', async () => {
    const key = await admin.text('license', 'issue', '--product', 'tip-jar');
    await activate(key);
    const { events } = await admin.json('audit', '--subject', key);
    expect(events[0]).to.deep.include({ type: 'license.activated', actor: 'license-api', data: { domain } });
  });
});
