import { crc32 } from 'node:zlib';
import { type Dimensions, type Fault, faultOfDimensions, type InspectionLimits } from './limits.ts';
import type { Pieces } from './pieces.ts';

const broken = 'It is a PNG image that is broken or cut off.';
const mostChunks = 100_000;
const end = Buffer.from('0000000049454e44ae426082', 'hex');

/** The bit depths of each colour type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** Reads the header and goes from chunk to chunk; the file must end with the image. */
export async function inspectPng(file: Pieces, limits: InspectionLimits): Promise<Dimensions | Fault> {
  const header = await file.read(8, 25);
  if (header === undefined || !isHeader(header)) return broken;
  const dimensions = { width: header.readUInt32BE(8), height: header.readUInt32BE(12) };
  return faultOfDimensions(dimensions, limits) ?? (await faultOfChunks(file)) ?? dimensions;
}

function isHeader(chunk: Buffer): boolean {
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = chunk.subarray(16);
  return (
    chunk.readUInt32BE(0) === 13 &&
    chunk.toString('latin1', 4, 8) === 'IHDR' &&
    chunk.readUInt32BE(21) === crc32(chunk.subarray(4, 21)) &&
    (depths[colour]?.includes(depth) ?? false) &&
    compression === 0 &&
    filter === 0 &&
    interlace < 2
  );
}

async function faultOfChunks(file: Pieces): Promise<Fault | undefined> {
  let position = 33;
  let hasData = false;
  for (let chunks = 0; chunks < mostChunks; chunks++) {
    const chunk = await file.read(position, end.length);
    if (chunk === undefined) return broken;
    position += end.length + chunk.readUInt32BE(0);
    const type = chunk.toString('latin1', 4, 8);
    if (type === 'IEND') {
      if (!chunk.equals(end) || !hasData) return broken;
      return position === file.size ? undefined : 'It is a PNG image with something else behind its end.';
    }
    if (type === 'IDAT') hasData = true;
    else if (type === 'IHDR' || !/^[a-z]{4}$/i.test(type)) return broken;
  }
  return broken;
}
