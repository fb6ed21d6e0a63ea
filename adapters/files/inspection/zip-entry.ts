import * as yauzl from 'yauzl';
import { type Fault, number } from './limits.ts';
import { isSafe, nameOf, type Path, pathOf, shown } from './zip-names.ts';

/** An entry of a zip whose two headers agree. */
export interface Entry {
  readonly path: Path;
  /** The name for messages: shortened, without control characters. */
  readonly shown: string;
  readonly isFolder: boolean;
  readonly isDeflated: boolean;
  readonly crc: number;
  /** In bytes. */
  readonly packed: number;
  readonly unpacked: number;
  /** Positions in the file: of the local header, of the data, and after the data. */
  readonly start: number;
  readonly data: number;
  readonly end: number;
  /** Whether the local header has the right sizes and checksum, and whether its flag announces a data descriptor. */
  readonly hasSizesInHeader: boolean;
  readonly hasDescriptorFlag: boolean;
}

/**
 * The maximum length of a name in bytes, and the maximum number of folders in it. Few systems allow more, and comparing
 * names must stay cheap.
 */
const longestName = 1024;
const mostFolders = 100;

/** The flags that affect reading: encrypted, data descriptor, strong encryption, UTF-8, masked headers. */
const flagsThatMatter = 0x2849;

const slash = '/'.charCodeAt(0);
const unicodePath = 0x7075;
const zip64 = 0x0001;

/** Checks an entry, with its local header. Throws if the local header cannot be read. */
export async function readEntry(zip: yauzl.ZipFile, listed: yauzl.Entry): Promise<Entry | Fault> {
  const { fileNameRaw: raw, generalPurposeBitFlag: flags, extraFields } = listed;
  const header = await zip.readLocalFileHeaderPromise(listed);
  const localFields = yauzl.parseExtraFields(header.extraField);
  const fault = (text: string): Fault => `The zip's entry "${shown(raw)}" ${text}`;

  if (raw.length > longestName) return fault(`has a name of more than ${number(longestName)} bytes: shorten it.`);
  const name = nameOf(
    raw,
    flags,
    [...extraFields, ...localFields].filter(({ id }) => id === unicodePath),
  );
  if (name === undefined)
    return fault('has two different names, or an unreadable one: make the zip again with UTF-8 names.');
  if (!isSafe(raw, name)) return fault('has a name that is not safe to unpack: rename it.');
  const path = pathOf(name, mostFolders);
  if (path === undefined) return fault(`is inside more than ${mostFolders} folders: move it up.`);
  if (listed.isEncrypted()) return fault('is encrypted: make the zip again without a password.');
  if (specialTypes.has(listed.externalFileAttributes >>> 28)) {
    return fault('is not a file or folder, but a link or special file: replace it with the file itself.');
  }
  const { compressionMethod: method, compressedSize: packed, uncompressedSize: unpacked, crc32: crc } = listed;
  if (method !== 0 && method !== 8) {
    return fault('uses a compression that some programs cannot read: make the zip again with Deflate.');
  }

  const hasDescriptorFlag = (header.generalPurposeBitFlag & 8) !== 0;
  const stated = sizesOf(header, localFields);
  const hasSizesInHeader = header.crc32 === crc && stated?.packed === packed && stated.unpacked === unpacked;
  const isEmptyOrRight = (size: number | undefined, actual: number) => !size || size === actual;
  const agrees =
    header.fileName.equals(raw) &&
    header.compressionMethod === method &&
    (header.generalPurposeBitFlag & flagsThatMatter) === (flags & flagsThatMatter) &&
    [extraFields, localFields].every((fields) => fields.filter(({ id }) => id === zip64).length < 2) &&
    (hasSizesInHeader ||
      (hasDescriptorFlag &&
        isEmptyOrRight(header.crc32, crc) &&
        isEmptyOrRight(stated?.packed, packed) &&
        isEmptyOrRight(stated?.unpacked, unpacked)));
  if (!agrees) return fault('has two headers that contradict each other: make the zip again.');

  const isFolder = raw.at(-1) === slash;
  if (isFolder && unpacked > 0) return fault('is a folder, but has data like a file: make the zip again.');
  const start = listed.relativeOffsetOfLocalHeader;
  const data = header.fileDataStart;
  const isDeflated = method === 8;
  const end = data + packed;
  return {
    path,
    shown: shown(raw),
    isFolder,
    isDeflated,
    crc,
    packed,
    unpacked,
    start,
    data,
    end,
    hasSizesInHeader,
    hasDescriptorFlag,
  };
}

/**
 * The Unix types of pipes, devices, links and sockets. Unknown types are accepted, because some archivers use one for
 * folders.
 */
const specialTypes = new Set([0o01, 0o02, 0o06, 0o12, 0o14]);

/** Returns the sizes in the local header or its zip64 field, or `undefined` if they are in neither. */
function sizesOf(
  { compressedSize, uncompressedSize }: yauzl.LocalFileHeader,
  fields: readonly yauzl.ExtraField[],
): { readonly packed: number; readonly unpacked: number } | undefined {
  const isInZip64 = (size: number) => size === 0xffffffff;
  const long = fields.find(({ id }) => id === zip64)?.data;
  let at = 0;
  const take = () => {
    if (long === undefined || long.length < at + 8) return undefined;
    at += 8;
    return Number(long.readBigUInt64LE(at - 8));
  };
  const unpacked = isInZip64(uncompressedSize) ? take() : uncompressedSize;
  const packed = isInZip64(compressedSize) ? take() : compressedSize;
  return packed === undefined || unpacked === undefined ? undefined : { packed, unpacked };
}
