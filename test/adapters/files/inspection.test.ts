import { open, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { createFileInspection } from '../../../adapters/files/inspection.ts';
import type { InspectionLimits } from '../../../adapters/files/limits.ts';
import type { Inspected } from '../../../core/ports/file-inspection.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import {
  jpgFrame,
  jpgOf,
  jpgOfSegments,
  jpgScan,
  jpgSegment,
  listedAt,
  patched,
  pngChunk,
  pngOf,
  replaced,
  zipOf,
} from './samples.ts';

describe('file inspection', () => {
  let folder: TemporaryFolder;
  let good: { zip: Buffer; stored: Buffer; png: Buffer; jpg: Buffer };

  before(async () => {
    folder = await makeTemporaryFolder();
    good = {
      zip: await zipOf([{ name: 'src/' }, { name: 'src/Token.sol', content: 'contract Token {}' }, { name: 'é/ü.md' }]),
      stored: await zipOf(
        [
          { name: 'one.txt', compress: false },
          { name: 'two.txt', compress: false },
        ],
        { comment: 'hi' },
      ),
      png: pngOf(640, 480),
      jpg: jpgOf(640, 480),
    };
  });
  after(() => folder.remove());

  async function inspected(content: Buffer | string, limits?: Partial<InspectionLimits>): Promise<Inspected> {
    const path = folder.file('evil.png');
    await writeFile(path, content);
    return await createFileInspection(limits).inspect(path);
  }
  const whyNot = async (content: Buffer | string, limits?: Partial<InspectionLimits>) => {
    const answer = await inspected(content, limits);
    return answer.kind === 'unusable' ? answer.why : answer.kind;
  };

  describe('takes', () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ name: `folder/file-${index}.txt` }));
    const zips: Record<string, () => Promise<Buffer> | Buffer> = {
      'a zip': () => good.zip,
      'a zip of uncompressed entries, with a comment': () => good.stored,
      'a zip in the 64-bit format': () => zipOf([{ name: 'a.txt' }], { forceZip64Format: true }),
      'a zip of many entries': () => zipOf(many),
      'a zip that is larger than what is read at once': () =>
        zipOf([{ name: 'a.bin', content: Buffer.alloc(300_000, 'abc'), compress: false }, { name: 'b.txt' }]),
      'a zip with dots in its names': () => zipOf([{ name: '...' }, { name: 'a..b/.env' }, { name: '[...slug].tsx' }]),
      'a zip whose comment is as long as can be': () => zipOf([{ name: 'a.txt' }], { comment: 'c'.repeat(65_535) }),
      'a zip whose folders have a type that does not exist, as Maven makes them': async () => {
        const zip = await zipOf([{ name: 'META-INF/' }, { name: 'a.txt' }]);
        return patched(zip, listedAt(zip) + 40, 2, () => 0xffff);
      },
    };
    for (const [what, make] of Object.entries(zips)) {
      it(what, async () => {
        const zip = await make();
        expect(await inspected(zip)).to.deep.equal({ kind: 'zip', size: zip.length });
      });
    }

    it('a PNG and tells its size', async () => {
      expect(await inspected(good.png)).to.deep.equal({ kind: 'png', size: good.png.length, width: 640, height: 480 });
    });

    it('a PNG of many chunks', async () => {
      const notes = Array.from({ length: 20_000 }, () => pngChunk('tEXt', Buffer.from('note\0text')));
      const png = Buffer.concat([good.png.subarray(0, 33), ...notes, good.png.subarray(33)]);
      expect(await inspected(png)).to.deep.equal({ kind: 'png', size: png.length, width: 640, height: 480 });
    });

    it('a JPG and tells its size', async () => {
      expect(await inspected(good.jpg)).to.deep.equal({ kind: 'jpg', size: good.jpg.length, width: 640, height: 480 });
    });

    it('a JPG whose size stands far behind its start, past a preview of another size', async () => {
      const preview = jpgSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), jpgOf(160, 120)]));
      const profile = jpgSegment(0xe2, Buffer.alloc(65_533, 0xc0));
      const jpg = jpgOf(640, 480, preview, ...Array<Buffer>(12).fill(profile), Buffer.from([0xff, 0xff]));
      expect(await inspected(jpg)).to.deep.equal({ kind: 'jpg', size: jpg.length, width: 640, height: 480 });
    });

    it('a progressive JPG, whose scans are longer than what is read at once', async () => {
      const long = Buffer.concat([jpgScan(), Buffer.alloc(200_000, Buffer.from([0x01, 0xff, 0x00])), jpgScan()]);
      const jpg = jpgOfSegments(jpgFrame(30, 20, 0xc2), long, jpgScan());
      expect(await inspected(jpg)).to.deep.equal({ kind: 'jpg', size: jpg.length, width: 30, height: 20 });
    });

    it('a JPG wherever its end lies between two readings', async () => {
      for (let length = 65_500; length < 65_560; length++) {
        expect(await whyNot(jpgOfSegments(jpgFrame(5, 5), jpgScan(), Buffer.alloc(length)))).to.equal('jpg');
      }
    });

    it('a JPG with what a camera put behind its end', async () => {
      const jpg = Buffer.concat([good.jpg, Buffer.alloc(100_000, 'SEFT')]);
      expect(await inspected(jpg)).to.deep.equal({ kind: 'jpg', size: jpg.length, width: 640, height: 480 });
    });

    it('images just as large as the limits', async () => {
      expect(await whyNot(pngOf(10_000, 4000))).to.equal('png');
      expect(await whyNot(jpgOf(4000, 10_000))).to.equal('jpg');
      expect(await whyNot(pngOf(1, 1))).to.equal('png');
    });

    it('as much as it is told to', async () => {
      expect(await whyNot(good.png, { imageSide: 640, imagePixels: 640 * 480 })).to.equal('png');
      expect(await whyNot(good.png, { imageSide: 639 })).to.include('639');
      expect(await whyNot(good.png, { imagePixels: 640 * 480 - 1 })).to.include('307,199');
      expect(await whyNot(good.zip, { zipEntries: 3 })).to.equal('zip');
      expect(await whyNot(good.zip, { zipEntries: 2 })).to.include('more than 2 entries');
      expect(await whyNot(good.stored, { zipUnpacked: 14, zipRatio: 1 })).to.equal('zip');
      expect(await whyNot(good.stored, { zipUnpacked: 13 })).to.include('more than 13 bytes');
    });
  });

  describe('does not take', () => {
    const php = `<?php system($_GET['c']); ?>`;
    const neither = 'It is neither a zip nor a PNG or JPG image.';
    const brokenZip = 'It is a zip that is broken or cut off.';
    const brokenPng = 'It is a PNG image that is broken or cut off.';
    const brokenJpg = 'It is a JPG image that is broken or cut off.';
    const unsafe = (name: string) => `The zip has an entry whose name is not safe to unpack: ${name}`;
    const named = async (name: string) =>
      replaced(await zipOf([{ name: 'x'.repeat(name.length) }]), 'x'.repeat(name.length), name);

    /** Claims to unpack to so much, in the listing and before the data. */
    const claiming = async (bytes: number, entries = 1) => {
      const names = Array.from({ length: entries }, (_, index) => ({
        name: `${index}.txt`,
        content: 'a'.repeat(1000),
      }));
      let zip = await zipOf(names);
      for (let index = 0; index < entries; index++) {
        const listed = listedAt(zip, index);
        zip = patched(zip, listed + 24, 4, () => bytes);
        zip = patched(zip, zip.readUInt32LE(listed + 42) + 22, 4, () => bytes);
      }
      return zip;
    };

    /** All entries of the listing lead to the first one's data. */
    const overlapping = async () => {
      const zip = await zipOf([{ name: 'same.txt' }, { name: 'same.txt' }]);
      return patched(zip, listedAt(zip, 1) + 42, 4, () => 0);
    };

    const hostile: Record<string, [() => Promise<Buffer> | Buffer | string, string]> = {
      'an empty file': [() => '', 'It is empty.'],
      'a single byte': [() => 'P', neither],
      text: [() => 'Hello, this is a picture.', neither],
      'a PHP file named .png': [() => php, neither],
      'a page of HTML': [() => '<!doctype html><script>alert(1)</script>', neither],
      'an SVG': [() => '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', neither],
      'a GIF': [
        () => Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
        'It is image/gif, neither a zip nor a PNG or JPG image.',
      ],
      'a PDF': [() => '%PDF-1.7\n', 'It is application/pdf, neither a zip nor a PNG or JPG image.'],
      'a program': [
        () => Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(60)]),
        'It is application/x-elf, neither a zip nor a PNG or JPG image.',
      ],
      'something in front of a zip': [() => Buffer.concat([Buffer.from(php), good.zip]), neither],
      'something in front of a PNG': [() => Buffer.concat([Buffer.from('\n'), good.png]), neither],

      'the start of a zip alone': [() => 'PK\x03\x04', brokenZip],
      'an empty zip': [() => zipOf([]), 'It is an empty zip.'],
      'a zip of folders alone': [() => zipOf([{ name: 'a/' }, { name: 'a/b/' }]), 'It is a zip without files.'],
      'a zip entry that leads upwards': [() => named('../evil.php'), unsafe('../evil.php')],
      'a zip entry that leads upwards in the middle': [() => named('a/../../b'), unsafe('a/../../b')],
      'a zip entry that ends upwards': [() => named('a/..'), unsafe('a/..')],
      'a zip entry that leads upwards past a blank': [() => named('a/.. /b'), unsafe('a/.. /b')],
      'a zip entry with an absolute name': [() => named('/etc/passwd'), unsafe('/etc/passwd')],
      'a zip entry with a drive letter': [() => named('c:evil.exe'), unsafe('c:evil.exe')],
      'a zip entry with a backslash': [() => named('..\\evil.exe'), unsafe('..\\evil.exe')],
      'a zip entry with a NUL': [() => named('a.txt\0.php'), unsafe('a.txt\ufffd.php')],
      'a zip entry without a name': [() => withoutName(), unsafe('')],
      'a zip entry whose name is safe in one place only': [
        async () => {
          const zip = await zipOf([{ name: 'xxxxxx.php' }]);
          const split = listedAt(zip);
          return Buffer.concat([replaced(zip.subarray(0, split), 'xxxxxx', '../../'), zip.subarray(split)]);
        },
        'The zip contradicts itself about an entry: xxxxxx.php',
      ],
      'a zip entry whose second, Unicode name leads upwards': [
        () => withUnicodeName('harmless', '../evil'),
        unsafe('harmless'),
      ],
      'a zip entry whose first name leads upwards, and its Unicode name does not': [
        () => withUnicodeName('../evil', 'harmless'),
        unsafe('../evil'),
      ],
      'a zip whose data is compressed though its listing says otherwise': [
        () => patched(good.stored, 8, 2, () => 8),
        'The zip contradicts itself about an entry: one.txt',
      ],
      'a zip whose data is of another length than its listing says': [
        () => patched(good.stored, 18, 4, () => 6),
        'The zip contradicts itself about an entry: one.txt',
      ],
      'a zip with something between its first bytes and its entries': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt' }]);
          const moved = patched(zip, listedAt(zip) + 42, 4, (offset) => offset + 30);
          const start = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26)]);
          return Buffer.concat([start, patched(moved, zip.length - 6, 4, (offset) => offset + 30)]);
        },
        'It is a zip whose entries do not lie one behind the other.',
      ],
      'a zip with two ends': [() => Buffer.concat([good.zip, good.zip.subarray(-22)]), brokenZip],
      'a zip that counts its entries in two ways': [
        () => patched(good.zip, good.zip.length - 14, 2, (count) => count + 1),
        brokenZip,
      ],
      'a 64-bit zip that lies about the size of its listing': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt' }], { forceZip64Format: true });
          return patched(zip, zip.length - 98 + 40, 4, (size) => size + 1);
        },
        brokenZip,
      ],
      'a 64-bit zip whose listing lies beyond all numbers': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt' }], { forceZip64Format: true });
          return patched(
            patched(zip, zip.length - 98 + 48, 4, () => 0xffffffff),
            zip.length - 98 + 52,
            4,
            () => 0xffffffff,
          );
        },
        brokenZip,
      ],
      'a zip entry that is a symbolic link': [
        () => zipOf([{ name: 'a.txt' }, { name: 'link', content: '/etc/passwd', mode: 0o120777 }]),
        'The zip has an entry that is neither a file nor a folder, such as a link: link',
      ],
      'a zip entry that is a device': [
        () => zipOf([{ name: 'disk', mode: 0o060666 }]),
        'The zip has an entry that is neither a file nor a folder, such as a link: disk',
      ],
      'an encrypted zip entry': [
        async () => {
          const zip = await zipOf([{ name: 'secret.txt' }]);
          return patched(
            patched(zip, 6, 2, (flags) => flags | 1),
            listedAt(zip) + 8,
            2,
            (flags) => flags | 1,
          );
        },
        'The zip has an encrypted entry: secret.txt',
      ],
      'a zip whose data is encrypted though its listing says otherwise': [
        async () => patched(await zipOf([{ name: 'secret.txt' }]), 6, 2, (flags) => flags | 1),
        'The zip contradicts itself about an entry: secret.txt',
      ],
      'a zip whose listing says another size than its data': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt', content: 'a'.repeat(1000) }]);
          return patched(zip, listedAt(zip) + 24, 4, () => 10);
        },
        'The zip contradicts itself about an entry: a.txt',
      ],
      'a zip of 20,000 entries': [
        () => zipOf(Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}`, content: '', compress: false }))),
        'It is a zip of more than 10,000 entries.',
      ],
      'a zip bomb: 4 GiB from a few bytes': [
        () => claiming(0xfffffffe),
        'It is a zip that unpacks to more than 2 GiB.',
      ],
      'a zip bomb of many entries': [() => claiming(2 ** 29, 5), 'It is a zip that unpacks to more than 2 GiB.'],
      'a zip bomb of zeros, as far as they go': [
        () => zipOf([{ name: 'zeros', content: Buffer.alloc(20_000_000) }]),
        'It is a zip that unpacks to more than 1,000 times its size.',
      ],
      'a zip bomb whose entries share their data': [
        overlapping,
        'It is a zip whose entries do not lie one behind the other.',
      ],
      'a zip that hides its last entry': [
        async () => {
          const end = good.zip.length - 22;
          return patched(
            patched(good.zip, end + 8, 2, () => 2),
            end + 10,
            2,
            () => 2,
          );
        },
        brokenZip,
      ],
      'a zip that lies about the size of its listing': [
        () => patched(good.zip, good.zip.length - 10, 4, (size) => size - 1),
        brokenZip,
      ],
      'a zip with something behind its end': [() => Buffer.concat([good.zip, Buffer.from(php)]), brokenZip],
      'a zip whose listing lies beyond its end': [
        () => patched(good.zip, good.zip.length - 6, 4, () => 0x7fffffff),
        brokenZip,
      ],
      'a zip whose data lies beyond its end': [
        () => patched(good.zip, listedAt(good.zip) + 42, 4, () => 0x7fffffff),
        brokenZip,
      ],
      'one part of a zip in several': [() => patched(good.zip, good.zip.length - 18, 2, () => 1), brokenZip],

      'a header of a PNG of 20,000 x 20,000': [
        () => pngOf(20_000, 20_000, { isHeaderOnly: true }),
        'It is an image of 20,000 x 20,000 pixels: at most 10,000 are taken either way.',
      ],
      'a PNG of 2^32 - 1 pixels in a row': [
        () => pngOf(0xffffffff, 1, { isHeaderOnly: true }),
        'It is an image of 4,294,967,295 x 1 pixels: at most 10,000 are taken either way.',
      ],
      'a PNG of too many pixels in all': [
        () => pngOf(8000, 5001),
        'It is an image of 8,000 x 5,001 pixels: at most 40,000,000 are taken in all.',
      ],
      'a PNG of no width': [() => pngOf(0, 5), 'It is an image of 0 x 5 pixels: nothing to see.'],
      'a PNG of no height': [() => pngOf(5, 0), 'It is an image of 5 x 0 pixels: nothing to see.'],
      'a header of a PNG without an image': [() => pngOf(5, 5, { isHeaderOnly: true }), brokenPng],
      'a PNG whose header is not as it was made': [() => patched(good.png, 17, 1, () => 1), brokenPng],
      'a PNG without data': [() => Buffer.concat([good.png.subarray(0, 33), pngChunk('IEND')]), brokenPng],
      'a PNG with a second header': [() => Buffer.concat([good.png.subarray(0, 33), good.png.subarray(8)]), brokenPng],
      'a PNG of endless tiny chunks': [
        () =>
          Buffer.concat([
            good.png.subarray(0, 33),
            Buffer.alloc(12 * 100_001, pngChunk('tEXt')),
            good.png.subarray(33),
          ]),
        brokenPng,
      ],
      'a PNG with a zip behind its end': [
        () => Buffer.concat([good.png, good.zip]),
        'It is a PNG image with something else behind its end.',
      ],
      'a PNG with PHP behind its end': [
        () => Buffer.concat([good.png, Buffer.from(php)]),
        'It is a PNG image with something else behind its end.',
      ],

      'a JPG of too many pixels': [
        () => jpgOf(65_535, 65_535),
        'It is an image of 65,535 x 65,535 pixels: at most 10,000 are taken either way.',
      ],
      'a JPG of no height': [() => jpgOf(5, 0), 'It is an image of 5 x 0 pixels: nothing to see.'],
      'a JPG that names a small size first and a huge one later': [
        () => jpgOfSegments(jpgFrame(5, 5), jpgFrame(60_000, 60_000), jpgScan()),
        brokenJpg,
      ],
      'a JPG whose frame is too short to hold a size': [
        () => jpgOfSegments(jpgSegment(0xc0, Buffer.from([8, 0, 5, 0, 5])), jpgScan()),
        brokenJpg,
      ],
      'a JPG without a frame': [() => jpgOfSegments(jpgScan()), brokenJpg],
      'a JPG without a scan': [() => jpgOfSegments(jpgFrame(5, 5)), brokenJpg],
      'a JPG without an end': [() => good.jpg.subarray(0, -2), brokenJpg],
      'a lossless JPG': [
        () => jpgOfSegments(jpgFrame(5, 5, 0xc3), jpgScan()),
        'It is a JPG image of a kind that browsers do not show.',
      ],
      'a JPG of endless tiny segments': [
        () => jpgOf(5, 5, Buffer.alloc(4 * 10_001, Buffer.from([0xff, 0xfe, 0, 2]))),
        brokenJpg,
      ],
      'a JPG of endless padding': [() => jpgOf(5, 5, Buffer.alloc(100_000, 0xff)), brokenJpg],
      'a JPG with PHP between its segments': [() => jpgOf(5, 5, Buffer.from(php)), brokenJpg],
      'a JPG with a zip behind its end': [
        () => Buffer.concat([good.jpg, good.zip]),
        'It is a JPG image and a zip in one.',
      ],
      'the start of a JPG alone': [() => Buffer.from([0xff, 0xd8, 0xff]), brokenJpg],
    };
    for (const [what, [make, why]] of Object.entries(hostile)) {
      it(what, async () => expect(await whyNot(await make())).to.equal(why));
    }

    it('a PNG of a kind that does not exist', async () => {
      const ofKind = (...kind: number[]) =>
        Buffer.concat([
          good.png.subarray(0, 8),
          pngChunk('IHDR', Buffer.from([0, 0, 0, 5, 0, 0, 0, 5, ...kind])),
          good.png.subarray(33),
        ]);
      expect(await whyNot(ofKind(8, 6, 0, 0, 1))).to.equal('png');
      for (const kind of [
        [3, 0, 0, 0, 0],
        [16, 3, 0, 0, 0],
        [8, 7, 0, 0, 0],
        [8, 6, 1, 0, 0],
        [8, 6, 0, 1, 0],
        [8, 6, 0, 0, 2],
      ]) {
        expect(await whyNot(ofKind(...kind)), kind.join()).to.equal(brokenPng);
      }
    });

    it('more of a name than is fit to be shown', async () => {
      const why = await whyNot(await named(`../${'long'.repeat(100)}`));
      expect(why).to.equal(unsafe(`../${'long'.repeat(100)}`.slice(0, 80).concat('…')));
    });

    for (const name of ['zip', 'stored', 'png', 'jpg'] as const) {
      it(`a ${name} that is cut off, wherever`, async () => {
        const file = good[name];
        for (let length = 0; length < file.length; length++) {
          expect(await inspected(file.subarray(0, length)), `at ${length}`).to.have.property('kind', 'unusable');
        }
      });
    }
  });

  describe('answers', () => {
    const bytes = fc.uint8Array({ maxLength: 6000 }).map((array) => Buffer.from(array));
    const start = fc.constantFrom(
      '',
      'PK\x03\x04',
      'PK\x05\x06',
      '\x89PNG\r\n\x1a\n',
      '\xff\xd8\xff',
      '\x1f\x8b\x08',
      'ID3',
      'II*\0',
      '\0\0\0\x20ftyp',
    );

    it('whatever the bytes are, and leaves no file open', async () => {
      const before = await openFiles();
      await fc.assert(
        fc.asyncProperty(start, bytes, async (first, rest) => {
          const answer = await inspected(Buffer.concat([Buffer.from(first, 'latin1'), rest]));
          if (answer.kind === 'unusable') expect(answer.why).to.match(/^[^\p{C}]+$/u);
        }),
        { numRuns: 500 },
      );
      expect(await openFiles()).to.equal(before);
    });

    it('whatever was done to a good file', async () => {
      const change = fc.record({ at: fc.nat(), byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0xff), fc.nat(255)) });
      const kind = fc.constantFrom('zip', 'stored', 'png', 'jpg');
      await fc.assert(
        fc.asyncProperty(kind, fc.array(change, { minLength: 1, maxLength: 6 }), async (name, changes) => {
          const file = Buffer.from(good[name as keyof typeof good]);
          for (const { at, byte } of changes) file[at % file.length] = byte;
          const answer = await inspected(file);
          if (answer.kind === 'unusable') expect(answer.why).to.match(/^[^\p{C}]+$/u);
          else expect(answer.size).to.equal(file.length);
        }),
        { numRuns: 1000 },
      );
    });

    it('with the outage where the file cannot be read, and never takes the file for broken', async () => {
      for (const name of ['zip', 'stored', 'png', 'jpg'] as const) {
        const content = Buffer.concat([good[name], name === 'jpg' ? Buffer.alloc(500_000) : Buffer.alloc(0)]);
        for (const failing of name === 'jpg' ? [1, 2] : [1]) {
          const error = await whileReadFails(failing, () => inspected(content).catch((thrown) => thrown));
          expect(error).to.be.instanceOf(Unavailable);
        }
      }
      const large = await zipOf([{ name: 'a', content: Buffer.alloc(300_000), compress: false }]);
      for (const failing of [1, 2, 3]) {
        const error = await whileReadFails(failing, () => inspected(large).catch((thrown) => thrown));
        expect(error, String(failing)).to.be.instanceOf(Unavailable);
      }
    });

    it('with the error of the system where there is no such file', async () => {
      const error = await createFileInspection()
        .inspect(folder.file('none'))
        .catch((thrown) => thrown);
      expect(error).to.have.property('code', 'ENOENT');
    });
  });
});

/** Does the work while the nth reading of files fails. */
async function whileReadFails<T>(nth: number, work: () => Promise<T>): Promise<T> {
  const file = await open(fileURLToPath(import.meta.url));
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const { read } = prototype;
  let count = 0;
  prototype.read = async function (this: unknown, ...given: unknown[]) {
    if (++count === nth) throw Object.assign(new Error('EIO: as told'), { code: 'EIO', syscall: 'read' });
    return await read.apply(this, given);
  };
  try {
    return await work();
  } finally {
    prototype.read = read;
  }
}

async function openFiles(): Promise<number> {
  return (await readdir('/proc/self/fd').catch(() => [])).length;
}

/** With an extra field that gives the entry another name, which some programs go by. */
async function withUnicodeName(name: string, other: string): Promise<Buffer> {
  const zip = replaced(await zipOf([{ name: 'x'.repeat(name.length) }]), 'x'.repeat(name.length), name);
  const listed = listedAt(zip);
  const field = Buffer.alloc(9 + other.length);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(field.length - 4, 2);
  field[4] = 1;
  field.writeUInt32LE(crc32(name), 5);
  field.write(other, 9);
  const at = listed + 46 + name.length;
  const extended = Buffer.concat([zip.subarray(0, at), field, zip.subarray(at)]);
  const sized = patched(extended, listed + 30, 2, (length) => length + field.length);
  return patched(sized, sized.length - 10, 4, (size) => size + field.length);
}

async function withoutName(): Promise<Buffer> {
  const zip = await zipOf([{ name: 'a' }]);
  const listed = listedAt(zip);
  const local = Buffer.concat([zip.subarray(0, 30), zip.subarray(31, listed)]);
  const listing = Buffer.concat([zip.subarray(listed, listed + 46), zip.subarray(listed + 47)]);
  const nameless = Buffer.concat([patched(local, 26, 2, () => 0), patched(listing, 28, 2, () => 0)]);
  const end = nameless.length - 22;
  return patched(
    patched(nameless, end + 12, 4, (size) => size - 1),
    end + 16,
    4,
    (offset) => offset - 1,
  );
}
