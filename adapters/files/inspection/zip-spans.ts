import type { Pieces } from './pieces.ts';
import type { Entry } from './zip-entry.ts';

/** Whether the entries fill the file up to the central directory, without gaps, overlaps or other data. */
export async function areApart(entries: readonly Entry[], directory: number, file: Pieces): Promise<boolean> {
  const sorted = entries.toSorted((one, other) => one.start - other.start);
  if (sorted[0]?.start !== 0) return false;
  for (const [index, entry] of sorted.entries()) {
    const gap = (sorted[index + 1]?.start ?? directory) - entry.end;
    if (gap === 0 && (entry.hasSizesInHeader || !entry.hasDescriptorFlag)) continue;
    if (!entry.hasDescriptorFlag || !(await isDescriptor(entry, gap, file))) return false;
  }
  return true;
}

/** Whether a correct data descriptor follows the entry: with sizes of 4 or 8 bytes, with or without a signature. */
async function isDescriptor({ end, crc, packed, unpacked }: Entry, length: number, file: Pieces): Promise<boolean> {
  if (![12, 16, 20, 24].includes(length)) return false;
  const bytes = await file.read(end, length);
  if (bytes === undefined) return false;
  const isSigned = length === 16 || length === 24;
  if (isSigned && bytes.readUInt32LE(0) !== 0x08074b50) return false;
  const fields = isSigned ? bytes.subarray(4) : bytes;
  if (fields.readUInt32LE(0) !== crc) return false;
  return fields.length === 12
    ? fields.readUInt32LE(4) === packed && fields.readUInt32LE(8) === unpacked
    : fields.readBigUInt64LE(4) === BigInt(packed) && fields.readBigUInt64LE(12) === BigInt(unpacked);
}
