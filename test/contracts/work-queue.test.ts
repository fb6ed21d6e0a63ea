import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { Order } from '../../core/purchases/order.ts';
import { lease, type Outcome, type Work } from '../../core/work/work.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addMails, newMail, subjectsOf } from '../support/mails.ts';
import { addForSale, addOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';

const nothing = { count: 0, oldest: null };

for (const backend of backends) {
  describe(`work queue: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const claim = (at: number, most = 100) => stores.work.claim({ now: at, until: at + lease, most });
    const settle = (works: readonly Work[], outcome: Outcome, at = now) =>
      stores.work.settle(works.map((work) => ({ work, outcome, at })));
    const sent: Outcome = { kind: 'done', result: 'sent' };

    it('returns work as soon as it is due, to one claimer only', async () => {
      const ids = await addMails(stores, 3, now);
      expect(await claim(now - 1)).to.deep.equal([]);
      const claimed = await claim(now);
      expect(subjectsOf(claimed)).to.deep.equal(ids);
      expect(claimed.map(({ kind, attempt }) => ({ kind, attempt }))).to.deep.equal(
        ids.map(() => ({ kind: 'mail', attempt: 1 })),
      );
      expect(await claim(now)).to.deep.equal([]);
    });

    it('returns what has been due for longest first, and no more than asked for', async () => {
      const late = await addMails(stores, 2, now + 20);
      const early = await addMails(stores, 2, now + 10);
      expect(subjectsOf(await claim(now + 30, 3))).to.have.members([...early, late[0]]);
      expect(subjectsOf(await claim(now + 30, 3))).to.deep.equal([late[1]]);
    });

    it('returns only the work on one object if asked, and only while nobody does it', async () => {
      const [, second = 0] = await addMails(stores, 3, now);
      const only = { kind: 'mail', subjectId: second } as const;
      const wanted = { now, until: now + lease, most: 9, only };
      expect(subjectsOf(await stores.work.claim(wanted))).to.deep.equal([second]);
      expect(await stores.work.claim(wanted)).to.deep.equal([]);
      expect(await claim(now)).to.have.lengthOf(2);
    });

    it('returns only work of the wanted kinds, though other work has been due for longer', async () => {
      await addMails(stores, 3, now);
      const order = await addOrder(stores, await addForSale(stores));
      await stores.orders.lookAt(order.id, now + 5);
      const wanted = { now: now + 999, until: now + 999 + lease, most: 1 };
      const looks = await stores.work.claim({ ...wanted, kinds: ['order'] });
      expect(looks.map(({ kind, subjectId }) => [kind, subjectId])).to.deep.equal([['order', order.id]]);
      expect(await stores.work.claim({ ...wanted, most: 9, kinds: ['order', 'deployment'] })).to.deep.equal([]);
      expect(await stores.work.claim({ ...wanted, most: 9, kinds: ['mail'] })).to.have.lengthOf(3);
    });

    it('returns work again when the lease ends, with the next number, and ignores the late result of the first', async () => {
      const [id] = await addMails(stores, 1, now);
      const [first] = await claim(now);
      expect(await claim(now + lease - 1)).to.deep.equal([]);
      const [second] = await claim(now + lease);
      expect([first?.attempt, second?.attempt, second?.subjectId]).to.deep.equal([1, 2, id]);
      await settle([must(first)], { kind: 'failed', error: 'late' });
      expect(await stores.mails.find(must(id))).to.include({ state: 'queued', error: null, dueAt: now + 2 * lease });
      await settle([must(second)], sent);
      expect(await stores.mails.find(must(id))).to.include({ state: 'sent', error: null, attempts: 2, dueAt: null });
    });

    it('stores the results of a batch, each in its own mail', async () => {
      const ids = await addMails(stores, 6, now);
      const works = await claim(now);
      const outcomes: Outcome[] = [
        sent,
        { kind: 'failed', error: 'no such user' },
        { kind: 'again', error: 'busy', due: now + 500 },
        { kind: 'given back' },
        { kind: 'done', result: 'kept' },
        sent,
      ];
      await stores.work.settle(works.map((work, n) => ({ work, outcome: must(outcomes[n]), at: now + 7 + n })));
      const found = await Promise.all(ids.map((id) => stores.mails.find(id)));
      expect(
        found.map((mail) => [mail?.state, mail?.error, mail?.attempts, mail?.settledAt, mail?.dueAt]),
      ).to.deep.equal([
        ['sent', null, 1, now + 7, null],
        ['failed', 'no such user', 1, now + 8, null],
        ['queued', 'busy', 1, null, now + 500],
        ['queued', null, 0, null, now + 10],
        ['kept', null, 1, now + 11, null],
        ['sent', null, 1, now + 12, null],
      ]);
      expect(await claim(now + 499)).to.have.lengthOf(1);
      expect((await claim(now + 500)).map(({ subjectId, attempt }) => [subjectId, attempt])).to.deep.equal([
        [ids[2], 2],
      ]);
    });

    it('counts an attempt that was given back as none', async () => {
      await addMails(stores, 1, now);
      await settle(await claim(now), { kind: 'given back' });
      expect((await claim(now)).map(({ attempt }) => attempt)).to.deep.equal([1]);
    });

    it('may store the same results twice', async () => {
      const [id] = await addMails(stores, 1, now);
      const works = await claim(now);
      await settle(works, { kind: 'again', error: 'busy', due: now + 9 });
      await settle(works, { kind: 'again', error: 'busy', due: now + 9 });
      expect(await stores.mails.find(must(id))).to.include({ attempts: 1, dueAt: now + 9 });
      const again = await claim(now + 9);
      await settle(again, sent);
      await settle(again, sent, now + 99);
      expect(await stores.mails.find(must(id))).to.include({ state: 'sent', settledAt: now });
    });

    describe('looks at orders', () => {
      const look = async (order: Order, at: number) => {
        const [work, ...more] = (await claim(at)).filter(({ subjectId }) => subjectId === order.id);
        expect(more).to.deep.equal([]);
        return work;
      };
      const addOne = async () => addOrder(stores, await addForSale(stores), { createdAt: now - 5 });

      it('are one piece of work for each order, due at the earliest time that anybody wanted', async () => {
        const order = await addOne();
        for (const at of [now + 9, now + 3, now + 7]) await stores.orders.lookAt(order.id, at);
        const first = await look(order, now);
        expect(first).to.include({ kind: 'order', attempt: 1 });
        await settle([must(first)], { kind: 'done', result: 'seen' });
        expect(await look(order, now + lease)).to.equal(undefined);
        for (const at of [now + 9, now + 3, now + 7]) await stores.orders.lookAt(order.id, at);
        expect(await look(order, now + 2)).to.equal(undefined);
        expect(await look(order, now + 3)).to.include({ attempt: 1 });
        expect(await look(order, now + 9)).to.equal(undefined);
      });

      it('are made again if somebody wants one while another one runs', async () => {
        const order = await addOne();
        const running = must(await look(order, now));
        await stores.orders.lookAt(order.id, now + 1);
        const second = must(await look(order, now + 1));
        for (const outcome of [
          { kind: 'done', result: 'seen' },
          { kind: 'later', due: now + 5 },
        ] as const) {
          await settle([running], outcome);
        }
        expect(await look(order, now + 5)).to.equal(undefined);
        await settle([second], { kind: 'done', result: 'seen' });
        expect(await look(order, now + 9 * lease)).to.equal(undefined);
      });

      it('come back later as new work, and are no backlog until then', async () => {
        const order = await addOne();
        const first = must(await look(order, now));
        await settle([first], { kind: 'later', due: now + 500 });
        expect(await stores.work.backlog(now + 499)).to.deep.equal({
          mail: nothing,
          order: nothing,
          deployment: nothing,
          usdc: nothing,
        });
        expect(await stores.work.backlog(now + 500)).to.deep.equal({
          deployment: nothing,
          usdc: nothing,
          mail: nothing,
          order: { count: 1, oldest: now + 500 },
        });
        expect(await look(order, now + 499)).to.equal(undefined);
        expect(await look(order, now + 500)).to.include({ attempt: 1 });
      });
    });

    it('reports how much is unfinished, and since when', async () => {
      expect(await stores.work.backlog(now + 99)).to.deep.equal({
        mail: nothing,
        order: nothing,
        deployment: nothing,
        usdc: nothing,
      });
      await addMails(stores, 2, now + 5);
      await addMails(stores, 1, now + 3);
      const [first] = await claim(now + 3);
      expect(await stores.work.backlog(now + 99)).to.deep.equal({
        mail: { count: 3, oldest: now + 3 },
        order: nothing,
        deployment: nothing,
        usdc: nothing,
      });
      await settle([must(first)], sent);
      expect(await stores.work.backlog(now + 99)).to.deep.equal({
        mail: { count: 2, oldest: now + 5 },
        order: nothing,
        deployment: nothing,
        usdc: nothing,
      });
    });

    itLong('gives every row to exactly one of several claimers at the same time', async () => {
      const ids = await addMails(stores, 200, now);
      const claimer = async () => {
        const got: Work[] = [];
        for (;;) {
          const some = await claim(now, 7);
          if (some.length === 0) return got;
          got.push(...some);
          await settle(some, sent);
        }
      };
      const all = (await Promise.all([claimer(), claimer(), claimer()])).flat();
      expect(subjectsOf(all).toSorted((one, other) => one - other)).to.deep.equal(ids);
      expect(await stores.work.backlog(now + 99)).to.deep.equal({
        mail: nothing,
        order: nothing,
        deployment: nothing,
        usdc: nothing,
      });
    });

    it('has no work for a mail whose change was rolled back', async () => {
      const broken = { ...event('mail.tested', 'x', by, now), type: null as never };
      const failed = await stores.mails.add(newMail(now), broken).catch(() => 'failed');
      expect(failed).to.equal('failed');
      expect(await claim(now)).to.deep.equal([]);
      expect(await stores.mails.list({ limit: 9 })).to.deep.equal([]);
    });
  });
}
