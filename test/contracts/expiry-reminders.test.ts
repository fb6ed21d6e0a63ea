import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import { iso } from '../../core/iso.ts';
import { noNotes } from '../../core/licensing/license-notes.ts';
import { type ReminderDays, reminderDays } from '../../core/licensing/reminders.ts';
import { decideTransition } from '../../core/licensing/transitions.ts';
import type { MailKind } from '../../core/mail/letter.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { NewLicense } from '../../core/ports/license-store.ts';
import type { WriteLetter } from '../../core/ports/mailer.ts';
import { remindOfEnds } from '../../core/selling/reminding.ts';
import { day, hour, minute } from '../../core/time.ts';
import type { Endpoint } from '../../core/webhooks/endpoint.ts';
import { addUser, backends, openForAll, openForEach, type Stores } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { writeLetter } from '../support/letters.ts';
import { actOn, keyNumber as key, must, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addEndpoint, receivedBy } from '../support/webhooks.ts';

type Opened = Omit<Stores, 'close'>;

/** Everything that a test does with one product and its licenses. */
function actsOn(stores: Opened, product: Product) {
  const remind = (at: Instant, write: WriteLetter = writeLetter) =>
    remindOfEnds({ reminders: stores.reminders, write, clock: createManualClock(at) }, () => true);
  const issue = (n: number, expiresAt: Instant | null, fields: Partial<NewLicense> = {}) =>
    actOn(stores.licenses).issue(newLicense(key(n), product.id, { expiresAt, ...fields }));
  const sell = async (n: number, expiresAt: Instant, email = 'zoe@example.com') => {
    await issue(n, expiresAt);
    const buyer = { userId: null, email, name: 'Zoë' };
    return await addOrder(stores, product, { licenseKey: key(n), state: 'paid', paidAt: now, buyer });
  };
  const change = (n: number, act: Parameters<typeof decideTransition>[1], at: Instant) =>
    stores.licenses.change(key(n), undefined, (before) => decideTransition(before, act, by, at));
  const told = async (endpoint: Pick<Endpoint, 'id'>) =>
    (await receivedBy(stores, endpoint))
      .filter(({ event }) => event === 'license.expiring')
      .map(({ timestamp, data }) => [data.license_key, data.days_left, data.expires_at, timestamp]);
  const mailsOf = async (wanted: MailKind) =>
    (await stores.mails.list({ limit: 999 })).filter(({ kind }) => kind === wanted);
  const mails = () => mailsOf('order-license-ends');
  const endMails = () => mailsOf('order-license-ended');
  return { remind, issue, sell, change, told, mails, endMails };
}

const reminder = (n: number, days: ReminderDays, end: Instant, at: Instant) => [key(n), days, iso(end), iso(at)];

for (const backend of [...backends, ...sharedBackends]) {
  describe(`reminders of licenses that end: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    let acts: ReturnType<typeof actsOn>;
    let endpoint: Endpoint;
    beforeEach(async () => {
      ownerId = (await addUser(stores, 'Ada')).id;
      acts = actsOn(stores, await addForSale(stores, { ownerId, isLive: false }));
      endpoint = await addEndpoint(stores, ownerId);
    });

    itLong(
      'of a subscription come only if it waits for a payment, also 3 days before the end, or if it was cancelled',
      async () => {
        const { remind, sell, told, mails } = acts;
        const end = now + 60 * day;
        const facts = { id: null, payAt: null, paidTo: end - 7 * day, next: null, now: null, endedAt: null };
        const kinds = [
          { status: 'active', isCancelled: false },
          { status: 'past_due', isCancelled: false },
          { status: 'active', isCancelled: true },
        ] as const;
        for (const [n, kind] of kinds.entries()) {
          const { id } = await sell(n + 1, end);
          await stores.orders.change(id, (before) => ({
            after: { ...before, subscription: { ...facts, ...kind } },
            events: [event('subscription.changed', String(id), by, now)],
          }));
        }
        await remind(now);
        for (const days of [7, 3, 1]) await remind(end - days * day);
        const reminded = (await told(endpoint)).map(([which, days]) => [which, days]);
        expect(reminded).to.have.deep.members([2, 3].flatMap((n) => [7, 1].map((days) => [key(n), days])));
        expect(await mails()).to.have.lengthOf(5);
      },
    );

    itLong('follow the subscription that goes on, also if a later one of the license has ended', async () => {
      const { remind, sell, mails } = acts;
      const end = now + 60 * day;
      const facts = { id: null, payAt: null, paidTo: end, next: null, now: null, isCancelled: false };
      const { id } = await sell(1, end);
      const later = await addOrder(stores, await addForSale(stores, { slug: 'later' }), { renews: key(1) });
      for (const [order, status] of [
        [id, 'active'],
        [later.id, 'ended'],
      ] as const) {
        await stores.orders.change(order, (before) => ({
          after: { ...before, subscription: { ...facts, status, endedAt: status === 'ended' ? now : null } },
          events: [event('subscription.changed', String(order), by, now)],
        }));
      }
      expect((await stores.orders.findSubscription(key(1)))?.id).to.equal(id);
      await remind(now);
      for (const days of [7, 3, 1]) await remind(end - days * day);
      expect(await mails()).to.have.lengthOf(0);
    });

    itLong('come 7 days and 1 day before the end, once each, however often and by whom the job is done', async () => {
      const { remind, issue, told } = acts;
      const end = now + 30 * day;
      await remind(now);
      await issue(1, end);
      await issue(2, end);
      await issue(3, null);
      await remind(end - 8 * day);
      expect(await told(endpoint)).to.deep.equal([]);
      await Promise.all([remind(end - 7 * day), remind(end - 7 * day), remind(end - 7 * day)]);
      for (let times = 0; times < 3; times++) await remind(end - 7 * day + minute);
      const first = [1, 2].map((n) => reminder(n, 7, end, end - 7 * day));
      expect((await told(endpoint)).map((one) => one.slice(0, 3))).to.deep.equal(first.map((one) => one.slice(0, 3)));
      await Promise.all([remind(end - day), remind(end - day)]);
      await remind(end + day);
      expect(await told(endpoint)).to.have.lengthOf(4);
      expect((await told(endpoint)).slice(2)).to.deep.equal([1, 2].map((n) => reminder(n, 1, end, end - day)));
    });

    itLong('go by mail to the buyer of the order, with a link to its page, and to nobody else', async () => {
      const { remind, issue, sell, mails } = acts;
      const end = now + 30 * day;
      await remind(now);
      const order = await sell(1, end);
      await sell(2, end, 'no address');
      await issue(3, end, { notes: { ...noNotes, holder: { email: 'eve@example.com', name: 'Eve' } } });
      await remind(end - 7 * day);
      const [mail] = await mails();
      expect((await mails()).map(({ to }) => to)).to.deep.equal([{ name: 'Zoë', address: 'zoe@example.com' }]);
      expect(mail?.subject).to.include('in 7 days');
      const { text } = must(await stores.mails.find(must(mail).id));
      expect(text).to.include(order.token).and.to.include(key(1)).and.to.include('Dec 20, 2026, 08:30 UTC');
      await remind(end - day);
      expect((await mails()).map(({ subject }) => subject.includes('in 1 day,'))).to.deep.equal([true, false]);
      const history = await stores.audit.list({ subject: String(order.id), type: 'order.letter_sent', limit: 9 });
      expect(history.map(({ actor, at }) => [actor, at])).to.deep.equal([
        ['server', end - day],
        ['server', end - 7 * day],
      ]);
    });

    itLong(
      'tell the buyer by mail that the license has ended, once, and webhooks nothing: they have their own event',
      async () => {
        const { remind, sell, issue, told, endMails } = acts;
        const end = now + 30 * day;
        await remind(now);
        const order = await sell(1, end);
        await issue(2, end);
        await remind(end - day);
        const before = await told(endpoint);
        await remind(end);
        expect(await endMails()).to.deep.equal([]);
        await Promise.all([remind(end + minute), remind(end + minute), remind(end + minute)]);
        for (let times = 1; times < 4; times++) await remind(end + times * hour);
        const [mail, ...others] = await endMails();
        expect([mail?.to, others]).to.deep.equal([{ name: 'Zoë', address: 'zoe@example.com' }, []]);
        expect(mail?.subject).to.include('has ended');
        const { text } = must(await stores.mails.find(must(mail).id));
        expect(text).to.include(order.token).and.to.include(key(1)).and.to.include('Dec 20, 2026, 08:30 UTC');
        expect(text).to.include('renews');
        expect(await told(endpoint)).to.deep.equal(before);
        const [sent] = await stores.audit.list({ subject: String(order.id), type: 'order.letter_sent', limit: 9 });
        expect([sent?.actor, sent?.data]).to.deep.equal(['server', { kind: 'order-license-ended' }]);
      },
    );

    itLong('tell the buyer nothing of an end that was renewed, also after it, and of the next one again', async () => {
      const { remind, sell, change, endMails } = acts;
      const [end, later] = [now + 30 * day, now + 60 * day];
      await remind(now);
      await sell(1, end);
      await sell(2, end);
      await change(1, { transition: 'renew', expiresAt: later }, end - hour);
      await change(2, { transition: 'renew', expiresAt: later }, end + minute / 2);
      await remind(end + minute);
      expect(await endMails()).to.deep.equal([]);
      await remind(later + minute);
      expect(await endMails()).to.have.lengthOf(2);
      await change(1, { transition: 'renew', expiresAt: later + 9 * day }, later + day);
      await remind(later + 10 * day);
      expect(await endMails()).to.have.lengthOf(3);
    });

    itLong(
      'tell the buyer of an end that came while no server was running, but not of suspended and revoked licenses',
      async () => {
        const { remind, sell, change, endMails } = acts;
        const end = now + 30 * day;
        await remind(now);
        for (const n of [1, 2, 3]) await sell(n, end, `m${n}@example.com`);
        await change(1, { transition: 'suspend' }, now);
        await change(2, { transition: 'revoke' }, now);
        await remind(end + 20 * day);
        expect((await endMails()).map(({ to }) => to.address)).to.deep.equal(['m3@example.com']);
      },
    );

    itLong('come for the operator’s own products by mail', async () => {
      const { remind, sell, mails } = actsOn(stores, await addForSale(stores, { slug: 'ours', ownerId: null }));
      await remind(now);
      await sell(1, now + 30 * day);
      await remind(now + 23 * day);
      expect(await mails()).to.have.lengthOf(1);
    });

    itLong('come again before the new end of a license that was renewed', async () => {
      const { remind, issue, change, told } = acts;
      const [end, later] = [now + 30 * day, now + 60 * day];
      await remind(now);
      await issue(1, end);
      await remind(end - 7 * day);
      await change(1, { transition: 'renew', expiresAt: later }, end - 3 * day);
      await remind(end - day);
      await remind(later - 7 * day);
      await remind(later - day);
      expect(await told(endpoint)).to.deep.equal([
        reminder(1, 7, end, end - 7 * day),
        reminder(1, 7, later, later - 7 * day),
        reminder(1, 1, later, later - day),
      ]);
    });

    itLong('of 1 day come for an end that is set to three days from now, and those of 7 days do not', async () => {
      const { remind, issue, change, told } = acts;
      await remind(now);
      await issue(1, now + day / 2);
      await change(1, { transition: 'renew', expiresAt: now + 3 * day }, now + 1);
      for (let hours = 1; hours < 80; hours += 8) await remind(now + hours * hour);
      expect((await told(endpoint)).map(([, days]) => days)).to.deep.equal([1]);
    });

    itLong(
      'do not come for an end that is set nearer than what the last run looked at, whatever that run found',
      async () => {
        const { remind, issue, change, told } = acts;
        await remind(now);
        await issue(1, now + 20 * day);
        await issue(2, now + 14 * day);
        await remind(now + 15 * day);
        expect((await told(endpoint)).map(([license]) => license)).to.deep.equal([key(1)]);
        await change(2, { transition: 'renew', expiresAt: now + 21 * day }, now + 15 * day + 1);
        await remind(now + 15 * day + minute);
        expect((await told(endpoint)).map(([license]) => license)).to.deep.equal([key(1)]);
      },
    );

    itLong('do not come when a license gets its days, but when they are over', async () => {
      const { remind, issue, told } = acts;
      await remind(now);
      for (const [n, days] of [1, 2, 7, 8].entries()) await issue(n, now + days * day);
      // Its days began with its first activation.
      await issue(9, now + 7 * day, { createdAt: now - 50 * day });
      for (let minutes = 1; minutes < 60; minutes += 7) await remind(now + minutes * minute);
      expect(await told(endpoint)).to.deep.equal([]);
      for (let hours = 1; hours < 9 * 24; hours += 12) await remind(now + hours * hour);
      expect((await told(endpoint)).map(([license, days]) => [license, days])).to.deep.equal([
        [key(3), 7],
        [key(1), 1],
        [key(2), 1],
        [key(9), 1],
        [key(3), 1],
      ]);
    });

    itLong('do not come for suspended and revoked licenses', async () => {
      const { remind, sell, change, told, mails } = acts;
      const end = now + 30 * day;
      await remind(now);
      await sell(1, end);
      await sell(2, end);
      await change(1, { transition: 'suspend' }, now);
      await change(2, { transition: 'revoke' }, now);
      await remind(end - 7 * day);
      expect([await told(endpoint), await mails()]).to.deep.equal([[], []]);
      await change(1, { transition: 'reinstate' }, end - 2 * day);
      await remind(end - day);
      expect((await told(endpoint)).map(([license, days]) => [license, days])).to.deep.equal([[key(1), 1]]);
    });

    itLong('begin with the first run: nobody is told of the past', async () => {
      const { remind, sell, told, mails } = acts;
      await sell(1, now + 20 * day);
      await sell(2, now + 27 * day);
      await sell(3, now + 40 * day);
      const upgrade = now + 21 * day;
      await remind(upgrade);
      await remind(upgrade + minute);
      expect([await told(endpoint), await mails()]).to.deep.equal([[], []]);
      for (let hours = 1; hours < 20 * 24; hours += 20) await remind(upgrade + hours * hour);
      const all = [
        [key(2), 1],
        [key(3), 7],
        [key(3), 1],
      ];
      expect(await acts.endMails()).to.have.lengthOf(2);
      expect((await told(endpoint)).map(([license, days]) => [license, days])).to.deep.equal(all);
      expect(await mails()).to.have.lengthOf(3);
    });

    itLong('come late if no server was running, but not after the end', async () => {
      const { remind, issue, told } = acts;
      await remind(now);
      await issue(1, now + 20 * day);
      await issue(2, now + 24 * day);
      await issue(3, now + 20.5 * day);
      await remind(now + 20 * day);
      expect((await told(endpoint)).map(([license, days]) => [license, days])).to.deep.equal([
        [key(2), 7],
        [key(3), 1],
      ]);
    });

    itLong('of more licenses than one transaction has come once, also if a letter fails again and again', async () => {
      const { remind, sell, told, mails } = acts;
      const end = now + 30 * day;
      await remind(now);
      for (let n = 0; n < 120; n++) await sell(n, end + Math.floor(n / 70), `m${n}@example.com`);
      let letters = 0;
      const failing: WriteLetter = (letter) => {
        if (++letters % 70 === 0) throw new Error('The process stops here.');
        return writeLetter(letter);
      };
      let failures = 0;
      for (let run = 0; run < 6; run++) {
        await Promise.all(
          [1, 2, 3].map(() =>
            remind(end - 7 * day, failing).catch(() => {
              failures++;
            }),
          ),
        );
      }
      await remind(end - 7 * day);
      expect(failures).to.be.greaterThan(0);
      const keys = Array.from({ length: 120 }, (_, n) => key(n));
      expect((await told(endpoint)).map(([license]) => license).toSorted()).to.deep.equal(keys.toSorted());
      expect(new Set((await mails()).map(({ to }) => to.address)).size).to.equal(120);
      expect(await mails()).to.have.lengthOf(120);
    });
  });

  describe(`reminders after any changes, at any times: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let acts: ReturnType<typeof actsOn>;
    let endpoint: Endpoint;
    before(async () => {
      const { id: ownerId } = await addUser(stores, 'Ada');
      acts = actsOn(stores, await addForSale(stores, { ownerId, isLive: false }));
      endpoint = await addEndpoint(stores, ownerId);
    });

    itLong('come exactly once for each end that became due while the license was active', async () => {
      const license = fc.nat(2);
      const act = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record({
            kind: fc.constant('renew' as const),
            license,
            hours: fc.integer({ min: 1, max: 400 }),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constantFrom('suspend' as const, 'reinstate' as const), license }),
        },
        {
          weight: 6,
          arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 }) }),
        },
        {
          weight: 6,
          arbitrary: fc.record({ kind: fc.constant('run' as const), jobs: fc.integer({ min: 1, max: 3 }) }),
        },
      );
      const lives = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 1, max: 400 })));
      // Times are whole hours and ends half hours, so that no end is near the border of what is due.
      let at = now;
      let first = 1;
      let runAt = now;
      await acts.remind(now);
      await fc.assert(
        fc.asyncProperty(lives, fc.array(act, { maxLength: 40 }), async (hours, steps) => {
          const own = hours.map((life, n) => ({
            n: first + n,
            ...{ createdAt: at, expiresAt: at + (life - 0.5) * hour, isActive: true },
          }));
          first += own.length;
          for (const { n, expiresAt, createdAt } of own) await acts.issue(n, expiresAt, { createdAt });
          const expected: unknown[] = [];
          for (const step of steps) {
            switch (step.kind) {
              case 'wait':
                at += step.hours * hour;
                break;
              case 'renew': {
                const one = must(own[step.license]);
                const expiresAt = at + (step.hours - 0.5) * hour;
                if (!one.isActive || expiresAt <= one.expiresAt) break;
                await acts.change(one.n, { transition: 'renew', expiresAt }, at);
                one.expiresAt = expiresAt;
                break;
              }
              case 'suspend':
              case 'reinstate': {
                const one = must(own[step.license]);
                const isChange = one.isActive === (step.kind === 'suspend') && one.expiresAt > at;
                if (!isChange) break;
                await acts.change(one.n, { transition: step.kind }, at);
                one.isActive = !one.isActive;
                break;
              }
              case 'run': {
                for (const days of reminderDays) {
                  const became = own.filter(({ expiresAt }) => {
                    const left = expiresAt - days * day;
                    return left > runAt && left <= at;
                  });
                  for (const { n, expiresAt, createdAt, isActive } of became) {
                    const isInTime = expiresAt - at > { 7: day, 1: 0 }[days];
                    if (isActive && isInTime && expiresAt - createdAt > days * day) {
                      expected.push([key(n), days, iso(expiresAt)]);
                    }
                  }
                }
                runAt = at;
                await Promise.all(Array.from({ length: step.jobs }, () => acts.remind(at)));
              }
            }
          }
          // The licenses of this run end before those of the next one.
          at = Math.max(at, ...own.map(({ expiresAt }) => expiresAt + hour / 2)) + day;
          runAt = at;
          const keys = own.map(({ n }) => key(n));
          const told = (await acts.told(endpoint)).filter(([license]) => keys.includes(license as never));
          const sorted = (all: readonly unknown[]) => all.map(String).toSorted();
          expect(sorted(told.map((one) => one.slice(0, 3)))).to.deep.equal(sorted(expected));
          await acts.remind(at);
          const after = (await acts.told(endpoint)).filter(([license]) => keys.includes(license as never));
          expect(after).to.deep.equal(told);
        }),
        { numRuns: 15, endOnFailure: true },
      );
    });
  });
}
