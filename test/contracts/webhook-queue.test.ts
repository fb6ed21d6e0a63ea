import { expect } from 'chai';
import type { UserId } from '../../core/id.ts';
import type { Turn } from '../../core/ports/webhook-queue.ts';
import { type Endpoint, healthy } from '../../core/webhooks/endpoint.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { actOn, keyNumber, must, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { newMail } from '../support/mails.ts';
import { itLong } from '../support/required-service.ts';
import {
  addEndpoint,
  addProductOf,
  addSamples,
  attempted,
  idsOf,
  noted,
  refusedAttempt,
  settled,
  turnResult,
} from '../support/webhooks.ts';

const lease = 60_000;

for (const backend of backends) {
  describe(`webhook queue: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    beforeEach(async () => {
      ownerId = (await addUser(stores, 'Ada')).id;
    });
    const claim = (at = now, most = 9) => stores.webhookQueue.claim({ now: at, until: at + lease, most });
    const due = (turn: Turn, at = now, limit = 99) => stores.webhookQueue.due(turn, at, limit);
    const find = async ({ id }: Pick<Endpoint, 'id'>) => must(await stores.webhooks.find(id));
    /** Sends everything that is due, and gives the turn back. */
    const deliver = async (turn: Turn, at = now) =>
      stores.webhookQueue.settle(turn, turnResult({ settled: (await due(turn, at)).map((one) => settled(one)) }));

    it('claims an endpoint as soon as a delivery is due, for one claimer only', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addEndpoint(stores, ownerId);
      expect(await claim()).to.deep.equal([]);
      await addSamples(stores, endpoint, 2);
      expect(await claim(now - 1)).to.deep.equal([]);
      expect(await claim()).to.deep.equal([{ endpoint, number: 1, until: now + lease }]);
      expect(await claim()).to.deep.equal([]);
    });

    it('returns what is due with the very body that is stored, that which is due for longest first', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      const late = await addSamples(stores, endpoint, 2, now + 5);
      const early = await addSamples(stores, endpoint, 2, now);
      const later = await addSamples(stores, endpoint, 1, now + 6);
      const [turn] = await claim(now + 5);
      const all = await due(must(turn), now + 5);
      expect(all).to.deep.equal(
        [...early, ...late].map(({ id, eventId, body }) => ({ id, eventId, body, attempt: 1, made: 0 })),
      );
      expect(await due(must(turn), now + 5, 3)).to.deep.equal(all.slice(0, 3));
      expect((await due(must(turn), now + 6)).at(-1)?.id).to.equal(later[0]?.id);
    });

    it('claims first whose last turn is longest ago, and no more than asked for', async () => {
      const endpoints = [];
      for (let n = 0; n < 3; n++) endpoints.push(await addEndpoint(stores, ownerId));
      for (const endpoint of endpoints) await addSamples(stores, endpoint, 1);
      const ids = endpoints.map(({ id }) => id);
      const first = await claim(now, 2);
      expect(idsOf(first)).to.deep.equal(ids.slice(0, 2));
      for (const turn of first) await stores.webhookQueue.settle(turn, turnResult());
      expect(idsOf(await claim(now + 1, 1))).to.deep.equal([ids[2]]);
      expect(idsOf(await claim(now + 2, 1))).to.deep.equal([ids[0]]);
    });

    it('stores each result with its attempt, and what follows', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      const samples = await addSamples(stores, endpoint, 3);
      const [turn] = await claim();
      const [good, again, lost] = await due(must(turn));
      const answer = { status: 503, headers: { 'retry-after': '9' }, body: 'Später "mehr"' };
      const busy = attempted({ answer, fault: 'status', detail: 'It answered 503.', duration: 7 });
      const result = turnResult({
        settled: [
          settled(must(good), attempted(), { state: 'delivered' }, now + 1),
          settled(must(again), busy, { state: 'waiting', due: now + 500 }, now + 2),
          settled(must(lost), refusedAttempt, { state: 'failed' }, now + 3),
        ],
      });
      expect(await stores.webhookQueue.settle(must(turn), result)).to.equal(true);
      const found = await Promise.all(samples.map(({ id }) => stores.webhooks.findDelivery(id)));
      const { retryAfter: _, ...stored } = busy;
      expect(found.map((one) => [one?.state, one?.attempts, one?.dueAt, one?.fault])).to.deep.equal([
        ['delivered', 1, null, null],
        ['waiting', 1, now + 500, 'status'],
        ['failed', 1, null, 'refused'],
      ]);
      expect(found[1]?.history).to.deep.equal([{ ...stored, number: 1, at: now + 2 }]);
      expect(await claim(now + 499)).to.deep.equal([]);
      const [next] = await claim(now + 500);
      expect(await due(must(next), now + 500)).to.deep.equal([{ ...must(again), attempt: 2, made: 1 }]);
    });

    it('stores health and news in the same transaction, and nothing of them without the turn', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      const health = { failingSince: now + 1, failedAt: now + 2, warnedAt: now + 3 };
      const notice = { userId: ownerId, notice: { kind: 'password_changed' }, createdAt: now } as const;
      const news = { letters: [newMail(now)], notices: [notice] };
      const broken = { ...news, letters: [{ ...newMail(now), subject: null as never }] };
      await stores.webhookQueue.settle(must(turn), turnResult({ health, news: broken })).catch(() => undefined);
      expect(await find(endpoint)).to.deep.equal(endpoint);
      expect(await stores.webhookQueue.settle({ ...must(turn), number: 9 }, turnResult({ health, news }))).to.equal(
        false,
      );
      expect(await stores.mails.list({ limit: 9 })).to.deep.equal([]);
      expect(await stores.webhookQueue.settle(must(turn), turnResult({ health, news }))).to.equal(true);
      expect(await find(endpoint)).to.deep.equal({ ...endpoint, health });
      expect(await stores.mails.list({ limit: 9 })).to.have.lengthOf(1);
      expect(await stores.notifications.countUnread(ownerId, 9)).to.equal(1);
    });

    it('keeps a turn that is settled with a new end, and frees it otherwise', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      expect(await stores.webhookQueue.settle(must(turn), turnResult(), now + 500)).to.equal(true);
      expect(await claim(now + 499)).to.deep.equal([]);
      expect(await stores.webhookQueue.settle(must(turn), turnResult())).to.equal(true);
      expect((await claim()).map(({ number }) => number)).to.deep.equal([2]);
    });

    it('gives the turn to another process when the lease ends, and then refuses the late result', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      const [sample] = await addSamples(stores, endpoint, 1);
      const [slow] = await claim();
      const [delivery] = await due(must(slow));
      expect(await claim(now + lease - 1)).to.deep.equal([]);
      const [next] = await claim(now + lease);
      const late = turnResult({
        settled: [settled(must(delivery), refusedAttempt, { state: 'failed' })],
        health: { ...healthy, failedAt: now },
      });
      expect(await stores.webhookQueue.settle(must(slow), late)).to.equal(false);
      expect(await stores.webhooks.findDelivery(must(sample).id)).to.deep.equal(sample);
      expect(await find(endpoint)).to.deep.equal(endpoint);
      expect(await deliver(must(next))).to.equal(true);
      expect(await stores.webhooks.findDelivery(must(sample).id)).to.include({ state: 'delivered', attempts: 1 });
    });

    it('claims no endpoint that is off, and its deliveries wait until it is on again', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      expect(await stores.webhookQueue.settle(must(turn), turnResult({ isOff: true }))).to.equal(true);
      expect(await find(endpoint)).to.include({ off: 'failures' });
      expect(await claim()).to.deep.equal([]);
      expect(await stores.webhookQueue.backlog(now)).to.deep.equal({ count: 0, oldest: null });
      await stores.webhooks.change(endpoint.id, (before) => ({ after: { ...before, off: null }, event: noted() }));
      expect(idsOf(await claim())).to.deep.equal([endpoint.id]);
    });

    it('leaves the health of an endpoint as people left it during the turn, and stores the attempts', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      const [sample] = await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      const [delivery] = await due(must(turn));
      const changed = await stores.webhooks.change(endpoint.id, (before) => ({
        after: { ...before, off: 'seller', updatedAt: now + 1 },
        event: noted(),
      }));
      const result = turnResult({
        settled: [settled(must(delivery))],
        health: { ...healthy, failedAt: 1 },
        isOff: true,
      });
      expect(await stores.webhookQueue.settle(must(turn), result)).to.equal(true);
      expect(await find(endpoint)).to.deep.equal(changed);
      expect(await stores.webhooks.findDelivery(must(sample).id)).to.include({ state: 'delivered' });
    });

    it('tells no news of a health that it does not store', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      const [delivery] = await due(must(turn));
      await stores.webhooks.change(endpoint.id, (before) => ({
        after: { ...before, description: 'Another', updatedAt: now + 1 },
        event: noted(),
      }));
      const failed = settled(must(delivery), refusedAttempt, { state: 'failed' });
      const result = turnResult({ settled: [failed], isOff: true, news: { letters: [newMail(now)] } });
      expect(await stores.webhookQueue.settle(must(turn), result)).to.equal(true);
      expect(await find(endpoint)).to.include({ off: null });
      expect(await stores.mails.list({ limit: 9 })).to.deep.equal([]);
    });

    it('tells news once, if a result is stored again because its first commit was unclear', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      const [delivery] = await due(must(turn));
      const failed = settled(must(delivery), refusedAttempt, { state: 'failed' });
      const health = { ...healthy, failedAt: now };
      const result = turnResult({ settled: [failed], health, news: { letters: [newMail(now)] } });
      for (const _ of [1, 2]) expect(await stores.webhookQueue.settle(must(turn), result)).to.equal(true);
      expect(await find(endpoint)).to.deep.include({ health });
      expect(await stores.mails.list({ limit: 9 })).to.have.lengthOf(1);
    });

    it('claims no endpoint of a suspended account, and its deliveries wait', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const suspendAt = async (suspendedAt: number | null) =>
        await stores.accounts.change(ownerId, (before) => ({ after: { ...before, suspendedAt }, event: noted() }));
      await suspendAt(now);
      expect(await claim()).to.deep.equal([]);
      expect(await stores.webhookQueue.backlog(now)).to.deep.equal({ count: 0, oldest: null });
      await suspendAt(null);
      expect(idsOf(await claim())).to.deep.equal([endpoint.id]);
    });

    it('stores nothing about an endpoint that was removed during the turn', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      await stores.webhooks.remove(endpoint.id, noted());
      expect(await deliver(must(turn))).to.equal(false);
      expect(await claim(now + lease)).to.deep.equal([]);
      expect(await stores.webhookQueue.backlog(now)).to.deep.equal({ count: 0, oldest: null });
    });

    it('may get the result of a delivery that was deleted meanwhile', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      const [old] = await addSamples(stores, endpoint, 1, now - 5);
      const [young] = await addSamples(stores, endpoint, 1);
      const [turn] = await claim();
      const both = await due(must(turn));
      expect(both).to.have.lengthOf(2);
      await stores.webhooks.forget(now);
      const result = turnResult({ settled: both.map((one) => settled(one)) });
      expect(await stores.webhookQueue.settle(must(turn), result)).to.equal(true);
      expect(await stores.webhooks.findDelivery(must(old).id)).to.equal(undefined);
      expect(await stores.webhooks.findDelivery(must(young).id)).to.include({ state: 'delivered' });
    });

    it('reports what is due, and since when', async () => {
      const endpoint = await addEndpoint(stores, ownerId);
      await addSamples(stores, endpoint, 2, now - 3);
      await addSamples(stores, endpoint, 1, now);
      await addSamples(stores, endpoint, 1, now + 1);
      expect(await stores.webhookQueue.backlog(now)).to.deep.equal({ count: 3, oldest: now - 3 });
    });

    it('counts the successes and failures of all endpoints in each hour', async () => {
      const hour = 3_600_000;
      const start = now - (now % hour) + 50 * hour;
      for (const [at, count, fault] of [
        [start, 2, null],
        [start + hour - 1, 1, 'timeout'],
        [start + hour, 1, null],
      ] as const) {
        const endpoint = await addEndpoint(stores, ownerId);
        await addSamples(stores, endpoint, count, at);
        const [turn] = await claim(at);
        const some = (await due(must(turn), at)).map((one) => ({ ...settled(one, attempted({ fault })), at }));
        await stores.webhookQueue.settle(must(turn), turnResult({ settled: some }));
      }
      expect(await stores.webhookQueue.attemptsByHour(start + 5)).to.deep.equal([
        { hour: start, delivered: 2, failed: 1 },
        { hour: start + hour, delivered: 1, failed: 0 },
      ]);
      expect(await stores.webhookQueue.attemptsByHour(start + 2 * hour)).to.deep.equal([]);
    });

    itLong('gives every endpoint to one of several claimers at a time, and every delivery once', async () => {
      const endpoints = await Promise.all(Array.from({ length: 12 }, () => addEndpoint(stores, ownerId)));
      for (const endpoint of endpoints) await addSamples(stores, endpoint, 5);
      const held = new Set<number>();
      const sent: number[] = [];
      const claimer = async () => {
        for (;;) {
          const turns = await claim(now, 3);
          if (turns.length === 0) return;
          for (const id of idsOf(turns)) {
            expect(held.has(id), `${id} is claimed twice`).to.equal(false);
            held.add(id);
          }
          for (const turn of turns) {
            const some = await due(turn, now, 2);
            sent.push(...some.map(({ id }) => id));
            held.delete(turn.endpoint.id);
            await stores.webhookQueue.settle(turn, turnResult({ settled: some.map((one) => settled(one)) }));
          }
        }
      };
      await Promise.all([claimer(), claimer(), claimer()]);
      expect(new Set(sent).size).to.equal(60);
      expect(sent).to.have.lengthOf(60);
      expect(await stores.webhookQueue.backlog(now)).to.deep.equal({ count: 0, oldest: null });
    });

    /** Six endpoints hear that 200 licenses have expired: so many that they are not added at once. */
    async function expireMany(): Promise<{ endpoints: Endpoint[]; count: number }> {
      const productId = await addProductOf(stores, ownerId);
      const endpoints: Endpoint[] = [];
      for (let n = 0; n < 6; n++) endpoints.push(await addEndpoint(stores, ownerId, { events: ['license.expired'] }));
      await stores.expiries.tell(now, now);
      const keys = Array.from({ length: 200 }, (_, n) => keyNumber(n));
      await actOn(stores.licenses).issue(...keys.map((key) => newLicense(key, productId, { expiresAt: now + 1 })));
      await stores.expiries.tell(now + 1, now + 1);
      return { endpoints, count: keys.length };
    }
    const later = now + 2;
    const spreadAll = async () => {
      while (await stores.webhookQueue.spread());
    };

    itLong(
      'adds the deliveries of a large change after its commit, each once, with several processes at it',
      async () => {
        const { endpoints, count } = await expireMany();
        const [removed, ...kept] = endpoints;
        expect(await claim(later)).to.deep.equal([]);
        expect(await stores.webhookQueue.backlog(later)).to.deep.equal({ count: 6 * count, oldest: now + 1 });
        await stores.webhooks.remove(must(removed).id, noted());

        await Promise.all([spreadAll(), spreadAll(), spreadAll()]);
        expect(idsOf(await claim(later))).to.deep.equal(kept.map(({ id }) => id));
        expect(await stores.webhookQueue.backlog(later)).to.deep.equal({ count: 5 * count, oldest: now + 1 });
        for (const { id: endpointId } of kept) {
          const told = await stores.webhooks.listDeliveries({ endpointId, limit: 9_999 });
          expect(told).to.have.lengthOf(count);
          expect(new Set(told.map(({ eventId }) => eventId)).size).to.equal(count);
        }
      },
    );

    it('lets a large change wait for its own deliveries, and not for those of others', async () => {
      const { count } = await expireMany();
      const otherId = (await addUser(stores, 'Grace')).id;
      const productId = await addProductOf(stores, otherId);
      for (let n = 0; n < 6; n++) await addEndpoint(stores, otherId, { events: ['license.issued'] });
      const own = Array.from({ length: 200 }, (_, n) => newLicense(keyNumber(1_000 + n), productId));
      await actOn(stores.licenses).issue(...own);
      // Due are only those that are added.
      const claimed = await claim(later);
      expect(claimed).to.have.lengthOf(6);
      for (const { endpoint } of claimed) expect(endpoint.ownerId).to.equal(otherId);
      expect(await stores.webhookQueue.backlog(later)).to.deep.include({ count: 6 * count + 6 * own.length });
    });

    itLong('adds no deliveries of events that were forgotten', async () => {
      await expireMany();
      await stores.webhooks.forget(later);
      await spreadAll();
      expect(await claim(later)).to.deep.equal([]);
      expect(await stores.webhookQueue.backlog(later)).to.deep.equal({ count: 0, oldest: null });
    });
  });
}
