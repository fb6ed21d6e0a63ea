import { expect } from 'chai';
import { startNeighbour } from '../support/neighbour-server.ts';
import { itLong } from '../support/required-service.ts';
import { runCommand } from '../support/run-command.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

describe('administration of users', () => {
  let folder: TemporaryFolder;
  let admin: Administration;
  let settings: Record<string, string>;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: `disk:${folder.file('files')}` };
    admin = administer(settings);
    await admin.text('migrate');
    for (const [name, tier] of [
      ['Ada', 'free'],
      ['Bob', 'pro'],
      ['Adam', 'pro'],
    ] as const) {
      await admin.text('user', 'add', '--name', name, '--email', `${name}@example.com`, '--tier', tier);
    }
  });
  afterEach(() => folder.remove());

  const idsOf = async (...more: readonly string[]) => {
    const { users, next_after } = await admin.json('user', 'list', ...more);
    return { ids: users.map(({ id }: { id: number }) => id), next: next_after };
  };

  itLong('lists users by page, by the beginning of name or e-mail address, by plan and by role', async () => {
    await admin.text('user', 'set-role', '2', 'admin');
    expect(await idsOf()).to.deep.equal({ ids: [3, 2, 1], next: null });
    expect(await idsOf('--limit', '2')).to.deep.equal({ ids: [3, 2], next: '2' });
    expect(await idsOf('--limit', '2', '--after', '2')).to.deep.equal({ ids: [1], next: null });
    expect(await idsOf('--search', 'ADA')).to.deep.equal({ ids: [1, 3], next: null });
    const first = await idsOf('--search', 'example.com', '--limit', '1');
    expect(first).to.deep.equal({ ids: [1], next: '1~example.com' });
    const rest = await idsOf('--search', 'example.com', '--after', first.next);
    expect(rest).to.deep.equal({ ids: [2, 3], next: null });
    expect(await idsOf('--suspended')).to.deep.equal({ ids: [], next: null });
    expect(await idsOf('--no-suspended')).to.deep.equal({ ids: [3, 2, 1], next: null });
    expect(await idsOf('--search', 'ada', '--tier', 'pro')).to.deep.equal({ ids: [3], next: null });
    expect(await idsOf('--role', 'admin')).to.deep.equal({ ids: [2], next: null });
    const lines = (await admin.text('user', 'list', '--limit', '2')).split('\n');
    expect(lines[0]).to.match(/^ID +NAME +E-MAIL +PLAN +ROLE +STATE$/);
    expect(lines[2]).to.match(/^2 +Bob +bob@example\.com +pro +admin +active$/);
    expect(lines[3]).to.equal('More: --after 2');
    expect(await admin.refusal('user', 'list', '--after', 'x')).to.equal('x is no place in this list.');
  });

  itLong('prints an invitation link, or sends it by mail', async () => {
    const { invitation } = await admin.json('user', 'invite', '--email', 'New@example.com', '--role', 'admin');
    expect(invitation).to.include({ email: 'new@example.com', role: 'admin' });
    expect(invitation.link).to.match(/^http:\/\/localhost:\d+\/invitation#[\w-]{40,}$/);
    const sent = await admin.text('user', 'invite', '--email', 'other@example.com', '--mail');
    expect(sent).to.equal('The link will be sent to other@example.com.');
    const { mails } = await admin.json('mail', 'list', '--to', 'other@example.com');
    expect(mails[0]).to.include({ kind: 'invite', state: 'queued' });
    const { events } = await admin.json('audit', '--type', 'user.invited', '--limit', '1');
    expect(events[0]).to.include({ subject: 'other@example.com' });
    const audit = async (...args: readonly string[]) => {
      const page = await admin.json('audit', '--limit', '1', '--type', 'user.invited', ...args);
      return { subjects: page.events.map(({ subject }: { subject: string }) => subject), next: page.next_before };
    };
    const older = { subjects: ['new@example.com'], next: null };
    expect(await audit('--before', String(events[0].id), '--from', '1h')).to.deep.equal(older);
    expect(await audit('--to', '1h')).to.deep.equal({ subjects: [], next: null });
    expect((await audit('--from', '2020-01-01')).next).to.equal(events[0].id);
    expect(await admin.misuse('audit', '--from', 'soon')).to.match(/It must be a date/);
  });

  itLong('shows a user', async () => {
    const { user } = await admin.json('user', 'show', 'ada@example.com');
    expect(user).to.deep.equal({ ...user, id: 1, name: 'Ada', tier: 'free', role: null, suspended_at: null });
    expect(user).to.include({ keys: 0, last_seen_at: null, has_password: false, has_second_factor: false });
    expect(await admin.text('user', 'show', '1')).to.match(/^role +none\nstate +active$/m);
    expect(await admin.refusal('user', 'show', '99')).to.equal('No user has the id or e-mail address 99.');
  });

  itLong('suspends and reinstates a user, whose keys stop and work again at once in a running server', async () => {
    const { key } = await admin.json('key', 'create', '--user', '1');
    await using server = await startNeighbour(settings);
    const me = async (secret: string) => {
      const response = await fetch(`${server.url}/api/auth/me`, { headers: { 'X-API-Key': secret } });
      return { status: response.status, body: await response.text() };
    };
    expect((await me(key.secret)).status).to.equal(200);
    const { user } = await admin.json('user', 'suspend', '1', '--reason', 'spam');
    expect(user.suspended_at).to.match(/Z$/);
    expect(await me(key.secret)).to.deep.equal(await me(`lk_sk_live_${'0'.repeat(32)}`));
    expect((await me(key.secret)).status).to.equal(401);
    expect(await admin.text('user', 'show', '1')).to.match(/^state +suspended since 20/m);
    await admin.text('user', 'reinstate', '1');
    expect((await me(key.secret)).status).to.equal(200);
    const { events } = await admin.json('audit', '--subject', 'ada@example.com', '--limit', '2');
    expect(events[1]).to.include({ type: 'user.suspended', reason: 'spam' });
    expect(events[0]).to.include({ type: 'user.reinstated', reason: null });
  });

  itLong('makes administrators, and keeps the last one', async () => {
    expect((await admin.json('user', 'set-role', '1', 'admin')).user.role).to.equal('admin');
    const refusal = 'ada@example.com is the last administrator: make another user an administrator first.';
    expect(await admin.refusal('user', 'set-role', '1', 'none')).to.equal(refusal);
    expect(await admin.refusal('user', 'suspend', '1')).to.equal(refusal);
    await admin.text('user', 'set-role', '2', 'admin');
    expect((await admin.json('user', 'set-role', '1', 'none')).user.role).to.equal(null);
    expect(await admin.misuse('user', 'set-role', '1', 'root')).to.match(/Allowed choices are admin, none/);
  });

  itLong('prints errors as JSON with --json, with the exit code of the error', async () => {
    const errorOf = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand([...args, '--json'], settings);
      const { error, ...more } = JSON.parse(stderr);
      expect({ stdout, more }).to.deep.equal({ stdout: '', more: {} });
      expect(error).to.have.all.keys('code', 'message');
      expect(error.message).to.not.match(/\n|^error:|^latchkey-server/);
      return [code, error.code, error.message];
    };
    const nobody = 'No user has the id or e-mail address 99.';
    expect(await errorOf('user', 'show', '99')).to.deep.equal([1, 'user_not_found', nobody]);
    expect((await errorOf('user', 'show')).slice(0, 2)).to.deep.equal([2, 'wrong_usage']);
    expect((await errorOf('user', 'list', '--limit', '0')).slice(0, 2)).to.deep.equal([2, 'wrong_usage']);
    expect((await errorOf('template', 'add', '--slug', 'x')).slice(0, 2)).to.deep.equal([2, 'wrong_usage']);
    expect((await errorOf('restore', folder.file('none'))).slice(0, 2)).to.deep.equal([1, 'exists']);
    settings = { ...settings, DATABASE_URL: `sqlite:${folder.file('none.db')}` };
    expect((await errorOf('user', 'list')).slice(0, 2)).to.deep.equal([1, 'no_database']);
    expect((await errorOf('restore', folder.file('none'))).slice(0, 2)).to.deep.equal([1, 'enoent']);
    settings = { ...settings, DATABASE_URL: 'mysql://x' };
    expect((await errorOf('user', 'list')).slice(0, 2)).to.deep.equal([1, 'wrong_setting']);
  });
});
