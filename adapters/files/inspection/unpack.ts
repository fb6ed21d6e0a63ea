import { pipeline } from 'node:stream/promises';
import { crc32, createInflate, createInflateRaw } from 'node:zlib';
import type { Abort } from '../../../core/abort.ts';
import { codeOf } from '../../system-error.ts';
import { pieceSize } from './pieces.ts';

/** What deflated bytes hold. */
export interface Unpacked {
  /** Bytes. */
  readonly size: number;
  /** CRC-32. */
  readonly crc: number;
  /** How many of the deflated bytes it took. */
  readonly packed: number;
}

/**
 * Inflates a stream piece by piece, off the main thread, and keeps nothing of it. `undefined` if the bytes are no such
 * stream, or if it holds more than `limit` bytes: it stops there. Throws what the source throws, and the
 * reason of `stop` when that is aborted.
 */
export async function unpack(
  source: AsyncIterable<Buffer>,
  format: 'zlib' | 'raw',
  limit: number,
  stop?: Abort,
): Promise<Unpacked | undefined> {
  const inflate =
    format === 'raw' ? createInflateRaw({ chunkSize: pieceSize }) : createInflate({ chunkSize: pieceSize });
  let size = 0;
  let crc = 0;
  try {
    await pipeline(source, inflate, async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        stop?.throwIfAborted(); // Here too: one piece of the source may unpack to a thousand.
        size += piece.length;
        if (size > limit) throw new TooMuch();
        crc = crc32(piece, crc);
      }
    });
  } catch (error) {
    stop?.throwIfAborted();
    // The pipeline is aborted if the stream ends before the source does.
    const code = codeOf(error);
    if (error instanceof TooMuch || code === 'ABORT_ERR' || code?.startsWith('Z_')) return undefined;
    throw error;
  }
  return { size, crc, packed: inflate.bytesWritten };
}

class TooMuch extends Error {}
