import { LRUCache } from 'lru-cache';
import type { Actor } from '../../core/accounts/role.ts';
import { second } from '../../core/time.ts';
import { part } from './part.ts';

/** Counts the writes of this process that have ended. What was read before one of them may be old after it. */
export interface Writes {
  ended(): void;
  count(): number;
}

function createWrites(): Writes {
  let count = 0;
  return {
    ended() {
      count += 1;
    },
    count: () => count,
  };
}

export const writes = part(createWrites, {});

/** The most results that are kept, of all reads together, and for how long: as long as pages for visitors. */
const bounds = { max: 200, ttl: 2 * second };

/** Reads that give the same name ask for the same. The name has the person, and all that decides the person's rights. */
export type Briefly = <Asked extends unknown[], Found>(
  read: (...asked: Asked) => Promise<Found>,
  nameOf: (...asked: Asked) => string,
) => (...asked: Asked) => Promise<Found>;

/**
 * Makes a function that remembers what reads return: until this process has written anything, and at most for two seconds,
 * because other processes write too. Only for reads that may be some seconds old.
 */
export function createBriefly({ writes }: { readonly writes: Pick<Writes, 'count'> }): Briefly {
  const memory = new LRUCache<string, { readonly found: Promise<unknown>; readonly after: number }>(bounds);
  let readers = 0;
  return function briefly<Asked extends unknown[], Found>(
    read: (...asked: Asked) => Promise<Found>,
    nameOf: (...asked: Asked) => string,
  ) {
    const reader = readers++;
    return (...asked: Asked) => {
      const name = `${reader} ${nameOf(...asked)}`;
      const after = writes.count();
      const known = memory.get(name);
      if (known?.after === after) return known.found as Promise<Found>;
      const found = read(...asked);
      const kept = { found, after };
      memory.set(name, kept);
      found.catch(() => memory.peek(name) === kept && memory.delete(name));
      return found;
    };
  };
}

export const briefly = part(createBriefly, { writes });

/** Who asks, as a part of a name. */
export function nameOfActor(actor: Actor): string {
  if (actor.kind === 'operator') return 'operator';
  const { id, email, role, suspendedAt } = actor.user;
  return JSON.stringify([id, email, role, suspendedAt]);
}
