import * as yauzl from 'yauzl';
import { createQueue } from '../../queue.ts';
import { type Fault, type InspectionLimits, number } from './limits.ts';
import type { Pieces } from './pieces.ts';
import { faultOfContent } from './zip-content.ts';
import { type Entry, readEntry } from './zip-entry.ts';
import { faultOfNames } from './zip-names.ts';

const broken = 'It is a zip that is broken or cut off: make it again.';

/**
 * The number of zips that are unpacked at the same time. Each uses one of Node's four threads, which SQLite needs too.
 * A large zip keeps one of them busy for seconds. Two large zips can run, so that one account, which has one inspection
 * at a time, cannot block all others.
 */
const atOnce = { large: 2, small: 1 };

/**
 * Every program must unpack an accepted zip to the same files. So both headers of an entry must agree, and every byte
 * of the file must belong to an entry or to the directory. Each entry is unpacked and compared with its stated size and
 * CRC.
 */
export function createZipInspection(limits: InspectionLimits): (file: Pieces) => Promise<Fault | undefined> {
  const waiting = limits.zipsWaiting;
  const unpackLarge = createQueue({ atOnce: atOnce.large, waiting });
  const unpackSmall = createQueue({ atOnce: atOnce.small, waiting });
  return async (file) => {
    const entries = await readListing(file, limits);
    if (typeof entries === 'string') return entries;
    const fault = await faultOfNames(entries);
    if (fault !== undefined) return fault;
    const unpack = sizeOf(entries) < limits.largeZip ? unpackSmall : unpackLarge;
    return await unpack(() => faultOfContents(file, entries), file.stop);
  };
}

/** Returns the entries of a zip whose headers agree, or what is wrong with it. Unpacks nothing. */
export async function readListing(file: Pieces, limits: InspectionLimits): Promise<Entry[] | Fault> {
  // Errors of the system, as opposed to errors in the zip.
  const outages: unknown[] = [];
  const watched: Pieces = {
    ...file,
    read: (position, length) =>
      file.read(position, length).catch((error) => {
        outages.push(error);
        throw error;
      }),
  };
  try {
    // Names stay bytes, because yauzl would decode some of them more leniently than other programs.
    const zip = await yauzl.fromRandomAccessReaderPromise(new Reader(watched), file.size, { decodeStrings: false });
    return await readEntries(zip, watched, limits);
  } catch (error) {
    if (outages.length > 0) throw outages[0];
    if (error instanceof TypeError) throw error;
    return broken;
  }
}

async function readEntries(zip: yauzl.ZipFile, file: Pieces, limits: InspectionLimits): Promise<Entry[] | Fault> {
  if (zip.entryCount === 0) return 'It is an empty zip: put the files into it.';
  if (zip.entryCount > limits.zipEntries) {
    return `It is a zip of more than ${number(limits.zipEntries)} entries: leave out files that a package manager can install.`;
  }
  // The value is a position, although the package's types say boolean.
  const start = Number(zip.readEntryCursor);
  const entries: Entry[] = [];
  let packed = 0;
  let unpacked = 0;
  for await (const listed of zip.eachEntry()) {
    const entry = await readEntry(zip, listed);
    if (typeof entry === 'string') return entry;
    entries.push(entry);
    packed += entry.packed;
    unpacked += entry.unpacked;
    if (unpacked > limits.zipUnpacked) {
      return `It is a zip that unpacks to more than ${inBytes(limits.zipUnpacked)}: leave something out.`;
    }
  }
  if (entries.every(({ isFolder }) => isFolder)) return 'It is a zip without files: put the files into it.';
  if (unpacked > packed * limits.zipRatio) {
    const times = number(limits.zipRatio);
    return `It is a zip that unpacks to more than ${times} times its size: leave out highly repetitive files.`;
  }
  if (!(await endsAt(Number(zip.readEntryCursor), start, zip.entryCount, file))) return broken;
  if (await areApart(entries, start, file)) return entries;
  return 'The zip has gaps, overlaps or hidden data between its entries: make it again.';
}

/** The number of bytes that the check of all contents has to read or unpack. */
function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { packed, unpacked }) => sum + Math.max(packed, unpacked), 0);
}

async function faultOfContents(file: Pieces, entries: readonly Entry[]): Promise<Fault | undefined> {
  for (const entry of entries) {
    const fault = await faultOfContent(file, entry);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function inBytes(count: number): string {
  return count % 1024 ** 3 === 0 ? `${number(count / 1024 ** 3)} GiB` : `${number(count)} bytes`;
}

/** Lets yauzl read from `Pieces`. */
class Reader extends yauzl.RandomAccessReader {
  readonly #file: Pieces;

  constructor(file: Pieces) {
    super();
    this.#file = file;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const result = this.#file.read(position, length).then((bytes) => {
      if (bytes === undefined) return new Error('The file ends too early.');
      bytes.copy(buffer, offset);
      return null;
    });
    result.then(callback, callback);
  }
}

/** Whether the end record follows the central directory, agrees with it, and ends the file. */
async function endsAt(position: number, start: number, count: number, file: Pieces): Promise<boolean> {
  const length = file.size - position;
  const tail = length <= 76 + 22 + 0xffff ? await file.read(position, length) : undefined;
  if (tail === undefined || tail.length < 22) return false;
  const isBig = tail.readUInt32LE(0) === 0x06064b50;
  if (isBig) {
    const isWhole =
      tail.length >= 76 + 22 &&
      tail.readBigUInt64LE(4) === 44n &&
      tail.readBigUInt64LE(24) === BigInt(count) &&
      tail.readBigUInt64LE(40) === BigInt(position - start) &&
      tail.readUInt32LE(56) === 0x07064b50 &&
      tail.readBigUInt64LE(64) === BigInt(position);
    if (!isWhole) return false;
  }
  const end = isBig ? tail.subarray(76) : tail;
  const agrees = (stated: number, actual: number, inZip64: number) =>
    stated === actual || (isBig && stated === inZip64);
  return (
    end.readUInt32LE(0) === 0x06054b50 &&
    agrees(end.readUInt16LE(8), count, 0xffff) &&
    agrees(end.readUInt16LE(10), count, 0xffff) &&
    agrees(end.readUInt32LE(12), position - start, 0xffffffff) &&
    agrees(end.readUInt32LE(16), start, 0xffffffff) &&
    end.readUInt16LE(20) === end.length - 22
  );
}

/** Whether the entries fill the file up to the central directory, without gaps, overlaps or other data. */
async function areApart(entries: readonly Entry[], directory: number, file: Pieces): Promise<boolean> {
  const sorted = entries.toSorted((one, other) => one.start - other.start);
  if (sorted[0]?.start !== 0) return false;
  for (const [index, entry] of sorted.entries()) {
    const gap = (sorted[index + 1]?.start ?? directory) - entry.end;
    const mayEndHere = entry.hasSizesInHeader || !entry.hasDescriptorFlag;
    if (gap === 0 && mayEndHere) continue;
    if (!entry.hasDescriptorFlag || !(await isDescriptor(entry, gap, file))) return false;
  }
  return true;
}

/** Whether a correct data descriptor follows the entry: with sizes of 4 or 8 bytes, with or without a signature. */
async function isDescriptor({ end, crc, packed, unpacked }: Entry, length: number, file: Pieces): Promise<boolean> {
  if (![12, 16, 20, 24].includes(length)) return false;
  const bytes = await file.read(end, length);
  if (bytes === undefined) return false;
  const isSigned = length === 16 || length === 24;
  if (isSigned && bytes.readUInt32LE(0) !== 0x08074b50) return false;
  const fields = isSigned ? bytes.subarray(4) : bytes;
  if (fields.readUInt32LE(0) !== crc) return false;
  return fields.length === 12
    ? fields.readUInt32LE(4) === packed && fields.readUInt32LE(8) === unpacked
    : fields.readBigUInt64LE(4) === BigInt(packed) && fields.readBigUInt64LE(12) === BigInt(unpacked);
}
