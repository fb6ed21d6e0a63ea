import { type Dimensions, type Fault, faultOfDimensions, type InspectionLimits, saveAgain } from './limits.ts';
import { type Pieces, pieceSize } from './pieces.ts';

const broken = `It is a JPG image that is broken or cut off: ${saveAgain}`;
const mostSegments = 10_000;
/** Cameras and programs write about ten. Each has to be decoded over the whole image. */
const mostScans = 50;

/**
 * Reads all segments and scans up to the end of the image, which must be the end of the file. Some cameras append a
 * video or a second image. Such data is refused: browsers do not show it, and this check does not understand it.
 */
export async function inspectJpg(file: Pieces, limits: InspectionLimits): Promise<Dimensions | Fault> {
  let position = 2;
  let dimensions: Dimensions | undefined;
  let scans = 0;
  for (let segments = 0; segments < mostSegments; segments++) {
    const [start, marker = 0] = (await file.read(position, 2)) ?? [];
    if (start !== 0xff || marker <= 0x01 || isRestart(marker) || marker === 0xd8) return broken;
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    if (marker === 0xd9) {
      if (dimensions === undefined || scans === 0) return broken;
      if (position + 2 === file.size) return dimensions;
      return `It is a JPG image with other data after its end: ${saveAgain}`;
    }
    const length = (await file.read(position + 2, 2))?.readUInt16BE(0) ?? 0;
    if (length < 2) return broken;
    if (isFrame(marker)) {
      if (marker > 0xc2) return `It is a JPG image of a kind that browsers do not show: ${saveAgain}`;
      const frame = await file.read(position + 4, 5);
      if (frame === undefined || length < 11 || dimensions !== undefined) return broken;
      dimensions = { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) };
      const fault = faultOfDimensions(dimensions, limits);
      if (fault !== undefined) return fault;
    }
    position += 2 + length;
    if (marker === 0xda) {
      if (dimensions === undefined) return broken;
      scans += 1;
      if (scans > mostScans) return `It is a JPG image in too many parts: ${saveAgain}`;
      position = await endOfScan(file, position);
    }
  }
  return broken;
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Whether the marker's segment contains the dimensions: C0 to CF, except C4, C8 and CC, which mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Returns the position of the next marker, or the end of the file. */
async function endOfScan(file: Pieces, start: number): Promise<number> {
  let position = start;
  while (position + 1 < file.size) {
    const bytes = await file.read(position, Math.min(pieceSize, file.size - position));
    if (bytes === undefined) break;
    for (let at = bytes.indexOf(0xff); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
      const next = bytes[at + 1] ?? 0;
      if (next !== 0x00 && next !== 0xff && !isRestart(next)) return position + at;
    }
    position += bytes.length - 1;
  }
  return file.size;
}
