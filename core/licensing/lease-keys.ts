import { type By, event } from '../events/event.ts';
import { defaultTerms } from '../marketplace/product-terms.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LeaseKeyStore, PublishedKey } from '../ports/lease-key-store.ts';
import type { LeaseSigning, SigningKey } from '../ports/lease-signing.ts';
import { sharedRun } from '../shared-run.ts';
import { hour, minute, second } from '../time.ts';

/** After a rotation, another process signs with the old key for at most this time. */
const rememberedFor = 30 * second;
/** Added to the life of old keys, for clocks that differ and for processes that have not seen the rotation yet. */
const slack = 10 * minute;

export interface LeaseKeys {
  /** Returns the key that signs. Makes it, if there is none yet. `hours`: the life of what it signs. */
  currentKey(hours?: number): Promise<SigningKey>;
  /** Returns all public keys by which a lease can be checked, newest first. It reads the current state, and needs no secret. */
  published(): Promise<readonly PublishedKey[]>;
  /** Replaces the key that signs. The old one stays published until its last lease has ended. */
  rotate(by: By): Promise<readonly PublishedKey[]>;
  /**
   * Makes the key that signs, if there is none yet. Seals it with the newest secret of the service, so that former ones can be taken out of the
   * settings.
   */
  keep(): Promise<void>;
  /** Forgets the old keys that no lease needs any more. Returns their number. */
  forgetOld(): Promise<number>;
}

/** When the last lease of an old key has ended. Nobody needs its public part after that. */
export function neededUntil({ retiredAt, longestHours }: PublishedKey): Instant | null {
  return retiredAt === null ? null : retiredAt + longestHours * hour + slack;
}

export function createLeaseKeys({
  store,
  signing,
  clock,
}: {
  readonly store: LeaseKeyStore;
  readonly signing: LeaseSigning;
  readonly clock: Clock;
}): LeaseKeys {
  let known: { readonly key: SigningKey; longestHours: number; readonly readAt: Instant } | undefined;

  const read = sharedRun(async () => {
    const readAt = clock.now();
    const stored =
      (await store.currentKey()) ?? (await store.addFirst(await signing.make(), defaultTerms.leaseHours, readAt));
    const key = known?.key.kid === stored.kid ? known.key : await signing.open(stored);
    known = { key, longestHours: stored.longestHours, readAt };
    return known;
  });

  async function current() {
    const age = known === undefined ? undefined : clock.now() - known.readAt;
    if (known !== undefined && age !== undefined && age >= 0 && age < rememberedFor) return known;
    return await read();
  }

  return {
    async currentKey(hours = 0) {
      const found = await current();
      if (hours > found.longestHours) {
        await store.lengthen(found.key.kid, hours);
        found.longestHours = hours;
      }
      return found.key;
    },
    published: () => store.list(),
    async rotate(by) {
      const pair = await signing.make();
      const told = event('lease_key.rotated', pair.kid, by, clock.now(), { public_key: pair.publicKey });
      await store.rotate(pair, defaultTerms.leaseHours, told);
      known = undefined;
      return await store.list();
    },
    async keep() {
      await current();
      const stored = await store.currentKey();
      const sealed = stored && (await signing.sealAnew(stored));
      if (stored && sealed) await store.reseal(stored, sealed);
    },
    forgetOld: () => store.forget(clock.now(), slack),
  };
}
