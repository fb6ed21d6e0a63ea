import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Abort } from '../../../core/abort.ts';

/** Reads here and there in a file, of which only a few pieces are ever in memory. Other work of the process gets its turns. */
export interface Pieces {
  /** Bytes in the file. */
  readonly size: number;
  /** When it is aborted, `read` throws its reason. */
  readonly stop?: Abort | undefined;
  /** Bytes of the file, good until the next read; `undefined` where it ends before. Throws what the system throws. */
  read(position: number, length: number): Promise<Buffer | undefined>;
}

export const pieceSize = 64 * 1024;
const kept = 4;

interface Piece {
  readonly start: number;
  readonly length: number;
  readonly buffer: Buffer;
}

export function createPieces(handle: FileHandle, size: number, stop?: Abort): Pieces {
  /** The one last loaded is the first. */
  const pieces: Piece[] = [];
  const giveWay = createGiveWay();

  async function load(start: number, atLeast: number): Promise<Piece> {
    const last = pieces.length === kept && atLeast <= pieceSize ? pieces.pop() : undefined;
    const buffer = last?.buffer ?? Buffer.allocUnsafe(Math.max(atLeast, pieceSize));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const piece = { start, length: bytesRead, buffer };
    if (buffer.length === pieceSize) pieces.unshift(piece);
    return piece;
  }

  return {
    size,
    stop,
    async read(position, length) {
      stop?.throwIfAborted();
      if (!(position + length <= size)) return undefined;
      // What is in memory is read without waiting: a loop over it would keep all other work waiting.
      await giveWay();
      const holds = ({ start, length: held }: Piece) => position >= start && position + length <= start + held;
      const piece = pieces.find(holds) ?? (await load(position, length));
      if (!holds(piece)) return undefined;
      return piece.buffer.subarray(position - piece.start, position - piece.start + length);
    },
  };
}

/** Milliseconds that may pass without a turn for other work. */
const longest = 2;

/** Returns a function for long work to call often: it pauses now and then, so that other work of the process gets its turn. */
export function createGiveWay(): () => Promise<void> {
  let turn = performance.now();
  return async () => {
    if (performance.now() - turn < longest) return;
    await setImmediate();
    turn = performance.now();
  };
}

/** Returns the CRC of a part of the file, or `undefined` if the file ends before it does. */
export async function crcOf(file: Pieces, start: number, length: number): Promise<number | undefined> {
  let crc = 0;
  for (let at = start; at < start + length; at += pieceSize) {
    const bytes = await file.read(at, Math.min(pieceSize, start + length - at));
    if (bytes === undefined) return undefined;
    crc = crc32(bytes, crc);
  }
  return crc;
}

/** A stretch of the file, piece by piece. Each piece stays good. */
export async function* stretch(file: Pieces, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = start; at < start + length; at += pieceSize) {
    const bytes = await file.read(at, Math.min(pieceSize, start + length - at));
    if (bytes === undefined) return;
    yield Buffer.from(bytes);
  }
}
