import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import type { ProductId, UserId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import { tellVerified } from '../../core/webhooks/telling.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { actOn, domain, issuedAt, keyNumber, must, newLicense } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addEndpoint, addProductOf, noted, receivedBy } from '../support/webhooks.ts';

const minute = 60_000;
const [a, b] = [domain('a.example'), domain('b.example')];
const key = keyNumber(1);

for (const backend of [...backends, ...sharedBackends]) {
  describe(`webhooks of verifications: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    let productId: ProductId;
    const clock = createManualClock(issuedAt);
    beforeEach(async () => {
      clock.set(issuedAt);
      ownerId = (await addUser(stores, 'Ada')).id;
      productId = await addProductOf(stores, ownerId);
      await issue(key);
      await acts().activate(key, a, issuedAt);
      await acts().activate(key, b, issuedAt);
    });

    const acts = () => actOn(stores.licenses);
    const issue = (one: typeof key, product = productId) =>
      acts().issue(newLicense(one, product, { maxDomains: 9_999 }));
    const tell = () => tellVerified(stores.webhookVerifications, clock, () => true);
    /** A minute later. */
    const tellNext = async () => {
      clock.advance(minute);
      return await tell();
    };
    async function verify(name: typeof a, times: number, one = key): Promise<void> {
      for (let n = 0; n < times; n++) {
        expect(await acts().verify(one, name, clock.now())).to.include({ kind: 'valid' });
      }
    }
    const listen = (fields: object = {}) => addEndpoint(stores, ownerId, { events: ['license.verified'], ...fields });
    const told = async (endpoint: Parameters<typeof receivedBy>[1]) =>
      (await receivedBy(stores, endpoint))
        .filter(({ event }) => event === 'license.verified')
        .map(({ data }) => [data.license_key, data.domain, data.count])
        .toSorted();

    itLong(
      'add up what each domain of a license was verified since the last minute, and begin with the endpoint',
      async () => {
        await verify(a, 2);
        expect(await tell()).to.equal('not due'); // Nobody listens.
        const endpoint = await listen();
        expect(await tellNext()).to.equal('done');
        expect(await told(endpoint)).to.deep.equal([]);
        await verify(a, 3);
        const at = clock.now();
        await verify(b, 1);
        expect(await tellNext()).to.equal('done');
        expect(await told(endpoint)).to.deep.equal([
          [key, a, 3],
          [key, b, 1],
        ]);
        const [first] = await receivedBy(stores, endpoint);
        expect(first?.data).to.include({ last_verified_at: iso(at), domains_used: 2, status: 'active' });
        await verify(b, 4);
        await tellNext();
        await tellNext();
        expect((await told(endpoint)).slice(1)).to.deep.equal([
          [key, b, 1],
          [key, b, 4],
        ]);
      },
    );

    it('are told once a minute, however many processes do the job', async () => {
      const endpoint = await listen();
      await tellNext();
      await verify(a, 1);
      clock.advance(minute);
      const all = await Promise.all([tell(), tell(), tell(), tell()]);
      expect(all.toSorted()).to.deep.equal(['done', 'not due', 'not due', 'not due']);
      await verify(a, 1);
      clock.advance(minute - 1 - (clock.now() % minute)); // The last millisecond of the same minute.
      expect(await tell()).to.equal('not due');
      await tellNext();
      expect(await told(endpoint)).to.deep.equal([
        [key, a, 1],
        [key, a, 1],
      ]);
    });

    itLong('begin at 0 when a domain is activated again, also after more verifications than it had', async () => {
      const endpoint = await listen();
      await tellNext();
      await verify(a, 3);
      await tellNext();
      await acts().deactivate(key, a, clock.now());
      await acts().activate(key, a, clock.now());
      await verify(a, 2);
      await tellNext();
      expect((await told(endpoint)).toSorted()).to.deep.equal([
        [key, a, 2],
        [key, a, 3],
      ]);
    });

    itLong('reach only endpoints that name them, for their product', async () => {
      const other = await addProductOf(stores, ownerId, 'other');
      const second = keyNumber(2);
      await issue(second, other);
      await acts().activate(second, a, issuedAt);
      const [all, one, everything] = [
        await listen(),
        await listen({ productId: other }),
        await listen({ events: '*' }),
      ];
      const live = await listen({ isLive: true });
      await tellNext();
      await verify(a, 1);
      await verify(a, 2, second);
      await tellNext();
      expect(await told(all)).to.deep.equal([
        [key, a, 1],
        [second, a, 2],
      ]);
      expect(await told(one)).to.deep.equal([[second, a, 2]]);
      expect(await told(everything)).to.deep.equal([]);
      expect(await told(live)).to.deep.equal([]);
    });

    itLong('begin anew when the only endpoint was off, and then leave nothing behind', async () => {
      const endpoint = await listen();
      await tellNext();
      const turn = (off: 'seller' | null) =>
        stores.webhooks.change(endpoint.id, (before) => ({ after: { ...before, off }, event: noted() }));
      await turn('seller');
      expect(await tellNext()).to.equal('done'); // Forgets the counters.
      expect(await tellNext()).to.equal('not due');
      await verify(a, 5);
      await turn(null);
      await tellNext();
      await verify(a, 1);
      await tellNext();
      expect(await told(endpoint)).to.deep.equal([[key, a, 1]]);
    });

    it('are told once if a process takes over a run, and the first one stores nothing after that', async () => {
      const endpoint = await listen();
      await tellNext();
      await verify(a, 2);
      clock.advance(minute);
      const slow = must(await stores.webhookVerifications.claim(clock.now(), 0));
      const next = must(await stores.webhookVerifications.claim(clock.now(), 60_000));
      expect(await slow.next()).to.equal('lost');
      expect(await told(endpoint)).to.deep.equal([]);
      expect([await next.next(), await next.next()]).to.deep.equal(['more', 'done']);
      expect(await slow.next()).to.equal('lost');
      expect(await told(endpoint)).to.deep.equal([[key, a, 2]]);
    });

    itLong('are found by the next run if one was broken off', async () => {
      const endpoint = await listen();
      await tellNext();
      await verify(a, 2);
      const broken = must(await stores.webhookVerifications.claim(clock.now() + 1, 0));
      await broken.next();
      await verify(a, 3);
      await tellNext();
      expect(await told(endpoint)).to.deep.equal([
        [key, a, 2],
        [key, a, 3],
      ]);
    });

    itLong('are told for every domain of a license with many, and every license of a product with many', async () => {
      const hosts = Array.from({ length: 700 }, (_, n) => domain(`d${n}.example`));
      const keys = Array.from({ length: 2_100 }, (_, n) => keyNumber(n + 10));
      await acts().issue(...keys.map((one) => newLicense(one, productId)));
      // One after the other: two databases at once would wait for the row of one license, and a slow disk makes that too long.
      for (const host of hosts) await acts().activate(key, host, issuedAt);
      const last = must(keys.at(-1));
      await acts().activate(last, a, issuedAt);
      const endpoint = await listen();
      await Promise.all(hosts.map((host) => verify(host, 1)));
      await tellNext();
      await Promise.all(hosts.map((host) => verify(host, 1)));
      await verify(a, 2, last);
      await tellNext();
      const counts = new Map((await told(endpoint)).map(([one, host, count]) => [`${one} ${host}`, count]));
      expect(counts.size).to.equal(701);
      expect(counts.get(`${last} ${a}`)).to.equal(2);
      expect([...counts.values()].filter((count) => count === 1)).to.have.lengthOf(700);
    });
  });
}
