import { createReadStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createZipContents } from '../../../adapters/files/inspection/zip-contents.ts';
import { createLocalCopies, type WithLocalFile } from '../../../adapters/files/local-copies.ts';
import { pngOf, zipOf } from '../../support/samples.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

/** Where the zips are: on this machine, or elsewhere. */
const places: Readonly<Record<string, (folder: TemporaryFolder) => WithLocalFile>> = {
  'on this machine': (folder) => (key, work) => work(folder.file(key)),
  'copied from elsewhere': (folder) =>
    createLocalCopies({
      staging: folder.file('staging'),
      read: (key) => createReadStream(folder.file(key)),
    }),
};

for (const [place, withLocalFile] of Object.entries(places)) {
  describe(`the contents of zips ${place}`, () => {
    let folder: TemporaryFolder;
    before(async () => {
      folder = await makeTemporaryFolder();
      await mkdir(folder.file('staging'));
    });
    after(() => folder.remove());

    const list = async (name: string, bytes: Buffer, most = 10) => {
      await writeFile(folder.file(name), bytes);
      return await createZipContents(withLocalFile(folder)).list(name, most);
    };

    it('are the files with their unpacked sizes, in their order, without folders', async () => {
      const zip = await zipOf([
        { name: 'b/' },
        { name: 'b/two.txt', content: 'xx' },
        { name: 'a.txt', content: 'xxx' },
      ]);
      expect(await list('good.zip', zip)).to.deep.equal({
        files: [
          { path: 'b/two.txt', size: 2 },
          { path: 'a.txt', size: 3 },
        ],
        count: 2,
        size: 5,
      });
    });

    it('are cut, but counted in full', async () => {
      const zip = await zipOf(Array.from({ length: 12 }, (_, n) => ({ name: `${n}`, content: 'x' })));
      const found = await list('many.zip', zip);
      expect([found?.files.length, found?.count, found?.size]).to.deep.equal([10, 12, 12]);
    });

    it('have no characters that make a path look like another', async () => {
      const found = await list('odd.zip', await zipOf([{ name: 'a\u202etxt.exe' }, { name: 'b\u0007' }]));
      expect(found?.files.map(({ path }) => path)).to.deep.equal(['a\ufffdtxt.exe', 'b\ufffd']);
    });

    it('are unknown if the file is no zip, is broken or does not exist', async () => {
      const zip = await zipOf();
      expect(await list('picture.zip', pngOf())).to.equal(undefined);
      expect(await list('half.zip', zip.subarray(0, zip.length / 2))).to.equal(undefined);
      expect(await createZipContents(withLocalFile(folder)).list('missing.zip', 10)).to.equal(undefined);
    });

    it('leave no copies', async () => {
      expect(await readdir(folder.file('staging'))).to.deep.equal([]);
    });
  });
}
