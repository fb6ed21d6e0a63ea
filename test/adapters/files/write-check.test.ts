import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createWriteCheck } from '../../../adapters/files/write-check.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { needing } from '../../support/required-service.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('the check whether files can be written', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
  });
  afterEach(() => folder.remove());

  it('leaves nothing behind, and writes again only after ten seconds', async () => {
    let time = 0;
    const place = folder.file('files');
    await mkdir(place);
    const check = createWriteCheck(place, () => time);
    await Promise.all([check(), check()]);
    expect(await readdir(place)).to.deep.equal([]);
    await rm(place, { recursive: true });
    time = 9_999;
    await check();
    time = 10_000;
    expect(await errorOf(check())).to.include({ code: 'ENOENT' });
  });

  needing(smallDisk.skip).it(
    'throws `Unavailable` while the disk is full, and sees at once when it has room',
    async () => {
      using _disk = smallDisk.mount(folder.path, '64k');
      const check = createWriteCheck(folder.path);
      await writeFile(folder.file('large'), Buffer.alloc(64 * 1024)).catch(() => undefined);
      expect(await errorOf(check())).to.be.instanceOf(Unavailable);
      expect(await readdir(folder.path)).to.deep.equal(['large']);
      await rm(folder.file('large'));
      await check();
    },
  );
});
