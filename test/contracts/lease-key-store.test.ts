import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { LeaseKeyPair } from '../../core/ports/lease-signing.ts';
import type { SealedSecret } from '../../core/webhooks/endpoint.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { keyNumber, newProduct, issuedAt as now } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const hour = 3_600_000;
const pair = (name: string): LeaseKeyPair => ({
  kid: `kid-${name}`,
  publicKey: `public-${name}`,
  privateKey: `private-${name}` as SealedSecret,
});
const told = (name: string, at = now) => event('lease_key.rotated', `kid-${name}`, by, at);

for (const backend of [...backends, ...sharedBackends]) {
  describe(`the store of keys of leases: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const kids = async () => (await stores.leaseKeys.list()).map(({ kid }) => kid);

    it('has no key before the first one, and then that one', async () => {
      expect([await stores.leaseKeys.currentKey(), await stores.leaseKeys.list()]).to.deep.equal([undefined, []]);
      const first = await stores.leaseKeys.addFirst(pair('a'), 168, now);
      const { privateKey, ...published } = first;
      expect(first).to.deep.equal({ ...pair('a'), createdAt: now, retiredAt: null, longestHours: 168 });
      expect(await stores.leaseKeys.currentKey()).to.deep.equal(first);
      expect(await stores.leaseKeys.list()).to.deep.equal([published]);
      expect(privateKey).to.equal('private-a');
    });

    it('adds one first key of several at once, and tells all callers the same', async () => {
      const names = Array.from({ length: 12 }, (_, n) => `${n}`);
      const found = await Promise.all(names.map((name) => stores.leaseKeys.addFirst(pair(name), 168, now)));
      expect(new Set(found.map(({ kid }) => kid)).size).to.equal(1);
      expect(await kids()).to.deep.equal([found[0]?.kid]);
    });

    it('replaces the key that signs, writes the event, and keeps no private part of the old one', async () => {
      await stores.leaseKeys.addFirst(pair('a'), 168, now);
      await stores.leaseKeys.rotate(pair('b'), 24, told('b', now + 5));
      expect(await stores.leaseKeys.currentKey()).to.deep.equal({
        ...pair('b'),
        ...{ createdAt: now + 5, retiredAt: null, longestHours: 24 },
      });
      expect((await stores.leaseKeys.list()).map(({ kid, retiredAt }) => [kid, retiredAt])).to.deep.equal([
        ['kid-b', null],
        ['kid-a', now + 5],
      ]);
      expect(JSON.stringify(await stores.leaseKeys.list())).not.to.include('private');
      expect(await stores.audit.list({ limit: 10 })).to.deep.equal([told('b', now + 5)]);
      expect((await stores.leaseKeys.addFirst(pair('c'), 168, now)).kid).to.equal('kid-b');
    });

    it('stores another sealed form of a private part, unless that has changed meanwhile', async () => {
      const first = await stores.leaseKeys.addFirst(pair('a'), 168, now);
      await stores.leaseKeys.reseal(first, pair('x').privateKey);
      expect(await stores.leaseKeys.currentKey()).to.deep.equal({ ...first, privateKey: pair('x').privateKey });
      await stores.leaseKeys.reseal(first, pair('y').privateKey);
      expect((await stores.leaseKeys.currentKey())?.privateKey).to.equal(pair('x').privateKey);
      await stores.leaseKeys.rotate(pair('b'), 24, told('b'));
      await stores.leaseKeys.reseal({ ...first, privateKey: pair('x').privateKey }, pair('y').privateKey);
      expect((await stores.leaseKeys.currentKey())?.privateKey).to.equal('private-b');
    });

    it('lets rotations at once wait for each other: one key signs', async () => {
      const names = Array.from({ length: 8 }, (_, n) => `${n}`);
      await Promise.all(names.map((name) => stores.leaseKeys.rotate(pair(name), 1, told(name))));
      const list = await stores.leaseKeys.list();
      expect(list).to.have.length(8);
      expect(list.filter(({ retiredAt }) => retiredAt === null).map(({ kid }) => kid)).to.deep.equal([list[0]?.kid]);
    });

    it('forgets old keys when their longest lease and the slack are over, and never the one that signs', async () => {
      await stores.leaseKeys.addFirst(pair('a'), 1, now);
      await stores.leaseKeys.lengthen('kid-a', 5_000);
      await stores.leaseKeys.lengthen('kid-a', 3);
      await stores.leaseKeys.rotate(pair('b'), 1, told('b'));
      expect((await stores.leaseKeys.list())[1]?.longestHours).to.equal(5_000);
      const end = now + 5_000 * hour + 7;
      expect(await stores.leaseKeys.forget(end - 1, 7)).to.equal(0);
      expect(await stores.leaseKeys.forget(end, 7)).to.equal(1);
      expect(await stores.leaseKeys.forget(2 ** 45, 0)).to.equal(0);
      expect(await kids()).to.deep.equal(['kid-b']);
    });

    it('reads the life of leases of the product of a license', async () => {
      const product = await stores.products.add(newProduct(), () => event('product.added', 'x', by, now));
      const license = { key: keyNumber(1), productId: product.id, standing: 'active', maxDomains: 1 } as const;
      await stores.licenses.add([{ ...license, expiresAt: null, createdAt: now }], []);
      expect(await stores.leaseTerms.find(keyNumber(1))).to.deep.equal({
        productId: product.id,
        hours: 72,
        maxDomains: 1,
        wwwIsApex: false,
      });
      expect(await stores.leaseTerms.find(keyNumber(2))).to.equal(undefined);
    });
  });
}
