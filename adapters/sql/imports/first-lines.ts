import { createHmac, randomBytes } from 'node:crypto';

/** The most texts that are remembered. */
const mostTexts = 3_000_000;

/** The first six bits of a hash choose one of so many tables. Each grows alone, so that no growth takes long. */
const tableCount = 64;

/** A slot has the first 64 bits of a hash, and a line. */
const cellsOfSlot = 3;

/** The slots of a new table: a power of two. */
const firstSlots = 16;

/** Slots stay empty, so that a search soon ends. */
const fullest = 0.75;

/**
 * Remembers on which line each text came first, in at most 50 MB. What comes when there are `most` texts is not
 * remembered. The hashes have a secret of their own: nobody can choose texts that fall into one place.
 */
export function createFirstLines(most = mostTexts) {
  const secret = randomBytes(32);
  const tables = Array.from({ length: tableCount }, createTable);
  let count = 0;

  /** Returns the line on which a text came before, or remembers that it is this one. Lines are numbered from 1 on. */
  return (text: string, line: number): number | undefined => {
    const hash = createHmac('sha256', secret).update(text).digest('hex');
    const [high, low] = [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8, 16), 16)];
    const table = tables[Math.floor(high / (2 ** 32 / tableCount))];
    const before = table?.get(high, low);
    if (before !== 0) return before;
    if (count < most) {
      count += 1;
      table?.add(high, low, line);
    }
    return undefined;
  };
}

function createTable() {
  let slots = new Uint32Array(firstSlots * cellsOfSlot);
  let count = 0;

  /** Returns where a hash is, or the empty slot for it. */
  function placeOf(high: number, low: number): number {
    const size = slots.length / cellsOfSlot;
    for (let slot = low % size; ; slot = (slot + 1) % size) {
      const at = slot * cellsOfSlot;
      if (slots[at + 2] === 0 || (slots[at] === high && slots[at + 1] === low)) return at;
    }
  }

  function put(high: number, low: number, line: number): void {
    const at = placeOf(high, low);
    slots[at] = high;
    slots[at + 1] = low;
    slots[at + 2] = line;
  }

  function grow(): void {
    const before = slots;
    slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += cellsOfSlot) {
      const line = before[at + 2] ?? 0;
      if (line !== 0) put(before[at] ?? 0, before[at + 1] ?? 0, line);
    }
  }

  return {
    /** Returns 0 if there is none. */
    get: (high: number, low: number): number => slots[placeOf(high, low) + 2] ?? 0,
    add(high: number, low: number, line: number): void {
      count += 1;
      if (count > (fullest * slots.length) / cellsOfSlot) grow();
      put(high, low, line);
    },
  };
}
