import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { itLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

describe('a server whose database file is deleted', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
  });
  afterEach(() => folder.remove());

  for (const workers of ['1', '2']) {
    itLong(`logs that and ends with exit code 1, without creating a new file (${workers} processes)`, async () => {
      const file = folder.file('latchkey.db');
      await using server = await startServer({ DATABASE_URL: `sqlite:${file}`, WORKERS: workers });
      const ready = await fetch(`${server.url}/health/ready`);
      expect(ready.status).to.equal(200);
      for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
      expect(await server.ended).to.equal(1);
      const messages = server.log.filter(({ level }) => level === 60).map(({ msg }) => String(msg));
      expect(messages).to.not.deep.equal([]);
      for (const text of messages) expect(text).to.include(`${file} was deleted`).and.include('restore a backup');
      expect(existsSync(file)).to.equal(false);
    });
  }
});
