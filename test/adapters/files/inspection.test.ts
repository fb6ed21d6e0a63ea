import { open, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Inspected } from '../../../adapters/contracts/file-inspection.ts';
import { createFileInspection } from '../../../adapters/files/inspection/inspection.ts';
import type { InspectionLimits } from '../../../adapters/files/inspection/limits.ts';
import { createPieces, pieceSize } from '../../../adapters/files/inspection/pieces.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';
import { runs } from '../../support/runs.ts';
import {
  descriptor,
  extraField,
  jpgFrame,
  jpgOf,
  jpgOfSegments,
  jpgScan,
  jpgSegment,
  listedAt,
  patched,
  pngChunk,
  pngOf,
  type RawEntry,
  rawZip,
  replaced,
  unicodePath,
  zipOf,
} from '../../support/samples.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { realZips } from './real-zips.ts';

/** Zips that take long to make. */
const slow = new Set([
  'a zip of many entries',
  'a zip of 20,000 entries',
  'a zip entry that contains 100 MB but states 97 kB',
]);
const needingTimeFor = (what: string) => needing(slow.has(what) ? skipLong : undefined);

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

  describe('accepts', () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ name: `folder/file-${index}.txt` }));
    const zips: Record<string, () => Promise<Buffer> | Buffer> = {
      'a zip': () => good.zip,
      'a zip of uncompressed entries, with a comment': () => good.stored,
      'a zip in the 64-bit format': () => zipOf([{ name: 'a.txt' }], { forceZip64Format: true }),
      'a zip of many entries': () => zipOf(many),
      'a zip that is larger than one read': () =>
        zipOf([{ name: 'a.bin', content: Buffer.alloc(300_000, 'abc'), compress: false }, { name: 'b.txt' }]),
      'a zip with dots in its names': () => zipOf([{ name: '...' }, { name: 'a..b/.env' }, { name: '[...slug].tsx' }]),
      'a zip as macOS makes it, with additional files of macOS': () =>
        rawZip(
          ['src/', 'src/cafe\u0301.md', '__MACOSX/', '__MACOSX/src/', '__MACOSX/src/._cafe\u0301.md'].map((name) =>
            name.endsWith('/')
              ? { name, content: '', data: Buffer.alloc(0), local: { method: 0 }, listed: { method: 0 } }
              : {
                  name,
                  // The names are UTF-8, but the flag for UTF-8 is not set.
                  local: { flags: 8, crc: 0, packed: 0, unpacked: 0 },
                  listed: { flags: 8 },
                  after: descriptor(name, 4, true),
                },
          ),
        ),
      'a zip whose names differ only in letters that old programs would treat as upper and lower case': () =>
        rawZip(['À.md', 'Ç.md'].map((name) => ({ name, local: { flags: 0 }, listed: { flags: 0 } }))),
      'a zip with names in the code page of old programs, and also in Unicode': () => {
        const name = Buffer.from('\x81ber.md', 'latin1');
        const said = { name, flags: 0, extra: unicodePath(name, 'über.md') };
        return rawZip([{ name: 'über.md', local: said, listed: said }]);
      },
      'a zip with sizes of 64 bits before the data': () => {
        const sizes = Buffer.alloc(16);
        sizes.writeBigUInt64LE(5n, 0);
        sizes.writeBigUInt64LE(BigInt(deflateRawSync('hello').length), 8);
        const local = { packed: 0xffffffff, unpacked: 0xffffffff, extra: extraField(1, sizes) };
        return rawZip([{ name: 'a.txt', content: 'hello', local }]);
      },
      'a zip with folders that are listed after their files, and with a root folder': () =>
        zipOf([{ name: 'a/b.txt' }, { name: 'a/' }, { name: './' }, { name: 'ab.txt' }, { name: 'a.txt' }]),
      'a zip with a comment of the maximum length': () => zipOf([{ name: 'a.txt' }], { comment: 'c'.repeat(65_535) }),
      'a zip whose folders have a type that does not exist, as Maven makes them': async () => {
        const zip = await zipOf([{ name: 'META-INF/' }, { name: 'a.txt' }]);
        return patched(zip, listedAt(zip) + 40, 2, () => 0xffff);
      },
    };
    for (const [program, zip] of Object.entries(realZips)) {
      zips[`a zip as ${program} writes it`] = () => Buffer.from(zip, 'base64');
    }
    const streamed: Partial<RawEntry> = {
      local: { flags: 0x808, crc: 0, packed: 0, unpacked: 0 },
      listed: { flags: 0x808 },
    };
    for (const sizeOf of [4, 8] as const) {
      for (const isSigned of [true, false]) {
        zips[`a zip with sizes of ${sizeOf} bytes after the data, ${isSigned ? 'with' : 'without'} a signature`] = () =>
          rawZip(
            ['one.txt', 'two.txt'].map((name) => ({ ...streamed, name, after: descriptor(name, sizeOf, isSigned) })),
          );
      }
    }
    for (const [what, make] of Object.entries(zips)) {
      needingTimeFor(what).it(what, async () => {
        const zip = await make();
        expect(await inspected(zip)).to.deep.equal({ kind: 'zip', size: zip.length });
      });
    }

    it('a PNG, and returns its size', async () => {
      expect(await inspected(good.png)).to.deep.equal({ kind: 'png', size: good.png.length, width: 640, height: 480 });
    });

    it('a PNG whose data is in many pieces, some of them empty', async () => {
      const data = deflateSync(Buffer.alloc(480 * 81));
      const pieces = Array.from(data, (byte) => [pngChunk('IDAT', Buffer.from([byte])), pngChunk('IDAT')]).flat();
      const png = Buffer.concat([good.png.subarray(0, 33), ...pieces, pngChunk('IEND')]);
      expect(await whyNot(png)).to.equal('png');
    });

    it('an interlaced PNG of any size', async () => {
      // Bytes of the data for each width and height, with 8-bit grey pixels. Each row of each pass has one more byte.
      for (const [width, height, bytes] of [
        [1, 1, 2],
        [5, 1, 5 + 4],
        [1, 5, 5 + 5],
        [5, 5, 25 + 11],
        [8, 8, 64 + 15],
      ] as const) {
        const header = pngChunk('IHDR', Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, 0, 0, 0, 1]));
        const png = (size: number) =>
          Buffer.concat([
            good.png.subarray(0, 8),
            header,
            pngChunk('IDAT', deflateSync(Buffer.alloc(size))),
            pngChunk('IEND'),
          ]);
        expect(await whyNot(png(bytes)), `${width} x ${height}`).to.equal('png');
        expect(await whyNot(png(bytes + 1))).to.include('does not match');
        expect(await whyNot(png(bytes - 1))).to.include('does not match');
      }
    });

    itLong('a PNG of many chunks', async () => {
      const notes = Array.from({ length: 20_000 }, () => pngChunk('tEXt', Buffer.from('note\0text')));
      const png = Buffer.concat([good.png.subarray(0, 33), ...notes, good.png.subarray(33)]);
      expect(await inspected(png)).to.deep.equal({ kind: 'png', size: png.length, width: 640, height: 480 });
    });

    it('a JPG, and returns its size', async () => {
      expect(await inspected(good.jpg)).to.deep.equal({ kind: 'jpg', size: good.jpg.length, width: 640, height: 480 });
    });

    it('a JPG whose size comes long after its start, after a preview with another size', async () => {
      const preview = jpgSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), jpgOf(160, 120)]));
      const profile = jpgSegment(0xe2, Buffer.alloc(65_533, 0xc0));
      const jpg = jpgOf(640, 480, preview, ...Array<Buffer>(12).fill(profile), Buffer.from([0xff, 0xff]));
      expect(await inspected(jpg)).to.deep.equal({ kind: 'jpg', size: jpg.length, width: 640, height: 480 });
    });

    it('a progressive JPG whose scans are longer than one read', async () => {
      const long = Buffer.concat([jpgScan(), Buffer.alloc(200_000, Buffer.from([0x01, 0xff, 0x00])), jpgScan()]);
      const jpg = jpgOfSegments(jpgFrame(30, 20, 0xc2), long, jpgScan());
      expect(await inspected(jpg)).to.deep.equal({ kind: 'jpg', size: jpg.length, width: 30, height: 20 });
    });

    itLong('a JPG whose end is split between two reads at any place', async () => {
      for (let length = 65_500; length < 65_560; length++) {
        expect(await whyNot(jpgOfSegments(jpgFrame(5, 5), jpgScan(), Buffer.alloc(length)))).to.equal('jpg');
      }
    });

    it('images exactly as large as the limits', async () => {
      expect(await whyNot(pngOf(10_000, 2400))).to.equal('png');
      expect(await whyNot(jpgOf(2400, 10_000))).to.equal('jpg');
      expect(await whyNot(pngOf(1, 1))).to.equal('png');
    });

    it('exactly as much as its options allow', async () => {
      expect(await whyNot(good.png, { imageSide: 640, imagePixels: 640 * 480 })).to.equal('png');
      expect(await whyNot(good.png, { imageSide: 639 })).to.include('639');
      expect(await whyNot(good.png, { imagePixels: 640 * 480 - 1 })).to.include('307,199');
      expect(await whyNot(good.zip, { zipEntries: 3 })).to.equal('zip');
      expect(await whyNot(good.zip, { zipEntries: 2 })).to.include('more than 2 entries');
      expect(await whyNot(good.stored, { zipUnpacked: 14, zipRatio: 1 })).to.equal('zip');
      expect(await whyNot(good.stored, { zipUnpacked: 13 })).to.include('more than 13 bytes');
    });
  });

  describe('rejects', () => {
    const php = `<?php system($_GET['c']); ?>`;
    const neither = 'It is neither a zip nor a PNG or JPG image.';
    const again = 'save it again in a program that edits images.';
    const brokenZip = 'It is a zip that is broken or cut off: make it again.';
    const brokenPng = `It is a PNG image that is broken or cut off: ${again}`;
    const brokenJpg = `It is a JPG image that is broken or cut off: ${again}`;
    const misfitPng = `It is a PNG image whose data does not match the size in its header: ${again}`;
    const behindPng = `It is a PNG image with other data after its end: ${again}`;
    const behindJpg = `It is a JPG image with other data after its end: ${again}`;
    const notApart = 'The zip has gaps, overlaps or hidden data between its entries: make it again.';
    const ofEntry = (name: string, fault: string) => `The zip's entry "${name}" ${fault}`;
    const unsafe = (name: string) => ofEntry(name, 'has a name that is not safe to unpack: rename it.');
    const twoNames = (name: string) =>
      ofEntry(name, 'has two different names, or an unreadable one: make the zip again with UTF-8 names.');
    const contradiction = (name: string) =>
      ofEntry(name, 'has two headers that contradict each other: make the zip again.');
    const unlike = (name: string) => ofEntry(name, 'does not match its stated size or checksum: make the zip again.');
    const method = (name: string) =>
      ofEntry(name, 'uses a compression that some programs cannot read: make the zip again with Deflate.');
    const encrypted = (name: string) => ofEntry(name, 'is encrypted: make the zip again without a password.');
    const special = (name: string) =>
      ofEntry(name, 'is not a file or folder, but a link or special file: replace it with the file itself.');
    const ofPair = (one: string, other: string, fault: string) => `The zip's entries "${one}" and "${other}" ${fault}`;
    const alike = (one: string, other: string) =>
      ofPair(one, other, 'have names that are the same on some systems: rename one.');
    const twice = (one: string, other = one) => ofPair(one, other, 'have the same name: keep one.');
    const fileAndFolder = (one: string, other: string) =>
      ofPair(one, other, 'use one name for a file and for a folder: rename one.');
    const named = async (name: string) =>
      replaced(await zipOf([{ name: 'x'.repeat(name.length) }]), 'x'.repeat(name.length), name);

    /** Claims this unpacked size, in the central directory and in the local header. */
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

    /** All entries of the central directory point to the data of the first one. */
    const overlapping = async () => {
      const zip = await zipOf([{ name: 'same.txt' }, { name: 'same.txt' }]);
      return patched(zip, listedAt(zip, 1) + 42, 4, () => 0);
    };

    /** The local header contains no sizes. */
    const open = { local: { flags: 0x808, crc: 0, packed: 0, unpacked: 0 }, listed: { flags: 0x808 } };
    const pngWith = (...chunks: Buffer[]) => Buffer.concat([good.png.subarray(0, 33), ...chunks, pngChunk('IEND')]);
    const pngData = (bytes = 480 * 81) => pngChunk('IDAT', deflateSync(Buffer.alloc(bytes)));
    const indexed = pngChunk('IHDR', Buffer.from([0, 0, 2, 128, 0, 0, 1, 224, 1, 3, 0, 0, 0]));
    const indexedWith = (...chunks: Buffer[]) =>
      Buffer.concat([good.png.subarray(0, 8), indexed, ...chunks, pngChunk('IEND')]);

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
      'a zip with other data before its start': [() => Buffer.concat([Buffer.from(php), good.zip]), neither],
      'a PNG with other data before its start': [() => Buffer.concat([Buffer.from('\n'), good.png]), neither],

      'only the start of a zip': [() => 'PK\x03\x04', brokenZip],
      'an empty zip': [() => zipOf([]), 'It is an empty zip: put the files into it.'],
      'a zip that contains only folders': [
        () => zipOf([{ name: 'a/' }, { name: 'a/b/' }]),
        'It is a zip without files: put the files into it.',
      ],
      'a zip entry that leads upwards': [() => named('../evil.php'), unsafe('../evil.php')],
      'a zip entry that leads upwards in the middle': [() => named('a/../../b'), unsafe('a/../../b')],
      'a zip entry that leads upwards at its end': [() => named('a/..'), unsafe('a/..')],
      'a zip entry that leads upwards with a blank after the dots': [() => named('a/.. /b'), unsafe('a/.. /b')],
      'a zip entry with an absolute name': [() => named('/etc/passwd'), unsafe('/etc/passwd')],
      'a zip entry with a drive letter': [() => named('c:evil.exe'), unsafe('c:evil.exe')],
      'a zip entry with a backslash': [() => named('..\\evil.exe'), unsafe('..\\evil.exe')],
      'a zip entry with a NUL': [() => named('a.txt\0.php'), unsafe('a.txt\ufffd.php')],
      'a zip entry without a name': [() => withoutName(), unsafe('')],
      'a zip entry whose name is safe in only one of its two headers': [
        async () => {
          const zip = await zipOf([{ name: 'xxxxxx.php' }]);
          const split = listedAt(zip);
          return Buffer.concat([replaced(zip.subarray(0, split), 'xxxxxx', '../../'), zip.subarray(split)]);
        },
        contradiction('xxxxxx.php'),
      ],
      'a zip entry whose second, Unicode name leads upwards': [
        () => withUnicodeName('harmless', '../evil'),
        twoNames('harmless'),
      ],
      'a zip entry whose first name leads upwards, and its Unicode name does not': [
        () => withUnicodeName('../evil', 'harmless'),
        twoNames('../evil'),
      ],
      'a zip whose data is compressed although its listing says otherwise': [
        () => patched(good.stored, 8, 2, () => 8),
        contradiction('one.txt'),
      ],
      'a zip whose data is of another length than its listing says': [
        () => patched(good.stored, 18, 4, () => 6),
        contradiction('one.txt'),
      ],
      'a zip with other data between its first bytes and its entries': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt' }]);
          const moved = patched(zip, listedAt(zip) + 42, 4, (offset) => offset + 30);
          const start = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26)]);
          return Buffer.concat([start, patched(moved, zip.length - 6, 4, (offset) => offset + 30)]);
        },
        notApart,
      ],
      'a zip with two ends': [() => Buffer.concat([good.zip, good.zip.subarray(-22)]), brokenZip],
      'a zip with two different counts of its entries': [
        () => patched(good.zip, good.zip.length - 14, 2, (count) => count + 1),
        brokenZip,
      ],
      'a 64-bit zip with a wrong size of its listing': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt' }], { forceZip64Format: true });
          return patched(zip, zip.length - 98 + 40, 4, (size) => size + 1);
        },
        brokenZip,
      ],
      'a 64-bit zip whose listing has an impossibly large position': [
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
      'a zip with an entry that is missing in its listing': [
        () => rawZip([{ name: 'a.txt' }, { name: 'evil.exe', isUnlisted: true }, { name: 'b.txt' }]),
        notApart,
      ],
      'a zip whose last entry is missing in its listing': [
        () => rawZip([{ name: 'a.txt' }, { name: 'evil.exe', isUnlisted: true }]),
        notApart,
      ],
      'a zip whose first entry is missing in its listing': [
        () => rawZip([{ name: 'evil.exe', isUnlisted: true }, { name: 'a.txt' }]),
        notApart,
      ],
      'a zip with a data descriptor that no entry announces': [
        () => rawZip([{ name: 'a.txt', after: descriptor('a.txt', 4, true) }]),
        notApart,
      ],
      'a zip with other sizes after an entry than in the listing': [
        () => rawZip([{ ...open, name: 'a.txt', after: descriptor('b.txt', 4, true) }]),
        notApart,
      ],
      'a zip with its sizes and other data after an entry': [
        () =>
          rawZip([{ ...open, name: 'a.txt', after: Buffer.concat([descriptor('a.txt', 4, true), Buffer.alloc(1)]) }]),
        notApart,
      ],
      'a zip whose entry has its sizes only in the listing': [() => rawZip([{ ...open, name: 'a.txt' }]), notApart],
      'a zip whose entry says that its sizes follow, in one header only': [
        () => rawZip([{ name: 'a.txt', local: { flags: 0x808 }, after: descriptor('a.txt', 4, true) }]),
        contradiction('a.txt'),
      ],
      'a zip entry with another Unicode name before its data': [
        () => rawZip([{ name: 'a.txt', local: { extra: unicodePath('a.txt', 'a.exe') } }]),
        twoNames('a.txt'),
      ],
      'a zip entry with another Unicode name in the listing': [
        () => rawZip([{ name: 'a.txt', listed: { extra: unicodePath('a.txt', 'a.exe') } }]),
        twoNames('a.txt'),
      ],
      'a zip entry with a correct and a wrong Unicode name': [
        () => {
          const extra = Buffer.concat([unicodePath('a.txt', 'a.txt'), unicodePath('a.txt', 'a.exe')]);
          return rawZip([{ name: 'a.txt', local: { extra } }]);
        },
        twoNames('a.txt'),
      ],
      'a zip entry whose Unicode name belongs to an older name': [
        () => rawZip([{ name: 'a.txt', local: { extra: unicodePath('old.txt', 'a.txt') } }]),
        twoNames('a.txt'),
      ],
      'a zip entry whose name is marked as UTF-8 but is not': [
        () => {
          const name = Buffer.from('\xffa.txt', 'latin1');
          return rawZip([{ name: '', content: 'a', local: { name }, listed: { name } }]);
        },
        twoNames('\ufffda.txt'),
      ],
      'a zip entry that only one header marks as UTF-8': [
        () => rawZip([{ name: 'ü.txt', local: { flags: 0 } }]),
        contradiction('ü.txt'),
      ],
      'a zip entry with another checksum before its data': [
        () => rawZip([{ name: 'a.txt', local: { crc: 1 } }]),
        contradiction('a.txt'),
      ],
      'a zip entry with sizes before its data that differ from those after it': [
        () => rawZip([{ ...open, name: 'a.txt', local: { ...open.local, unpacked: 1 } }]),
        contradiction('a.txt'),
      ],
      'a zip entry with wrong sizes of 64 bits': [
        () => {
          const local = { packed: 0xffffffff, unpacked: 0xffffffff, extra: extraField(1, Buffer.alloc(16, 1)) };
          return rawZip([{ name: 'a.txt', local }]);
        },
        contradiction('a.txt'),
      ],
      'a zip entry without the sizes of 64 bits that it announces': [
        () => rawZip([{ name: 'a.txt', local: { packed: 0xffffffff } }]),
        contradiction('a.txt'),
      ],
      'a zip entry that has sizes of 64 bits twice': [
        () => {
          const sizes = extraField(1, Buffer.alloc(16));
          return rawZip([{ name: 'a.txt', listed: { extra: Buffer.concat([sizes, sizes]) } }]);
        },
        contradiction('a.txt'),
      ],
      'a zip entry with a wrong checksum': [
        () => rawZip([{ name: 'a.txt', local: { crc: 1 }, listed: { crc: 1 } }]),
        unlike('a.txt'),
      ],
      'an uncompressed zip entry with a wrong checksum': [
        () => rawZip([{ name: 'a.txt', data: Buffer.from('b.txt'), local: { method: 0 }, listed: { method: 0 } }]),
        unlike('a.txt'),
      ],
      'a zip entry that contains 100 MB but states 97 kB': [
        () => {
          const said = { unpacked: 97_000 };
          return rawZip([{ name: 'a.txt', content: Buffer.alloc(100_000_000), local: said, listed: said }]);
        },
        unlike('a.txt'),
      ],
      'a zip entry that contains a byte more than it states': [
        () => rawZip([{ name: 'a.txt', local: { unpacked: 4 }, listed: { unpacked: 4 } }]),
        unlike('a.txt'),
      ],
      'a zip entry that contains a byte less than it states': [
        () => rawZip([{ name: 'a.txt', local: { unpacked: 6 }, listed: { unpacked: 6 } }]),
        unlike('a.txt'),
      ],
      'a large zip entry that contains a byte less than it states': [
        () => {
          const said = { unpacked: 100_001 };
          return rawZip([{ name: 'a.txt', content: Buffer.alloc(100_000), local: said, listed: said }]);
        },
        unlike('a.txt'),
      ],
      'a zip entry with other data after its compressed data': [
        () => rawZip([{ name: 'a.txt', data: Buffer.concat([deflateRawSync('a.txt'), Buffer.from(php)]) }]),
        unlike('a.txt'),
      ],
      'a large zip entry with other data after its compressed data': [
        () => {
          const content = Buffer.alloc(100_000);
          return rawZip([
            { name: 'a.txt', content, data: Buffer.concat([deflateRawSync(content), Buffer.alloc(300_000, php)]) },
          ]);
        },
        unlike('a.txt'),
      ],
      'a zip entry whose data is not compressed data': [
        () => rawZip([{ name: 'a.txt', data: Buffer.alloc(20, 0xff) }]),
        unlike('a.txt'),
      ],
      'a large zip entry whose data is not compressed data': [
        () => rawZip([{ name: 'a.txt', data: Buffer.alloc(100_000, 0xff) }]),
        unlike('a.txt'),
      ],
      'a large zip entry whose compressed data is cut off': [
        () => {
          const content = Buffer.alloc(100_000, php);
          return rawZip([{ name: 'a.txt', content, data: deflateRawSync(content).subarray(0, -1) }]);
        },
        unlike('a.txt'),
      ],
      'a zip entry that is compressed with LZMA': [
        () => rawZip([{ name: 'a.txt', local: { method: 14 }, listed: { method: 14 } }]),
        method('a.txt'),
      ],
      'a zip entry that is compressed in a way that does not exist': [
        () => rawZip([{ name: 'a.txt', local: { method: 0xffff }, listed: { method: 0xffff } }]),
        method('a.txt'),
      ],
      'two zip entries with the same name': [
        () => rawZip([{ name: 'a.txt' }, { name: 'b' }, { name: 'a.txt' }]),
        twice('a.txt'),
      ],
      'two zip entries with the same name in two notations': [
        () => rawZip([{ name: 'a/b.txt' }, { name: './a//b.txt' }]),
        twice('a/b.txt', './a//b.txt'),
      ],
      'two folders with the same name in a zip': [
        () => zipOf([{ name: 'a/' }, { name: 'b' }, { name: 'a/' }]),
        twice('a/'),
      ],
      'zip entries whose names differ only in case': [
        () => rawZip([{ name: 'Straße.md' }, { name: 'b' }, { name: 'STRASSE.md' }]),
        alike('Straße.md', 'STRASSE.md'),
      ],
      'zip entries whose names differ only in how a letter is composed': [
        () => rawZip([{ name: 'caf\u00e9.md' }, { name: 'b' }, { name: 'cafe\u0301.md' }]),
        alike('caf\u00e9.md', 'cafe\u0301.md'),
      ],
      'zip entries whose folders differ only in case': [
        () => rawZip([{ name: 'SRC/a.md' }, { name: 'src-b.md' }, { name: 'src/b.md' }]),
        alike('SRC/a.md', 'src/b.md'),
      ],
      'zip entries that use one name for a file and a folder': [
        () => rawZip([{ name: 'a/b/c.txt' }, { name: 'a-b' }, { name: 'a' }]),
        fileAndFolder('a', 'a/b/c.txt'),
      ],
      'zip entries that use one name for a file and an empty folder': [
        () => zipOf([{ name: 'a/' }, { name: 'a' }]),
        twice('a/', 'a'),
      ],
      'a zip entry that is a folder with content': [
        () => rawZip([{ name: 'a/', content: 'hidden' }, { name: 'b' }]),
        ofEntry('a/', 'is a folder, but has data like a file: make the zip again.'),
      ],
      'a zip entry with the name of its own folder': [() => rawZip([{ name: 'a/.' }]), unsafe('a/.')],
      'a zip entry with a very long name': [
        () => rawZip([{ name: 'a/'.repeat(600).concat('b') }]),
        ofEntry(`${'a/'.repeat(40)}…`, 'has a name of more than 1,024 bytes: shorten it.'),
      ],
      'a zip entry in very many nested folders': [
        () => rawZip([{ name: 'a/'.repeat(100).concat('b') }]),
        ofEntry(`${'a/'.repeat(40)}…`, 'is inside more than 100 folders: move it up.'),
      ],
      'a zip entry that is a symbolic link': [
        () => zipOf([{ name: 'a.txt' }, { name: 'link', content: '/etc/passwd', mode: 0o120777 }]),
        special('link'),
      ],
      'a zip entry that is a device': [() => zipOf([{ name: 'disk', mode: 0o060666 }]), special('disk')],
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
        encrypted('secret.txt'),
      ],
      'a zip whose data is encrypted although its listing says otherwise': [
        async () => patched(await zipOf([{ name: 'secret.txt' }]), 6, 2, (flags) => flags | 1),
        contradiction('secret.txt'),
      ],
      'a zip whose listing states another size than its data has': [
        async () => {
          const zip = await zipOf([{ name: 'a.txt', content: 'a'.repeat(1000) }]);
          return patched(zip, listedAt(zip) + 24, 4, () => 10);
        },
        contradiction('a.txt'),
      ],
      'a zip of 20,000 entries': [
        () => zipOf(Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}`, content: '', compress: false }))),
        'It is a zip of more than 10,000 entries: leave out files that a package manager can install.',
      ],
      'a zip bomb: 4 GiB from a few bytes': [
        () => claiming(0xfffffffe),
        'It is a zip that unpacks to more than 2 GiB: leave something out.',
      ],
      'a zip bomb of many entries': [
        () => claiming(2 ** 29, 5),
        'It is a zip that unpacks to more than 2 GiB: leave something out.',
      ],
      'a zip bomb of zeros at the maximum compression': [
        () => zipOf([{ name: 'zeros', content: Buffer.alloc(20_000_000) }]),
        'It is a zip that unpacks to more than 1,000 times its size: leave out highly repetitive files.',
      ],
      'a zip bomb whose entries share their data': [overlapping, notApart],
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
      'a zip with a wrong size of its listing': [
        () => patched(good.zip, good.zip.length - 10, 4, (size) => size - 1),
        brokenZip,
      ],
      'a zip with other data after its end': [() => Buffer.concat([good.zip, Buffer.from(php)]), brokenZip],
      'a zip whose listing starts after its end': [
        () => patched(good.zip, good.zip.length - 6, 4, () => 0x7fffffff),
        brokenZip,
      ],
      'a zip whose data starts after its end': [
        () => patched(good.zip, listedAt(good.zip) + 42, 4, () => 0x7fffffff),
        brokenZip,
      ],
      'one part of a multi-part zip': [() => patched(good.zip, good.zip.length - 18, 2, () => 1), brokenZip],

      'a header of a PNG of 20,000 x 20,000': [
        () => pngOf(20_000, 20_000, { isHeaderOnly: true }),
        'It is an image of 20,000 x 20,000 pixels: width and height may be at most 10,000.',
      ],
      'a PNG of 2^32 - 1 pixels in a row': [
        () => pngOf(0xffffffff, 1, { isHeaderOnly: true }),
        'It is an image of 4,294,967,295 x 1 pixels: width and height may be at most 10,000.',
      ],
      'a PNG with too many pixels in total': [
        () => pngOf(8000, 5001),
        'It is an image of 8,000 x 5,001 pixels: at most 24,000,000 in total are allowed.',
      ],
      'a PNG with a width of 0': [
        () => pngOf(0, 5),
        'It is an image of 0 x 5 pixels: width and height must be at least 1.',
      ],
      'a PNG with a height of 0': [
        () => pngOf(5, 0),
        'It is an image of 5 x 0 pixels: width and height must be at least 1.',
      ],
      'a header of a PNG without an image': [() => pngOf(5, 5, { isHeaderOnly: true }), brokenPng],
      'a PNG with a changed header': [() => patched(good.png, 17, 1, () => 1), brokenPng],
      'a PNG without data': [() => Buffer.concat([good.png.subarray(0, 33), pngChunk('IEND')]), brokenPng],
      'a PNG with a second header': [() => Buffer.concat([good.png.subarray(0, 33), good.png.subarray(8)]), brokenPng],
      'a PNG with a wrong checksum': [() => patched(good.png, good.png.length - 13, 1, (byte) => byte ^ 1), brokenPng],
      'a PNG with a wrong checksum of a chunk that is not displayed': [
        () => {
          const note = pngChunk('tEXt', Buffer.from('note\0text'));
          return pngWith(
            patched(note, 8, 1, () => 0),
            pngData(),
          );
        },
        brokenPng,
      ],
      'a PNG whose data unpacks to more than its header says': [() => pngWith(pngData(480 * 81 + 1)), misfitPng],
      'a PNG whose data unpacks to far more than its header says': [() => pngWith(pngData(50_000_000)), misfitPng],
      'a PNG whose data unpacks to less than its header says': [() => pngWith(pngData(480 * 81 - 1)), misfitPng],
      'a PNG with other data after its image data': [
        () => pngWith(pngData(), pngChunk('IDAT', Buffer.from(php))),
        misfitPng,
      ],
      'a PNG whose data is not compressed data': [() => pngWith(pngChunk('IDAT', Buffer.alloc(1000))), misfitPng],
      'a PNG whose data is cut off': [
        () => pngWith(pngChunk('IDAT', deflateSync(Buffer.alloc(480 * 81)).subarray(0, -1))),
        misfitPng,
      ],
      'a PNG with other chunks within its data': [
        () => {
          const data = deflateSync(Buffer.alloc(480 * 81));
          return pngWith(pngChunk('IDAT', data.subarray(0, 9)), pngChunk('tEXt'), pngChunk('IDAT', data.subarray(9)));
        },
        brokenPng,
      ],
      'a PNG with an unknown critical chunk': [() => pngWith(pngChunk('EVIL'), pngData()), brokenPng],
      'a PNG without the palette that it needs': [() => indexedWith(pngData()), brokenPng],
      'a PNG with its palette after its data': [
        () => indexedWith(pngData(), pngChunk('PLTE', Buffer.alloc(3))),
        brokenPng,
      ],
      'a PNG with two palettes': [
        () => indexedWith(pngChunk('PLTE', Buffer.alloc(3)), pngChunk('PLTE', Buffer.alloc(3)), pngData()),
        brokenPng,
      ],
      'a PNG with an incomplete colour in its palette': [
        () => indexedWith(pngChunk('PLTE', Buffer.alloc(4)), pngData()),
        brokenPng,
      ],
      'a grey PNG with a palette': [() => pngWith(pngChunk('PLTE', Buffer.alloc(3)), pngData()), brokenPng],
      'a PNG with very many tiny chunks': [
        () =>
          Buffer.concat([
            good.png.subarray(0, 33),
            Buffer.alloc(12 * 100_001, pngChunk('tEXt')),
            good.png.subarray(33),
          ]),
        brokenPng,
      ],
      'a PNG with a zip after its end': [() => Buffer.concat([good.png, good.zip]), behindPng],
      'a PNG with PHP after its end': [() => Buffer.concat([good.png, Buffer.from(php)]), behindPng],

      'a JPG with too many pixels': [
        () => jpgOf(65_535, 65_535),
        'It is an image of 65,535 x 65,535 pixels: width and height may be at most 10,000.',
      ],
      'a JPG with a height of 0': [
        () => jpgOf(5, 0),
        'It is an image of 5 x 0 pixels: width and height must be at least 1.',
      ],
      'a JPG with a small size first and a huge size later': [
        () => jpgOfSegments(jpgFrame(5, 5), jpgFrame(60_000, 60_000), jpgScan()),
        brokenJpg,
      ],
      'a JPG whose frame is too short to hold a size': [
        () => jpgOfSegments(jpgSegment(0xc0, Buffer.from([8, 0, 5, 0, 5])), jpgScan()),
        brokenJpg,
      ],
      'a JPG without a frame': [() => jpgOfSegments(jpgScan()), brokenJpg],
      'a JPG with very many scans': [
        () => jpgOfSegments(jpgFrame(5, 5), ...Array.from({ length: 51 }, jpgScan)),
        'It is a JPG image in too many parts: save it again in a program that edits images.',
      ],
      'a JPG without a scan': [() => jpgOfSegments(jpgFrame(5, 5)), brokenJpg],
      'a JPG without an end': [() => good.jpg.subarray(0, -2), brokenJpg],
      'a lossless JPG': [
        () => jpgOfSegments(jpgFrame(5, 5, 0xc3), jpgScan()),
        `It is a JPG image of a kind that browsers do not show: ${again}`,
      ],
      'a JPG with very many tiny segments': [
        () => jpgOf(5, 5, Buffer.alloc(4 * 10_001, Buffer.from([0xff, 0xfe, 0, 2]))),
        brokenJpg,
      ],
      'a JPG with very long padding': [() => jpgOf(5, 5, Buffer.alloc(100_000, 0xff)), brokenJpg],
      'a JPG with PHP between its segments': [() => jpgOf(5, 5, Buffer.from(php)), brokenJpg],
      'a JPG with data of a camera after its end': [
        () => Buffer.concat([good.jpg, Buffer.alloc(100_000, 'SEFT')]),
        behindJpg,
      ],
      'a JPG with zeros after its end': [() => Buffer.concat([good.jpg, Buffer.alloc(2)]), behindJpg],
      'a JPG with a zip after its end': [() => Buffer.concat([good.jpg, good.zip]), behindJpg],
      'only the start of a JPG': [() => Buffer.from([0xff, 0xd8, 0xff]), brokenJpg],
    };
    for (const [what, [make, why]] of Object.entries(hostile)) {
      needingTimeFor(what).it(what, async () => expect(await whyNot(await make())).to.equal(why));
    }

    it('a PNG of a kind that does not exist', async () => {
      const ofKind = (...kind: number[]) =>
        Buffer.concat([
          good.png.subarray(0, 8),
          pngChunk('IHDR', Buffer.from([0, 0, 0, 5, 0, 0, 0, 5, ...kind])),
          pngChunk('IDAT', deflateSync(Buffer.alloc(5 * 5 * 4 + 11))),
          pngChunk('IEND'),
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

    it('an unsafe name, and shows only its first 80 characters', async () => {
      const why = await whyNot(await named(`../${'long'.repeat(100)}`));
      expect(why).to.equal(unsafe(`../${'long'.repeat(100)}`.slice(0, 80).concat('…')));
    });

    for (const name of ['zip', 'stored', 'png', 'jpg'] as const) {
      itLong(`the good file “${name}” if it is cut off at any place`, async () => {
        const file = good[name];
        for (let length = 0; length < file.length; length++) {
          expect(await inspected(file.subarray(0, length)), `at ${length}`).to.have.property('kind', 'unusable');
        }
      });
    }
  });

  itLong('reads a zip of any unpacked size in small pieces, and yields to other work before each entry', async () => {
    // 260 MB: one large entry, and many that are unpacked at once.
    const many = Array.from({ length: 3000 }, (_, index) => ({
      name: `${index}.txt`,
      content: Buffer.alloc(20_000),
    }));
    const zip = rawZip([{ name: 'large.bin', content: Buffer.alloc(200_000_000) }, ...many]);
    const path = folder.file('large.zip');
    await writeFile(path, zip);
    const lengths: number[] = [];
    const counted: typeof createPieces = (handle, size) => {
      const { read } = createPieces(handle, size);
      return {
        size,
        read(position, length) {
          lengths.push(length);
          return read(position, length);
        },
      };
    };
    expect(await createFileInspection({}, counted).inspect(path)).to.have.property('kind', 'zip');
    expect(lengths).to.have.length.at.least(many.length + zip.length / pieceSize);
    // The end of a zip is read at once, because its comment can have up to 64 KB.
    expect(Math.max(...lengths)).to.be.at.most(2 * pieceSize);
  });

  describe('inspect', () => {
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

    itLong('returns a result for any bytes, and leaves no file open', async () => {
      const before = await openFiles();
      await fc.assert(
        fc.asyncProperty(start, bytes, async (first, rest) => {
          const answer = await inspected(Buffer.concat([Buffer.from(first, 'latin1'), rest]));
          if (answer.kind === 'unusable') expect(answer.why).to.match(/^[^\p{C}]+$/u);
        }),
        { numRuns: runs(500) },
      );
      expect(await openFiles()).to.equal(before);
    });

    itLong('returns a result for any change to a good file', async () => {
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
        { numRuns: runs(1000) },
      );
    });

    it('throws Unavailable if the file cannot be read, and does not report it as broken', async () => {
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

    it('throws the error of the system if the file does not exist', async () => {
      const error = await createFileInspection()
        .inspect(folder.file('none'))
        .catch((thrown) => thrown);
      expect(error).to.have.property('code', 'ENOENT');
    });
  });
});

/** Does the work while the nth read of a file fails. */
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

/** Adds an extra field with another name for the entry, which some programs use. */
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
