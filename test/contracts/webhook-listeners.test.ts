import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import { type DeliveryId, toWebhookId, type UserId } from '../../core/id.ts';
import { isRefused } from '../../core/refusal.ts';
import { type Endpoint, endpointLimits } from '../../core/webhooks/endpoint.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, keyNumber, must, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { addEndpoint, addProductOf, addSamples, idsOf, newEndpoint, noted } from '../support/webhooks.ts';

const hour = 3_600_000;

for (const backend of backends) {
  describe(`listeners, which have no address: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ownerId: UserId;
    let listener: Endpoint;
    beforeEach(async () => {
      ownerId = (await addUser(stores, 'Ada')).id;
      listener = await addEndpoint(stores, ownerId, { url: null, createdAt: now });
    });
    const fetch = (done: readonly DeliveryId[] = [], at = now, limit = 99, { id }: Pick<Endpoint, 'id'> = listener) =>
      stores.webhooks.fetch(id, { done, now: at, limit });
    const idsIn = async (...given: Parameters<typeof fetch>) => (await fetch(...given)).map(({ id }) => id);
    const issue = async (n: number, productId: Awaited<ReturnType<typeof addProductOf>>) =>
      await actOn(stores.licenses).issue(newLicense(keyNumber(n), productId));
    const removeIdle = (before: number) =>
      stores.webhooks.removeIdle(before, ({ id }) => event('webhook.removed', 'listener', by, now, { id }));

    it('are found and changed as they were added', async () => {
      expect(listener.url).to.equal(null);
      expect(await stores.webhooks.find(listener.id)).to.deep.equal(listener);
      const after = { ...listener, off: 'seller', description: 'Other', updatedAt: now + 1 } as const;
      expect(await stores.webhooks.change(listener.id, () => ({ after, event: noted() }))).to.deep.equal(after);
      expect(await stores.webhooks.find(listener.id)).to.deep.equal(after);
    });

    it('count for the limit of endpoints', async () => {
      for (let n = 1; n < endpointLimits.perAccount; n++) await addEndpoint(stores, ownerId, { url: null });
      expect(isRefused(await stores.webhooks.add(newEndpoint(ownerId), noted()))).to.equal(true);
    });

    itLong('get all events of a large change as soon as it returns, even if no process sends webhooks', async () => {
      const productId = await addProductOf(stores, ownerId);
      await addEndpoint(stores, ownerId, { url: null });
      const keys = Array.from({ length: 600 }, (_, n) => keyNumber(n));
      await actOn(stores.licenses).issue(...keys.map((key) => newLicense(key, productId)));
      expect(await fetch([], now, 999)).to.have.lengthOf(keys.length);
    });

    it('get the events that they subscribe to, and are never claimed, nor part of the backlog', async () => {
      const productId = await addProductOf(stores, ownerId);
      const other = await addEndpoint(stores, ownerId, { url: null, events: ['product.approved'] });
      const addressed = await addEndpoint(stores, ownerId);
      await issue(1, productId);
      const [got, ...more] = await fetch();
      expect(more).to.deep.equal([]);
      const { id, endpointId, eventId, type, isTest, createdAt, body, state, dueAt } = must(
        await stores.webhooks.findDelivery(must(got).id),
      );
      expect(got).to.deep.equal({ id, eventId, type, isTest, createdAt, body });
      expect([endpointId, type, isTest, state, dueAt]).to.deep.equal([
        listener.id,
        'license.issued',
        false,
        'waiting',
        null,
      ]);
      expect(JSON.parse(body)).to.deep.include({ id: eventId, event: 'license.issued' });
      expect(await fetch([], now, 9, other)).to.deep.equal([]);
      const later = now + 999 * hour;
      expect((await stores.webhookQueue.backlog(later)).count).to.equal(1);
      expect(idsOf(await stores.webhookQueue.claim({ now: later, until: later + 1, most: 9 }))).to.deep.equal([
        addressed.id,
      ]);
    });

    it('return the oldest first, at most so many, again and again until they are named', async () => {
      const [one, two, three] = (await addSamples(stores, listener, 3)).map(({ id }) => id);
      expect(await idsIn()).to.deep.equal([one, two, three]);
      expect(await idsIn([], now, 2)).to.deep.equal([one, two]);
      expect(await idsIn([must(one)], now, 1)).to.deep.equal([two]);
      expect(await idsIn([must(one), must(two)], now + 5)).to.deep.equal([three]);
      expect(await stores.webhooks.findDelivery(must(two))).to.include({
        state: 'delivered',
        attempts: 1,
        dueAt: null,
      });
      expect(await idsIn([must(three)])).to.deep.equal([]);
    });

    it('wait again for what is sent again, one or all since a time, without being due', async () => {
      const [old, one, two] = (
        await Promise.all([
          addSamples(stores, listener, 1, now - 5),
          addSamples(stores, listener, 1),
          addSamples(stores, listener, 1),
        ])
      ).flatMap((all) => all.map(({ id }) => id));
      await fetch([must(old), must(one), must(two)]);
      expect(await stores.webhooks.redeliver(must(old), noted(now + 1))).to.equal(true);
      expect(await idsIn()).to.deep.equal([old]);
      expect(await stores.webhooks.replay(listener.id, now, noted(now + 2))).to.equal(2);
      expect((await idsIn()).toSorted()).to.deep.equal([old, one, two].toSorted());
      expect(await stores.webhookQueue.backlog(now + hour)).to.deep.equal({ count: 0, oldest: null });
    });

    it('leave the deliveries of others as they are', async () => {
      const addressed = await addEndpoint(stores, ownerId);
      const [foreign] = await addSamples(stores, addressed, 1);
      const other = await addEndpoint(stores, ownerId, { url: null });
      const [own] = await addSamples(stores, other, 1);
      expect(await idsIn([must(foreign).id, must(own).id])).to.deep.equal([]);
      expect(await stores.webhooks.findDelivery(must(foreign).id)).to.deep.equal(foreign);
      expect(await idsIn([], now, 9, other)).to.deep.equal([own?.id]);
      expect(await fetch([must(foreign).id], now, 9, addressed)).to.deep.equal([]);
      expect(await stores.webhooks.findDelivery(must(foreign).id)).to.deep.equal(foreign);
      for (const id of [999, 4_000_000_000]) {
        expect(await fetch([], now, 9, { id: toWebhookId(id) })).to.deep.equal([]);
      }
    });

    it('are removed with an event if nobody fetched since a time; those with an address stay', async () => {
      const addressed = await addEndpoint(stores, ownerId, { createdAt: now - 99 * hour });
      const used = await addEndpoint(stores, ownerId, { url: null, createdAt: now });
      const [delivery] = await addSamples(stores, listener, 1);
      await fetch([], now + 2 * hour, 9, used);
      expect(await removeIdle(now)).to.equal(0);
      expect(await removeIdle(now + hour)).to.equal(1);
      expect(await stores.webhooks.find(listener.id)).to.equal(undefined);
      expect(await stores.webhooks.findDelivery(must(delivery).id)).to.equal(undefined);
      expect(await fetch()).to.deep.equal([]);
      for (const { id } of [addressed, used]) expect(await stores.webhooks.find(id)).to.not.equal(undefined);
      const events = (await stores.audit.list({ limit: 99 })).filter(({ type }) => type === 'webhook.removed');
      expect(events.map(({ data }) => data.id)).to.deep.equal([listener.id]);
      expect(await removeIdle(now + 3 * hour)).to.equal(1);
    });

    it('stay while they are off, and for as long after they are switched on as after a fetch', async () => {
      const turn = (off: 'seller' | null, at: number) =>
        stores.webhooks.change(listener.id, (before) => ({ after: { ...before, off }, event: noted(at) }));
      await turn('seller', now + 1);
      expect(await removeIdle(now + 99 * hour)).to.equal(0);
      await turn(null, now + 99 * hour);
      expect(await removeIdle(now + 99 * hour)).to.equal(0);
      expect(must(await stores.webhooks.find(listener.id)).off).to.equal(null);
      expect(await removeIdle(now + 99 * hour + 1)).to.equal(1);
    });

    itLong('return each event once to one program, whatever is added, fetched and lost in between', async () => {
      const steps = fc.array(
        fc.oneof(
          fc.record({ act: fc.constant('add' as const), count: fc.integer({ min: 1, max: 3 }) }),
          fc.record({
            act: fc.constant('fetch' as const),
            limit: fc.integer({ min: 1, max: 4 }),
            isLost: fc.boolean(),
          }),
        ),
        { maxLength: 15 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const own = await addEndpoint(stores, ownerId, { url: null });
          const added: DeliveryId[] = [];
          const got: DeliveryId[] = [];
          let done: DeliveryId[] = [];
          const fetchSome = async (limit: number, isLost = false) => {
            const found = await idsIn(done, now, limit, own);
            // The call had its effect, but nobody saw the answer.
            if (isLost) return;
            got.push(...found);
            done = found;
          };
          for (const step of all) {
            if (step.act === 'fetch') await fetchSome(step.limit, step.isLost);
            else added.push(...(await addSamples(stores, own, step.count)).map(({ id }) => id));
          }
          for (let before = -1; before < got.length; ) {
            before = got.length;
            await fetchSome(2);
          }
          expect(got).to.deep.equal(added);
          await stores.webhooks.remove(own.id, noted());
        }),
        { numRuns: runs(25) },
      );
    });
  });
}
