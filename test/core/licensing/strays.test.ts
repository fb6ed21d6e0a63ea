import { expect } from 'chai';
import fc from 'fast-check';
import { registrableDomain } from '../../../adapters/domains/public-suffix.ts';
import { createStrayCounter, type StrayCalls } from '../../../core/licensing/stray-counter.ts';
import { foreignDomains, leakedTo, mergeStrays, type Stray, strayLimits } from '../../../core/licensing/strays.ts';
import { day, hour, minute } from '../../../core/time.ts';
import { domain } from '../../support/license-acts.ts';

const calls = (host: string, network: string, at = 1, count = 1): StrayCalls => ({
  ...{ host, network, calls: count, firstAt: at, lastAt: at },
});
const made = (network: string, count: number) =>
  Array.from({ length: count }, (_, n) => calls(`${n}.${network}.example`, network));

describe('strays of a license', () => {
  const step = fc.array(
    fc.record({
      host: fc.integer({ min: 0, max: 120 }).map((n) => `${n}.example`),
      network: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    }),
    { maxLength: 80 },
  );

  it('are never more than their places', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let strays: readonly Stray[] = [];
        for (const found of steps) {
          strays = mergeStrays(
            strays,
            found.map(({ host, network }) => calls(host, network)),
          );
          expect(strays.length).to.be.most(strayLimits.domains);
          for (const network of 'abcdefg') {
            expect(strays.filter((one) => one.network === network).length).to.be.most(strayLimits.ofNetwork);
          }
        }
      }),
    );
  });

  it('have exactly their calls while there are places', () => {
    const few = fc.array(fc.record({ host: fc.nat(9).map(String), at: fc.nat(99), count: fc.nat(9) }));
    fc.assert(
      fc.property(fc.array(few), (steps) => {
        let strays: readonly Stray[] = [];
        for (const found of steps) {
          strays = mergeStrays(
            strays,
            found.map(({ host, at, count }) => calls(host, 'n', at, count)),
          );
        }
        const all = steps.flat();
        for (const host of new Set(all.map((one) => one.host))) {
          const own = all.filter((one) => one.host === host);
          expect(strays.find(({ domain }) => domain === host)).to.deep.equal({
            ...{ domain: host, network: 'n', seen: own.length },
            calls: own.reduce((sum, { count }) => sum + count, 0),
            firstAt: Math.min(...own.map(({ at }) => at)),
            lastAt: Math.max(...own.map(({ at }) => at)),
          });
        }
      }),
    );
  });

  it('show a domain of a network of its own, however many made-up ones a few networks bring', () => {
    let strays: readonly Stray[] = [];
    for (let n = 0; n < 20; n++) {
      strays = mergeStrays(
        strays,
        ['a', 'b', 'c', 'd', 'e'].flatMap((network) => made(`${network}${n % 3}`, 40)),
      );
    }
    expect(strays).to.have.length(strayLimits.domains);
    strays = mergeStrays(strays, [calls('true.example', 'own')]);
    for (let n = 0; n < 20; n++) strays = mergeStrays(strays, made(`x${n % 5}`, 40));
    expect(strays.map(({ domain }) => domain)).to.include('true.example');
  });

  it('are no hosts of developers, no previews, and none of the license’s own domains', () => {
    const hosts = { localHostsAreFree: false, previewHosts: ['*.preview.example'], wwwIsApex: false };
    const own = { activated: [domain('app.example.com')], hosts, registrableDomain };
    const found = [
      ...['localhost', '127.0.0.1', '192.168.1.20', '[::1]', 'printer.local', '203.0.113.7', 'intranet', '?'],
      ...['x.preview.example', 'example.com', 'https://staging.example.com/'],
      ...['https://www.copy.example.net/page', 'copy.example.net', 'a.vercel.app'],
    ].map((host, n) => calls(host, `n${n}`, 100 - n));
    expect(foreignDomains(found, own)).to.deep.equal([
      { ...calls('example.net', 'n11', 88, 2), lastAt: 89 },
      calls('a.vercel.app', 'n13', 87),
    ]);
  });

  it('are a suspected leak if three domains ask for an hour each within a week', () => {
    const now = 1_000 * day;
    const stray = (domain: string, change: Partial<Stray> = {}): Stray => ({
      ...{ domain, network: 'n', firstAt: now - 2 * hour, lastAt: now - minute, calls: 9, seen: 3, ...change },
    });
    const three = [stray('c.example'), stray('a.example', { network: 'other' }), stray('b.example')];
    expect(leakedTo(three, now)).to.deep.equal(['a.example', 'b.example', 'c.example']);
    expect(leakedTo(three.slice(1), now)).to.deep.equal([]);
    expect(leakedTo([...three.slice(1), stray('c.example', { network: 'other' })], now)).to.have.length(3);
    expect(
      leakedTo(
        three.map((one) => ({ ...one, network: 'one' })),
        now,
      ),
    ).to.deep.equal([]);
    const others = [
      stray('d.example', { firstAt: now - 59 * minute, lastAt: now }),
      stray('d.example', { firstAt: now - 9 * day, lastAt: now - 7 * day }),
      stray('d.example', { seen: 1 }),
    ];
    for (const one of others) expect(leakedTo([...three.slice(1), one], now)).to.deep.equal([]);
  });
});

describe('counter of strays', () => {
  it('counts calls by key and host', () => {
    const counter = createStrayCounter();
    expect(counter.isEmpty()).to.equal(true);
    counter.note('one', 'a.example', 'n', 1);
    counter.note('one', 'a.example', 'other', 5);
    counter.note('two', 'b.example', 'n', 2);
    expect(counter.take(9)).to.deep.equal([
      { licenseKey: 'one', broughtBy: 'n', hosts: [{ ...calls('a.example', 'n', 1, 2), lastAt: 5 }], others: 0 },
      { licenseKey: 'two', broughtBy: 'n', hosts: [calls('b.example', 'n', 2)], others: 0 },
    ]);
    expect(counter.isEmpty()).to.equal(true);
    expect(counter.take(9)).to.deep.equal([]);
  });

  it('never has more than its limits, and leaves places to other networks', () => {
    const limits = { keys: 6, hosts: 12, ofKey: 5, ofNetwork: 2, keysOfNetwork: 3 };
    const note = fc.record({ key: fc.nat(12), host: fc.nat(30), network: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(note, { maxLength: 150 }), fc.nat(8), (notes, taken) => {
        const counter = createStrayCounter(limits);
        for (const { key, host, network } of notes) counter.note(`k${key}`, `h${host}`, `n${network}`, 1);
        const first = counter.take(taken);
        for (const { key, host, network } of notes) counter.note(`k${key}`, `h${host}`, `n${network}`, 2);
        const all = counter.take(99);
        for (const some of [first, all]) {
          expect(some.length).to.be.most(limits.keys);
          expect(some.flatMap(({ hosts }) => hosts).length).to.be.most(limits.hosts);
          for (const { hosts } of some) {
            expect(hosts.length).to.be.most(limits.ofKey);
            for (const { network } of hosts) {
              expect(hosts.filter((one) => one.network === network).length).to.be.most(limits.ofNetwork);
            }
          }
        }
        expect(counter.isEmpty()).to.equal(true);
      }),
    );
    const counter = createStrayCounter(limits);
    for (let n = 0; n < 9; n++) counter.note(`k${n}`, 'a.example', 'loud', 1);
    counter.note('quiet', 'b.example', 'other', 1);
    expect(counter.take(99).map(({ licenseKey }) => licenseKey)).to.deep.equal(['k0', 'k1', 'k2', 'quiet']);
  });
});
