import { LRUCache } from 'lru-cache';
import type { Memory } from '../core/ports/memory.ts';

/** Remembers at most `entries` values of at most `bytes` together. `sizeOf` returns the bytes of a value without its name. */
export function createBoundedMemory<T extends object>(
  entries: number,
  bytes: number,
  sizeOf: (value: T) => number,
): Memory<T> {
  const cache = new LRUCache<string, T>({
    max: entries,
    maxSize: bytes,
    sizeCalculation: (value, name) => sizeOf(value) + name.length,
  });
  return {
    get: (name) => cache.get(name),
    set: (name, value) => void cache.set(name, value),
  };
}
