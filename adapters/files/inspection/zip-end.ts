import type { Pieces } from './pieces.ts';

/** Whether the end record follows the central directory, agrees with it, and ends the file. */
export async function endsAt(position: number, start: number, count: number, file: Pieces): Promise<boolean> {
  const length = file.size - position;
  const tail = length <= 76 + 22 + 0xffff ? await file.read(position, length) : undefined;
  if (tail === undefined || tail.length < 22) return false;
  const isBig = tail.readUInt32LE(0) === 0x06064b50;
  if (isBig) {
    const isWhole =
      tail.length >= 76 + 22 &&
      tail.readBigUInt64LE(4) === 44n &&
      tail.readBigUInt64LE(24) === BigInt(count) &&
      tail.readBigUInt64LE(40) === BigInt(position - start) &&
      tail.readUInt32LE(56) === 0x07064b50 &&
      tail.readBigUInt64LE(64) === BigInt(position);
    if (!isWhole) return false;
  }
  const end = isBig ? tail.subarray(76) : tail;
  const agrees = (stated: number, actual: number, inZip64: number) =>
    stated === actual || (isBig && stated === inZip64);
  return (
    end.readUInt32LE(0) === 0x06054b50 &&
    agrees(end.readUInt16LE(8), count, 0xffff) &&
    agrees(end.readUInt16LE(10), count, 0xffff) &&
    agrees(end.readUInt32LE(12), position - start, 0xffffffff) &&
    agrees(end.readUInt32LE(16), start, 0xffffffff) &&
    end.readUInt16LE(20) === end.length - 22
  );
}
