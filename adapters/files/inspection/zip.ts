import * as yauzl from 'yauzl';
import { createQueue } from '../../queue.ts';
import { type Fault, type InspectionLimits, number } from './limits.ts';
import type { Pieces } from './pieces.ts';
import { faultOfContent } from './zip-content.ts';
import { endsAt } from './zip-end.ts';
import { type Entry, readEntry } from './zip-entry.ts';
import { faultOfNames } from './zip-names.ts';
import { areApart } from './zip-spans.ts';

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
