import { expect } from 'chai';
import { housekeeping, startJobs } from '../../../../apps/server/jobs.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { listenerLife } from '../../../../core/webhooks/endpoint.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { arrived, attemptAll } from '../../../support/webhook-attempts.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

describe('webhooks without an address over the API', () => {
  let service: AccountService;
  let seller: Account;
  let path: string;
  beforeEach(async () => {
    service = await startAccountService();
    seller = await service.account();
    path = await add();
  });
  afterEach(() => service.close());

  async function add(more: object = {}): Promise<string> {
    const answer = await seller.post('/api/webhooks', { url: null, events: '*', ...more });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.webhook).to.deep.include({ url: null, status: 'on', ...more });
    expect(answer.body.webhook.secret).to.match(/^whsec_/);
    return `/api/webhooks/${answer.body.webhook.id}`;
  }
  const patch = (body: object): Promise<Answer> =>
    seller.send(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  async function fetched(body: object = {}): Promise<{ id: number; event: string }[]> {
    const answer = await seller.post(`${path}/fetch`, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data;
  }
  const addSample = async (event = 'license.issued') =>
    (await seller.post(`${path}/test`, { event })).body.delivery.id as number;

  itLong('200 for the events that wait, with their bodies, until they are named', async () => {
    const product = good(await service.products.add({ title: 'Jar', ownerId: seller.user.id }, operator));
    await seller.post('/api/licenses', { product: product.slug });
    const [issued] = await fetched();
    const { delivery } = (await seller.get(`${path}/deliveries/${issued?.id}`)).body;
    expect(issued).to.deep.equal({
      id: delivery.id,
      event_id: delivery.event_id,
      event: 'license.issued',
      is_sample: false,
      created_at: delivery.created_at,
      body: delivery.body,
    });
    expect(delivery).to.include({
      status: 'waiting',
      next_attempt_at: null,
      webhook_id: Number(path.split('/').at(-1)),
    });
    const sample = await addSample();
    expect((await fetched({ limit: 1 })).map(({ id }) => id)).to.deep.equal([delivery.id]);
    expect((await fetched({ done: [delivery.id] })).map(({ id }) => id)).to.deep.equal([sample]);
    expect(await fetched({ done: [delivery.id, sample, 999_999] })).to.deep.equal([]);
    const after = (await seller.get(`${path}/deliveries/${sample}`)).body.delivery;
    expect(after).to.include({ status: 'delivered', attempt_count: 1 });
  });

  itLong('200 for what is sent again, one or all since a time', async () => {
    const sample = await addSample();
    await fetched({ done: [sample] });
    const again = await seller.post(`${path}/deliveries/${sample}/redeliver`, {});
    expect(again.body.delivery).to.include({ status: 'waiting', next_attempt_at: null });
    expect((await fetched()).map(({ id }) => id)).to.deep.equal([sample]);
    await fetched({ done: [sample] });
    const since = new Date(service.clock.now()).toISOString();
    expect((await seller.post(`${path}/replay`, { since })).body.queued).to.equal(1);
    expect((await fetched()).map(({ id }) => id)).to.deep.equal([sample]);
  });

  itLong('200 for changes of all but the address; 422 for an address', async () => {
    expect((await patch({ events: ['license.issued'], description: 'Laptop' })).body.webhook).to.deep.include({
      url: null,
      events: ['license.issued'],
      description: 'Laptop',
    });
    for (const url of ['https://hooks.example.com/', null]) {
      const answer = await patch({ url });
      expect([answer.status, Object.keys(answer.body.error.fields)]).to.deep.equal([422, ['url']]);
    }
    const addressed = await seller.post('/api/webhooks', { events: '*' });
    expect([addressed.status, Object.keys(addressed.body.error.fields)]).to.deep.equal([422, ['url']]);
  });

  itLong('sends nothing, and no failure is ever counted', async () => {
    await addSample();
    expect(await attemptAll(service.parts, arrived)).to.equal(0);
    service.clock.advance(listenerLife);
    expect(await attemptAll(service.parts, arrived)).to.equal(0);
    const queue = await service.parts.get(t.webhookQueue);
    expect(await queue.backlog(service.clock.now())).to.deep.equal({ count: 0, oldest: null });
    expect((await seller.get(path)).body.webhook).to.include({ status: 'on', failing_since: null });
  });

  itLong('409 while it is off, and for a webhook with an address', async () => {
    const { webhook } = (await seller.post('/api/webhooks', { url: 'https://hooks.example.com/', events: '*' })).body;
    const addressed = await seller.post(`/api/webhooks/${webhook.id}/fetch`, {});
    expect([addressed.status, addressed.body.error.code]).to.deep.equal([409, 'CONFLICT']);
    expect(addressed.body.error.message).to.include('sent to its address');
    await patch({ status: 'off' });
    const off = await seller.post(`${path}/fetch`, {});
    expect([off.status, off.body.error.message]).to.deep.equal([409, 'The webhook is off. Switch it on first.']);
  });

  itLong('422 for wrong fields', async () => {
    for (const wrong of [
      { done: 1 },
      { done: ['x'] },
      { done: [0] },
      { done: Array(101).fill(1) },
      { limit: 0 },
      { limit: 101 },
      { more: 1 },
    ]) {
      const answer = await seller.post(`${path}/fetch`, wrong);
      expect(answer.status, JSON.stringify(wrong)).to.equal(422);
    }
  });

  itLong('404 after a day without use, with an entry in the audit trail; a used one stays', async () => {
    const used = await add({ description: 'Used' });
    service.clock.advance(listenerLife);
    await seller.post(`${used}/fetch`, {});
    service.clock.advance(1);
    const stop = await startJobs(service.parts, housekeeping);
    try {
      for (let tries = 0; tries < 200 && (await seller.get(path)).status === 200; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    } finally {
      await stop();
    }
    expect((await seller.get(path)).status).to.equal(404);
    expect((await seller.post(`${path}/fetch`, {})).status).to.equal(404);
    expect((await seller.get(used)).status).to.equal(200);
    const removed = (await service.rows('audit_log')).filter(({ type }) => type === 'webhook.removed');
    expect(removed).to.have.lengthOf(1);
    expect(removed[0]).to.include({ actor: 'server', subject: 'listener', reason: 'Nobody fetched its events.' });
  });
});
