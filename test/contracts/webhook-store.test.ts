import { expect } from 'chai';
import { toDeliveryId, toWebhookId, type UserId } from '../../core/id.ts';
import type { SettledDelivery } from '../../core/ports/webhook-queue.ts';
import { isRefused } from '../../core/refusal.ts';
import { keptAttempts, mostAttempts } from '../../core/webhooks/delivery.ts';
import { type Endpoint, endpointLimits, type SealedSecret } from '../../core/webhooks/endpoint.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { actOn, addProduct, keyNumber, must, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import {
  addEndpoint,
  addProductOf,
  addSamples,
  attempted,
  idsOf,
  newEndpoint,
  noted,
  receivedBy,
  refusedAttempt,
  sampleEvent,
  settled,
  turnResult,
} from '../support/webhooks.ts';

const hour = 3_600_000;
const unknown = toWebhookId(4_000_000_000);

for (const backend of backends) {
  describe(`webhook store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    beforeEach(async () => {
      ownerId = (await addUser(stores, 'Ada')).id;
    });
    const events = async () => (await stores.audit.list({ limit: 99 })).filter(({ type }) => type === 'mail.tested');
    const list = (filter: object = {}) =>
      stores.webhooks.list({ isLive: false, ownerId, limit: 99, ...filter }).then((all) => all.map(({ id }) => id));

    /** Makes an attempt at each waiting delivery of the endpoint. */
    async function attemptAll(
      how: (n: number) => Pick<SettledDelivery, 'attempted' | 'next'>,
      at = now,
    ): Promise<void> {
      const [turn] = await stores.webhookQueue.claim({ now: at, until: at + 1, most: 1 });
      const all = await stores.webhookQueue.due(must(turn), at, 999);
      const results = all.map((one, n) => ({ ...settled(one, undefined, undefined, at), ...how(n) }));
      await stores.webhookQueue.settle(must(turn), turnResult({ settled: results }));
    }
    const succeed = () => ({ attempted: attempted(), next: { state: 'delivered' } }) as const;
    const fail = () => ({ attempted: refusedAttempt, next: { state: 'failed' } }) as const;

    describe('endpoints', () => {
      it('are found as they were added and changed, with the events of both', async () => {
        const productId = await addProduct(stores.products);
        const fields = newEndpoint(ownerId, { events: ['license.issued', 'license.verified'], productId });
        const added = await stores.webhooks.add(fields, noted());
        if (isRefused(added)) throw new Error(added.detail);
        expect(added).to.deep.equal({ ...fields, id: added.id });
        expect(await stores.webhooks.find(added.id)).to.deep.equal(added);
        const after: Endpoint = {
          ...added,
          url: 'https://other.example/',
          description: '',
          events: '*',
          productId: null,
          secret: 'sealed-2' as SealedSecret,
          oldSecret: null,
          off: 'seller',
          health: { failingSince: 1, failedAt: 2, warnedAt: 3 },
          updatedAt: now + 7,
        };
        expect(await stores.webhooks.change(added.id, () => ({ after, event: noted() }))).to.deep.equal(after);
        expect(await stores.webhooks.find(added.id)).to.deep.equal(after);
        expect(await events()).to.have.lengthOf(2);
      });

      it('are unknown by the id of no endpoint', async () => {
        for (const id of [toWebhookId(999), unknown]) {
          expect(await stores.webhooks.find(id)).to.equal(undefined);
          expect(await stores.webhooks.change(id, () => expect.fail())).to.equal(undefined);
          expect(await stores.webhooks.remove(id, noted())).to.equal(false);
          expect(await stores.webhooks.listDeliveries({ endpointId: id, limit: 9 })).to.deep.equal([]);
          expect(await stores.webhooks.replay(id, 0, noted())).to.equal(0);
          expect(await stores.webhooks.attemptsByHour(id, 0)).to.deep.equal([]);
          expect(await stores.webhooks.faultsSince(id, 0)).to.deep.equal([]);
        }
        expect(await events()).to.deep.equal([]);
      });

      it('are listed newest first, by mode, of one owner or of all, page by page', async () => {
        const other = (await addUser(stores, 'Bob')).id;
        const ids = [];
        for (const owner of [ownerId, other, ownerId, ownerId]) ids.push((await addEndpoint(stores, owner)).id);
        const live = await addEndpoint(stores, ownerId, { isLive: true });
        expect(await list()).to.deep.equal([ids[3], ids[2], ids[0]]);
        expect(await list({ limit: 1, before: ids[3] })).to.deep.equal([ids[2]]);
        expect(await list({ ownerId: undefined, before: unknown })).to.deep.equal(ids.toReversed());
        expect(await list({ ownerId: undefined, isLive: true })).to.deep.equal([live.id]);
      });

      itLong('are at most so many for each account and mode, also if they are added at the same time', async () => {
        const most = endpointLimits.perAccount;
        const add = () => stores.webhooks.add(newEndpoint(ownerId), noted());
        const answers = await Promise.all(Array.from({ length: most + 3 }, add));
        expect(answers.filter((answer) => !isRefused(answer))).to.have.lengthOf(most);
        expect(answers.flatMap((answer) => (isRefused(answer) ? answer.reason : []))).to.deep.equal(
          Array(3).fill('too_many_webhooks'),
        );
        expect(await list()).to.have.lengthOf(most);
        expect(await events()).to.have.lengthOf(most);
        await addEndpoint(stores, ownerId, { isLive: true });
        const [first] = await list();
        await stores.webhooks.remove(must(first), noted());
        expect(isRefused(await add())).to.equal(false);
      });

      it('that are off get no event, and none of that time when they are on again', async () => {
        const productId = await addProductOf(stores, ownerId);
        const issue = (n: number) => actOn(stores.licenses).issue(newLicense(keyNumber(n), productId));
        const { id } = await addEndpoint(stores, ownerId);
        const turn = (off: Endpoint['off']) =>
          stores.webhooks.change(id, (before) => ({ after: { ...before, off }, event: noted() }));
        await issue(1);
        await turn('seller');
        await issue(2);
        await turn(null);
        await issue(3);
        const got = await receivedBy(stores, { id });
        expect(got.map(({ data }) => data.license_key)).to.deep.equal([keyNumber(1), keyNumber(3)]);
      });

      it('are gone with their deliveries as soon as they are removed', async () => {
        const [endpoint, other] = [await addEndpoint(stores, ownerId), await addEndpoint(stores, ownerId)];
        const [delivery] = await addSamples(stores, endpoint, 1);
        const [kept] = await addSamples(stores, other, 1);
        const id = must(delivery).id;
        expect(await stores.webhooks.remove(endpoint.id, noted())).to.equal(true);
        expect(await stores.webhooks.remove(endpoint.id, noted())).to.equal(false);
        expect(await events()).to.have.lengthOf(5);
        expect(await stores.webhooks.find(endpoint.id)).to.equal(undefined);
        expect(await list()).to.deep.equal([other.id]);
        expect(await stores.webhooks.findDelivery(id)).to.equal(undefined);
        expect(await stores.webhooks.listDeliveries({ endpointId: endpoint.id, limit: 9 })).to.deep.equal([]);
        expect(await stores.webhooks.redeliver(id, noted())).to.equal(false);
        expect(await stores.webhooks.replay(endpoint.id, 0, noted())).to.equal(0);
        expect(await events()).to.have.lengthOf(5);
        expect(await stores.webhooks.findDelivery(must(kept).id)).to.deep.equal(kept);
        expect(idsOf(await stores.webhookQueue.claim({ now, until: now + 1, most: 9 }))).to.deep.equal([other.id]);
      });
    });

    describe('deliveries', () => {
      let endpoint: Endpoint;
      beforeEach(async () => {
        endpoint = await addEndpoint(stores, ownerId, { events: ['license.issued'] });
      });
      const listed = (filter: object = {}) =>
        stores.webhooks
          .listDeliveries({ endpointId: endpoint.id, limit: 99, ...filter })
          .then((all) => all.map(({ id }) => id));

      it('of samples are due at once, whatever the endpoint subscribes to, each with its own event', async () => {
        const [one, other] = await addSamples(stores, endpoint, 2, now + 4);
        expect(one).to.deep.equal({
          id: one?.id,
          endpointId: endpoint.id,
          eventId: one?.eventId,
          type: 'license.suspended',
          state: 'waiting',
          attempts: 0,
          createdAt: now + 4,
          dueAt: now + 4,
          fault: null,
          isTest: true,
          body: one?.body,
          history: [],
        });
        expect(one?.eventId).to.match(/^evt_[0-9a-f]{32}$/);
        expect(JSON.parse(one?.body ?? '')).to.include({ id: one?.eventId, event: 'license.suspended' });
        expect(other?.eventId).to.not.equal(one?.eventId);
      });

      it('are unknown by the id of no delivery', async () => {
        const id = toDeliveryId(4_000_000_000);
        expect(await stores.webhooks.findDelivery(id)).to.equal(undefined);
        expect(await stores.webhooks.redeliver(id, noted())).to.equal(false);
      });

      it('are listed newest first, by state and type, page by page', async () => {
        const all = (await addSamples(stores, endpoint, 3)).map(({ id }) => id);
        await attemptAll((n) => (n === 1 ? fail() : succeed()));
        const approved = { ...sampleEvent(ownerId), type: 'product.approved' } as const;
        const last = await stores.webhooks.addSample(endpoint.id, approved, noted());
        const other = await addEndpoint(stores, ownerId);
        await addSamples(stores, other, 1);
        expect(await listed()).to.deep.equal([last, ...all.toReversed()]);
        expect(await listed({ before: last, limit: 2 })).to.deep.equal([all[2], all[1]]);
        expect(await listed({ state: 'failed' })).to.deep.equal([all[1]]);
        expect(await listed({ state: 'delivered' })).to.deep.equal([all[2], all[0]]);
        expect(await listed({ state: 'waiting' })).to.deep.equal([last]);
        expect(await listed({ type: 'license.suspended', state: 'delivered', before: all[2] })).to.deep.equal([all[0]]);
        expect(await listed({ type: 'product.approved' })).to.deep.equal([last]);
        const [entry] = await stores.webhooks.listDeliveries({ endpointId: endpoint.id, limit: 1 });
        const { body, history, ...found } = must(await stores.webhooks.findDelivery(last));
        expect(entry).to.deep.equal(found);
      });

      it('are listed by the time when they were made: from its start on, and before its end', async () => {
        const made = [];
        for (const at of [now, now + 1, now + 2]) made.push(...(await addSamples(stores, endpoint, 1, at)));
        const [first, second, third] = made.map(({ id }) => id);
        expect(await listed({ from: now + 1 })).to.deep.equal([third, second]);
        expect(await listed({ to: now + 1 })).to.deep.equal([first]);
        expect(await listed({ from: now + 1, to: now + 2 })).to.deep.equal([second]);
        expect(await listed({ from: now + 3 })).to.deep.equal([]);
      });

      itLong('that are sent again get all attempts anew, and keep their event and their history', async () => {
        const [one] = await addSamples(stores, endpoint, 1);
        const id = must(one).id;
        expect(await stores.webhooks.redeliver(id, noted(now + 1))).to.equal(true);
        expect(await stores.webhooks.findDelivery(id)).to.deep.equal(one); // It waits already.
        const before = (await events()).length;
        await attemptAll(fail);
        expect(await stores.webhooks.redeliver(id, noted(now + 2))).to.equal(true);
        expect(await events()).to.have.lengthOf(before + 1);
        const again = must(await stores.webhooks.findDelivery(id));
        expect(again).to.include({ state: 'waiting', attempts: 0, dueAt: now + 2, eventId: one?.eventId });
        await attemptAll(succeed, now + 2);
        const last = must(await stores.webhooks.findDelivery(id));
        expect(last).to.include({ state: 'delivered', attempts: 1, dueAt: null, fault: null, body: one?.body });
        expect(last.history.map(({ number, at, fault }) => [number, at, fault])).to.deep.equal([
          [1, now, 'refused'],
          [2, now + 2, null],
        ]);
      });

      it('since a time are sent again together, but those that wait, and those of other endpoints', async () => {
        const [old] = await addSamples(stores, endpoint, 1, now - 1);
        const young = await addSamples(stores, endpoint, 3);
        await attemptAll((n) => (n === 1 ? fail() : succeed()));
        const [waiting] = await addSamples(stores, endpoint, 1, now + 1);
        const other = await addEndpoint(stores, ownerId);
        await addSamples(stores, other, 1);
        await attemptAll(succeed);
        const before = (await events()).length;
        expect(await stores.webhooks.replay(endpoint.id, now, noted(now + 5))).to.equal(3);
        expect(await stores.webhooks.replay(endpoint.id, now, noted(now + 6))).to.equal(0);
        expect(await events()).to.have.lengthOf(before + 1);
        const entries = await stores.webhooks.listDeliveries({ endpointId: endpoint.id, limit: 9 });
        expect(entries.map(({ id, state, dueAt }) => [id, state, dueAt])).to.deep.equal([
          [waiting?.id, 'waiting', now + 1],
          ...young.map(({ id }) => [id, 'waiting', now + 5]).toReversed(),
          [old?.id, 'delivered', null],
        ]);
      });

      itLong('are sent so often at most, and keep only their last attempts', async () => {
        const [one] = await addSamples(stores, endpoint, 1);
        const id = must(one).id;
        for (let n = 1; n < mostAttempts; n++) {
          await attemptAll(succeed, now + n);
          await stores.webhooks.redeliver(id, noted(now + n));
        }
        await attemptAll(succeed, now + mostAttempts);
        const last = must(await stores.webhooks.findDelivery(id));
        expect(last.history.map(({ number }) => number)).to.deep.equal(
          Array.from({ length: keptAttempts }, (_, n) => mostAttempts - keptAttempts + n + 1),
        );
        const before = (await events()).length;
        expect(await stores.webhooks.redeliver(id, noted(now + 99))).to.equal(true);
        expect(await stores.webhooks.replay(endpoint.id, 0, noted(now + 99))).to.equal(0);
        expect(await stores.webhooks.findDelivery(id)).to.deep.equal(last);
        expect(await events()).to.have.lengthOf(before);
      });

      itLong('are counted by the hour of their attempts', async () => {
        const start = now - (now % hour);
        await addSamples(stores, endpoint, 3, start);
        await attemptAll((n) => (n === 0 ? fail() : succeed()), start);
        await addSamples(stores, endpoint, 1, start);
        await attemptAll(succeed, start + hour - 1);
        await addSamples(stores, endpoint, 1, start);
        await attemptAll(fail, start + 2 * hour);
        await addSamples(stores, await addEndpoint(stores, ownerId), 1, start);
        await attemptAll(succeed, start + 2 * hour);
        const hours = [
          { hour: start, delivered: 3, failed: 1 },
          { hour: start + 2 * hour, delivered: 0, failed: 1 },
        ];
        expect(await stores.webhooks.attemptsByHour(endpoint.id, start + 5)).to.deep.equal(hours);
        expect(await stores.webhooks.attemptsByHour(endpoint.id, start + hour)).to.deep.equal(hours.slice(1));
      });

      it('that failed are counted by fault, most frequent first', async () => {
        await addSamples(stores, endpoint, 1);
        await attemptAll(fail);
        await addSamples(stores, endpoint, 5, now + 1);
        const faults = ['dns', 'tls', 'dns', 'timeout', null] as const;
        await attemptAll((n) => {
          const fault = must(faults[n]);
          const state = fault === null ? 'delivered' : 'failed';
          return { attempted: attempted({ fault }), next: { state } };
        }, now + 1);
        expect(await stores.webhooks.faultsSince(endpoint.id, now + 1)).to.deep.equal([
          { fault: 'dns', count: 2 },
          { fault: 'timeout', count: 1 },
          { fault: 'tls', count: 1 },
        ]);
        const all = await stores.webhooks.faultsSince(endpoint.id, now);
        expect(all).to.deep.include({ fault: 'refused', count: 1 });
      });

      it('are deleted with their events and attempts when they are old', async () => {
        const old = await addSamples(stores, endpoint, 2, now - 1);
        await attemptAll((n) =>
          n === 0 ? fail() : { attempted: refusedAttempt, next: { state: 'waiting', due: now } },
        );
        const [young] = await addSamples(stores, endpoint, 1);
        expect(await stores.webhooks.attemptsByHour(endpoint.id, 0)).to.have.lengthOf(1);
        expect(await stores.webhooks.forget(now)).to.equal(2);
        expect(await stores.webhooks.attemptsByHour(endpoint.id, 0)).to.deep.equal([]);
        for (const { id } of old) expect(await stores.webhooks.findDelivery(id)).to.equal(undefined);
        expect(await listed()).to.deep.equal([young?.id]);
        expect(await stores.webhooks.forget(now)).to.equal(0);
        expect(await stores.webhooks.forget(now + 1)).to.equal(1);
        expect(await stores.webhookQueue.claim({ now: now + 9, until: now + 10, most: 9 })).to.deep.equal([]);
      });
    });
  });
}
