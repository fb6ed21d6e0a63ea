import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import type { UserId, WebhookId } from '../../../core/id.ts';
import type { WebhookQueue } from '../../../core/ports/webhook-queue.ts';
import type { SendWebhook, WebhookMessage } from '../../../core/ports/webhook-sender.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { webhookBackOff } from '../../../core/webhooks/delivery.ts';
import { createDispatcher } from '../../../core/webhooks/dispatcher.ts';
import type { Endpoint } from '../../../core/webhooks/endpoint.ts';
import { lease, longestTurn } from '../../../core/webhooks/endpoint-turn.ts';
import { createTellOwner } from '../../../core/webhooks/health-letters.ts';
import { addUser } from '../../support/backends.ts';
import { deferred } from '../../support/deferred.ts';
import { until } from '../../support/eventually.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { writeLetter } from '../../support/letters.ts';
import { issuedAt, must } from '../../support/license-acts.ts';
import { addEndpoint, addSamples, attempted, refusedAttempt } from '../../support/webhooks.ts';

const hour = 3_600_000;
const day = 24 * hour;
const box = createSecretBox('the secret of this test');

describe('the dispatcher of webhooks', () => {
  let stores: StoresInMemory;
  let clock: ReturnType<typeof createManualClock>;
  let force: AbortController;
  let ownerId: UserId;
  const failures: unknown[] = [];
  const sent: WebhookMessage[] = [];
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(issuedAt);
    force = new AbortController();
    failures.length = sent.length = 0;
    ownerId = (await addUser(stores, 'Ada')).id;
  });
  afterEach(() => stores.close());

  const dispatcherOf = (send: SendWebhook, queue: WebhookQueue = stores.webhookQueue, freed?: () => void) =>
    createDispatcher(
      {
        queue,
        send: (message, stop) => {
          sent.push(message);
          return send(message, stop);
        },
        box,
        tellOwner: createTellOwner(stores.accounts, writeLetter),
        clock,
      },
      {
        stop: force.signal,
        settled: () => undefined,
        failed: (error) => void failures.push(error),
        ...(freed && { freed }),
      },
    );
  const add = (fields: Partial<Endpoint> = {}) =>
    addEndpoint(stores, ownerId, { secret: box.seal('whsec_new'), oldSecret: null, ...fields });
  const sample = async (endpoint: Endpoint, count = 1) => await addSamples(stores, endpoint, count, clock.now());
  const found = async (id: WebhookId) => must(await stores.webhooks.find(id));
  const states = async (id: WebhookId) =>
    (await stores.webhooks.listDeliveries({ endpointId: id, limit: 1_000 })).map(({ state }) => state);
  const ok: SendWebhook = async () => attempted();
  const no: SendWebhook = async () => refusedAttempt;
  /** Takes until nothing is due, and waits for the end. */
  const work = async (dispatcher: ReturnType<typeof dispatcherOf>) => {
    await dispatcher.take();
    await dispatcher.idle();
  };

  it('sends what is due, signed with the secrets that are valid, and stores how it went', async () => {
    const oldSecret = { secret: box.seal('whsec_old'), until: issuedAt + 10 };
    const endpoint = await add({ oldSecret });
    const [delivery] = await sample(endpoint);
    const dispatcher = dispatcherOf(ok);
    await work(dispatcher);
    const { url } = endpoint;
    const { eventId: id, body } = must(delivery);
    expect(sent).to.deep.equal([{ url, id, at: issuedAt, secrets: ['whsec_new', 'whsec_old'], body }]);
    const stored = must(await stores.webhooks.findDelivery(must(delivery).id));
    expect(stored).to.include({ state: 'delivered', attempts: 1, dueAt: null });
    expect(stored.history).to.have.lengthOf(1);
    clock.advance(10);
    await sample(endpoint);
    await work(dispatcher);
    expect(sent[1]?.secrets).to.deep.equal(['whsec_new']);
    expect(failures).to.deep.equal([]);
  });

  it('tries again after each wait of the table, with the same id and bytes, then tells the owner once', async () => {
    const endpoint = await add();
    const [delivery] = await sample(endpoint);
    const dispatcher = dispatcherOf(no);
    await work(dispatcher);
    for (const [n, wait] of webhookBackOff.entries()) {
      clock.advance(wait - 1);
      await work(dispatcher);
      expect(sent).to.have.lengthOf(n + 1);
      clock.advance(1);
      await work(dispatcher);
      expect(sent).to.have.lengthOf(n + 2);
    }
    clock.advance(30 * day);
    await work(dispatcher);
    expect(sent).to.have.lengthOf(webhookBackOff.length + 1);
    expect(new Set(sent.map(({ id, body }) => id + body)).size).to.equal(1);
    expect(must(await stores.webhooks.findDelivery(must(delivery).id))).to.include({ state: 'failed', dueAt: null });
    expect((await found(endpoint.id)).health.failedAt).to.be.a('number');
    const notices = await stores.notifications.list(ownerId, { limit: 10 });
    expect(notices.map(({ notice }) => notice.kind)).to.deep.equal(['webhook_failed']);
    expect((await stores.mails.list({ limit: 10 })).map(({ kind }) => kind)).to.deep.equal(['webhook-failed']);
  });

  it('tells the owner why a delivery failed, also if another one arrived at the same time', async () => {
    const endpoint = await add();
    await sample(endpoint);
    let calls = 0;
    const dispatcher = dispatcherOf(async () => (++calls > webhookBackOff.length + 1 ? attempted() : refusedAttempt));
    await work(dispatcher);
    for (const [n, wait] of webhookBackOff.entries()) {
      clock.advance(wait);
      if (n === webhookBackOff.length - 1) await sample(endpoint);
      await work(dispatcher);
    }
    expect(await states(endpoint.id)).to.deep.equal(['delivered', 'failed']);
    const [{ notice } = expect.fail()] = await stores.notifications.list(ownerId, { limit: 10 });
    expect(notice).to.deep.include({ kind: 'webhook_failed', why: refusedAttempt.detail });
  });

  it('waits as long as a receiver asks, up to twice the step', async () => {
    const endpoint = await add();
    await sample(endpoint);
    const dispatcher = dispatcherOf(async () => ({ ...refusedAttempt, retryAfter: 10 * hour }));
    await work(dispatcher);
    clock.advance(2 * webhookBackOff[0] - 1);
    await work(dispatcher);
    expect(sent).to.have.lengthOf(1);
    clock.advance(1);
    await work(dispatcher);
    expect(sent).to.have.lengthOf(2);
  });

  it('warns the owner of an endpoint that only fails after four days, and switches it off after five', async () => {
    const endpoint = await add();
    const dispatcher = dispatcherOf(no);
    for (let n = 0; n <= 5 * 24; n += 6) {
      await sample(endpoint);
      await work(dispatcher);
      if (n < 5 * 24) {
        expect((await found(endpoint.id)).off).to.equal(null);
        clock.advance(6 * hour);
      }
    }
    expect(await found(endpoint.id)).to.include({ off: 'failures' });
    const kinds = (await stores.mails.list({ limit: 10 })).map(({ kind }) => kind).reverse();
    expect(kinds).to.deep.equal(['webhook-failed', 'webhook-off-soon', 'webhook-off']);
    const count = sent.length;
    clock.advance(day);
    await work(dispatcher);
    expect(sent).to.have.lengthOf(count);
  });

  it('is healthy again with the first success', async () => {
    const endpoint = await add();
    let isDown = true;
    const dispatcher = dispatcherOf(async () => (isDown ? refusedAttempt : attempted()));
    await sample(endpoint, 3);
    await work(dispatcher);
    expect((await found(endpoint.id)).health.failingSince).to.equal(issuedAt);
    isDown = false;
    clock.advance(webhookBackOff[0]);
    await work(dispatcher);
    expect((await found(endpoint.id)).health).to.deep.equal({ failingSince: null, failedAt: null, warnedAt: null });
  });

  it('sends five at the same time to one endpoint, and never more', async () => {
    const endpoint = await add();
    await sample(endpoint, 250);
    let running = 0;
    let most = 0;
    const dispatcher = dispatcherOf(async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return attempted();
    });
    await work(dispatcher);
    expect(most).to.equal(5);
    expect(sent).to.have.lengthOf(250);
    expect(new Set(sent.map(({ id }) => id)).size).to.equal(250);
    expect(new Set(await states(endpoint.id))).to.deep.equal(new Set(['delivered']));
  });

  it('does not let slow endpoints delay others, however many they are', async () => {
    const hanging = deferred();
    const slow: Endpoint[] = [];
    for (let n = 0; n < 70; n++) {
      const owner = n % 20 === 0 ? await addUser(stores, `Slow ${n}`) : undefined;
      if (owner) ownerId = owner.id;
      slow.push(await add({ url: 'https://slow.example.com/' }));
    }
    for (const one of slow) await sample(one);
    const dispatcher = dispatcherOf(async ({ url }) => {
      if (url.includes('slow')) await hanging.promise;
      return attempted();
    });
    expect(await dispatcher.take()).to.equal(true);
    ownerId = (await addUser(stores, 'Quick')).id;
    const quick = await add();
    await sample(quick, 20);
    await until(() => sent.length === 64);
    expect(await dispatcher.take()).to.equal(false);
    clock.advance(3_001);
    await dispatcher.take();
    await until(async () => (await states(quick.id)).every((state) => state === 'delivered'));
    hanging.resolve();
    await dispatcher.idle();
  });

  it('stores results that end during a write with one more write', async () => {
    const endpoint = await add();
    await sample(endpoint, 5);
    const [first, rest] = [deferred(), deferred()];
    const writes: number[] = [];
    const queue: WebhookQueue = {
      ...stores.webhookQueue,
      async settle(turn, result, to) {
        writes.push(result.settled.length);
        rest.resolve();
        await new Promise(setImmediate);
        return await stores.webhookQueue.settle(turn, result, to);
      },
    };
    let started = 0;
    const dispatcher = dispatcherOf(async () => {
      await (started++ === 0 ? first.promise : rest.promise);
      return attempted();
    }, queue);
    await dispatcher.take();
    first.resolve();
    await dispatcher.idle();
    expect(writes).to.deep.equal([1, 4]);
  });

  it('keeps results that could not be stored, and stores them at the next look, also if the commit was only unclear', async () => {
    for (const isLost of [false, true]) {
      const endpoint = await add();
      const [delivery] = await sample(endpoint);
      let isOut = true;
      const queue: WebhookQueue = {
        ...stores.webhookQueue,
        async settle(turn, result, to) {
          if (!isOut || isLost) {
            const isMine = await stores.webhookQueue.settle(turn, result, to);
            if (!isOut) return isMine;
          }
          throw new Unavailable('out');
        },
      };
      const before = sent.length;
      const dispatcher = dispatcherOf(ok, queue);
      await dispatcher.take();
      await until(() => failures.length > 0);
      isOut = false;
      await work(dispatcher);
      const stored = must(await stores.webhooks.findDelivery(must(delivery).id));
      expect(stored).to.include({ state: 'delivered', attempts: 1 });
      expect(stored.history).to.have.lengthOf(1);
      expect(sent).to.have.lengthOf(before + 1);
      failures.length = 0;
    }
  });

  it('ends a turn after a while, so that others come first and changes are seen', async () => {
    const endpoint = await add();
    await sample(endpoint, 30);
    let freed = 0;
    const dispatcher = dispatcherOf(
      async () => {
        clock.advance(longestTurn / 5);
        return attempted();
      },
      stores.webhookQueue,
      () => freed++,
    );
    await work(dispatcher);
    expect(sent.length).to.be.within(5, 10);
    expect(freed).to.equal(1);
    await stores.webhooks.change(endpoint.id, (before) => ({
      after: { ...before, url: 'https://new.example.com/' },
    }));
    for (let n = 0; n < 10; n++) await work(dispatcher);
    expect(sent).to.have.lengthOf(30);
    expect(new Set(sent.map(({ id }) => id)).size).to.equal(30);
  });

  it('leaves an endpoint alone until the lease ends if this machine cannot send, and counts no attempt', async () => {
    const endpoint = await add();
    const [delivery] = await sample(endpoint);
    const own = new Unavailable('no file descriptors');
    let isOut = true;
    const dispatcher = dispatcherOf(() => (isOut ? Promise.reject(own) : Promise.resolve(attempted())));
    await work(dispatcher);
    await work(dispatcher);
    expect(failures).to.deep.equal([own]);
    expect(must(await stores.webhooks.findDelivery(must(delivery).id))).to.include({ state: 'waiting', attempts: 0 });
    isOut = false;
    clock.advance(lease);
    await work(dispatcher);
    expect(await states(endpoint.id)).to.deep.equal(['delivered']);
  });

  it('does the same if a secret cannot be opened', async () => {
    const endpoint = await add({ secret: createSecretBox('another key').seal('whsec_x') });
    await sample(endpoint);
    await work(dispatcherOf(ok));
    expect(sent).to.deep.equal([]);
    expect(failures).to.have.lengthOf(1);
    expect(await states(endpoint.id)).to.deep.equal(['waiting']);
  });

  it('gives endpoints back when the process stops: what ended counts, what was broken off does not', async () => {
    const endpoint = await add();
    await sample(endpoint, 8);
    let started = 0;
    const dispatcher = dispatcherOf(async (_, stop) => {
      if (started++ === 0) return attempted();
      return await new Promise((_resolve, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
    });
    await dispatcher.take();
    await until(() => started === 6);
    const ended = dispatcher.end();
    force.abort(new Error('The process stops.'));
    await ended;
    expect(failures).to.deep.equal([]);
    expect((await states(endpoint.id)).filter((state) => state === 'delivered')).to.have.lengthOf(1);
    expect(await dispatcher.take()).to.equal(false);

    force = new AbortController();
    sent.length = 0;
    await work(dispatcherOf(ok));
    expect(sent).to.have.lengthOf(7);
    expect(new Set(await states(endpoint.id))).to.deep.equal(new Set(['delivered']));
  });
});
