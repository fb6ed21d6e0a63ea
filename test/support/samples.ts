import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import yazl from 'yazl';

/** Returns a valid black PNG, with a comment of `comment` bytes. `isHeaderOnly`: only its header. */
export function pngOf(width = 1, height = 1, { isHeaderOnly = false, comment = 0 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  if (isHeaderOnly) return Buffer.concat([signature, pngChunk('IHDR', header)]);
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  const text = comment === 0 ? [] : [pngChunk('tEXt', Buffer.alloc(comment, 'x'))];
  return Buffer.concat([signature, pngChunk('IHDR', header), ...text, pngChunk('IDAT', rows), pngChunk('IEND')]);
}

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const jpgStart = Buffer.from([0xff, 0xd8]);
const jpgEnd = Buffer.from([0xff, 0xd9]);

/** Returns a grey JPG with `before` as extra segments. */
export function jpgOf(width = 1, height = 1, ...before: Buffer[]): Buffer {
  return jpgOfSegments(
    jpgSegment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...before,
    jpgSegment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
    jpgFrame(width, height),
    jpgTable(0x00),
    jpgTable(0x10),
    jpgSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // Two bits for each block of 8 x 8: no change, and its end.
    Buffer.alloc(Math.min(100_000, 1 + Math.ceil((Math.ceil(width / 8) * Math.ceil(height / 8)) / 4))),
  );
}

/** A table with one code, for 0. */
function jpgTable(id: number): Buffer {
  return jpgSegment(0xc4, Buffer.from([id, 1, ...Array<number>(15).fill(0), 0]));
}

export function jpgOfSegments(...segments: Buffer[]): Buffer {
  return Buffer.concat([jpgStart, ...segments, jpgEnd]);
}

export function jpgSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

export function jpgFrame(width: number, height: number, marker = 0xc0): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return jpgSegment(marker, frame);
}

/** The data of no real image, with a stuffed byte and restart markers. */
export function jpgScan(): Buffer {
  const data = Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd1, 0x78]);
  return Buffer.concat([jpgSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), data]);
}

export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** File type and permissions of Unix. */
  readonly mode?: number;
  readonly compress?: boolean;
}

const sampleEntries: readonly ZipEntry[] = [{ name: 'contracts/Token.sol', content: 'contract Token {}' }];

/** All entries have the same date, so that the same entries give the same bytes. */
export async function zipOf(
  entries: readonly ZipEntry[] = sampleEntries,
  end?: { comment?: string; forceZip64Format?: boolean },
): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  const mtime = new Date(Date.UTC(2026, 0, 1));
  for (const { name, content = name, mode = 0o100644, compress = true } of entries) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name, { mtime });
    else zip.addBuffer(Buffer.from(content), name, { mtime, mode, compress });
  }
  zip.end({ comment: '', forceZip64Format: false, ...end });
  return await buffer(zip.outputStream);
}

/** Returns a zip whose only entry leads out of the folder into which it is unpacked. */
export async function climbingZip(): Promise<Buffer> {
  return replaced(await zipOf([{ name: 'aa/evil.txt' }]), 'aa/evil.txt', '../evil.txt');
}

/** A few kilobytes that unpack to more than a thousand times as much. */
export async function zipBomb(): Promise<Buffer> {
  return await zipOf([{ name: 'zeros', content: Buffer.alloc(8 * 1024 * 1024) }]);
}

/** Replaces every occurrence of a text by another of the same length. This makes zips that `zipOf` refuses to write. */
export function replaced(file: Buffer, text: string, other: string): Buffer {
  const found = file.toString('latin1').replaceAll(text, other);
  if (text.length !== other.length || !file.includes(text, 0, 'latin1')) throw new Error(`Cannot replace ${text}.`);
  return Buffer.from(found, 'latin1');
}

/** Returns the position of the nth header in the central directory of a zip. */
export function listedAt(zip: Buffer, index = 0): number {
  let at = -1;
  for (let found = -1; found < index; found++) at = zip.indexOf('PK\x01\x02', at + 1, 'latin1');
  if (at === -1) throw new Error('There is no such header.');
  return at;
}

/** Returns a copy with a changed number at this position. */
export function patched(file: Buffer, at: number, bytes: 1 | 2 | 4, change: (value: number) => number): Buffer {
  const copy = Buffer.from(file);
  copy.writeUIntLE(change(copy.readUIntLE(at, bytes)), at, bytes);
  return copy;
}

/** The fields of an entry's header in a zip. */
interface Header {
  readonly name: string | Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly extra: Buffer;
}

export interface RawEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** The bytes in the zip. The default is the deflated content. */
  readonly data?: Buffer;
  /** Wrong fields of the local header. */
  readonly local?: Partial<Header>;
  /** Wrong fields of the header in the central directory. */
  readonly listed?: Partial<Header>;
  /** Bytes between the data and the next entry. */
  readonly after?: Buffer;
  readonly isUnlisted?: boolean;
}

/** Returns a zip whose headers may contradict its data. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const files: Buffer[] = [];
  const listing: Buffer[] = [];
  let position = 0;
  for (const { name, content = name, data, local, listed, after = Buffer.alloc(0), isUnlisted } of entries) {
    const whole = Buffer.from(content);
    const packed = data ?? deflateRawSync(whole);
    const sizes = { crc: crc32(whole), packed: packed.length, unpacked: whole.length };
    const header: Header = { name, flags: 0x800, method: 8, ...sizes, extra: Buffer.alloc(0) };
    const file = Buffer.concat([zipHeader('PK\x03\x04\x14\0', { ...header, ...local }), packed, after]);
    files.push(file);
    if (!isUnlisted) listing.push(zipHeader('PK\x01\x02\x14\x03\x14\0', { ...header, ...listed }, position));
    position += file.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(listing.length, 8);
  end.writeUInt16LE(listing.length, 10);
  end.writeUInt32LE(Buffer.concat(listing).length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...files, ...listing, end]);
}

function zipHeader(start: string, header: Header, position?: number): Buffer {
  const name = Buffer.from(header.name);
  const numbers = Buffer.alloc(24);
  numbers.writeUInt16LE(header.flags, 0);
  numbers.writeUInt16LE(header.method, 2);
  numbers.writeUInt32LE(header.crc, 8);
  numbers.writeUInt32LE(header.packed, 12);
  numbers.writeUInt32LE(header.unpacked, 16);
  numbers.writeUInt16LE(name.length, 20);
  numbers.writeUInt16LE(header.extra.length, 22);
  const more = Buffer.alloc(position === undefined ? 0 : 14);
  if (position !== undefined) more.writeUInt32LE(position, 10);
  return Buffer.concat([Buffer.from(start, 'latin1'), numbers, more, name, header.extra]);
}

/** Returns an extra field of a zip header: for example with 64-bit sizes (1), or with a Unicode name (0x7075). */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

export function unicodePath(name: string | Buffer, other: string): Buffer {
  const checksum = Buffer.alloc(5, 1);
  checksum.writeUInt32LE(crc32(name), 1);
  return extraField(0x7075, Buffer.concat([checksum, Buffer.from(other)]));
}

/**
 * Returns a data descriptor: the checksum and the sizes (of 4 or 8 bytes) after an entry, with a signature or without.
 */
export function descriptor(content: string, sizeOf: 4 | 8, isSigned: boolean): Buffer {
  const bytes = Buffer.alloc(4 + 2 * sizeOf);
  bytes.writeUInt32LE(crc32(content), 0);
  bytes.writeUInt32LE(deflateRawSync(content).length, 4);
  bytes.writeUInt32LE(Buffer.byteLength(content), 4 + sizeOf);
  return isSigned ? Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), bytes]) : bytes;
}

/** A file for a form, as a browser sends it. */
export function fileOf(bytes: Uint8Array, name: string): File {
  return new File([new Uint8Array(bytes)], name);
}
