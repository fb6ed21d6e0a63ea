import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Abort } from '../../../core/abort.ts';

/** Reads any range of a file, with only a few pieces in memory. Pauses regularly for other work of the process. */
export interface Pieces {
  /** The size of the file in bytes. */
  readonly size: number;
  /** If this signal is aborted, `read` throws its reason. */
  readonly stop?: Abort | undefined;
  /**
   * Returns a range of the file, or `undefined` if the file is too short. The next read may overwrite the buffer.
   * Throws system errors as they are.
   */
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
  /** Newest first. */
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
      // A loop over pieces in memory never waits for the disk. Without a pause it would block all other work.
      await giveWay();
      const contains = ({ start, length: held }: Piece) => position >= start && position + length <= start + held;
      const piece = pieces.find(contains) ?? (await load(position, length));
      if (!contains(piece)) return undefined;
      return piece.buffer.subarray(position - piece.start, position - piece.start + length);
    },
  };
}

/** Milliseconds between two pauses for other work. */
const longestTurn = 2;

/** Returns a function that long work calls often. It pauses every few milliseconds, so that other work can run. */
export function createGiveWay(): () => Promise<void> {
  let turn = performance.now();
  return async () => {
    if (performance.now() - turn < longestTurn) return;
    await setImmediate();
    turn = performance.now();
  };
}

/** Returns the CRC of a range of the file, or `undefined` if the file is too short. */
export async function crcOf(file: Pieces, start: number, length: number): Promise<number | undefined> {
  let crc = 0;
  for (let at = start; at < start + length; at += pieceSize) {
    const bytes = await file.read(at, Math.min(pieceSize, start + length - at));
    if (bytes === undefined) return undefined;
    crc = crc32(bytes, crc);
  }
  return crc;
}

/** Returns a range of the file in pieces. Each piece has its own buffer. */
export async function* rangeOf(file: Pieces, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = start; at < start + length; at += pieceSize) {
    const bytes = await file.read(at, Math.min(pieceSize, start + length - at));
    if (bytes === undefined) return;
    yield Buffer.from(bytes);
  }
}
