import { LRUCache } from 'lru-cache';
import type { Memory } from '../core/ports/memory.ts';

/**
 * Remembers values of at most `bytes` together. `sizeOf` returns the bytes of a value without its name. The number of values has no
 * bound of its own: the library would take the memory for all of them at once.
 */
export function createBoundedMemory<T extends object>(bytes: number, sizeOf: (value: T) => number): Memory<T> {
  const cache = new LRUCache<string, T>({
    maxSize: bytes,
    sizeCalculation: (value, name) => sizeOf(value) + name.length,
  });
  return {
    get: (name) => cache.get(name),
    set: (name, value) => void cache.set(name, value),
  };
}
