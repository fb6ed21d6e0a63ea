import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import { isRefused } from '../../core/refusal.ts';
import { by, operator } from '../support/by.ts';
import { until } from '../support/eventually.ts';
import { issuedAt, keyNumber } from '../support/license-acts.ts';
import { openRaw, type RawSqlite } from '../support/raw-sqlite.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { serverProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

needing(skipLong).describe('an interrupted license import', () => {
  let folder: TemporaryFolder;
  let settings: Record<string, string>;
  let admin: Administration;
  let raw: RawSqlite;
  const children = new Set<ChildProcess>();
  let used = 0;
  before(async () => {
    folder = await makeTemporaryFolder();
    settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, FILES_URL: `disk:${folder.file('files')}` };
    admin = administer(settings);
    await admin.text('migrate');
    await admin.beside(async (parts) => (await parts.get(t.products)).add({ title: 'Pro', ownerId: null }, operator));
    raw = await openRaw(folder.file('latchkey.db'));
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await raw?.close();
    await folder?.remove();
  });

  /** Sends this many lines to an import, and leaves its input open. */
  function startImport(lines: number) {
    const child = spawn(process.execPath, [serverProgram, 'license', 'import', '-'], {
      env: { PATH: process.env.PATH, ...settings },
    });
    children.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const exited = once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, stdout, stderr }));
    const keys = Array.from({ length: lines }, () => `${keyNumber(++used)},pro\n`);
    child.stdin.on('error', () => undefined); // The process is killed while lines are sent.
    child.stdin.write(`key,product\n${keys.join('')}`);
    return {
      end: () => child.stdin.end(),
      stop: (signal: NodeJS.Signals) => child.kill(signal),
      exited,
    };
  }

  const count = async (table: string) => Number((await raw.all(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  const state = async () => ({
    licenses: await count('licenses'),
    staged: await count('license_import_lines'),
    running: await count('license_imports'),
  });
  const recover = () => admin.beside(async (parts) => (await parts.get(t.issuing)).recoverImports(() => true));

  it('is finished by the next start of the server, if it was killed after the check of all lines', async () => {
    const lines = 4_000;
    const running = startImport(lines);
    running.end();
    await until(async () => (await count('licenses')) > 0);
    running.stop('SIGKILL');
    expect(await running.exited).to.include({ code: 'SIGKILL' });
    const { licenses, staged } = await state();
    expect(licenses).to.be.within(1, lines - 1);
    expect(licenses + staged).to.equal(lines);
    await using server = await startServer(settings);
    await until(async () => (await count('license_imports')) === 0);
    expect(await state()).to.deep.equal({ licenses: lines, staged: 0, running: 0 });
    await until(async () => server.log.some(({ msg }) => String(msg).startsWith('finished a license import')));
    expect(await server.stop('SIGTERM')).to.equal(0);
  });

  it('is undone by the next import, if it was killed before the check ended, but not while its process runs', async () => {
    const before = await state();
    const running = startImport(500);
    await until(async () => (await count('license_import_lines')) === 500);
    expect((await state()).licenses).to.equal(before.licenses);
    await admin.beside(async (parts) => {
      const issuing = await parts.get(t.issuing);
      expect(await issuing.recoverImports(() => true)).to.deep.equal({ undone: 0, finished: 0, leftOut: [] });
      const imports = await parts.get(t.licenseImports);
      expect(await imports.begin('imported', by, issuedAt)).to.include({ reason: 'import_running' });
    });
    running.stop('SIGKILL');
    await running.exited;
    await admin.beside(async (parts) => {
      const begun = await (await parts.get(t.licenseImports)).begin('imported', by, issuedAt);
      expect(isRefused(begun)).to.equal(false);
      expect(await state()).to.deep.equal({ ...before, running: 1 });
      if (!isRefused(begun)) await begun.undo();
    });
    expect(await state()).to.deep.equal(before);
  });

  it('is undone when it is stopped by a signal, even while it waits for input', async () => {
    const before = await state();
    const running = startImport(500);
    await until(async () => (await count('license_import_lines')) === 500);
    running.stop('SIGINT');
    expect(await running.exited).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'latchkey-server: Nothing was imported: stopped by SIGINT.\n',
    });
    expect(await state()).to.deep.equal(before);
    expect(await recover()).to.deep.equal({ undone: 0, finished: 0, leftOut: [] });
  });

  it('is still finished when it is stopped by a signal after the check of all lines', async () => {
    const before = await state();
    const running = startImport(3_000);
    running.end();
    await until(async () => (await count('licenses')) > before.licenses);
    running.stop('SIGTERM');
    expect(await running.exited).to.deep.equal({
      code: 0,
      stdout: 'Imported 3000 licenses.\n',
      stderr: 'The whole file has been checked, so the import is finished before the command stops.\n',
    });
    expect(await state()).to.deep.equal({ ...before, licenses: before.licenses + 3_000 });
  });

  it('works in the same way for `license issue --count`, which issues all of 1000 licenses', async () => {
    const before = await state();
    const { keys } = await admin.json('license', 'issue', '--product', 'pro', '--count', '1000');
    expect(new Set(keys).size).to.equal(1_000);
    expect(await state()).to.deep.equal({ ...before, licenses: before.licenses + 1_000 });
    const [last] = (await admin.json('audit', '--limit', '1')).events;
    expect(last).to.include({ type: 'license.issued', subject: keys.at(-1) });
  });
});
