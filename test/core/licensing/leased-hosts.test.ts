import { expect } from 'chai';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { nameOfInstance, newInstanceId } from '../../../core/licensing/instance.ts';
import { hoursOf } from '../../../core/licensing/leased-hosts.ts';
import type { ActivatedSince } from '../../../core/ports/host-history.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

describe('the life of the lease of a host', () => {
  const asked = { key: keyNumber(1), domain: domain('a.com'), maxDomains: 1, hours: 168, wwwIsApex: true };
  /** The license was activated on `a.com` at `at`, an hour ago if nothing is said. */
  const lifeOf = (more: Partial<typeof asked>, found: ActivatedSince, at: number | undefined = now - hour) =>
    hoursOf({ ...asked, ...more }, { activatedSince: async () => found, activatedAt: async () => at }, now);
  const hosts = (...names: string[]) => names.map(domain);
  const crowd = hosts('b.com', 'c.com', 'd.com', 'e.com', 'f.com');

  it('is that of the product for the first hosts of that time, and an hour for those after them', async () => {
    expect(await lifeOf({}, { hosts: [...crowd.slice(1), ...hosts('a.com')], isWhole: true })).to.equal(168);
    expect(await lifeOf({}, { hosts: [...crowd, ...hosts('a.com')], isWhole: true })).to.equal(1);
  });

  it('is that of the product for a host from before that time, whatever has happened since', async () => {
    const before = now - 169 * hour;
    expect(await lifeOf({}, { hosts: crowd, isWhole: true }, before)).to.equal(168);
    expect(await lifeOf({}, { hosts: crowd, isWhole: false }, before)).to.equal(168);
  });

  it('is an hour for a host of that time if its activation is not among the changes that are known', async () => {
    expect(await lifeOf({}, { hosts: hosts('a.com'), isWhole: false })).to.equal(1);
    expect(await lifeOf({}, { hosts: [], isWhole: false }), 'behind too many changes').to.equal(1);
    expect(await lifeOf({}, { hosts: [], isWhole: true }), 'deleted from the audit trail').to.equal(1);
  });

  it('is an hour if the host is not activated any more', async () => {
    const history = { activatedSince: async () => ({ hosts: [], isWhole: true }), activatedAt: async () => undefined };
    expect(await hoursOf(asked, history, now)).to.equal(1);
  });

  it('counts both names of a site as one if the product says so, and instances not at all', async () => {
    const instances = Array.from({ length: 9 }, () => nameOfInstance(newInstanceId(systemSecrets)));
    const names = { hosts: [...instances, ...crowd.slice(1), ...hosts('a.com')], isWhole: true };
    for (const name of ['a.com', 'www.a.com']) expect(await lifeOf({ domain: domain(name) }, names)).to.equal(168);
    const www = { domain: domain('www.a.com'), wwwIsApex: false };
    expect(await lifeOf(www, names), 'another host').to.equal(1);
  });

  it('reads the changes of the life at most, and none for old hosts or if nothing can be limited', async () => {
    const reads: unknown[] = [];
    let at = now;
    const history = {
      async activatedSince(_: unknown, since: number, most: number) {
        reads.push([(now - since) / hour, most]);
        return { hosts: [], isWhole: true };
      },
      activatedAt: async () => at,
    };
    for (const more of [{}, { maxDomains: 500, hours: 24 }, { hours: 1 }, { maxDomains: 1_001 }]) {
      await hoursOf({ ...asked, ...more }, history, now);
    }
    at = now - 168 * hour;
    await hoursOf(asked, history, now);
    expect(reads).to.deep.equal([
      [168, 200],
      [24, 4_012],
    ]);
  });
});
