import * as yauzl from 'yauzl';
import { type Fault, number } from './limits.ts';
import { isSafe, nameOf, type Path, pathOf, shown } from './zip-names.ts';

/** An entry of a zip that its two headers agree about. */
export interface Entry {
  readonly path: Path;
  /** As far as it is fit to be shown. */
  readonly shown: string;
  readonly isFolder: boolean;
  readonly isDeflated: boolean;
  readonly crc: number;
  /** Bytes. */
  readonly packed: number;
  readonly unpacked: number;
  /** Positions in the file: of its header, of its data, and of what follows. */
  readonly start: number;
  readonly data: number;
  readonly end: number;
  /** Whether sizes and checksum stand in the header before the data, or behind the data. Some programs know them only at the end. */
  readonly isSaidBefore: boolean;
  readonly isSaidAfter: boolean;
}

/** Bytes of a name, and folders in it: comparing names must stay cheap, and hardly a system takes more. */
const longestName = 1024;
const mostFolders = 100;

/** Encrypted, sized later, strongly encrypted, UTF-8, masked: the flags that change what a program reads. */
const flagsThatMatter = 0x2849;

const slash = '/'.charCodeAt(0);
const unicodePath = 0x7075;
const zip64 = 0x0001;

/** Reads the header before an entry's data too. Throws where it cannot be read. */
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
    return fault('has two names, or one that cannot be read: make the zip again with UTF-8 names.');
  if (!isSafe(raw, name)) return fault('has a name that is not safe to unpack: rename it.');
  const path = pathOf(name, mostFolders);
  if (path === undefined) return fault(`lies in more than ${mostFolders} folders: move it up.`);
  if (listed.isEncrypted()) return fault('is encrypted: make the zip again without a password.');
  if (specialTypes.has(listed.externalFileAttributes >>> 28)) {
    return fault('is neither a file nor a folder, but a link or the like: put in the file itself.');
  }
  const { compressionMethod: method, compressedSize: packed, uncompressedSize: unpacked, crc32: crc } = listed;
  if (method !== 0 && method !== 8) {
    return fault('is compressed in a way that not every program can read: make the zip again with Deflate.');
  }

  const isSaidAfter = (header.generalPurposeBitFlag & 8) !== 0;
  const said = sizesOf(header, localFields);
  const isSaidBefore = header.crc32 === crc && said?.packed === packed && said.unpacked === unpacked;
  const isLeftOpen = (size: number | undefined, fact: number) => !size || size === fact;
  const agrees =
    header.fileName.equals(raw) &&
    header.compressionMethod === method &&
    (header.generalPurposeBitFlag & flagsThatMatter) === (flags & flagsThatMatter) &&
    [extraFields, localFields].every((fields) => fields.filter(({ id }) => id === zip64).length < 2) &&
    (isSaidBefore ||
      (isSaidAfter &&
        isLeftOpen(header.crc32, crc) &&
        isLeftOpen(said?.packed, packed) &&
        isLeftOpen(said?.unpacked, unpacked)));
  if (!agrees) return fault('is described in two ways that do not fit each other: make the zip again.');

  const isFolder = raw.at(-1) === slash;
  if (isFolder && unpacked > 0) return fault('is a folder with content of its own: make the zip again.');
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
    isSaidBefore,
    isSaidAfter,
  };
}

/** Unix's types of pipes, devices, links and sockets. Of types that do not exist, some archivers write one for folders. */
const specialTypes = new Set([0o01, 0o02, 0o06, 0o12, 0o14]);

/** The sizes before the data, from the 64-bit field where that holds them. `undefined` where they are not said at all. */
function sizesOf(
  { compressedSize, uncompressedSize }: yauzl.LocalFileHeader,
  fields: readonly yauzl.ExtraField[],
): { readonly packed: number; readonly unpacked: number } | undefined {
  const isElsewhere = (size: number) => size === 0xffffffff;
  const long = fields.find(({ id }) => id === zip64)?.data;
  let at = 0;
  const take = () => {
    if (long === undefined || long.length < at + 8) return undefined;
    at += 8;
    return Number(long.readBigUInt64LE(at - 8));
  };
  const unpacked = isElsewhere(uncompressedSize) ? take() : uncompressedSize;
  const packed = isElsewhere(compressedSize) ? take() : compressedSize;
  return packed === undefined || unpacked === undefined ? undefined : { packed, unpacked };
}
