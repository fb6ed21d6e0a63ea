import { expect } from 'chai';
import fc from 'fast-check';
import { type ProductId, toProductId } from '../../core/id.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { LicenseRecord } from '../../core/ports/license-store.ts';
import type { Figures } from '../../core/ports/usage-figures.ts';
import { steps } from '../../core/selling/usage-hours.ts';
import { takeSnapshot } from '../../core/selling/usage-snapshot.ts';
import { backends, openForEach } from '../support/backends.ts';
import { actOn, addProduct, domain, keyNumber, must, newLicense } from '../support/license-acts.ts';
import { partitionedPostgres } from '../support/postgres-backend.ts';
import { itLong, needing, skipLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const { hour, day } = steps;
const start = Date.UTC(2026, 10, 22, 10);
const minute = 60_000;
const all = { from: 0, to: 9e15 };

for (const backend of [...backends, partitionedPostgres, ...sharedBackends]) {
  describe(`usage snapshots: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let now: Instant;
    let product: ProductId;
    const sites = ['a.com', 'b.com', 'c.com'].map(domain);
    const [site, other] = [must(sites[0]), must(sites[1])];
    const key = keyNumber(1);
    beforeEach(async () => {
      now = start;
      product = await addProduct(stores.products);
      await acts().issue(newLicense(key, product));
    });

    const acts = () => actOn(stores.licenses);
    const snapshot = (at = now) => takeSnapshot(stores.snapshots, { now: () => at });
    const verify = async (count: number, name = site, license = key) => {
      for (let n = 0; n < count; n++) await acts().verify(license, name, now);
    };
    const activate = (name = site, license = key) => acts().activate(license, name, now);
    const hours = async () => (await stores.figures.ofProduct(product, all)).rows;
    const days = async (license = key) => (await stores.figures.ofLicense(license, all)).rows;
    const row = (at: Instant, verifications: number, activeDomains: number) => ({ at, verifications, activeDomains });

    itLong('stores what was verified in an hour, and the domains at its end', async () => {
      await snapshot();
      await activate();
      await verify(3);
      expect(await snapshot(start + hour - 1)).to.equal('not due');
      expect(await snapshot(start + hour)).to.equal('taken');
      expect(await hours()).to.deep.equal([row(start, 3, 1)]);
      expect(await days()).to.deep.equal([row(Date.UTC(2026, 10, 22), 3, 1)]);
      await activate(other);
      await verify(2, other);
      await snapshot(start + 2 * hour + minute);
      await acts().deactivate(key, site, now);
      await snapshot(start + 3 * hour);
      await snapshot(start + 4 * hour);
      expect(await hours()).to.deep.equal([row(start, 3, 1), row(start + hour, 2, 2), row(start + 2 * hour, 0, 1)]);
      expect(await days()).to.deep.equal([row(Date.UTC(2026, 10, 22), 5, 1)]);
    });

    it('keeps what was counted before the first snapshot out of all hours, but not its domains', async () => {
      await activate();
      await verify(4);
      expect(await snapshot()).to.equal('taken');
      expect(await hours()).to.deep.equal([]);
      expect(await stores.figures.ofProduct(product, { from: start, to: start + hour })).to.deep.equal({
        rows: [],
        domainsBefore: 1,
      });
      await verify(1);
      await snapshot(start + hour);
      expect(await hours()).to.deep.equal([row(start, 1, 1)]);
      expect(await stores.figures.ofLicense(key, all)).to.deep.equal({
        rows: [row(Date.UTC(2026, 10, 22), 1, 1)],
        domainsBefore: 1,
      });
    });

    it('fills missed hours evenly, and the last one with the rest', async () => {
      await snapshot(start + 11 * hour);
      await activate();
      await verify(11);
      await snapshot(start + 16 * hour + minute);
      const from = start + 11 * hour;
      expect(await hours()).to.deep.equal([
        row(from, 2, 0),
        row(from + hour, 2, 0),
        row(from + 2 * hour, 2, 0),
        row(from + 3 * hour, 2, 0),
        row(from + 4 * hour, 3, 1),
      ]);
      expect(await days()).to.deep.equal([row(Date.UTC(2026, 10, 22), 6, 0), row(Date.UTC(2026, 10, 23), 5, 1)]);
    });

    it('fills an hour once, whoever asks for it and how often', async () => {
      await snapshot();
      await activate();
      await verify(5);
      const results = await Promise.all(Array.from({ length: 6 }, () => snapshot(start + hour)));
      expect(results.filter((result) => result === 'taken')).to.have.lengthOf(1);
      expect(results.filter((result) => result === 'not due')).to.have.lengthOf(5);
      expect(await snapshot(start + hour)).to.equal('not due');
      expect(await snapshot(start)).to.equal('not due');
      expect(await hours()).to.deep.equal([row(start, 5, 1)]);
    });

    it('leaves a run to its process until the lease ends, and then another one takes over', async () => {
      await snapshot();
      await activate();
      await verify(5);
      const first = must(await stores.snapshots.claim(start + hour, minute));
      expect(first.hours).to.deep.equal({ from: start, to: start + hour });
      expect(await stores.snapshots.claim(start + hour, minute)).to.equal(undefined);
      expect(await first.next()).to.equal('done');
      await first.finish();
      expect(await stores.snapshots.claim(start + hour, minute)).to.equal(undefined);

      await verify(2);
      // Its lease has ended at once, as that of a process that died.
      const dead = must(await stores.snapshots.claim(start + 2 * hour, 0));
      const heir = must(await stores.snapshots.claim(start + 2 * hour, minute));
      expect(await dead.next()).to.equal('lost');
      await dead.finish();
      expect(await heir.next()).to.equal('done');
      await heir.finish();
      expect(await hours()).to.deep.equal([row(start, 5, 1), row(start + hour, 2, 1)]);
    });

    it('counts nothing twice if a run died after it had stored its figures', async () => {
      await activate();
      await snapshot();
      await verify(7);
      const dead = must(await stores.snapshots.claim(start + hour, 0));
      expect(await dead.next()).to.equal('done');
      await verify(1);
      await snapshot(start + 2 * hour);
      const total = (await hours()).reduce((sum, { verifications }) => sum + verifications, 0);
      expect(total).to.equal(8);
    });

    const { it: itIfQuick } = needing(backend.name === 'sqlite in memory' ? undefined : skipLong);
    itIfQuick('goes through more licenses than fit into one step', async () => {
      await snapshot();
      const keys = Array.from({ length: 10_500 }, (_, n) => keyNumber(n + 2));
      const licenses = keys.map((one) => newLicense(one, product));
      for (let from = 0; from < keys.length; from += 500) await acts().issue(...licenses.slice(from, from + 500));
      const some = [2, 9_998, 9_999, 10_000, 10_001, 10_499].map((n) => must(keys[n]));
      for (const one of some) {
        await activate(site, one);
        await verify(1, site, one);
      }
      const run = must(await stores.snapshots.claim(start + hour, minute));
      expect([await run.next(), await run.next(), await run.next()]).to.deep.equal(['more', 'done', 'done']);
      await run.finish();
      expect(await hours()).to.deep.equal([row(start, 6, 6)]);
      for (const one of some) expect(await days(one)).to.deep.equal([row(Date.UTC(2026, 10, 22), 1, 1)]);
    });

    it('finds no figures of unknown products and licenses', async () => {
      const nothing = { rows: [], domainsBefore: 0 };
      expect(await stores.figures.ofProduct(toProductId(9_999_999_999), all)).to.deep.equal(nothing);
      expect(await stores.figures.ofLicense(keyNumber(99), all)).to.deep.equal(nothing);
    });

    itLong('agrees exactly with the counters, whatever happens between snapshots', async () => {
      await snapshot(); // What the first one counts belongs to no hour.
      let count = 100;
      const license = fc.nat(2);
      const name = fc.nat(2);
      const act = fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('activate' as const), license, name }) },
        { weight: 6, arbitrary: fc.record({ kind: fc.constant('verify' as const), license, name }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('deactivate' as const), license, name }) },
        {
          weight: 3,
          arbitrary: fc.oneof(
            fc.record({ kind: fc.constant('snapshot' as const), later: fc.integer({ min: 1, max: 30 }) }),
            fc.record({ kind: fc.constant('dying snapshot' as const), later: fc.integer({ min: 1, max: 30 }) }),
          ),
        },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 40 }), async (given) => {
          // Each round has its own products and licenses, because licenses cannot be deleted.
          const products = [await addProduct(stores.products), await addProduct(stores.products)];
          const keys = [0, 1, 2].map(() => keyNumber(count++));
          await acts().issue(...keys.map((one, index) => newLicense(one, must(products[index % 2]))));
          for (const one of given) {
            if (one.kind === 'snapshot') {
              now += one.later * hour;
              await snapshot();
            } else if (one.kind === 'dying snapshot') {
              now += one.later * hour;
              await (await stores.snapshots.claim(now, 0))?.next();
            } else await acts()[one.kind](must(keys[one.license]), must(sites[one.name]), now);
          }
          now += hour;
          await snapshot();
          const verified = new Map<ProductId, number>();
          const active = new Map<ProductId, number>();
          for (const [index, one] of keys.entries()) {
            const found = must(await stores.licenses.find(one));
            const id = must(products[index % 2]);
            const verificationCount = countedOf(found);
            verified.set(id, (verified.get(id) ?? 0) + verificationCount);
            active.set(id, (active.get(id) ?? 0) + found.domains.length);
            expect(sumOf(await stores.figures.ofLicense(one, all))).to.deep.equal({
              verifications: verificationCount,
              domains: found.domains.length,
            });
          }
          for (const id of products) {
            expect(sumOf(await stores.figures.ofProduct(id, all))).to.deep.equal({
              verifications: verified.get(id),
              domains: active.get(id),
            });
          }
        }),
        { numRuns: runs(backend.name.includes('memory') ? 40 : 12) },
      );
    });

    itLong('agrees with the counters after verifications and deactivations at the same time', async () => {
      await snapshot();
      for (const name of sites) await activate(name);
      let isOver = false;
      const verifying = sites.map((name) => verify(40, name));
      const moving = (async () => {
        for (let n = 0; n < 10; n++) {
          await acts().deactivate(key, site, now);
          await activate();
        }
      })();
      const counting = (async () => {
        for (let n = 1; !isOver; n++) await snapshot(start + n * hour);
      })();
      await Promise.all([...verifying, moving]);
      isOver = true;
      await counting;
      await snapshot(start + 1_000 * day);
      const found = must(await stores.licenses.find(key));
      const expected = { verifications: countedOf(found), domains: found.domains.length };
      expect(sumOf(await stores.figures.ofLicense(key, all))).to.deep.equal(expected);
      expect(sumOf(await stores.figures.ofProduct(product, all))).to.deep.equal(expected);
    });
  });
}

function sumOf({ rows, domainsBefore }: Figures) {
  return {
    verifications: rows.reduce((sum, { verifications }) => sum + verifications, 0),
    domains: rows.at(-1)?.activeDomains ?? domainsBefore,
  };
}

/** All verifications of a license, also those of domains that were deactivated. */
function countedOf({ license, verifications }: LicenseRecord): number {
  return license.retired.verificationCount + verifications.verificationCount;
}
