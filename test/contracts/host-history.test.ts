import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { event } from '../../core/events/event.ts';
import { type NewAlias, parseAlias } from '../../core/licensing/alias.ts';
import { createDomainChanges } from '../../core/licensing/domain-changes.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { withoutProofs } from '../support/domain-proofs.ts';
import { good } from '../support/good.ts';
import { addProduct, domain, issuedAt, keyNumber, must, newLicense } from '../support/license-acts.ts';

for (const backend of backends) {
  describe(`the history of hosts: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const key = keyNumber(1);

    it('has each host that was activated or moved to since then once, in order, and no other license', async () => {
      const clock = createManualClock(issuedAt);
      const licensing = createLicensing({
        store: stores.licenses,
        aliases: stores.aliases,
        ...withoutProofs,
        clock,
      });
      const changes = createDomainChanges(stores.licenses, clock);
      const product = await addProduct(stores.products, 'Jar');
      const other = keyNumber(2);
      for (const one of [key, other]) await stores.licenses.add([newLicense(one, product, { maxDomains: 9 })], []);
      const act = async (operation: 'activate' | 'deactivate', host: string, licenseKey = key) => {
        clock.advance(1_000);
        good(await licensing[operation]({ licenseKey, domain: domain(host) }));
      };
      await act('activate', 'old.example');
      const since = clock.now();
      await act('activate', 'b.example');
      await act('activate', 'a.example');
      await act('activate', 'other.example', other);
      await act('deactivate', 'b.example');
      await act('activate', 'b.example');
      good(await changes.move(key, { from: domain('a.example'), to: domain('c.example'), overlapHours: 0 }, by));
      const found = async (most: number, from = since) => {
        const { hosts, isWhole } = await stores.hostHistory.activatedSince(key, from, most);
        return [hosts.map(String).join(' '), isWhole];
      };
      expect(await found(9)).to.deep.equal(['b.example a.example c.example', true]);
      expect(await found(9, since - 1)).to.deep.equal(['old.example b.example a.example c.example', true]);
      expect(await found(6)).to.deep.equal(['b.example a.example c.example', true]);
      expect(await found(5)).to.deep.equal(['b.example a.example c.example', false]);
      expect(await found(2)).to.deep.equal(['b.example c.example', false]);
      const activatedAt = async (licenseKey: typeof key, ...names: string[]) =>
        await stores.hostHistory.activatedAt(licenseKey, names.map(domain));
      expect(await activatedAt(key, 'www.old.example', 'old.example')).to.equal(since);
      expect(await activatedAt(key, 'a.example'), 'moved away').to.equal(undefined);
      expect(await activatedAt(other, 'old.example')).to.equal(undefined);
      const fresh = keyNumber(4);
      const former: NewAlias = {
        ...{ text: must(parseAlias(key)), kind: 'former', validUntil: null, addedAt: clock.now(), isByHolder: false },
      };
      good(
        await stores.aliases.change(key, (license) => ({
          ...{ newKey: fresh, add: [former], license: { ...license, key: fresh } },
          event: event('license.rotated', fresh, by, clock.now()),
        })),
      );
      const { hosts: renamed } = await stores.hostHistory.activatedSince(fresh, since, 9);
      expect(renamed.map(String), 'under the new key').to.deep.equal(['b.example', 'a.example', 'c.example']);
      expect(await activatedAt(fresh, 'old.example')).to.equal(since);
      expect(await stores.hostHistory.activatedSince(keyNumber(3), since, 9)).to.deep.equal({
        hosts: [],
        isWhole: true,
      });
    });
  });
}
