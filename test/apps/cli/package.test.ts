import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createProgram } from '../../../apps/cli/program.ts';
import { itLong } from '../../support/required-service.ts';

const cli = fileURLToPath(new URL('../../../apps/cli', import.meta.url));
const guide = fileURLToPath(new URL('../../../apps/docs/cli.md', import.meta.url));

describe('the package latchkey-cli', () => {
  itLong('contains the program, its license and its README', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: cli,
    });
    const [{ files }] = JSON.parse(stdout);
    const names = files.map(({ path }: { path: string }) => path);
    expect(names).to.include.members(['README.md', 'LICENSE', 'package.json', 'dist/latchkey.js']);
  });

  it('has a README and a guide with only commands and options that exist', async () => {
    for (const file of [`${cli}/README.md`, guide]) {
      const text = await readFile(file, 'utf8');
      const lines = [...text.matchAll(/^(?:\$ )?latchkey (\w.*)$/gm)].map(([, line = '']) => line.split(' '));
      expect(lines, file).to.have.length.above(4);
      for (const words of lines) {
        let command = createProgram();
        const options = command.options.map(({ long }) => long);
        for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
        expect(command.commands, `${words.join(' ')} is a whole command`).to.deep.equal([]);
        options.push(...command.options.map(({ long }) => long));
        expect(options).to.include.members(words.filter((word) => word.startsWith('--')));
      }
    }
  });
});
