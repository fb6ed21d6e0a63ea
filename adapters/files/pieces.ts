import type { FileHandle } from 'node:fs/promises';

/** Reads here and there in a file, of which only a few pieces are ever in memory. */
export interface Pieces {
  /** Bytes in the file. */
  readonly size: number;
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

export function createPieces(handle: FileHandle, size: number): Pieces {
  /** The one last loaded is the first. */
  const pieces: Piece[] = [];

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
    async read(position, length) {
      if (!(position + length <= size)) return undefined;
      const holds = ({ start, length: held }: Piece) => position >= start && position + length <= start + held;
      const piece = pieces.find(holds) ?? (await load(position, length));
      if (!holds(piece)) return undefined;
      return piece.buffer.subarray(position - piece.start, position - piece.start + length);
    },
  };
}
