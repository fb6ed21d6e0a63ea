import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import sharp from 'sharp';
import type { Pictures, ShareCard } from '../../../adapters/contracts/pictures.ts';
import { createPictures } from '../../../adapters/files/pictures/pictures.ts';
import { createRender, type Render } from '../../../adapters/files/pictures/render.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

describe('pictures', () => {
  let folder: TemporaryFolder;
  const render = createRender();
  let pictures: Pictures;
  before(async () => {
    folder = await makeTemporaryFolder();
    pictures = picturesWith(render);
  });
  after(() => folder.remove());

  const picturesWith = (render: Render) =>
    createPictures({ render, staging: folder.path, withLocalFile: (key, work) => work(folder.file(key)) });

  /** A photo as a phone writes it: lying on its side, with the place where it was taken. */
  const photo = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#376' } })
      .withExif({ IFD3: { GPSLatitude: '52/1 31/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
  const write = async (name: string, bytes: Buffer) => {
    await writeFile(folder.file(name), bytes);
    return folder.file(name);
  };

  itLong('are renewed upright, without metadata, and not larger than pages need', async () => {
    const path = await write('photo.jpg', await photo(3000, 2000));
    expect(await sharp(path).metadata())
      .to.include({ orientation: 6 })
      .and.to.have.property('exif');
    const renewed = await pictures.renew(path, 'jpg', 'one');
    const bytes = await readFile(path);
    expect(renewed).to.deep.equal({ size: bytes.length });
    const { width, height, exif, orientation, format } = await sharp(bytes).metadata();
    expect({ width, height, exif, orientation, format }).to.deep.equal({
      width: 1067,
      height: 1600,
      exif: undefined,
      orientation: undefined,
      format: 'jpeg',
    });
  });

  it('are made small as PNG of few colors, without a change of the file; a damaged one is not', async () => {
    const path = await write(
      'large.png',
      await sharp({ create: { width: 900, height: 300, channels: 4, background: '#376' } })
        .png()
        .toBuffer(),
    );
    const before = await readFile(path);
    const small = await pictures.small(path, { width: 512, height: 112 }, 'one');
    expect(await sharp(small).metadata()).to.include({ width: 336, height: 112, format: 'png', isPalette: true });
    expect((await readFile(path)).equals(before)).to.equal(true);
    const damaged = await write('damaged.png', before.subarray(0, 60));
    expect(await pictures.small(damaged, { width: 512, height: 112 }, 'one')).to.equal(undefined);
  });

  it('keep their kind and transparency', async () => {
    const create = { width: 20, height: 10, channels: 4, background: '#37640000' } as const;
    const path = await write('logo.png', await sharp({ create }).png().toBuffer());
    expect(await pictures.renew(path, 'png', 'one')).to.have.property('size');
    const { width, height, format, hasAlpha } = await sharp(path).metadata();
    expect({ width, height, format, hasAlpha }).to.deep.equal({ width: 20, height: 10, format: 'png', hasAlpha: true });
  });

  it('are drawn for other sites with texts, with and without a stored picture, and kept', async () => {
    await write('cover.jpg', await photo(900, 600));
    const before = await readdir(folder.path);
    const card = { title: 'Swap Kit', line: 'Swap <anything>', price: '$49.00', site: 'Acme & Co', accent: '#0b6e4f' };
    const drawn = async (changes: Partial<ShareCard>, key?: string) => {
      // The first one on a computer can take longer than a visitor waits: all fonts are read.
      let picture = await pictures.shared({ ...card, ...changes }, key, 'one');
      for (let tries = 0; picture === undefined && tries < 5; tries++) {
        picture = await pictures.shared({ ...card, ...changes }, key, 'one');
      }
      if (typeof picture !== 'object') throw new Error(String(picture));
      expect(await sharp(picture).metadata()).to.include({ width: 1200, height: 630, format: 'jpeg' });
      return picture;
    };
    const [plain, covered] = [await drawn({}), await drawn({}, 'cover.jpg')];
    expect(await drawn({})).to.equal(plain);
    const { dominant } = await sharp(
      await sharp(covered).extract({ left: 0, top: 0, width: 1200, height: 300 }).toBuffer(),
    ).stats();
    expect(dominant).to.deep.equal({ r: 56, g: 120, b: 104 });
    const different = [{ title: 'Swap kits' }, { price: 'Free' }, { line: '' }, { site: '' }, { accent: '#aa3300' }];
    for (const changes of different)
      expect((await drawn(changes)).equals(plain), JSON.stringify(changes)).to.equal(false);
    const noTitle = await drawn({ title: '' });
    expect((await drawn({ title: 'محفظة 数字' })).equals(noTitle), 'no font has the title').to.equal(true);
    for (const title of ['🚀 Swap Kit →', 'Swap Kit ☃̶', 'Swap 👩‍💻 Kit'])
      expect((await drawn({ title })).equals(noTitle), `${title} without its signs`).to.equal(false);
    for (const title of ['Ünïcode Łódź Ωμέγα Привет', 'W'.repeat(500), 'word '.repeat(100), '"><script>', '\0\u202e'])
      await drawn({ title });
    expect(await readdir(folder.path), 'nothing is left').to.deep.equal(before);
    await write('damaged.jpg', (await photo(300, 200)).subarray(0, 400));
    expect(await pictures.shared(card, 'damaged.jpg', 'one')).to.equal('failed');
  });

  it('that cannot be read are refused, and nothing is left', async () => {
    const path = await write('broken.jpg', (await photo(300, 200)).subarray(0, 400));
    const before = await readdir(folder.path);
    expect(await pictures.renew(path, 'jpg', 'one')).to.have.property('fault');
    expect(await readdir(folder.path)).to.deep.equal(before);
  });

  for (const type of ['avif', 'webp'] as const) {
    it(`are served as ${type} in the asked width, and never enlarged`, async () => {
      await write('wide.jpg', await photo(400, 900));
      const before = await readdir(folder.path);
      const widths = [];
      for (const width of [320, 1200] as const) {
        const drawn = await pictures.sized('wide.jpg', { width, type }, 'one');
        const found = await sharp(drawn).metadata();
        widths.push(found.width);
        expect(found.format).to.equal(type === 'avif' ? 'heif' : 'webp');
        expect(found.exif).to.equal(undefined);
      }
      expect(widths).to.deep.equal([320, 900]);
      expect(await readdir(folder.path)).to.deep.equal(before);
    });
  }

  it('are drawn once, also for many who ask at the same time', async () => {
    let drawn = 0;
    const counted = picturesWith((job, patience) => {
      drawn += 1;
      return render(job, patience);
    });
    await write('asked.jpg', await photo(400, 400));
    const ask = (caller: number) => counted.sized('asked.jpg', { width: 320, type: 'webp' }, String(caller));
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(n)));
    expect(await ask(0)).to.equal(all[0]);
    expect(all[0]).to.be.instanceOf(Buffer);
    expect(drawn).to.equal(1);
  });

  itLong('are not there in another form if they do not exist or are no pictures', async () => {
    await write('text.png', Buffer.from('text'));
    for (const key of ['missing.png', 'text.png']) {
      expect(await pictures.sized(key, { width: 320, type: 'webp' }, 'one')).to.equal(undefined);
    }
  });

  it('stay as they are if the package is not installed', async () => {
    const without = picturesWith(async () => 'not_installed');
    const path = await write('kept.jpg', await photo(30, 20));
    const bytes = await readFile(path);
    expect(await without.renew(path, 'jpg', 'one')).to.equal(undefined);
    expect(await readFile(path)).to.deep.equal(bytes);
    expect(await without.sized('kept.jpg', { width: 320, type: 'webp' }, 'one')).to.equal('not_installed');
  });

  it('with texts are not there without the packages for them, nor for a while if they cannot be drawn', async () => {
    const card = { title: 'Jar', line: '', price: '', site: '', accent: '#000' };
    let tries = 0;
    const withResult = (result: 'no_font' | { fault: true }) =>
      picturesWith(async () => {
        tries += 1;
        return result;
      });
    for (const [result, expected] of [
      ['no_font', 'not_installed'],
      [{ fault: true }, 'failed'],
    ] as const) {
      const without = withResult(result);
      tries = 0;
      for (let n = 0; n < 2; n++) expect(await without.shared(card, undefined, 'one')).to.equal(expected);
      expect(tries).to.equal(1);
    }
  });

  it('that could not be drawn are not tried again at once, in no form', async () => {
    let tries = 0;
    const failing = picturesWith(async () => {
      tries += 1;
      return { fault: true };
    });
    await write('odd.jpg', await photo(30, 20));
    for (const width of [320, 640, 320] as const) {
      expect(await failing.sized('odd.jpg', { width, type: 'webp' }, 'one')).to.equal(undefined);
    }
    expect(tries).to.equal(1);
  });

  it('are refused for the moment if the process that draws them ends', async () => {
    const path = await write('late.jpg', await photo(30, 20));
    const failing = picturesWith(async () => {
      throw new Unavailable('It ended.');
    });
    expect(await errorOf(failing.renew(path, 'jpg', 'one'))).to.be.instanceOf(Unavailable);
    expect(await failing.sized('late.jpg', { width: 320, type: 'webp' }, 'one')).to.equal(undefined);
  });
});
