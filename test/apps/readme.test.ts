import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { variables } from '../../apps/wiring/settings.ts';
import { itLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the README', () => {
  let readme: string;
  before(async () => {
    readme = await readFile(join(root, 'README.md'), 'utf8');
  });

  it('has at most 150 lines', () => {
    expect(readme.trimEnd().split('\n')).to.have.length.at.most(150);
  });

  itLong('has commands that issue, activate, verify and revoke a first license without changes', async () => {
    const folder = await makeTemporaryFolder();
    const database = `sqlite:${folder.file('data/latchkey.db')}`;
    await mkdir(folder.file('data'));
    await symlink(join(root, 'dist'), folder.file('dist'));
    await using server = await startServer({
      DATABASE_URL: database,
      FILES_URL: `disk:${folder.file('data/files')}`,
    });
    const [, first = ''] = /\n## Your first license\n([\s\S]*?)\n## /.exec(readme) ?? [];
    const script = Array.from(first.matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block).join('');
    const { PATH } = process.env;
    const { stdout } = await run(
      'sh',
      ['-euc', script.replaceAll('localhost:3000', server.url.slice('http://'.length))],
      {
        cwd: folder.path,
        env: { PATH },
      },
    );
    for (const [, answer = ''] of first.matchAll(/prints `(\{.*?\})`/g)) expect(stdout).to.include(answer);
    expect(stdout).to.include('"success":true').and.to.include('"error":"revoked"');
    await folder.remove();
  });
});

describe('the guide to configuration', () => {
  it('lists every setting with the default and meaning that it has in the program', async () => {
    const guide = await readFile(join(root, 'apps/docs/configuration.md'), 'utf8');
    const table = /<!-- settings -->\n([\s\S]*?)<!-- \/settings -->/.exec(guide)?.[1];
    const rows = Object.entries(variables).map(
      ([name, { fallback, meaning }]) => `| \`${name}\` | ${fallback && `\`${fallback}\``} | ${meaning} |\n`,
    );
    expect(table).to.equal(`| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('')}`);
  });
});
