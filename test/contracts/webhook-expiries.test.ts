import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import type { ProductId, UserId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import { decideTransition } from '../../core/licensing/transitions.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { tellExpired } from '../../core/webhooks/telling.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, keyNumber, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addEndpoint, addProductOf, noted, receivedBy } from '../support/webhooks.ts';

const minute = 60_000;

for (const backend of [...backends, ...sharedBackends]) {
  describe(`webhooks of expired licenses: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    let productId: ProductId;
    beforeEach(async () => {
      ownerId = (await addUser(stores, 'Ada')).id;
      productId = await addProductOf(stores, ownerId);
    });

    const key = keyNumber;
    const clockAt = (at: Instant) => createManualClock(at);
    const tell = (at: Instant) => tellExpired(stores.expiries, clockAt(at), () => true);
    const issue = (n: number, expiresAt: Instant | null, product = productId) =>
      actOn(stores.licenses).issue(newLicense(key(n), product, { expiresAt }));
    const change = (n: number, act: Parameters<typeof decideTransition>[1], at: Instant) =>
      stores.licenses.change(key(n), undefined, (before) => decideTransition(before, act, by, at));
    const expiredAt = async (endpoint: Parameters<typeof receivedBy>[1]) =>
      (await receivedBy(stores, endpoint))
        .filter(({ event }) => event === 'license.expired')
        .map(({ timestamp, data }) => [data.license_key, data.status, timestamp]);
    const expired = (n: number, at: Instant) => [key(n), 'expired', iso(at)];

    it('tell of each license once, at most a minute after its end, however often and by whom the job is done', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await tell(now);
      await issue(1, now + minute);
      await issue(2, now + minute);
      await issue(3, now + 5 * minute);
      await issue(4, null);
      await tell(now + minute);
      expect(await expiredAt(endpoint)).to.deep.equal([]);
      await tell(now + 2 * minute - 15_000);
      const first = [expired(1, now + minute), expired(2, now + minute)];
      expect(await expiredAt(endpoint)).to.deep.equal(first);
      for (let n = 0; n < 3; n++) await tell(now + 3 * minute);
      await Promise.all([tell(now + 6 * minute), tell(now + 6 * minute), tell(now + 6 * minute)]);
      await tell(now + 6 * minute);
      expect(await expiredAt(endpoint)).to.deep.equal([...first, expired(3, now + 5 * minute)]);
    });

    itLong(
      'tell of more licenses than one transaction has, and also of those that expired while no server was running',
      async () => {
        const endpoint = await addEndpoint(stores, ownerId);
        await tell(now);
        const keys = Array.from({ length: 450 }, (_, n) => key(n));
        const expiresAt = (n: number) => now + minute + Math.floor(n / 300);
        await actOn(stores.licenses).issue(
          ...keys.map((one, n) => newLicense(one, productId, { expiresAt: expiresAt(n) })),
        );
        await tell(now + 20 * 24 * 60 * minute);
        const told = (await receivedBy(stores, endpoint)).filter(({ event }) => event === 'license.expired');
        expect(told.map(({ data }) => data.license_key).toSorted()).to.deep.equal(keys.toSorted());
        expect(await stores.webhooks.forget(now + 10 * minute)).to.equal(450); // The issues, not the expiries.
      },
    );

    itLong('tell of every end of a license that is renewed, before its end and after it', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await tell(now);
      await issue(1, now + minute);
      await change(1, { transition: 'renew', expiresAt: now + 5 * minute }, now + 1);
      await tell(now + 4 * minute);
      expect(await expiredAt(endpoint)).to.deep.equal([]);
      await tell(now + 6 * minute);
      const first = expired(1, now + 5 * minute);
      expect(await expiredAt(endpoint)).to.deep.equal([first]);
      await change(1, { transition: 'renew', expiresAt: now + 9 * minute }, now + 7 * minute);
      await tell(now + 8 * minute);
      expect(await expiredAt(endpoint)).to.deep.equal([first]);
      await tell(now + 10 * minute);
      expect(await expiredAt(endpoint)).to.deep.equal([first, expired(1, now + 9 * minute)]);
    });

    it('tell nothing of suspended and revoked licenses, and nothing of products without an owner', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await tell(now);
      await issue(1, now + minute);
      await issue(2, now + minute);
      await issue(3, now + minute, await addProductOf(stores, null, 'ours'));
      await change(1, { transition: 'suspend' }, now);
      await change(2, { transition: 'revoke' }, now);
      await tell(now + 2 * minute);
      await change(1, { transition: 'reinstate' }, now + 2 * minute);
      await tell(now + 3 * minute);
      expect(await expiredAt(endpoint)).to.deep.equal([]);
    });

    it('tell an endpoint nothing from before it was on', async () => {
      await tell(now);
      await issue(1, now + minute);
      await issue(2, now + 3 * minute);
      await tell(now + 15 * minute); // Nobody listens.
      const late = await addEndpoint(stores, ownerId, { createdAt: now + 4 * minute });
      await issue(3, now + 5 * minute);
      const off = await addEndpoint(stores, ownerId, { off: 'seller' });
      await stores.webhooks.change(off.id, (before) => ({
        after: { ...before, off: null },
        event: noted(now + 6 * minute),
      }));
      await issue(4, now + 16 * minute);
      await tell(now + 17 * minute);
      expect(await expiredAt(late)).to.deep.equal([expired(3, now + 5 * minute), expired(4, now + 16 * minute)]);
      expect(await expiredAt(off)).to.deep.equal([expired(4, now + 16 * minute)]);
    });
  });
}
