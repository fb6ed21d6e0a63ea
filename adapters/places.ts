/** A number of places for each key. A key without a taken place uses no memory. */
export interface Places<Key> {
  /** Takes a place, and returns the function that frees it. Returns `undefined` if all places of the key are taken. */
  take(key: Key): (() => void) | undefined;
}

/** Each key has this many places. */
export function createPlaces<Key>(most: number): Places<Key> {
  const taken = new Map<Key, number>();
  return {
    take(key) {
      const before = taken.get(key) ?? 0;
      if (before >= most) return undefined;
      taken.set(key, before + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (taken.get(key) ?? 0) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}
