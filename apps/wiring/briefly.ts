import { LRUCache } from 'lru-cache';
import type { Actor } from '../../core/accounts/role.ts';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import { second } from '../../core/time.ts';
import { clock } from './chosen.ts';
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

/** In milliseconds. */
const keptFor = 2 * second;

/** At most so many results are kept, of all reads together. */
const bounds = { max: 200, ttl: keptFor, ttlAutopurge: true };

/** Reads that give the same name ask for the same. If they check rights, the name has the person, and all that decides the person's rights. */
export type Briefly = <Asked extends unknown[], Found>(
  read: (...asked: Asked) => Promise<Found>,
  nameOf: (...asked: Asked) => string,
) => (...asked: Asked) => Promise<Found>;

interface BrieflyPorts {
  readonly writes: Pick<Writes, 'count'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Makes a function that remembers what reads return: until this process has written anything but counts of verifications, and at
 * most for two seconds, because other processes write too. Only for reads that may be some seconds old.
 */
export function createBriefly({ writes, clock }: BrieflyPorts): Briefly {
  const memory = new LRUCache<string, { readonly found: Promise<unknown>; readonly at: Instant }>(bounds);
  let readers = 0;
  let writesSeen = writes.count();
  return function briefly<Asked extends unknown[], Found>(
    read: (...asked: Asked) => Promise<Found>,
    nameOf: (...asked: Asked) => string,
  ) {
    const reader = readers++;
    return (...asked: Asked) => {
      const name = `${reader} ${nameOf(...asked)}`;
      if (writes.count() !== writesSeen) memory.clear();
      writesSeen = writes.count();
      const at = clock.now();
      const known = memory.get(name);
      // The clock of tests goes forwards and backwards, so `ttl` only frees memory.
      if (known && Math.abs(at - known.at) < keptFor) return known.found as Promise<Found>;
      const found = read(...asked);
      const kept = { found, at };
      memory.set(name, kept);
      found.catch(() => memory.peek(name) === kept && memory.delete(name));
      return found;
    };
  };
}

export const briefly = part(createBriefly, { writes, clock });

/** Who asks, as a part of a name. */
export function nameOfActor(actor: Actor): string {
  if (actor.kind === 'operator') return 'operator';
  const { id, email, role, suspendedAt, sandboxUntil } = actor.user;
  // If users get another field that can decide rights, this does not compile.
  const facts = { id, email, role, suspendedAt, sandboxUntil } satisfies Record<keyof typeof actor.user, unknown>;
  return JSON.stringify(facts);
}
