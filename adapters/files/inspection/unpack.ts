import { pipeline } from 'node:stream/promises';
import { crc32, createInflate, createInflateRaw } from 'node:zlib';
import type { Abort } from '../../../core/abort.ts';
import { codeOf } from '../../system-error.ts';
import { pieceSize } from './pieces.ts';

/** The result of unpacking. */
export interface Unpacked {
  /** In bytes. */
  readonly size: number;
  /** CRC-32. */
  readonly crc: number;
  /** The number of packed bytes that were read. */
  readonly packed: number;
}

/**
 * Inflates a stream in pieces, off the main thread, and discards the output. Returns `undefined` if the stream is
 * broken, or when more than `limit` bytes are unpacked. Throws errors of the source, and the reason of `stop` if that is
 * aborted.
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
        stop?.throwIfAborted(); // Checked here too, because one piece of the source may unpack to a thousand pieces.
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
