import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/** Code that the server runs when it gets SIGUSR2. Nothing catches its error. */
const faults = {
  unhandledRejection: 'void Promise.reject(new Error("planned fault"))',
  uncaughtException: 'throw new Error("planned fault")',
};

needing(skipLong).describe('an error that nothing catches', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  for (const [origin, fault] of Object.entries(faults)) {
    it(`is logged, and then ends the process with exit code 1 (${origin})`, async () => {
      const module = folder.file(`${origin}.mjs`);
      await writeFile(module, `process.on('SIGUSR2', () => { setImmediate(() => { ${fault}; }); });`);
      await using server = await startServer({
        DATABASE_URL: `sqlite:${folder.file(`${origin}.db`)}`,
        NODE_OPTIONS: `--import=${module}`,
      });
      const ended = once(server.child, 'close');
      server.child.kill('SIGUSR2');
      const [code] = await ended;
      expect(code).to.equal(1);
      expect(server.errors()).to.equal('');
      // The line before it can come after it, if the pipe was full.
      const line = server.log.find(({ level }) => level === 60);
      expect(line).to.include({ origin, msg: 'an error was not caught' });
      expect(line?.err).to.include({ type: 'Error', message: 'planned fault' }).and.have.property('stack');
    });
  }
});
