import { crc32, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { Fault } from './limits.ts';
import { crcOf, type Pieces, stretch } from './pieces.ts';
import { type Unpacked, unpack } from './unpack.ts';
import type { Entry } from './zip-entry.ts';

/** Bytes up to which an entry is unpacked at once, on the main thread: a stream for each takes twenty times as long. */
const small = { packed: 8 * 1024, unpacked: 32 * 1024 };

/** Unpacks the entry up to its stated size, and compares size and checksum. Throws what the system throws. */
export async function faultOfContent(file: Pieces, entry: Entry): Promise<Fault | undefined> {
  const found = entry.isDeflated ? await inflated(file, entry) : await stored(file, entry);
  const isAsSaid = found?.size === entry.unpacked && found.crc === entry.crc && found.packed === entry.packed;
  return isAsSaid
    ? undefined
    : `The zip's entry "${entry.shown}" does not hold what the zip says of it (its size or checksum): make the zip again.`;
}

async function stored(file: Pieces, { data, packed }: Entry): Promise<Unpacked | undefined> {
  const crc = await crcOf(file, data, packed);
  return crc === undefined ? undefined : { size: packed, crc, packed };
}

async function inflated(file: Pieces, { data, packed, unpacked }: Entry): Promise<Unpacked | undefined> {
  if (packed > small.packed || unpacked > small.unpacked)
    return await unpack(stretch(file, data, packed), 'raw', unpacked, file.stop);
  const bytes = await file.read(data, packed);
  if (bytes === undefined) return undefined;
  try {
    const result: unknown = inflateRawSync(bytes, { info: true, maxOutputLength: unpacked + 1 });
    if (!isDetailed(result)) throw new TypeError('zlib did not tell how much it took.');
    const { buffer, engine } = result;
    return { size: buffer.length, crc: crc32(buffer), packed: engine.bytesWritten };
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return undefined;
  }
}

/** What zlib answers with `info`, which its types do not know. */
function isDetailed(result: unknown): result is { readonly buffer: Buffer; readonly engine: InflateRaw } {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result;
}
