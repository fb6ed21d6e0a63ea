import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import type { UserId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import { Forced, type ForcedAnswer } from '../../core/licensing/forced.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { setClock } from '../../core/licensing/test-clock.ts';
import { decideTransition } from '../../core/licensing/transitions.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { reminderNews, remindOfEnds } from '../../core/selling/reminding.ts';
import { day, hour, minute } from '../../core/time.ts';
import type { Endpoint } from '../../core/webhooks/endpoint.ts';
import { tellExpired } from '../../core/webhooks/telling.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { withoutProofs } from '../support/domain-proofs.ts';
import { writeLetter } from '../support/letters.ts';
import { actOn, domain, issuedAt, keyNumber, must, newLicense } from '../support/license-acts.ts';
import { addForSale, addOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addEndpoint, receivedBy } from '../support/webhooks.ts';

const shop = domain('shop.example');
const other = domain('other.example');

for (const backend of [...backends, ...sharedBackends]) {
  describe(`clocks of test licenses: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    let product: Product;
    let endpoint: Endpoint;
    let now: Instant;
    let n: number;
    beforeEach(async () => {
      now = issuedAt;
      n = 0;
      ownerId = (await addUser(stores, 'Ada')).id;
      product = await addForSale(stores, { ownerId, isLive: false });
      endpoint = await addEndpoint(stores, ownerId);
    });

    const jobs = {
      remind: () =>
        remindOfEnds({ reminders: stores.reminders, write: writeLetter, clock: createManualClock(now) }, () => true),
      expire: () => tellExpired(stores.expiries, createManualClock(now), () => true),
    };
    const runJobs = async () => {
      await jobs.remind();
      await jobs.expire();
    };
    const set = (key: ReturnType<typeof keyNumber>, days: number, forced?: ForcedAnswer | null) =>
      stores.clocks.change(
        key,
        (license) => setClock(license, { advance: { months: 0, milliseconds: days * day }, forced }, by, now),
        now,
        (order, license, notice) => reminderNews(writeLetter, order, license, notice, now),
      );
    const sell = async (expiresAt: Instant | null, of = product) => {
      n += 1;
      const key = keyNumber(n);
      await actOn(stores.licenses).issue(newLicense(key, of.id, { expiresAt, createdAt: now }));
      const buyer = { userId: null, email: 'zoe@example.com', name: 'Zoë' };
      await addOrder(stores, of, { licenseKey: key, state: 'paid', paidAt: now, buyer });
      return key;
    };
    const webhooksOf = async (key: string) =>
      (await receivedBy(stores, endpoint))
        .filter(({ event, data }) => event.startsWith('license.expir') && data.license_key === key)
        .map(({ event, data }) => (event === 'license.expired' ? 'expired' : data.days_left));
    const subjects = async () => (await stores.mails.list({ limit: 999 })).map(({ subject }) => subject).reverse();
    const find = async (key: ReturnType<typeof keyNumber>) => must(await stores.licenses.find(key));

    itLong('tell of 400 days at once: each reminder and the end, once and in order, as of its time', async () => {
      await runJobs();
      const key = await sell(now + 365 * day);
      await set(key, 400);
      await runJobs();
      const told = (await receivedBy(stores, endpoint)).filter(({ event }) => event.startsWith('license.expir'));
      expect(told.map(({ event, data }) => [event, data.days_left, data.expires_at])).to.deep.equal([
        ['license.expiring', 7, iso(now + 7 * day)],
        ['license.expiring', 1, iso(now + day)],
        ['license.expired', undefined, iso(now)],
      ]);
      const mails = await subjects();
      expect(
        mails.map((subject) => [subject.includes('7 days'), subject.includes('1 day,'), subject.includes('has ended')]),
      ).to.deep.equal([
        [true, false, false],
        [false, true, false],
        [false, false, true],
      ]);
      expect((await find(key)).license.expiresAt).to.equal(now - 35 * day);
    });

    itLong('tell the same in any steps, whenever the jobs run meanwhile', async () => {
      await runJobs();
      const step = fc.oneof(
        fc.record({ days: fc.integer({ min: 0, max: 200 }) }),
        fc.record({ hours: fc.integer({ min: 0, max: 60 }) }),
        fc.constantFrom('remind' as const, 'expire' as const),
        fc.record({ pass: fc.integer({ min: 0, max: 3 * hour }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          const sent = (await subjects()).length;
          const key = await sell(now + 365 * day);
          for (const one of steps) {
            if (one === 'remind' || one === 'expire') await jobs[one]();
            else if ('pass' in one) now += one.pass;
            else await set(key, 'days' in one ? one.days : one.hours / 24);
          }
          await set(key, 400);
          now += minute;
          await runJobs();
          expect(await webhooksOf(key)).to.deep.equal([7, 1, 'expired']);
          expect((await subjects()).length - sent).to.equal(3);
        }),
        { numRuns: runs(12) },
      );
    });

    it('tell nothing of a license that is suspended, that never ends, or that was issued for a week', async () => {
      await runJobs();
      const suspended = await sell(now + 30 * day);
      await stores.licenses.change(suspended, undefined, (one) =>
        decideTransition(one, { transition: 'suspend' }, by, now),
      );
      const perpetual = await sell(null);
      const week = await sell(now + 7 * day);
      for (const key of [suspended, perpetual, week]) await set(key, 40);
      await runJobs();
      expect(await webhooksOf(suspended)).to.deep.equal([]);
      expect(await webhooksOf(perpetual)).to.deep.equal([]);
      expect(await webhooksOf(week)).to.deep.equal([1, 'expired']);
    });

    it('move domains, other keys and periods back with the license, and nothing of another license', async () => {
      const acts = actOn(stores.licenses);
      // Of the operator: so nobody is told of the moves, which these acts describe in short.
      const ours = await addForSale(stores, { ownerId: null, isLive: false, slug: 'ours' });
      const [key, stays] = [await sell(now + 30 * day, ours), await sell(now + 30 * day, ours)];
      for (const one of [key, stays]) {
        await acts.activate(one, shop, now);
        await acts.move(one, { from: shop, to: other, overlapHours: 48 }, now);
      }
      const before = await find(stays);
      await set(key, 1);
      expect(await acts.verify(key, shop, now)).to.include({ kind: 'valid' });
      await set(key, 1);
      expect(await acts.verify(key, shop, now)).to.include({ reason: 'invalid_domain' });
      expect(await acts.verify(key, other, now)).to.include({ kind: 'valid' });
      const { license, domains } = await find(key);
      expect(license.createdAt).to.equal(now - 2 * day);
      expect(domains.map(({ activatedAt }) => activatedAt)).to.deep.equal([now - 2 * day, now - 2 * day]);
      expect(await find(stays)).to.deep.equal(before);
      const [last] = await stores.audit.list({ subject: key, limit: 1 });
      expect([last?.type, last?.data]).to.deep.equal([
        'license.clock_set',
        { advanced_days: 1, ahead_days: 2, forced: null },
      ]);
    });

    itLong('make the license API answer as they say, at once, also where it has verified before', async () => {
      const clock = createManualClock(now);
      let pauses = 0;
      const pause = async () => void pauses++;
      const licensing = createLicensing({
        store: stores.licenses,
        aliases: stores.aliases,
        ...withoutProofs,
        clock,
        pause,
      });
      const key = await sell(now + 30 * day);
      const asked = { licenseKey: key, domain: shop };
      const told = async (work: Promise<object>) => {
        try {
          const done = (await work) as { kind?: string; reason?: string; status?: string };
          return done.reason ?? done.status ?? done.kind ?? 'done';
        } catch (error) {
          if (error instanceof Forced) return error.answer;
          throw error;
        }
      };
      const answers = async () => [
        await told(licensing.verify(asked)),
        await told(licensing.activate({ licenseKey: key, domain: other })),
        await told(licensing.deactivate({ licenseKey: key, domain: other })),
        await told(licensing.status(key)),
      ];
      await licensing.activate(asked);
      const plain = ['valid', 'done', 'done', 'active'];
      expect(await answers()).to.deep.equal(plain);
      for (const [forced, expected] of [
        ['suspended', ['suspended', 'suspended', 'domain_not_found', 'suspended']],
        ['expired', ['expired', 'expired', 'domain_not_found', 'expired']],
        ['429', ['429', '429', '429', '429']],
        ['503', ['503', '503', '503', '503']],
        ['slow', plain],
        [null, plain],
      ] as const) {
        await set(key, 0, forced);
        expect(await answers(), String(forced)).to.deep.equal(expected);
        expect(pauses, String(forced)).to.equal(forced === 'slow' || forced === null ? 4 : 0);
      }
      expect((await find(key)).verifications.verificationCount).to.equal(3);
    });

    it('never make a license valid that is suspended, revoked or over', async () => {
      const key = await sell(now + 30 * day);
      const { activate, verify } = actOn(stores.licenses);
      await activate(key, shop, now);
      for (const forced of ['slow', '429', 'expired'] as const) {
        await set(key, 0, forced);
        expect(await verify(key, other, now)).to.not.include({ kind: 'valid' });
        expect(await verify(key, shop, now + 31 * day)).to.not.include({ kind: 'valid' });
        await stores.licenses.change(key, undefined, (one) =>
          decideTransition(one, { transition: 'suspend' }, by, now),
        );
        expect(await verify(key, shop, now)).to.include({ reason: 'suspended' });
        await stores.licenses.change(key, undefined, (one) =>
          decideTransition(one, { transition: 'reinstate' }, by, now),
        );
      }
    });

    itLong('are not set for live licenses and unknown keys, nor too far', async () => {
      const live = await addForSale(stores, { ownerId, isLive: true, slug: 'live' });
      await actOn(stores.licenses).issue(newLicense(keyNumber(900), live.id, { expiresAt: now + 30 * day }));
      const before = await find(keyNumber(900));
      expect(await set(keyNumber(900), 5, '503')).to.include({ reason: 'clock_not_allowed' });
      expect(await find(keyNumber(900))).to.deep.equal(before);
      expect(await set(keyNumber(901), 5)).to.include({ reason: 'invalid_key' });
      const key = await sell(now + 30 * day);
      expect(await set(key, 3_661)).to.include({ reason: 'clock_too_far' });
      for (const days of [3_660, 3_660]) expect(await set(key, days)).to.not.have.property('reason');
      expect(await set(key, 1)).to.include({ reason: 'clock_too_far' });
    });
  });
}
