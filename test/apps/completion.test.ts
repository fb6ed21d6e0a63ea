import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { needing, requiredService } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../apps/cli/dist/latchkey.js', import.meta.url));
const zsh = requiredService('TEST_ZSH', 'zsh');
const fish = requiredService('TEST_FISH', 'fish');

/** What starts the shell, and what one types into it at first. */
interface Shell {
  readonly name: string;
  readonly skip?: string | undefined;
  readonly start: string;
  readonly first: string;
}

const shells: readonly Shell[] = [
  { name: 'bash', start: 'bash --noprofile --norc -i', first: 'eval "$(latchkey completion bash)"' },
  {
    name: 'zsh',
    skip: zsh.skip,
    start: `${zsh.url} -f -i`,
    first: 'eval "$(latchkey completion zsh)"',
  },
  {
    name: 'zsh, with the script in a folder of functions',
    skip: zsh.skip,
    start: `${zsh.url} -f -i`,
    first: 'latchkey completion zsh >_latchkey && fpath=($PWD $fpath) && autoload -Uz compinit && compinit -u -D',
  },
  { name: 'fish', skip: fish.skip, start: `${fish.url} --no-config -i`, first: 'latchkey completion fish | source' },
];

describe('the completion of latchkey', () => {
  let folder: TemporaryFolder;
  let env: Record<string, string>;
  before(async () => {
    folder = await makeTemporaryFolder();
    await mkdir(folder.file('bin'));
    // A `latchkey` that writes down with what it was called, except by the completion.
    await writeFile(
      folder.file('bin/latchkey'),
      `#!/bin/sh\ncase $1 in __complete | completion) exec '${process.execPath}' '${program}' "$@" ;; esac\necho "$*" >>called\n`,
    );
    await chmod(folder.file('bin/latchkey'), 0o755);
    env = { PATH: `${folder.file('bin')}:${process.env.PATH}`, HOME: folder.path, TERM: 'xterm', LANG: 'C.UTF-8' };
  });
  after(() => folder.remove());

  for (const { name, skip, start, first } of shells) {
    needing(skip).it(`finds commands in a terminal of ${name}`, async () => {
      await writeFile(folder.file('called'), '');
      const called = () => readFile(folder.file('called'), 'utf8');
      const terminal = spawn('script', ['-qfec', `stty cols 200; exec ${start}`, '/dev/null'], {
        cwd: folder.path,
        env,
      });
      let printed = '';
      terminal.stdout.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
      const ended = once(terminal, 'close');
      try {
        const type = (text: string) => terminal.stdin.write(text);
        // The shell types the words only after it has read everything before.
        type(`${first}; latchkey ready\n`);
        await eventually('the shell is ready', async () => (await called()) === 'ready\n');
        type('latchkey lic\t\n');
        await eventually('the command runs', async () => (await called()).endsWith('\nlicenses\n'));
        printed = '';
        type('latchkey licenses re\t\t');
        await eventually('the words are listed', () =>
          ['reinstate', 'renew', 'revoke'].every((word) => printed.includes(word)),
        );
      } finally {
        terminal.kill();
        await ended;
      }
    });
  }

  needing(fish.skip).it('gives fish the commands with what they do', async () => {
    const script = 'latchkey completion fish | source; complete -C "latchkey licenses re"';
    const { stdout } = await promisify(execFile)(String(fish.url), ['--no-config', '-c', script], { env });
    const words = stdout.trimEnd().split('\n');
    expect(words.map((line) => line.split('\t')[0])).to.have.members(['renew', 'reinstate', 'revoke', 'remove-alias']);
    for (const line of words) expect(line).to.match(/^[\w-]+\t\S/);
  });
});
