import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { compose, type Parts } from '../../../apps/wiring/compose.ts';
import { readConfig } from '../../../apps/wiring/config.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { normalizeDomain } from '../../../core/licensing/domain-name.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { must } from '../../support/license-acts.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`two processes that sign leases: ${name}`, () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    let place: SqlPlace;
    const processes: Parts[] = [];
    before(async () => {
      place = await make();
      const settings = {
        LOG_LEVEL: 'silent',
        DATABASE_URL: place.url,
        FILES_URL: 'temporary:',
        SECRET_KEY: 'x'.repeat(40),
      };
      for (let n = 0; n < 2; n++) processes.push(await compose(readConfig(settings), { clock }));
    });
    after(async () => {
      for (const parts of processes) await parts.close();
      await place?.remove();
    });

    const publishedBy = async (parts: Parts) => {
      const published = await (await parts.get(t.leaseKeys)).published();
      return published.map(({ kid, publicKey }) => ({ kty: 'OKP', crv: 'Ed25519', x: publicKey, kid, alg: 'EdDSA' }));
    };

    const activated = async (parts: Parts, maxDomains: number) => {
      const product = good(await (await parts.get(t.products)).add({ title: 'Dex', ownerId: null }, operator));
      const terms = { productId: product.id, maxDomains, expiresAt: null };
      const [licenseKey] = good(await (await parts.get(t.issuing)).issue(terms, 1, operator));
      const host = (name: string) => ({ licenseKey: must(licenseKey), domain: must(normalizeDomain(name)) });
      good(await (await parts.get(t.licensing)).activate(host('a.com')));
      return host;
    };

    itLong('count the hosts of a license together, and so does one that was started again', async () => {
      const [one, two] = [must(processes[0]), must(processes[1])];
      const host = await activated(one, 1);
      const licensing = await one.get(t.licensing);
      const lives: number[] = [];
      for (const [n, parts] of [one, two, two, one, two, two].entries()) {
        const { endsAt } = good(await (await parts.get(t.leasing)).lease(host(n === 0 ? 'a.com' : `s${n}.com`)));
        lives.push((endsAt - clock.now()) / 3_600_000);
        good(await licensing.deactivate(host(n === 0 ? 'a.com' : `s${n}.com`)));
        good(await licensing.activate(host(`s${n + 1}.com`)));
      }
      expect(lives).to.deep.equal([168, 168, 168, 168, 168, 1]);
    });

    it('begin with one key, and go on to the next one within a minute', async () => {
      const [one, two] = [must(processes[0]), must(processes[1])];
      const keys = await Promise.all(processes.map(async (parts) => await (await parts.get(t.leaseKeys)).currentKey()));
      expect(keys[0]?.kid).to.equal(keys[1]?.kid);

      const host = (await activated(one, 1))('a.com');
      const leaseOf = async (parts: Parts) => good(await (await parts.get(t.leasing)).lease(host)).token;
      const kidOf = (token: string) => decodeProtectedHeader(token).kid;
      const before = await leaseOf(two);

      const [fresh, old] = await (await one.get(t.leaseKeys)).rotate({ actor: 'test' });
      // The new key is published by both at once, before anybody has signed with it.
      for (const parts of processes) {
        expect((await publishedBy(parts)).map(({ kid }) => kid)).to.deep.equal([fresh?.kid, old?.kid]);
      }
      expect(kidOf(await leaseOf(one))).to.equal(fresh?.kid);
      const meanwhile = await leaseOf(two);
      expect(kidOf(meanwhile)).to.equal(old?.kid);
      clock.advance(60_000);
      const after = await leaseOf(two);
      expect(kidOf(after)).to.equal(fresh?.kid);
      for (const token of [before, meanwhile, after]) {
        for (const parts of processes) {
          const set = createLocalJWKSet({ keys: await publishedBy(parts) });
          await jwtVerify(token, set, { audience: 'a.com', currentDate: new Date(clock.now()) });
        }
      }
    });
  });
}
