import { expect } from 'chai';
import fc from 'fast-check';
import { createGuard, type Verdict } from '../../../apps/sdk/guard/guard.ts';
import type { GuardOptions } from '../../../apps/sdk/guard/options.ts';
import type { GuardStorage } from '../../../apps/sdk/platform.ts';
import { type Service, startService } from '../../adapters/http/license/license-service.ts';
import { operator } from '../../support/by.ts';
import { until } from '../../support/eventually.ts';
import { itLong } from '../../support/required-service.ts';
import { runs } from '../../support/runs.ts';
import { answering, type Door, openDoor } from './door.ts';
import { manualPlatform, ownStorage, patient } from './manual-platform.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Failures that are not answers of a license server, with the reason that the guard gives. */
const doubts = {
  'a cut connection': ['cut', 'network'],
  'an error of the server': [answering(500, { valid: false, error: 'internal_error' }), 'server_error'],
  'an error of a proxy': [answering(502, '<h1>Bad gateway</h1>'), 'server_error'],
  'a busy server': [answering(503, { valid: false, error: 'service_unavailable' }), 'server_error'],
  'too many calls': [answering(429, { valid: false, error: 'rate_limit_exceeded' }), 'rate_limited'],
  'a page': [answering(200, '<!doctype html><h1>Log in to the Wi-Fi</h1>'), 'bad_answer'],
  nothing: [answering(200, ''), 'bad_answer'],
  'other JSON': [answering(200, { ok: true }), 'bad_answer'],
  'a list': [answering(200, '[null]'), 'bad_answer'],
  'false without a reason': [answering(200, { valid: false }), 'bad_answer'],
  'a text that looks true': [answering(200, { valid: 'true', license: { expires_at: null } }), 'bad_answer'],
  'true without a license': [answering(200, { valid: true }), 'bad_answer'],
  'an end that is no time': [answering(200, { valid: true, license: { expires_at: 'soon' } }), 'bad_answer'],
  'an unknown address': [answering(404, { valid: false, error: 'not_found' }), 'bad_answer'],
  'a refusal of another program': [answering(403, { valid: false, error: 'revoked' }), 'bad_answer'],
  'a refused parameter': [answering(422, { valid: false, error: 'validation_error' }), 'refused'],
} as const satisfies Record<string, readonly [mode: Parameters<Door['set']>[0], reason: string]>;

describe('the license guard', () => {
  let service: Service;
  let door: Door;
  before(async () => {
    service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    door = await openDoor(() => service.url);
  });
  after(async () => {
    await door?.[Symbol.asyncDispose]();
    await service?.close();
  });
  beforeEach(() => {
    door.set('open');
    door.calls.length = 0;
  });

  async function activeLicense(expiresAt: number | null = null) {
    const key = await service.license({ expiresAt });
    await service.post('/activate', { license_key: key, domain: 'a.com' });
    return key;
  }

  function guardOf(licenseKey: string, options: Partial<GuardOptions> = {}, platform = manualPlatform()) {
    return createGuard(
      { url: door.url, licenseKey, domain: 'https://A.com/', timeout: patient, storage: ownStorage(), ...options },
      platform,
    );
  }

  const summary = ({ state, reason, fromCache }: Verdict) => [state, reason, fromCache];

  describe('check()', () => {
    itLong('is valid with the end of the license and the time of the answer', async () => {
      const end = service.clock.now() + 30 * day;
      const platform = manualPlatform();
      const timed = await guardOf(await activeLicense(end), {}, platform).check();
      expect(timed).to.deep.equal({
        state: 'valid',
        expiresAt: new Date(end),
        checkedAt: new Date(platform.now()),
        fromCache: false,
      });
      expect(await guardOf(await activeLicense()).check()).to.include({ state: 'valid', expiresAt: null });
    });

    for (const reason of ['invalid_key', 'invalid_domain', 'suspended', 'revoked', 'expired'] as const) {
      it(`is invalid with the reason of the server: ${reason}`, async () => {
        const key = await activeLicense(reason === 'expired' ? service.clock.now() + 1000 : null);
        if (reason === 'expired') service.clock.advance(2000);
        if (reason === 'suspended') await service.issuing.change(key, 'suspend', operator);
        if (reason === 'revoked') await service.issuing.change(key, 'revoke', operator);
        const asked = reason === 'invalid_key' ? 'LIC-0000-0000-0000-0000' : key;
        const verdict = await guardOf(asked, { domain: reason === 'invalid_domain' ? 'b.com' : 'a.com' }).check();
        expect(summary(verdict)).to.deep.equal(['invalid', reason, false]);
        expect(verdict).to.not.have.property('expiresAt');
      });
    }

    for (const [name, [mode, reason]] of Object.entries(doubts)) {
      it(`gets no answer from ${name}: unknown at first, and what was known before stays`, async () => {
        const key = await activeLicense();
        door.set(mode);
        expect(summary(await guardOf(key).check())).to.deep.equal(['unknown', reason, false]);
        for (const domain of ['a.com', 'b.com']) {
          door.set('open');
          const guard = guardOf(key, { domain });
          const { state, reason: known } = await guard.check();
          door.set(mode);
          const expected = state === 'valid' ? ['valid', reason, true] : ['invalid', known, true];
          expect(summary(await guard.check({ fresh: true }))).to.deep.equal(expected);
        }
      });
    }

    it('is unknown in a page without a host, and never throws', async () => {
      const guard = createGuard({ url: door.url, licenseKey: 'LIC' }, manualPlatform({ host: '' }));
      expect(summary(await guard.check())).to.deep.equal(['unknown', 'bad_domain', false]);
      expect(await guard.activate()).to.deep.equal({ ok: false, reason: 'bad_domain' });
      expect(door.calls).to.deep.equal([]);
    });

    it('takes the domain of the page', async () => {
      const platform = manualPlatform({ host: 'a.com:8443' });
      const guard = createGuard({ url: `${door.url}/`, licenseKey: await activeLicense(), timeout: patient }, platform);
      expect(await guard.check()).to.include({ state: 'valid' });
    });
  });

  describe('calls', () => {
    it('ask once an hour at most, and not all sites at the same time', async () => {
      const key = await activeLicense();
      const chances = [0, 0.5, 0.999];
      const lengths = [];
      for (const chance of chances) {
        const platform = manualPlatform({ random: () => chance });
        const guard = guardOf(key, {}, platform);
        await guard.check();
        let length = 0;
        while ((await guard.check()).fromCache) {
          platform.pass(minute);
          length += minute;
        }
        lengths.push(length);
      }
      expect(lengths).to.deep.equal([60 * minute, 54 * minute, 49 * minute]);
    });

    it('are one at a time for a key and a domain, whoever asks', async () => {
      const key = await activeLicense();
      const storages = [ownStorage(), ownStorage()];
      const guards = storages.map((storage) => guardOf(key, { storage }));
      const release = door.hold();
      const asked = Array.from({ length: 20 }, (_, n) => guards[n % 2]?.check());
      const other = guardOf(key, { domain: 'b.com' }).check();
      release();
      expect((await Promise.all(asked)).map((verdict) => verdict?.state)).to.deep.equal(Array(20).fill('valid'));
      expect(await other).to.include({ state: 'invalid' });
      expect(door.calls).to.have.length(2);
    });

    it('are repeated once after a failure, so that one lost answer does not show', async () => {
      const key = await activeLicense();
      for (const mode of ['cut', answering(503, '')] as const) {
        door.calls.length = 0;
        door.once(mode);
        expect(summary(await guardOf(key).check())).to.deep.equal(['valid', undefined, false]);
        expect(door.calls).to.have.length(2);
      }
    });

    it('end after the time-out, also if the body never ends', async () => {
      const key = await activeLicense();
      for (const mode of [
        'hung',
        (response: Parameters<Exclude<Parameters<Door['set']>[0], string>>[0]) => void response.write('{'),
      ] as const) {
        door.set(mode);
        expect(summary(await guardOf(key, { timeout: 3000 }).check())).to.deep.equal(['unknown', 'timeout', false]);
      }
    });

    it('wait as long as Retry-After says, also if a fresh answer is asked for', async () => {
      const key = await activeLicense();
      for (const status of [429, 503]) {
        for (const [after, wait] of [
          ['120', 2 * minute],
          [new Date(Date.UTC(2026, 0, 1) + 5 * minute).toUTCString(), 5 * minute],
          ['99999999', hour],
        ] as const) {
          door.calls.length = 0;
          door.set(answering(status, '', { 'Retry-After': after }));
          const platform = manualPlatform();
          const guard = guardOf(key, {}, platform);
          expect(await guard.check()).to.include({ state: 'unknown' });
          door.set('open');
          platform.pass(wait - 1);
          expect(await guard.check({ fresh: true })).to.include({ state: 'unknown' });
          expect(door.calls, `${status} ${after}`).to.have.length(1);
          platform.pass(1);
          expect(await guard.check()).to.include({ state: 'valid' });
        }
      }
    });

    it('rest for a while after a failure, unless a fresh answer is asked for', async () => {
      const guard = guardOf(await activeLicense());
      door.set('cut');
      await guard.check();
      door.set('open');
      expect(await guard.check()).to.include({ state: 'unknown' });
      expect(await guard.check({ fresh: true })).to.include({ state: 'valid' });
    });
  });

  describe('a known answer', () => {
    itLong('stays valid for the days of grace, and is unknown then, never invalid', async () => {
      const key = await activeLicense();
      for (const graceDays of [undefined, 1, 0]) {
        door.set('open');
        const platform = manualPlatform();
        const guard = guardOf(key, { graceDays }, platform);
        await guard.check();
        door.set('cut');
        const until = (graceDays ?? 7) * day;
        platform.pass(Math.max(2 * hour, until) - 2 * minute);
        expect(summary(await guard.check())).to.deep.equal(
          graceDays === 0 ? ['unknown', 'network', false] : ['valid', 'network', true],
        );
        platform.pass(2 * minute);
        expect(await guard.check()).to.include({ state: 'unknown', reason: 'network' });
        door.set('open');
        platform.pass(hour);
        expect(summary(await guard.check())).to.deep.equal(['valid', undefined, false]);
      }
    });

    it('is not valid longer than the license', async () => {
      const key = await activeLicense(Date.UTC(2026, 0, 1) + 3 * day);
      const platform = manualPlatform();
      const guard = guardOf(key, {}, platform);
      await guard.check();
      door.set('cut');
      platform.pass(3 * day - 1);
      expect(await guard.check()).to.include({ state: 'valid' });
      platform.pass(minute + 1);
      expect(await guard.check()).to.include({ state: 'unknown' });
    });

    it('stays invalid until the server gives another', async () => {
      const key = await service.license();
      const platform = manualPlatform();
      const guard = guardOf(key, {}, platform);
      await guard.check();
      door.set('cut');
      platform.pass(400 * day);
      expect(await guard.check()).to.include({ state: 'invalid', reason: 'invalid_domain', fromCache: true });
      platform.setClock(-500 * day);
      expect(await guard.check()).to.include({ state: 'invalid' });
      door.set('open');
      await service.post('/activate', { license_key: key, domain: 'a.com' });
      platform.pass(hour);
      expect(await guard.check()).to.include({ state: 'valid' });
    });
  });

  describe('the clock', () => {
    itLong('lengthens nothing, whatever it is set to while the page is open', async () => {
      const key = await activeLicense();
      const move = fc.record({
        pass: fc.integer({ min: 0, max: 3 * day }),
        set: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -10 * day, max: 10 * day })),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves) => {
          door.set('open');
          const platform = manualPlatform();
          const guard = guardOf(key, {}, platform);
          await guard.check();
          door.set('cut');
          let real = 0;
          for (const { pass, set } of moves) {
            platform.pass(pass);
            platform.setClock(set);
            real += pass;
            const { state } = await guard.check();
            if (real >= 7 * day) expect(state).to.equal('unknown');
          }
        }),
        { numRuns: runs(100) },
      );
    });

    it('set back while the page was closed: the server is asked, and without its answer nothing is valid', async () => {
      const key = await activeLicense();
      for (const isOpen of [true, false]) {
        door.set('open');
        const storage = ownStorage();
        const platform = manualPlatform();
        const guard = guardOf(key, { storage }, platform);
        await guard.check();
        platform.pass(10 * minute);
        await guard.check(); // The page looks at the clock, and remembers it.
        platform.setClock(-5 * minute);
        door.set(isOpen ? 'open' : 'cut');
        door.calls.length = 0;
        const verdict = await guardOf(key, { storage }, platform.reload()).check();
        expect(summary(verdict)).to.deep.equal(isOpen ? ['valid', undefined, false] : ['unknown', 'network', false]);
        expect(door.calls).to.have.length(isOpen ? 1 : 2);
      }
    });
  });

  describe('the storage', () => {
    it('is read by the next page, which then asks only when the answer is old', async () => {
      const key = await activeLicense();
      const storage = ownStorage();
      const platform = manualPlatform();
      await guardOf(key, { storage }, platform).check();
      platform.pass(30 * minute);
      const next = platform.reload();
      expect(summary(await guardOf(key, { storage }, next).check())).to.deep.equal(['valid', undefined, true]);
      next.pass(31 * minute);
      expect(summary(await guardOf(key, { storage }, next).check())).to.deep.equal(['valid', undefined, false]);
    });

    const broken: Record<string, GuardStorage> = {
      throws: {
        get() {
          throw new Error('blocked');
        },
        set() {
          throw new Error('full');
        },
      },
      rejects: { get: () => Promise.reject(new Error('down')), set: () => Promise.reject(new Error('down')) },
      hangs: { get: () => new Promise(() => undefined), set: () => new Promise(() => undefined) },
      'returns nonsense': { get: () => '{"state":"valid","age":"x"', set: () => undefined },
      'returns half an answer': { get: () => '{"state":"valid"}', set: () => undefined },
      'returns null in JSON': { get: () => 'null', set: () => undefined },
    };
    for (const [fault, storage] of Object.entries(broken)) {
      it(`may fail: if it ${fault}, the guard remembers by itself`, async () => {
        const guard = guardOf(await activeLicense(), { storage });
        expect(summary(await guard.check())).to.deep.equal(['valid', undefined, false]);
        expect(summary(await guard.check())).to.deep.equal(['valid', undefined, true]);
      });
    }

    it('that takes nothing more does not bring back an older answer', async () => {
      const key = await activeLicense();
      const storage = ownStorage();
      const guard = guardOf(key, { storage });
      await guard.check();
      await service.issuing.change(key, 'revoke', operator);
      const full = { get: storage.get, set: () => Promise.reject(new Error('full')) };
      const next = guardOf(key, { storage: full });
      expect(await next.check()).to.include({ state: 'valid' });
      expect(await next.check({ fresh: true })).to.include({ state: 'invalid' });
      expect(await next.check()).to.include({ state: 'invalid', fromCache: true });
    });
  });

  describe('onChange()', () => {
    it('tells each change once, until it is ended', async () => {
      const key = await activeLicense();
      const guard = guardOf(key);
      const told: unknown[] = [];
      const end = guard.onChange(({ state, reason }) => told.push([state, reason]));
      await guard.check();
      await guard.check();
      await guard.check({ fresh: true });
      door.set('cut');
      await guard.check({ fresh: true });
      door.set('open');
      await service.issuing.change(key, 'revoke', operator);
      await guard.check({ fresh: true });
      end();
      await service.issuing.change(key, 'suspend', operator);
      await guard.check({ fresh: true });
      expect(told).to.deep.equal([
        ['valid', undefined],
        ['valid', 'network'],
        ['invalid', 'revoked'],
      ]);
    });

    it('goes on if a listener throws', async () => {
      const platform = manualPlatform();
      const guard = guardOf(await activeLicense(), {}, platform);
      const fault = new Error('listener');
      const told: string[] = [];
      guard.onChange(() => {
        throw fault;
      });
      guard.onChange(({ state }) => told.push(state));
      expect(await guard.check()).to.include({ state: 'valid' });
      expect([told, platform.complaints]).to.deep.equal([['valid'], [fault]]);
    });
  });

  describe('activate() and deactivate()', () => {
    it('bind and free the domain, and the next check knows it', async () => {
      const guard = guardOf(await service.license());
      const told: string[] = [];
      guard.onChange(({ state }) => told.push(state));
      expect(await guard.check()).to.include({ state: 'invalid', reason: 'invalid_domain' });
      expect(await guard.activate()).to.deep.equal({ ok: true, domain: 'a.com' });
      expect(told).to.deep.equal(['invalid', 'valid']);
      expect(await guard.check()).to.include({ state: 'valid', fromCache: true });
      expect(await guard.deactivate()).to.deep.equal({ ok: true, domain: 'a.com' });
      door.set('cut');
      expect(await guard.check({ fresh: true })).to.include({ state: 'invalid', reason: 'invalid_domain' });
    });

    it('return the refusal of the server', async () => {
      const key = await service.license({ maxDomains: 1 });
      await service.post('/activate', { license_key: key, domain: 'b.com' });
      const guard = guardOf(key);
      expect(await guard.activate()).to.include({ ok: false, reason: 'domain_limit_reached' });
      expect(await guard.deactivate()).to.include({ ok: false, reason: 'domain_not_found' });
      door.set('cut');
      expect(await guard.activate()).to.deep.equal({ ok: false, reason: 'network' });
    });

    it('are never overtaken by a check that began before', async () => {
      const guard = guardOf(await service.license());
      const release = door.hold();
      const before = guard.check();
      await until(() => door.calls.length === 1);
      const change = guard.activate();
      const after = guard.check();
      release();
      expect((await before).state).to.equal('invalid');
      expect(await change).to.include({ ok: true });
      await after;
      expect(await guard.check()).to.include({ state: 'valid' });
    });
  });

  for (const [name, options] of Object.entries({
    url: [{ url: 'licenses.example.com' }, { url: '' }, { url: 'ftp://x.com' }],
    licenseKey: [{ licenseKey: '' }],
    domain: [{ domain: 'mailto:a@b.com' }, { domain: '' }, { domain: '*.example.com' }, { domain: undefined }],
  })) {
    it(`throws a TypeError if ${name} is missing or wrong`, () => {
      for (const one of options) expect(() => guardOf('LIC', one)).to.throw(TypeError, name);
    });
  }
});
