import { crc32, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { Fault } from './limits.ts';
import { crcOf, type Pieces, rangeOf } from './pieces.ts';
import { type Unpacked, unpack } from './unpack.ts';
import type { Entry } from './zip-entry.ts';

/**
 * In bytes. Entries up to these sizes are unpacked on the main thread, because a stream for each would take twenty
 * times as long.
 */
const small = { packed: 8 * 1024, unpacked: 32 * 1024 };

/** Unpacks an entry up to its stated size, and compares size and checksum. Throws system errors as they are. */
export async function faultOfContent(file: Pieces, entry: Entry): Promise<Fault | undefined> {
  const found = entry.isDeflated ? await inflated(file, entry) : await stored(file, entry);
  const isRight = found?.size === entry.unpacked && found.crc === entry.crc && found.packed === entry.packed;
  return isRight
    ? undefined
    : `The zip's entry "${entry.shown}" does not match its stated size or checksum: make the zip again.`;
}

async function stored(file: Pieces, { data, packed }: Entry): Promise<Unpacked | undefined> {
  const crc = await crcOf(file, data, packed);
  return crc === undefined ? undefined : { size: packed, crc, packed };
}

async function inflated(file: Pieces, { data, packed, unpacked }: Entry): Promise<Unpacked | undefined> {
  if (packed > small.packed || unpacked > small.unpacked)
    return await unpack(rangeOf(file, data, packed), 'raw', unpacked, file.stop);
  const bytes = await file.read(data, packed);
  if (bytes === undefined) return undefined;
  try {
    const result: unknown = inflateRawSync(bytes, { info: true, maxOutputLength: unpacked + 1 });
    if (!isDetailed(result)) throw new TypeError('zlib did not return how many bytes it read.');
    const { buffer, engine } = result;
    return { size: buffer.length, crc: crc32(buffer), packed: engine.bytesWritten };
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return undefined;
  }
}

/** Whether this is what zlib returns with the option `info`. Node's own types do not describe it. */
function isDetailed(result: unknown): result is { readonly buffer: Buffer; readonly engine: InflateRaw } {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result;
}
