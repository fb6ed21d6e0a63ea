import type { Pieces } from './pieces.ts';
import type { Entry } from './zip-entry.ts';

/** Whether the entries fill the file from its start to the listing, with nothing between them but what describes them. */
export async function areApart(entries: readonly Entry[], listing: number, file: Pieces): Promise<boolean> {
  const sorted = entries.toSorted((one, other) => one.start - other.start);
  if (sorted[0]?.start !== 0) return false;
  for (const [index, entry] of sorted.entries()) {
    const gap = (sorted[index + 1]?.start ?? listing) - entry.end;
    if (gap === 0 && (entry.isSaidBefore || !entry.isSaidAfter)) continue;
    if (!entry.isSaidAfter || !(await isDescriptor(entry, gap, file))) return false;
  }
  return true;
}

/** Whether what follows the entry says its checksum and sizes: with 4 or 8 bytes for a size, with or without a signature. */
async function isDescriptor({ end, crc, packed, unpacked }: Entry, length: number, file: Pieces): Promise<boolean> {
  if (![12, 16, 20, 24].includes(length)) return false;
  const bytes = await file.read(end, length);
  if (bytes === undefined) return false;
  const isSigned = length === 16 || length === 24;
  if (isSigned && bytes.readUInt32LE(0) !== 0x08074b50) return false;
  const said = isSigned ? bytes.subarray(4) : bytes;
  if (said.readUInt32LE(0) !== crc) return false;
  return said.length === 12
    ? said.readUInt32LE(4) === packed && said.readUInt32LE(8) === unpacked
    : said.readBigUInt64LE(4) === BigInt(packed) && said.readBigUInt64LE(12) === BigInt(unpacked);
}
