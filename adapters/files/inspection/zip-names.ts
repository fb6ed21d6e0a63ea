import { crc32 } from 'node:zlib';
import * as yauzl from 'yauzl';
import type { Fault } from './limits.ts';
import { createGiveWay } from './pieces.ts';
import type { Entry } from './zip-entry.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the name of an entry, decoded as UTF-8 or code page 437. Returns `undefined` if the UTF-8 flag is wrong, or
 * if a Unicode Path field, which some programs use, contains another name.
 */
export function nameOf(raw: Buffer, flags: number, unicodePaths: readonly yauzl.ExtraField[]): string | undefined {
  const modern = decoded(raw);
  if ((flags & 0x800) !== 0 && modern === undefined) return undefined;
  const old = yauzl.getFileNameLowLevel(0, raw, [], true);
  const checksum = crc32(raw);
  for (const { data } of unicodePaths) {
    const isValid = data.length > 5 && data[0] === 1 && data.readUInt32LE(1) === checksum;
    const other = isValid ? decoded(data.subarray(5)) : undefined;
    if (other === undefined || (other !== modern && other !== old)) return undefined;
    if (other !== modern) return other;
  }
  return modern ?? old;
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether every system unpacks the entry inside the target folder, with any character set. */
export function isSafe(raw: Buffer, name: string): boolean {
  const leaves = /^\/|^[a-z]:|(^|\/)\s*\.\.\s*(\/|$)|(^|\/)\.$/i;
  return [name, raw.toString('latin1')].every(
    (text) => text !== '' && !text.includes('\\') && !text.includes('\0') && !leaves.test(text),
  );
}

/** Returns a name for messages: shortened, without control characters. */
export function shown(raw: Buffer): string {
  const letters = Array.from(raw.toString('utf8', 0, 400).replace(/[\p{C}\u2028\u2029]/gu, '\ufffd'));
  return letters.length > 80 ? `${letters.slice(0, 80).join('')}…` : letters.join('');
}

/** The path that an entry is unpacked to. Each part ends with a NUL character. */
export interface Path {
  readonly spelled: string;
  /** The path for systems that ignore letter case and Unicode composition. */
  readonly folded: string;
}

/**
 * Returns the path for an entry's name, or `undefined` if it has more than `most` parts, because comparing paths must
 * stay cheap.
 */
export function pathOf(name: string, most: number): Path | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length > most) return undefined;
  const spelled = parts.map((part) => `${part}\0`).join('');
  return { spelled, folded: fold(spelled) };
}

function fold(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Checks that all paths differ on every system, including those that ignore letter case or Unicode composition. */
export async function faultOfNames(entries: readonly Entry[]): Promise<Fault | undefined> {
  const giveWay = createGiveWay();
  // In this order, a folder's content follows the folder, and equal paths are neighbours.
  const sorted = entries.toSorted((one, other) => compare(one.path.folded, other.path.folded));
  for (const [index, entry] of sorted.entries()) {
    await giveWay();
    const next = sorted[index + 1];
    const fault = next && faultOfPair(entry, next);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function faultOfPair(one: Entry, other: Entry): Fault | undefined {
  const fault = (text: string) => `The zip's entries "${one.shown}" and "${other.shown}" ${text}`;
  const length = sharedLength(one.path.folded, other.path.folded);
  const parts = one.path.folded.slice(0, length).split('\0').length - 1;
  if (firstParts(one.path.spelled, parts) !== firstParts(other.path.spelled, parts)) {
    return fault('have names that are the same on some systems: rename one.');
  }
  if (length < one.path.folded.length) return undefined;
  if (length === other.path.folded.length) return fault('have the same name: keep one.');
  return one.isFolder ? undefined : fault('use one name for a file and for a folder: rename one.');
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function firstParts(path: string, count: number): string {
  let end = 0;
  for (let part = 0; part < count; part++) end = path.indexOf('\0', end) + 1;
  return path.slice(0, end);
}
