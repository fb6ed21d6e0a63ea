import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { createLicensing, type Licensing } from '../../core/licensing/licensing.ts';
import type { ProductTerms } from '../../core/marketplace/product-terms.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { addProduct, domain, issuedAt, keyNumber, newLicense } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';

for (const backend of backends) {
  describe(`proofs of domains on ${backend.name}`, () => {
    const stores = openForEach(backend);
    const key = keyNumber(7);
    let clock: ManualClock;
    let licensing: Licensing;
    let published: Set<string>;
    /** What happens while the proof is looked up. */
    let meanwhile: () => Promise<unknown>;

    beforeEach(() => {
      clock = createManualClock(issuedAt);
      published = new Set();
      meanwhile = async () => undefined;
      licensing = createLicensing({
        ...{
          store: stores.licenses,
          aliases: stores.aliases,
          unproven: stores.unproven,
          clock,
          pause: async () => undefined,
        },
        proofs: {
          textFor: (license, host) => `lk=${license}${host}`,
          async find(_: LicenseKey, host) {
            await meanwhile();
            return published.has(host) ? 'found' : { record: 'nothing', file: 'nothing' };
          },
        },
      });
    });

    async function start(terms: Partial<ProductTerms>, maxDomains: number) {
      const hosts = { localHostsAreFree: false, previewHosts: ['*.preview.example'], wwwIsApex: false };
      const product = await addProduct(stores.products, 'Jar', { hosts, ...terms });
      await stores.licenses.add([newLicense(key, product, { maxDomains })], []);
    }
    const outcome = async (act: 'activate' | 'deactivate', host: string) => {
      clock.advance(1_000);
      const done = await licensing[act]({ licenseKey: key, domain: domain(host) });
      return isRefused(done) ? done.reason : done.domain;
    };
    const verify = async (host: string) => {
      clock.advance(1_000);
      return (await licensing.verify({ licenseKey: key, domain: domain(host) })).kind;
    };
    const names = async () => (await stores.licenses.find(key))?.domains.map((one) => String(one.domain)).toSorted();

    itLong(
      'give the slots of the domains that were verified least recently, and keep when they were proven',
      async () => {
        await start({ domainProof: 'to_take' }, 3);
        for (const host of ['a.example', 'b.example', 'c.example']) await outcome('activate', host);
        await verify('b.example');
        await verify('a.example');
        published.add('x.example').add('y.example').add('z.example').add('w.example');
        for (const [host, left] of [
          ['x.example', ['a.example', 'b.example', 'x.example']],
          ['y.example', ['a.example', 'x.example', 'y.example']],
          ['z.example', ['x.example', 'y.example', 'z.example']],
        ] as const) {
          expect(await outcome('activate', host)).to.equal(host);
          expect(await names()).to.deep.equal(left);
        }
        expect(await outcome('activate', 'w.example')).to.equal('domain_limit_reached');
        const found = await stores.licenses.find(key);
        expect(found?.domains.every(({ activatedAt, provenAt }) => provenAt === activatedAt)).to.equal(true);
        expect(found?.license).to.include({ domainsUsed: 3 });
        // What was verified before stays in the total.
        expect(found?.license.retired.verificationCount).to.equal(2);
      },
    );

    it('are kept for a domain that is activated already', async () => {
      await start({ domainProof: 'to_take' }, 1);
      await outcome('activate', 'a.example');
      published.add('a.example');
      clock.advance(60_000);
      expect(await outcome('activate', 'a.example')).to.equal('a.example');
      expect((await stores.licenses.find(key))?.domains[0]?.provenAt).to.equal(clock.now());
      expect(await stores.unproven.leastVerified(key)).to.equal(undefined);
    });

    it('decide by what is there when they are found, and not by what was there before', async () => {
      await start({ domainProof: 'to_take' }, 1);
      published.add('b.example');
      meanwhile = async () => {
        meanwhile = async () => undefined;
        await outcome('activate', 'a.example');
      };
      // The license has become full meanwhile: so it takes the slot.
      expect(await outcome('activate', 'b.example')).to.equal('b.example');
      expect(await names()).to.deep.equal(['b.example']);
    });

    it('are not needed by hosts that take no slot', async () => {
      await start({ domainProof: 'always' }, 1);
      expect(await outcome('activate', 'a.preview.example')).to.equal('a.preview.example');
      expect(await outcome('activate', 'a.example')).to.equal('domain_not_proven');
    });

    it('leave one slot to one of many that ask at the same time', async () => {
      await start({ domainProof: 'to_take' }, 2);
      await outcome('activate', 'a.example');
      await outcome('activate', 'b.example');
      const hosts = Array.from({ length: 6 }, (_, n) => `n${n}.example`);
      for (const host of hosts) published.add(host);
      const ends = await Promise.all(hosts.map((host) => outcome('activate', host)));
      expect(ends.filter((end) => end.endsWith('.example'))).to.have.lengthOf(2);
      expect((await stores.licenses.find(key))?.license).to.include({ domainsUsed: 2 });
    });

    it('let the key deactivate once in some hours, also if it is asked at the same time', async () => {
      await start({ deactivation: 'cool_down', coolDownHours: 1 }, 3);
      for (const host of ['a.example', 'b.example', 'c.example']) await outcome('activate', host);
      const ends = await Promise.all(
        ['a.example', 'b.example', 'c.example'].map((host) => outcome('deactivate', host)),
      );
      expect(ends.filter((end) => end === 'deactivation_too_soon')).to.have.lengthOf(2);
      clock.advance(3_600_000);
      const [left = ''] = (await names()) ?? [];
      expect(await outcome('deactivate', left)).to.equal(left);
    });

    it('count the slots that were taken for the cool-down, and let nobody use it up with hosts that take none', async () => {
      await start({ domainProof: 'to_take', deactivation: 'cool_down', coolDownHours: 1 }, 2);
      published.add('x.example').add('y.example');
      for (const host of ['a.example', 'b.example', 'c.preview.example']) await outcome('activate', host);
      expect(await outcome('deactivate', 'c.preview.example')).to.equal('c.preview.example');
      expect(await outcome('activate', 'x.example')).to.equal('x.example');
      expect(await outcome('activate', 'y.example')).to.equal('domain_limit_reached');
      expect(await outcome('deactivate', 'b.example')).to.equal('deactivation_too_soon');
      clock.advance(3_600_000);
      published.delete('x.example');
      expect(await outcome('deactivate', 'x.example')).to.equal('domain_not_proven');
      expect(await outcome('activate', 'y.example')).to.equal('y.example');
      expect(await names()).to.deep.equal(['x.example', 'y.example']);
    });
  });
}
