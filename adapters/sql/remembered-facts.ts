import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Facts } from './verifier.ts';

/**
 * The facts of valid verifications, in a fixed block of memory: 48 bytes for each, where objects in a map need 360. The
 * garbage collector does not look at them. Licenses that get updates only until some time need 8 bytes more, in a block
 * that is allocated with the first of them. Facts can be forgotten at any time.
 */
export interface RememberedFacts {
  /**
   * Returns the facts of exactly this key. They may belong to another domain of the license, because only a hash of the
   * domain is stored. So the caller must check them with the domain.
   */
  get(key: LicenseKey, domain: DomainName): Facts | undefined;
  /** Remembers facts. If there is no room for them, forgets others. Ignores the facts of a domain that is not activated. */
  set(key: LicenseKey, domain: DomainName, facts: Facts): void;
  delete(key: LicenseKey, domain: DomainName): void;
}

/** Facts are only in one of these many places, which depend on the hash of key and domain. */
const placesInRow = 8;

/** Rows are not filled evenly. With this many places for each of the facts, 96 of 100 find a free one. */
const placesForEach = 1.4;

/** A place has 6 numbers of 8 bytes, or 12 of 4 bytes. The first three are long, all others short. */
const long = { size: 6, keyStart: 0, keyEnd: 1, expiresAt: 2 };
const short = { size: 12, id: 6, domain: 7, ordinal: 8, version: 9, standing: 10, entitlements: 11 };

/** So many different sets of entitlements are remembered. When there are more, the facts with any of them are forgotten. */
const mostSets = 10_000;

/**
 * `size`: the number of domains. The block is allocated with the first facts: it is so large that a garbage collection
 * follows, and most commands verify nothing. Systems provide each page of it when the page is used first.
 */
export function createRememberedFacts(size: number): RememberedFacts {
  const rows = Math.ceil((size * placesForEach) / placesInRow);
  let longs = new Float64Array(0);
  let shorts = new Int32Array(0);
  /** Of each place. 0 means for ever. */
  let updates = new Float64Array(0);
  const standings: string[] = [];
  /** The set with the number `firstSet`, and the next ones. The number 0 means none. Places with lower numbers are forgotten. */
  const sets: string[] = [];
  const setNumbers = new Map<string, number>();
  let firstSet = 1;
  let victim = 0;

  function allocate(): void {
    longs = new Float64Array(rows * placesInRow * long.size);
    shorts = new Int32Array(longs.buffer);
  }

  /** Returns the place of the facts, or -1. A place with the id 0 is free. */
  function find(row: number, [start, end, domain]: Name): number {
    // Reading beyond the end would make all later reads slower.
    if (longs.length === 0) return -1;
    for (let place = row; place < row + placesInRow; place++) {
      const isSame =
        longs[place * long.size + long.keyEnd] === end &&
        longs[place * long.size + long.keyStart] === start &&
        shorts[place * short.size + short.domain] === domain;
      if (isSame && shorts[place * short.size + short.id] !== 0) return place;
    }
    return -1;
  }

  /** Returns a free place, or else any. Forgetting the oldest would forget all if they come in the same order again. */
  function makeRoom(row: number): number {
    for (let place = row; place < row + placesInRow; place++)
      if (shorts[place * short.size + short.id] === 0) return place;
    victim = (victim + 1) % placesInRow;
    return row + victim;
  }

  function numberOf(standing: string): number {
    const known = standings.indexOf(standing);
    return known >= 0 ? known : standings.push(standing) - 1;
  }

  /** The numbers go on after sets are forgotten, so that no place has to be written for that. */
  function numberOfSet(entitlements: string | null): number {
    if (entitlements === null) return 0;
    const known = setNumbers.get(entitlements);
    if (known !== undefined) return known;
    if (sets.length === mostSets) {
      firstSet += sets.length;
      sets.length = 0;
      setNumbers.clear();
    }
    const number = firstSet + sets.length;
    setNumbers.set(entitlements, number);
    sets.push(entitlements);
    return number;
  }

  function setUpdates(place: number, until: number | null): void {
    if (until !== null && updates.length === 0) updates = new Float64Array(rows * placesInRow);
    if (updates.length > 0) updates[place] = until ?? 0;
  }

  const rowOf = (name: Name) => (name[3] % rows) * placesInRow;

  return {
    get(key, domain) {
      const name = nameOf(key, domain);
      const place = find(rowOf(name), name);
      if (place < 0) return undefined;
      const expiresAt = longs[place * long.size + long.expiresAt] ?? 0;
      const first = place * short.size;
      const set = shorts[first + short.entitlements] ?? 0;
      const entitlements = set === 0 ? null : sets[set - firstSet];
      if (entitlements === undefined) return undefined;
      return {
        id: shorts[first + short.id] ?? 0,
        standing: standings[shorts[first + short.standing] ?? 0] ?? null,
        expires_at: Number.isNaN(expiresAt) ? null : expiresAt,
        updates_until: updates.length === 0 ? null : updates[place] || null,
        entitlements,
        ordinal: shorts[first + short.ordinal] ?? 0,
        license_version: shorts[first + short.version] ?? 0,
      };
    },
    set(key, domain, { id, standing, expires_at, updates_until, entitlements, ordinal, license_version }) {
      if (id === null || standing === null || ordinal === null || license_version === null) return;
      if (updates_until === 0) return;
      const set = numberOfSet(entitlements);
      if (longs.length === 0) allocate();
      const name = nameOf(key, domain);
      const row = rowOf(name);
      const known = find(row, name);
      const place = known < 0 ? makeRoom(row) : known;
      longs.set([name[0], name[1], expires_at ?? Number.NaN], place * long.size);
      shorts.set([id, name[2], ordinal, license_version, numberOf(standing), set], place * short.size + short.id);
      setUpdates(place, updates_until);
    },
    delete(key, domain) {
      const name = nameOf(key, domain);
      const place = find(rowOf(name), name);
      if (place >= 0) shorts[place * short.size + short.id] = 0;
    },
  };
}

/** Both halves of the key as exact numbers, a hash of the domain, and a hash of both. */
type Name = readonly [start: number, end: number, domain: number, hash: number];

/** Each half of a key has 8 characters of base 36, and so less than 2 ** 42 values. */
function nameOf(key: LicenseKey, domain: DomainName): Name {
  const start = Number.parseInt(key.slice(4, 8) + key.slice(9, 13), 36);
  const end = Number.parseInt(key.slice(14, 18) + key.slice(19, 23), 36);
  const hash = hashOf(domain, 0x811c9dc5);
  return [start, end, hash, mixed(hashOf(key, hash)) >>> 0];
}

/** FNV-1a, of 32 bits. */
function hashOf(text: string, seed: number): number {
  let hash = seed | 0;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** Spreads the last characters to all bits, as MurmurHash does at its end. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
