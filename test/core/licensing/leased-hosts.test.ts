import { expect } from 'chai';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { nameOfInstance, newInstanceId } from '../../../core/licensing/instance.ts';
import { hoursOf } from '../../../core/licensing/leased-hosts.ts';
import type { ActivatedSince } from '../../../core/ports/host-history.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

describe('the life of the lease of a host', () => {
  const asked = { key: keyNumber(1), domain: domain('a.com'), maxDomains: 1, hours: 168 };
  /** `at`: since when the license is activated on the host. */
  const lifeOf = (more: Partial<typeof asked>, found: ActivatedSince, at?: number) =>
    hoursOf({ ...asked, ...more }, { activatedSince: async () => found, activatedAt: async () => at }, now);
  const hosts = (...names: string[]) => names.map(domain);
  const crowd = hosts('b.com', 'c.com', 'd.com', 'e.com', 'f.com');

  it('is that of the product for the first hosts of that time, and for one from before', async () => {
    const [early, last] = [
      [...crowd.slice(1), ...hosts('a.com')],
      [...crowd, ...hosts('a.com')],
    ];
    expect(await lifeOf({}, { hosts: early, isWhole: true })).to.equal(168);
    expect(await lifeOf({}, { hosts: last, isWhole: true })).to.equal(1);
    expect(await lifeOf({}, { hosts: crowd, isWhole: true })).to.equal(168);
    expect(await lifeOf({}, { hosts: crowd, isWhole: false }, now - 168 * hour)).to.equal(168);
  });

  it('is an hour for a host of that time if the history is too long to tell which ones were the first', async () => {
    expect(await lifeOf({}, { hosts: hosts('a.com'), isWhole: false })).to.equal(1);
    expect(await lifeOf({}, { hosts: crowd, isWhole: false }, now - 167 * hour), 'behind all changes').to.equal(1);
    expect(await lifeOf({}, { hosts: crowd, isWhole: false }), 'not activated any more').to.equal(1);
  });

  it('counts both names of a site as one, and instances not at all', async () => {
    const instances = Array.from({ length: 9 }, () => nameOfInstance(newInstanceId(systemSecrets)));
    const names = { hosts: [...instances, ...crowd.slice(1), ...hosts('a.com')], isWhole: true };
    for (const name of ['a.com', 'www.a.com']) expect(await lifeOf({ domain: domain(name) }, names)).to.equal(168);
    const last = { hosts: [...crowd, ...hosts('a.com')], isWhole: true };
    expect(await lifeOf({ domain: domain('www.a.com') }, last)).to.equal(1);
  });

  it('reads at most the changes of the life, and none if nothing can be limited', async () => {
    const reads: unknown[] = [];
    const history = {
      async activatedSince(_: unknown, since: number, most: number) {
        reads.push([(now - since) / hour, most]);
        return { hosts: [], isWhole: true };
      },
      activatedAt: async () => undefined,
    };
    for (const more of [{}, { maxDomains: 500, hours: 24 }, { hours: 1 }, { maxDomains: 1_001 }]) {
      await hoursOf({ ...asked, ...more }, history, now);
    }
    expect(reads).to.deep.equal([
      [168, 200],
      [24, 4_012],
    ]);
  });
});
