import { crc32 } from 'node:zlib';
import { type Dimensions, type Fault, faultOfDimensions, type InspectionLimits, saveAgain } from './limits.ts';
import { crcOf, type Pieces, rangeOf } from './pieces.ts';
import { unpack } from './unpack.ts';

const broken = `It is a PNG image that is broken or cut off: ${saveAgain}`;
const mostChunks = 100_000;

/** The bit depths of each colour type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** The values per pixel of each colour type. */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** For each pass of an interlaced image: the first column, the first row, and the steps to the next column and row. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Header extends Dimensions {
  readonly colour: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
}

/** Checks the chunks, their order, and the number of pixels. The file must end with the image. */
export async function inspectPng(file: Pieces, limits: InspectionLimits): Promise<Dimensions | Fault> {
  const header = headerOf(await file.read(8, 25));
  if (header === undefined) return broken;
  const { width, height } = header;
  return faultOfDimensions(header, limits) ?? (await faultOfImage(file, header)) ?? { width, height };
}

function headerOf(chunk: Buffer | undefined): Header | undefined {
  if (chunk === undefined) return undefined;
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = chunk.subarray(16);
  const isGood =
    chunk.readUInt32BE(0) === 13 &&
    chunk.toString('latin1', 4, 8) === 'IHDR' &&
    chunk.readUInt32BE(21) === crc32(chunk.subarray(4, 21)) &&
    (depths[colour]?.includes(depth) ?? false) &&
    compression === 0 &&
    filter === 0 &&
    interlace < 2;
  if (!isGood) return undefined;
  return {
    width: chunk.readUInt32BE(8),
    height: chunk.readUInt32BE(12),
    colour,
    bitsPerPixel: depth * (channels[colour] ?? 0),
    isInterlaced: interlace === 1,
  };
}

async function faultOfImage(file: Pieces, header: Header): Promise<Fault | undefined> {
  const parts = await readChunks(file, header);
  if (typeof parts === 'string') return parts;
  const size = sizeOf(header);
  const data = await unpack(joined(file, parts), 'zlib', size, file.stop);
  const packed = parts.reduce((sum, { length }) => sum + length, 0);
  if (data?.size === size && data.packed === packed) return undefined;
  return `It is a PNG image whose data does not match the size in its header: ${saveAgain}`;
}

/** A range of the file that contains image data. */
interface Part {
  readonly start: number;
  readonly length: number;
}

/** Checks all chunks, and returns the ranges of the image data. */
async function readChunks(file: Pieces, { colour }: Header): Promise<Part[] | Fault> {
  const parts: Part[] = [];
  let position = 33;
  let before = 'IHDR';
  let hasPalette = false;
  for (let chunks = 0; chunks < mostChunks; chunks++) {
    const head = await file.read(position, 8);
    if (head === undefined) return broken;
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (!(await isWhole(file, position, length))) return broken;
    if (type === 'IEND') {
      if (length > 0 || parts.length === 0) return broken;
      return position + 12 === file.size ? parts : `It is a PNG image with other data after its end: ${saveAgain}`;
    }
    if (type === 'IDAT') {
      const isInOrder = parts.length === 0 || before === 'IDAT';
      if (!isInOrder || (colour === 3 && !hasPalette)) return broken;
      parts.push({ start: position + 8, length });
    } else if (type === 'PLTE') {
      const isInOrder = !hasPalette && parts.length === 0;
      if (!isInOrder || colour === 0 || colour === 4 || length % 3 > 0 || length < 3 || length > 768) return broken;
      hasPalette = true;
    } else if (!/^[a-z][A-Za-z]{3}$/.test(type)) {
      // An upper-case first letter means that a program must know the chunk to show the image.
      return broken;
    }
    before = type;
    position += 12 + length;
  }
  return broken;
}

/** Whether the chunk is complete and its checksum is right. */
async function isWhole(file: Pieces, position: number, length: number): Promise<boolean> {
  if (position + 12 + length > file.size) return false;
  const crc = await crcOf(file, position + 4, 4 + length);
  return crc !== undefined && (await file.read(position + 8 + length, 4))?.readUInt32BE(0) === crc;
}

async function* joined(file: Pieces, parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { start, length } of parts) yield* rangeOf(file, start, length);
}

/**
 * The number of bytes that the image data unpacks to. Each row needs one byte for its filter, and then the bytes of its
 * pixels.
 */
function sizeOf({ width, height, bitsPerPixel, isInterlaced }: Header): number {
  const sizeOfPass = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bitsPerPixel) / 8));
  if (!isInterlaced) return sizeOfPass(width, height);
  return passes.reduce(
    (sum, [x, y, right, down]) =>
      sum + sizeOfPass(Math.ceil(Math.max(0, width - x) / right), Math.ceil(Math.max(0, height - y) / down)),
    0,
  );
}
