import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { createGuard } from '../../../apps/sdk/guard/guard.ts';
import { type leaseVectors, testKeys } from '../../support/lease-vectors.ts';
import { itLong } from '../../support/required-service.ts';
import { runs } from '../../support/runs.ts';
import { domain, keys, type LeaseSite, leaseAt, licenseKey, openLeaseSite, summary, url } from './lease-site.ts';
import { manualPlatform, ownStorage, patient } from './manual-platform.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const revoked = [200, { valid: false, error: 'revoked' }] as const;
const vectors: ReturnType<typeof leaseVectors> = JSON.parse(
  readFileSync(new URL('../../../apps/docs/vectors/leases.json', import.meta.url), 'utf8'),
);

describe('the guard with leases', () => {
  let site: LeaseSite;
  beforeEach(() => {
    site = openLeaseSite();
  });

  it('asks for a lease, and is valid by it', async () => {
    const start = site.platform.now();
    expect(await site.guard().check()).to.deep.equal({
      state: 'valid',
      expiresAt: null,
      leaseUntil: new Date(start + 7 * day),
      checkedAt: new Date(start),
      fromCache: false,
    });
    expect(site.calls).to.deep.equal([`${url}/lease`]);
  });

  it('renews the lease about once an hour', async () => {
    const guard = site.guard();
    await guard.check();
    site.pass(47 * minute);
    expect((await guard.check()).fromCache).to.equal(true);
    site.pass(14 * minute);
    const { leaseUntil } = await guard.check();
    expect(leaseUntil).to.deep.equal(new Date(site.serverNow() + 7 * day));
    expect(site.calls).to.have.length(2);
  });

  for (const isReloaded of [false, true]) {
    it(`goes through an outage of 6 days, and stops on the 8th${isReloaded ? ', in pages that are loaded anew' : ''}`, async () => {
      // Days of grace are for sites without leases.
      let guard = site.guard({ graceDays: 0 });
      await guard.check();
      site.mode = 'cut';
      const days = [];
      for (let n = 1; n <= 8; n++) {
        for (const step of [8 * hour, 16 * hour - minute]) {
          site.pass(step);
          if (isReloaded) {
            site.reload();
            guard = site.guard({ graceDays: 0 });
          }
          days[n - 1] = summary(await guard.check());
        }
        site.pass(minute);
      }
      expect(days).to.deep.equal([...Array(7).fill(['valid', 'network', true]), ['unknown', 'network', false]]);
      site.mode = 'leased';
      site.pass(hour);
      expect(summary(await guard.check())).to.deep.equal(['valid', undefined, false]);
    });
  }

  it('is valid no longer than a lease that is shorter than the pause between calls', async () => {
    const start = site.platform.now();
    site.mode = [200, { valid: true, lease: leaseAt(start, { exp: start / 1000 + 600 }) }];
    const guard = site.guard();
    await guard.check();
    site.pass(10 * minute - 1);
    expect(await guard.check()).to.include({ state: 'valid' });
    site.mode = 'cut';
    site.pass(1);
    expect(summary(await guard.check())).to.deep.equal(['unknown', 'network', false]);
  });

  it('stops at once if the server says that it is invalid, and no older lease brings it back', async () => {
    const lease = leaseAt(site.platform.now());
    const guard = site.guard({ lease });
    await guard.check();
    site.mode = revoked;
    expect(summary(await guard.check({ fresh: true }))).to.deep.equal(['invalid', 'revoked', false]);
    site.mode = 'cut';
    for (const options of [{}, { lease }, { lease, offline: true }]) {
      site.reload();
      expect(await site.guard(options).check()).to.include({ state: 'invalid', reason: 'revoked' });
    }
    site.pass(hour);
    site.reload();
    expect(await site.guard({ offline: true, lease: leaseAt(site.serverNow()) }).check()).to.include({
      state: 'valid',
    });
  });

  it('stops at once when it frees the domain', async () => {
    const guard = site.guard({ lease: leaseAt(site.platform.now()) });
    await guard.check();
    site.mode = [200, { success: true, domain }];
    expect(await guard.deactivate()).to.include({ ok: true });
    site.mode = 'cut';
    expect(await guard.check()).to.include({ state: 'invalid', reason: 'invalid_domain' });
  });

  it('does not count a valid answer without a lease', async () => {
    for (const body of [
      { valid: true, license: { expires_at: null } },
      { valid: true, license: { expires_at: null }, lease: null },
      { valid: 'true', lease: leaseAt(site.platform.now()) },
      { lease: leaseAt(site.platform.now()) },
    ]) {
      site.mode = [200, body];
      expect(summary(await site.guard({ storage: ownStorage() }).check())).to.deep.equal([
        'unknown',
        'bad_answer',
        false,
      ]);
    }
    site.mode = [403, { valid: true, lease: leaseAt(site.platform.now()) }];
    expect(await site.guard().check()).to.include({ state: 'unknown' });
  });

  it('does not count what a guard without leases has kept', async () => {
    site.mode = [200, { valid: true, license: { expires_at: null } }];
    const plain = createGuard({ url, licenseKey, domain, timeout: patient, storage: site.storage }, site.platform);
    expect(await plain.check()).to.include({ state: 'valid' });
    expect(await site.guard({ offline: true }).check()).to.include({ state: 'unknown', reason: 'no_lease' });
  });

  it('takes leases of the old and of the new key while keys are changed', async () => {
    const other = testKeys('another key of a test');
    const both = [keys.publicKey, other.publicKey];
    for (const [by, publicKeys, state] of [
      [keys, both, 'valid'],
      [other, both, 'valid'],
      [other, [keys.publicKey], 'unknown'],
      [keys, [other.publicKey], 'unknown'],
    ] as const) {
      site.mode = [200, { valid: true, lease: leaseAt(site.platform.now(), {}, by) }];
      expect(await site.guard({ publicKeys, storage: ownStorage() }).check()).to.include({ state });
    }
  });

  it('knows the server by the address that it gives itself', async () => {
    const lease = leaseAt(site.platform.now());
    for (const [options, state] of [
      [{ url: `${url}/` }, 'valid'],
      [{ url: 'http://127.0.0.1:8080' }, 'unknown'],
      [{ url: 'http://127.0.0.1:8080', issuer: `${url}/` }, 'valid'],
    ] as const) {
      expect(await site.guard({ ...options, lease, offline: true, storage: ownStorage() }).check()).to.include({
        state,
      });
    }
  });

  it('makes one call for many checks at once', async () => {
    const guards = [site.guard(), site.guard()];
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => guards[n % 2]?.check()));
    expect(all.map((one) => one?.state)).to.deep.equal(Array(20).fill('valid'));
    expect(site.calls).to.have.length(1);
  });

  describe('and each vector', () => {
    for (const vector of vectors.cases) {
      const { issuer, domain: host, now, license_key, lease, result } = { ...vectors.site, ...vector };
      const options = { url: issuer, domain: host, licenseKey: license_key, publicKeys: vectors.public_keys };

      it(`${vector.name}: ${result}`, async () => {
        const parts = { fetch: async () => ({ status: 200, headers: { get: () => null }, text: async () => answer }) };
        const answer = JSON.stringify({ valid: true, lease });
        const platform = manualPlatform(parts, 1000 * now);
        const guardOf = (more: object) =>
          createGuard({ ...options, timeout: patient, storage: ownStorage(), ...more }, platform);
        const expected = result === 'valid' ? ['valid', undefined] : ['unknown', result];
        for (const given of [{ lease, offline: true }, {}]) {
          expect(summary(await guardOf(given).check()).slice(0, 2)).to.deep.equal(expected);
        }
      });
    }

    it('that is refused does not end the lease that is known', async () => {
      const guard = site.guard();
      await guard.check();
      for (const { lease } of vectors.cases) {
        site.pass(hour);
        site.mode = [200, { valid: true, lease }];
        const { state, reason, fromCache } = await guard.check({ fresh: true });
        expect([state, fromCache]).to.deep.equal(['valid', true]);
        expect(reason).to.be.oneOf(['malformed_lease', 'wrong_signature']);
      }
    });
  });

  describe('offline', () => {
    it('never asks', async () => {
      const lease = leaseAt(site.platform.now());
      const guard = site.guard({ lease, offline: true });
      expect(summary(await guard.check({ fresh: true }))).to.deep.equal(['valid', undefined, true]);
      const refusal = { ok: false, reason: 'offline' };
      expect([await guard.activate(), await guard.deactivate()]).to.deep.equal([refusal, refusal]);
      site.pass(7 * day - 1);
      expect(await guard.check()).to.include({ state: 'valid' });
      site.pass(1);
      expect(summary(await guard.check())).to.deep.equal(['unknown', 'expired_lease', false]);
      site.reload();
      expect(await site.guard({ lease, offline: true }).check()).to.include({ reason: 'expired_lease' });
      expect(site.calls).to.deep.equal([]);
    });

    it('takes a lease from a file that ends with an empty line', async () => {
      const lease = `${leaseAt(site.platform.now())}\r\n`;
      expect(await site.guard({ lease, offline: true }).check()).to.include({ state: 'valid' });
    });

    it('counts the lease that is kept, and a newer one that is given', async () => {
      await site.guard().check();
      site.mode = 'cut';
      site.pass(6 * day);
      site.reload();
      expect(await site.guard({ offline: true }).check()).to.include({ state: 'valid' });
      const lease = leaseAt(site.serverNow());
      const { leaseUntil } = await site.guard({ offline: true, lease }).check();
      expect(leaseUntil).to.deep.equal(new Date(site.serverNow() + 7 * day));
      const older = leaseAt(site.serverNow() - day);
      expect((await site.guard({ offline: true, lease: older }).check()).leaseUntil).to.deep.equal(leaseUntil);
    });

    it('without a lease is unknown', async () => {
      expect(summary(await site.guard({ offline: true }).check())).to.deep.equal(['unknown', 'no_lease', false]);
    });

    it('counts a lease that came early as soon as its time has come', async () => {
      const guard = site.guard({ offline: true, lease: leaseAt(site.platform.now() + hour) });
      expect(await guard.check()).to.include({ state: 'unknown', reason: 'early_lease' });
      site.pass(hour);
      expect(summary(await guard.check())).to.deep.equal(['valid', undefined, true]);
    });
  });

  describe('and a clock that is set back', () => {
    it('stops while it is behind the time that was seen, and goes on when it is right', async () => {
      const lease = leaseAt(site.platform.now());
      await site.guard({ lease, offline: true }).check();
      site.pass(3 * day);
      await site.guard({ lease, offline: true }).check();
      site.platform.setClock(-2 * day);
      site.reload();
      const guard = site.guard({ lease, offline: true });
      for (let n = 0; n < 2; n++) {
        expect(summary(await guard.check())).to.deep.equal(['unknown', 'clock_set_back', false]);
      }
      site.platform.setClock(2 * day);
      expect(await guard.check()).to.include({ state: 'valid' });
    });

    it('lets it pass if it is less than five minutes, which clocks do by themselves', async () => {
      const lease = leaseAt(site.platform.now());
      await site.guard({ lease, offline: true }).check();
      site.platform.setClock(-4 * minute);
      site.reload();
      expect(await site.guard({ lease, offline: true }).check()).to.include({ state: 'valid' });
    });

    it('asks the server at once, whose new lease counts', async () => {
      await site.guard().check();
      site.pass(hour);
      await site.guard().check();
      site.platform.setClock(400 * day);
      site.reload();
      expect(await site.guard().check(), 'the clock is wrong').to.include({
        state: 'unknown',
        reason: 'expired_lease',
      });
      site.platform.setClock(-400 * day);
      site.reload();
      site.pass(minute);
      expect(summary(await site.guard().check())).to.deep.equal(['valid', undefined, false]);
    });

    itLong('never revives a lease that was seen to have ended', async () => {
      const move = fc.record({
        pass: fc.integer({ min: 0, max: 3 * day }),
        set: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: -12 * day, max: 12 * day })),
        isReloaded: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 10 }), fc.boolean(), async (moves, offline) => {
          const here = openLeaseSite();
          const end = here.platform.now() + 7 * day;
          const lease = leaseAt(here.platform.now());
          here.mode = 'cut';
          const open = () => here.guard({ lease, offline });
          let guard = open();
          await guard.check();
          let isOver = false;
          for (const { pass, set, isReloaded } of moves) {
            here.pass(pass);
            here.platform.setClock(set);
            if (isReloaded) here.reload();
            if (isReloaded) guard = open();
            isOver ||= here.platform.now() >= end;
            const { state } = await guard.check();
            if (isOver) expect(state).to.equal('unknown');
          }
        }),
        { numRuns: runs(200) },
      );
    });
  });

  describe('and a storage that somebody has changed', () => {
    it('counts nothing but a signed lease', async () => {
      await site.guard().check();
      site.mode = 'cut';
      const [[id = '', text = '']] = [...site.storage.texts] as [[string, string]];
      const kept = JSON.parse(text);
      const expired = leaseAt(site.platform.now() - 8 * day);
      const other = leaseAt(site.platform.now(), {}, testKeys('another key of a test'));
      for (const lease of [
        undefined,
        null,
        {},
        'x',
        { ...kept.lease, text: expired },
        { ...kept.lease, text: other },
      ]) {
        site.storage.set(id, JSON.stringify({ ...kept, lease }));
        site.reload();
        for (const offline of [false, true]) {
          expect(await site.guard({ offline }).check(), JSON.stringify(lease)).to.include({ state: 'unknown' });
        }
      }
      const far = site.platform.now() + 900 * day;
      const changed = {
        ...kept,
        lease: { ...kept.lease, until: far },
        expiresAt: far,
        checkedAt: far,
        mark: 1,
        age: -far,
      };
      site.pass(7 * day);
      site.storage.set(id, JSON.stringify(changed));
      site.reload();
      expect(await site.guard().check()).to.include({ state: 'unknown' });
    });

    it('may fail: then the guard remembers by itself', async () => {
      const guard = site.guard({ storage: { get: () => Promise.reject(new Error('down')), set: () => undefined } });
      await guard.check();
      site.mode = 'cut';
      site.pass(6 * day);
      expect(await guard.check()).to.include({ state: 'valid', reason: 'network' });
    });
  });

  const good = { lease: leaseAt(0), publicKeys: [keys.publicKey] };
  for (const [name, options] of Object.entries({
    publicKeys: [
      { publicKeys: [] },
      { publicKeys: ['x'] },
      { publicKeys: [keys.publicKey.slice(1)] },
      { publicKeys: [`${keys.publicKey}=`] },
      { publicKeys: [keys.publicKey, undefined] },
      { publicKeys: keys.publicKey },
      { publicKeys: undefined, offline: true },
      { publicKeys: undefined, lease: good.lease },
      { publicKeys: undefined, issuer: url },
    ],
    issuer: [{ issuer: 'licenses.example.com' }],
    lease: [{ lease: 5 }],
    offline: [{ offline: 'yes' }],
  })) {
    it(`throws a TypeError if ${name} is missing or wrong`, () => {
      // Programs without types pass such options.
      for (const one of options) expect(() => site.guard(Object(one))).to.throw(TypeError, name);
    });
  }
});
