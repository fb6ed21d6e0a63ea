import type { Event } from '../events/event.ts';
import type { Instant } from './clock.ts';
import type { LeaseKeyPair } from './lease-signing.ts';

/** A public key that sites may have built in. */
export interface PublishedKey extends Omit<LeaseKeyPair, 'privateKey'> {
  readonly createdAt: Instant;
  /** Since when it signs no more. `null`: it is the key that signs. */
  readonly retiredAt: Instant | null;
  /** No lease that it signed is valid for more hours. */
  readonly longestHours: number;
}

/** The key that signs. */
export type StoredKey = PublishedKey & LeaseKeyPair;

/** Stores the keys that sign leases. A write is durable and visible to every later call when its promise resolves. */
export interface LeaseKeyStore {
  /** Returns the key that signs, or `undefined` before the first start. */
  currentKey(): Promise<StoredKey | undefined>;
  /** Returns all keys that are not forgotten, newest first. */
  list(): Promise<readonly PublishedKey[]>;
  /** Adds the first key, if there is none yet. Of several calls at once, one adds its key. Returns the key that signs. */
  addFirst(pair: LeaseKeyPair, longestHours: number, now: Instant): Promise<StoredKey>;
  /** Makes this key the one that signs, and deletes the private part of the one before. Writes the event with it. */
  rotate(pair: LeaseKeyPair, longestHours: number, event: Event): Promise<void>;
  /** Stores another sealed form of the private part of a key, if the stored one is still that of `pair`. */
  reseal(pair: LeaseKeyPair, sealed: LeaseKeyPair['privateKey']): Promise<void>;
  /** Notes that a key signs leases for up to these hours. The number never gets smaller. */
  lengthen(kid: string, hours: number): Promise<void>;
  /** Forgets the keys whose last lease has ended `slack` milliseconds before `now`. Returns their number. */
  forget(now: Instant, slack: number): Promise<number>;
}
