import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { needing, skipLong } from '../support/required-service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

needing(skipLong).describe('embedding', () => {
  // It is inside the project, so that `latchkey` is resolved as in a project that installed it.
  const folder = join(root, 'dist', 'guide-sample');
  before(() => mkdir(folder, { recursive: true }));
  after(() => rm(folder, { recursive: true, force: true }));

  it('works with the sample of the guide, which compiles against the published types', async () => {
    const guide = await readFile(join(root, 'apps/docs/embedding.md'), 'utf8');
    const sample = /```ts\n(import \{ embed[\s\S]*?)```/.exec(guide)?.[1];
    expect(sample, 'the sample in the guide').to.be.a('string');
    const file = join(folder, 'sample.ts');
    await writeFile(file, sample ?? '');
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'nodenext',
          target: 'es2023',
          lib: ['es2023', 'esnext.disposable'],
          types: ['node'],
          outDir: '.',
        },
        files: ['sample.ts'],
      }),
    );
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      (error) => error,
    );
    expect(stdout).to.equal('');
    await run(process.execPath, [join(folder, 'sample.js')]);
  });
});
