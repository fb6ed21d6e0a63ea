/** The most digests that are remembered. */
const mostDigests = 3_000_000;

/** A slot has the first 64 bits of a digest, and a line. */
const cellsOfSlot = 3;

/** Slots stay empty, so that a search soon ends. */
const fullest = 0.75;

/**
 * Remembers on which line each digest in hexadecimal came first, in at most 50 MB. What comes when there are `most` digests
 * is not remembered.
 */
export function createFirstLines(most = mostDigests) {
  let slots = new Uint32Array(cellsOfSlot * 1_024);
  let count = 0;

  /** Returns where a digest is, or the empty slot for it. */
  function placeOf(high: number, low: number): number {
    const size = slots.length / cellsOfSlot;
    for (let slot = low % size; ; slot = (slot + 1) % size) {
      const at = slot * cellsOfSlot;
      if (slots[at + 2] === 0 || (slots[at] === high && slots[at + 1] === low)) return at;
    }
  }

  function put(high: number, low: number, line: number): void {
    slots.set([high, low, line], placeOf(high, low));
  }

  function grow(): void {
    const before = slots;
    slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += cellsOfSlot) {
      const [high = 0, low = 0, line = 0] = before.subarray(at, at + cellsOfSlot);
      if (line !== 0) put(high, low, line);
    }
  }

  return {
    get(digest: string): number | undefined {
      return slots[placeOf(...startOf(digest)) + 2] || undefined;
    },
    /** `line`: from 1 on. Each digest once. */
    set(digest: string, line: number): void {
      if (count >= most) return;
      count += 1;
      if (count > fullest * (slots.length / cellsOfSlot)) grow();
      put(...startOf(digest), line);
    },
  };
}

function startOf(digest: string): [high: number, low: number] {
  return [Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 16), 16)];
}
