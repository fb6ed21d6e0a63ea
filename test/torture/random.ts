/** Returns a generator of numbers from 0 to 1, which depend only on the seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns one of the items, or `undefined` if there are none. */
export function pick<T>(random: () => number, all: readonly [T, ...T[]]): T;
export function pick<T>(random: () => number, all: readonly T[]): T | undefined;
export function pick<T>(random: () => number, all: readonly T[]): T | undefined {
  return all[Math.floor(random() * all.length)];
}

/** Returns one of the keys, with a probability in proportion to its weight. */
export function pickWeighted<K extends string>(random: () => number, weights: Readonly<Record<K, number>>): K {
  const keys = Object.keys(weights) as K[];
  let left = random() * keys.reduce((sum, key) => sum + weights[key], 0);
  for (const key of keys) {
    left -= weights[key];
    if (left < 0) return key;
  }
  return keys[0] as K;
}

/** Returns the items in a random order (Fisher-Yates). */
export function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const order = [...all];
  for (let left = order.length - 1; left > 0; left--) {
    const other = Math.floor(random() * (left + 1));
    [order[left], order[other]] = [order[other] as T, order[left] as T];
  }
  return order;
}
