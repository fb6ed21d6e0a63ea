import * as yauzl from 'yauzl';
import { type Fault, type InspectionLimits, number } from './limits.ts';
import type { Pieces } from './pieces.ts';

const broken = 'It is a zip that is broken or cut off.';

/** Lists the zip and looks at each entry's two headers. Nothing is unpacked: sizes are as the zip says they are. */
export async function faultOfZip(file: Pieces, limits: InspectionLimits): Promise<Fault | undefined> {
  const reader = new Reader(file);
  try {
    // Names stay bytes: yauzl would read some of them more kindly than other programs do.
    const zip = await yauzl.fromRandomAccessReaderPromise(reader, file.size, { decodeStrings: false });
    return await faultOfListing(zip, file, limits);
  } catch (error) {
    if (reader.outage !== undefined) throw reader.outage;
    if (error instanceof TypeError) throw error;
    return broken;
  }
}

async function faultOfListing(zip: yauzl.ZipFile, file: Pieces, limits: InspectionLimits): Promise<Fault | undefined> {
  if (zip.entryCount === 0) return 'It is an empty zip.';
  if (zip.entryCount > limits.zipEntries) return `It is a zip of more than ${number(limits.zipEntries)} entries.`;
  // A position, which the package's types take for a boolean.
  const start = Number(zip.readEntryCursor);
  const spans: Span[] = [];
  let files = 0;
  let packed = 0;
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    const fault = faultOfEntry(entry);
    if (fault !== undefined) return fault;
    const header = await zip.readLocalFileHeaderPromise(entry);
    if (!agree(header, entry)) return `The zip contradicts itself about an entry: ${shown(entry.fileNameRaw)}`;
    spans.push({ start: entry.relativeOffsetOfLocalHeader, end: header.fileDataStart + entry.compressedSize });
    if (entry.fileNameRaw.at(-1) !== slash) files++;
    packed += entry.compressedSize;
    unpacked += entry.uncompressedSize;
    if (unpacked > limits.zipUnpacked) return `It is a zip that unpacks to more than ${inBytes(limits.zipUnpacked)}.`;
  }
  if (files === 0) return 'It is a zip without files.';
  if (!areApart(spans, start)) return 'It is a zip whose entries do not lie one behind the other.';
  if (unpacked > packed * limits.zipRatio) {
    return `It is a zip that unpacks to more than ${number(limits.zipRatio)} times its size.`;
  }
  return (await endsAt(Number(zip.readEntryCursor), start, zip.entryCount, file)) ? undefined : broken;
}

const slash = '/'.charCodeAt(0);

function faultOfEntry(entry: yauzl.Entry): Fault | undefined {
  const { fileNameRaw: raw, generalPurposeBitFlag: flags, extraFields } = entry;
  const names = [raw.toString('latin1'), yauzl.getFileNameLowLevel(flags, raw, extraFields, true)];
  if (names.some(isUnsafe)) return `The zip has an entry whose name is not safe to unpack: ${shown(raw)}`;
  if (entry.isEncrypted()) return `The zip has an encrypted entry: ${shown(raw)}`;
  if (specialTypes.has(entry.externalFileAttributes >>> 28)) {
    return `The zip has an entry that is neither a file nor a folder, such as a link: ${shown(raw)}`;
  }
  return undefined;
}

/** Unix's types of pipes, devices, links and sockets. Of types that do not exist, some archivers write one for folders. */
const specialTypes = new Set([0o01, 0o02, 0o06, 0o12, 0o14]);

/** Whether some system would unpack it outside the folder, or take it for no name at all. */
function isUnsafe(name: string): boolean {
  const leaves = /^\/|^[a-z]:|(^|\/)\s*\.\.\s*(\/|$)/i;
  return name === '' || name.includes('\\') || name.includes('\0') || leaves.test(name);
}

/** Whether the header before the data says what the listing says: some programs unpack by the one, some by the other. */
function agree(header: yauzl.LocalFileHeader, entry: yauzl.Entry): boolean {
  const isEncrypted = (header.generalPurposeBitFlag & 1) !== 0;
  const isSizedLater = (header.generalPurposeBitFlag & 8) !== 0;
  const isSaid = (said: number, size: number) => said === size || said === 0xffffffff || isSizedLater;
  return (
    header.fileName.equals(entry.fileNameRaw) &&
    header.compressionMethod === entry.compressionMethod &&
    !isEncrypted &&
    isSaid(header.compressedSize, entry.compressedSize) &&
    isSaid(header.uncompressedSize, entry.uncompressedSize)
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Whether the entries lie one behind the other, from the start of the file to the listing. */
function areApart(spans: Span[], listing: number): boolean {
  const sorted = spans.toSorted((one, other) => one.start - other.start);
  const starts = [...sorted.map(({ start }) => start), listing];
  return starts[0] === 0 && sorted.every(({ end }, index) => end <= (starts[index + 1] ?? 0));
}

/** Whether the listing is followed by the end of the zip, and that by the end of the file, and says the same of the listing. */
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
  const isSaid = (said: number, fact: number, elsewhere: number) => said === fact || (isBig && said === elsewhere);
  return (
    end.readUInt32LE(0) === 0x06054b50 &&
    isSaid(end.readUInt16LE(8), count, 0xffff) &&
    isSaid(end.readUInt16LE(10), count, 0xffff) &&
    isSaid(end.readUInt32LE(12), position - start, 0xffffffff) &&
    isSaid(end.readUInt32LE(16), start, 0xffffffff) &&
    end.readUInt16LE(20) === end.length - 22
  );
}

/** A name as far as it is fit to be shown. */
function shown(name: Buffer): string {
  const letters = Array.from(name.toString('utf8', 0, 400).replace(/[\p{C}\u2028\u2029]/gu, '\ufffd'));
  return letters.length > 80 ? `${letters.slice(0, 80).join('')}…` : letters.join('');
}

function inBytes(count: number): string {
  return count % 1024 ** 3 === 0 ? `${number(count / 1024 ** 3)} GiB` : `${number(count)} bytes`;
}

/** Has yauzl read the pieces, and remembers when it was the system that failed, not the zip. */
class Reader extends yauzl.RandomAccessReader {
  outage: unknown;
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
    const answered = this.#file.read(position, length).then((bytes) => {
      if (bytes === undefined) return new Error('The file ends before.');
      bytes.copy(buffer, offset);
      return null;
    });
    answered.then(callback, (error) => {
      this.outage = error;
      callback(error);
    });
  }
}
