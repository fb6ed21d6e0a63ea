import { expect } from 'chai';
import { eventBodies } from '../../../../adapters/http/account/webhooks/event-bodies.ts';
import { bodyOf } from '../../../../adapters/webhook-body.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { toProductId, toUserId } from '../../../../core/id.ts';
import { hasValidCheckCharacter } from '../../../../core/licensing/license-key.ts';
import { webhookBackOff } from '../../../../core/webhooks/delivery.ts';
import { endpointLimits } from '../../../../core/webhooks/endpoint.ts';
import { sampleOf } from '../../../../core/webhooks/sample.ts';
import { webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { newProduct } from '../../../support/license-acts.ts';
import { itLong } from '../../../support/required-service.ts';
import { arrived, attemptAll, refusedByReceiver } from '../../../support/webhook-attempts.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const url = 'https://hooks.example.com/in?token=secret-in-url';
const day = 86_400_000;
const unknown = '/api/webhooks/999999';

describe('the webhooks of a seller over the API', () => {
  let service: AccountService;
  let seller: Account;
  let admin: Account;
  before(async () => {
    service = await startAccountService();
    admin = await service.account();
    good(await (await service.parts.get(t.userAdministration)).setRole(admin.user.email, 'admin', operator));
  });
  beforeEach(async () => {
    seller = await service.account();
  });
  after(() => service.close());

  const patch = (account: Account, path: string, body: object): Promise<Answer> =>
    account.send(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const remove = (account: Account, path: string) => account.send(path, { method: 'DELETE' });
  const codes = ({ status, body }: Answer) => [status, body.error?.code];
  const fieldsOf = ({ status, body }: Answer) => [status, Object.keys(body.error?.fields ?? {})];
  const add = async (account = seller, more: object = {}) => {
    const answer = await account.post('/api/webhooks', { url, events: '*', ...more });
    expect(answer.status, answer.text).to.equal(200);
    return { path: `/api/webhooks/${answer.body.webhook.id}`, webhook: answer.body.webhook };
  };
  const addSample = async (path: string, event = 'license.activated', account = seller) => {
    const answer = await account.post(`${path}/test`, { event });
    expect(answer.status, answer.text).to.equal(200);
    return `${path}/deliveries/${answer.body.delivery.id}`;
  };
  const productOf = async (account: Account, title = 'Jar') =>
    good(await service.products.add({ title, ownerId: account.user.id }, operator));
  const eventsIn = async () =>
    (await service.rows('audit_log')).filter(({ type }) => String(type).startsWith('webhook.'));

  /** Every call for one webhook, or one of its deliveries. */
  const calls: readonly ((account: Account, path: string, delivery: string) => Promise<Answer>)[] = [
    (account, path) => account.get(path),
    (account, path) => patch(account, path, { description: 'Mine' }),
    (account, path) => account.post(`${path}/rotate-secret`, {}),
    (account, path) => account.post(`${path}/test`, { event: 'license.issued' }),
    (account, path) => account.post(`${path}/replay`, { since: new Date(service.clock.now()).toISOString() }),
    (account, path) => account.get(`${path}/deliveries`),
    (account, _, delivery) => account.get(delivery),
    (account, _, delivery) => account.post(`${delivery}/redeliver`, {}),
    (account, path) => account.post(`${path}/fetch`, {}),
    (account, path) => remove(account, path),
  ];

  it('404 for those of others, of the other mode, and unknown ones alike, and nothing changes', async () => {
    const other = await add(await service.account());
    const tested = await add(await service.keyOf(seller.user, { mode: 'test' }));
    const stored = async () => [await service.rows('webhook_endpoints'), await service.rows('webhook_deliveries')];
    const before = await stored();
    for (const path of [other.path, tested.path, unknown, '/api/webhooks/no-number']) {
      for (const call of calls) {
        const answer = await call(seller, path, `${path}/deliveries/1`);
        const message = `No webhook has the id ${path.split('/').at(-1)}.`;
        expect([answer.status, answer.body]).to.deep.equal([404, { error: { code: 'NOT_FOUND', message } }]);
      }
    }
    expect(await stored()).to.deep.equal(before);
    expect((await admin.get(other.path)).status).to.equal(200);
    expect((await admin.get(tested.path)).status).to.equal(404);
  });

  it('200 with the webhooks of all for an administrator, or with mine=true only with their own', async () => {
    const [own, foreign] = [await add(admin), await add()];
    const listed = async (caller: Account, query: Record<string, string> = {}) =>
      (await caller.get('/api/webhooks', query)).body.data.map(({ id }: { id: number }) => `/api/webhooks/${id}`);
    for (const query of [{}, { mine: 'false' }]) {
      expect(await listed(admin, query)).to.include.members([own.path, foreign.path]);
    }
    expect(await listed(admin, { mine: 'true' })).to.deep.equal([own.path]);
    expect(await listed(seller, { mine: 'true' })).to.deep.equal(await listed(seller));
    expect(await listed(seller, { mine: 'false' })).to.not.include(own.path);
    expect((await admin.get('/api/webhooks', { mine: 'me' })).status).to.equal(422);
  });

  it('404 for a delivery of another webhook of the same seller', async () => {
    const [one, other] = [await add(), await add()];
    const delivery = await addSample(other.path);
    const id = delivery.split('/').at(-1);
    expect(codes(await seller.get(`${one.path}/deliveries/${id}`))).to.deep.equal([404, 'NOT_FOUND']);
    expect(codes(await seller.post(`${one.path}/deliveries/${id}/redeliver`, {}))).to.deep.equal([404, 'NOT_FOUND']);
    expect((await seller.get(delivery)).status).to.equal(200);
  });

  it('200 for a new one, with a secret that no later answer contains', async () => {
    const product = await productOf(seller);
    const terms = { events: ['license.revoked', 'license.issued'], product: product.slug, description: ' Billing ' };
    const { path, webhook } = await add(seller, terms);
    expect(webhook).to.deep.include({
      url,
      events: ['license.issued', 'license.revoked'],
      product: { id: product.id, title: 'Jar', slug: product.slug },
      description: 'Billing',
      livemode: true,
      status: 'on',
      off_reason: null,
      failing_since: null,
      old_secret_until: null,
    });
    expect(webhook.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...rest } = webhook;
    expect((await seller.get(path)).body).to.deep.equal({ success: true, webhook: rest });
    expect((await seller.get('/api/webhooks')).body.data).to.deep.equal([rest]);
    const tables = ['webhook_endpoints', 'audit_log', 'idempotency'];
    const stored = JSON.stringify(await Promise.all(tables.map(service.rows)));
    expect(stored).not.to.include(secret.slice(6, -1));
    const [added] = (await eventsIn()).slice(-1);
    expect(added).to.include({ type: 'webhook.added', actor: seller.user.email, subject: 'hooks.example.com' });
    expect(JSON.stringify(await eventsIn())).not.to.include('secret-in-url');
  });

  it('200 with the same secret for a repeated request, which is stored encrypted', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const first = await seller.post('/api/webhooks', { url, events: '*' }, headers);
    const again = await seller.post('/api/webhooks', { url, events: '*' }, headers);
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true');
    expect(again.body).to.deep.equal(first.body);
    const path = `/api/webhooks/${first.body.webhook.id}/rotate-secret`;
    const rotated = await seller.post(path, {}, headers);
    expect((await seller.post(path, {}, headers)).body).to.deep.equal(rotated.body);
    const kept = JSON.stringify(await service.rows('idempotency'));
    for (const { body } of [first, rotated]) expect(kept).not.to.include(body.webhook.secret.slice(6, -1));
    expect((await seller.get('/api/webhooks')).body.data).to.have.length(1);
  });

  it('422 for a URL to which nothing may be sent, with the reason, and for other wrong fields', async () => {
    for (const [wrong, why] of [
      ['http://hooks.example.com', /must begin with https/],
      ['https://127.0.0.1/in', /connects to public addresses only/],
      ['https://0x7f.1/in', /connects to public addresses only/],
      ['https://hooks.example.com:22/', /port must be/],
      ['https://user:password@hooks.example.com/', /user name/],
      ['no url', /not a URL/],
      [' ', /must not be empty/],
      [`https://hooks.example.com/${'x'.repeat(endpointLimits.url)}`, /at most 2000/],
    ] as const) {
      const answer = await seller.post('/api/webhooks', { url: wrong, events: '*' });
      expect(fieldsOf(answer), wrong.slice(0, 50)).to.deep.equal([422, ['url']]);
      expect(answer.body.error.fields.url[0]).to.match(why);
    }
    const { path } = await add();
    expect(fieldsOf(await patch(seller, path, { url: 'https://10.0.0.1/' }))).to.deep.equal([422, ['url']]);
    for (const events of [[], 'license.issued', ['license.unknown'], ['*'], null, {}, [1]]) {
      expect(fieldsOf(await seller.post('/api/webhooks', { url, events }))).to.deep.equal([422, ['events']]);
    }
    for (const more of [
      { product: 'no-such-product' },
      { product: 999_999 },
      { product: (await productOf(admin, 'Of the admin')).slug },
      { description: 'x'.repeat(endpointLimits.description + 1) },
      { description: 1 },
      { unknown: 1 },
    ]) {
      const answer = await seller.post('/api/webhooks', { url, events: '*', ...more });
      expect(fieldsOf(answer), JSON.stringify(more).slice(0, 50)).to.deep.equal([422, Object.keys(more)]);
    }
    const test = await service.keyOf(seller.user, { mode: 'test' });
    const product = (await productOf(seller, 'Of live mode')).slug;
    expect(fieldsOf(await test.post('/api/webhooks', { url, events: '*', product }))).to.deep.equal([422, ['product']]);
    expect(fieldsOf(await seller.post('/api/webhooks', {}))).to.deep.equal([422, ['url', 'events']]);
    expect((await seller.get('/api/webhooks')).body.data).to.have.length(1);
  });

  itLong('409 for more webhooks than an account may have in one mode', async () => {
    await Promise.all(Array.from({ length: endpointLimits.perAccount }, () => add()));
    expect(codes(await seller.post('/api/webhooks', { url, events: '*' }))).to.deep.equal([409, 'CONFLICT']);
    await add(await service.keyOf(seller.user, { mode: 'test' }));
  });

  it('200 for pages of the list, newest first; 422 for a place that does not exist', async () => {
    const made = [await add(), await add(), await add()].map(({ webhook: { id } }) => id);
    const { body: first } = await seller.get('/api/webhooks', { limit: '2' });
    expect(first.data.map(({ id }: { id: number }) => id)).to.deep.equal([made[2], made[1]]);
    const { body: last } = await seller.get('/api/webhooks', { limit: '2', cursor: first.next_cursor });
    expect([last.data.map(({ id }: { id: number }) => id), last.next_cursor]).to.deep.equal([[made[0]], null]);
    expect(fieldsOf(await seller.get('/api/webhooks', { cursor: 'x' }))).to.deep.equal([422, ['cursor']]);
  });

  it('200 for a change of every field; the same again writes nothing', async () => {
    const product = await productOf(seller);
    const { path } = await add();
    const change = {
      url: 'https://other.example.com/',
      events: ['license.verified'],
      description: 'New',
      status: 'off',
    };
    const answer = await patch(seller, path, { ...change, product: product.id });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.webhook).to.deep.include({ ...change, off_reason: 'seller' });
    expect(answer.body.webhook.product.id).to.equal(product.id);
    const before = await eventsIn();
    expect(before.at(-1)).to.include({ type: 'webhook.changed', subject: 'hooks.example.com' });
    expect(before.at(-1)?.data).to.include('url, events, product, description, status');
    for (const nothing of [{}, change]) expect((await patch(seller, path, nothing)).status).to.equal(200);
    expect(await eventsIn()).to.deep.equal(before);
    const { body: back } = await patch(seller, path, { status: 'on', events: '*', product: null });
    expect(back.webhook).to.deep.include({ status: 'on', off_reason: null, events: '*', product: null });
    expect(fieldsOf(await patch(seller, path, { secret: 'x', status: 'maybe' }))).to.deep.equal([
      422,
      ['status', 'secret'],
    ]);
  });

  it('200 for a new secret; the old one still signs for a day', async () => {
    const { path, webhook } = await add();
    const { body } = await seller.post(`${path}/rotate-secret`, {});
    expect(body.webhook.secret).not.to.equal(webhook.secret);
    expect(Date.parse(body.webhook.old_secret_until)).to.equal(service.clock.now() + day);
    const store = await service.parts.get(t.webhookStore);
    const box = await service.parts.get(t.secretBox);
    const endpoint = await store.find(webhook.id);
    if (endpoint?.oldSecret == null) throw new Error('The endpoint has no old secret.');
    expect([box.open(endpoint.secret), box.open(endpoint.oldSecret.secret)]).to.deep.equal([
      body.webhook.secret,
      webhook.secret,
    ]);
    expect((await eventsIn()).at(-1)).to.include({ type: 'webhook.secret_rotated' });
  });

  itLong('200 for a removed one, which is gone with its deliveries', async () => {
    const { path } = await add();
    const delivery = await addSample(path);
    expect((await remove(seller, path)).body).to.deep.equal({ success: true });
    for (const gone of [path, delivery]) expect(codes(await seller.get(gone))).to.deep.equal([404, 'NOT_FOUND']);
    expect(codes(await remove(seller, path))).to.deep.equal([404, 'NOT_FOUND']);
    expect((await eventsIn()).at(-1)).to.include({ type: 'webhook.removed', subject: 'hooks.example.com' });
  });

  itLong(
    '200 for a sample of every event, about a product of the seller, whatever the webhook subscribes to',
    async () => {
      const product = await productOf(seller, 'Sampled');
      const { path } = await add(seller, { events: ['product.approved'] });
      for (const event of webhookEventTypes) {
        const { body } = await seller.get(await addSample(path, event));
        expect(body.delivery).to.deep.include({
          event,
          status: 'waiting',
          is_sample: true,
          attempt_count: 0,
          attempts: [],
        });
        const sent = JSON.parse(body.delivery.body);
        expect(sent).to.deep.include({ event, id: body.delivery.event_id, livemode: true });
        expect(sent.data.product).to.deep.equal({ id: product.id, title: 'Sampled', slug: product.slug });
      }
      expect(fieldsOf(await seller.post(`${path}/test`, { event: 'license.unknown' }))).to.deep.equal([422, ['event']]);
      expect((await eventsIn()).at(-1)).to.include({ type: 'webhook.tested' });
    },
  );

  it('200 for a sample of a seller without a product', async () => {
    const { path } = await add();
    const { body } = await seller.get(await addSample(path));
    expect(JSON.parse(body.delivery.body).data.product.slug).to.equal('sample-product');
  });

  itLong('200 for a delivery with its attempts, each with the answer and the reason of the failure', async () => {
    const { path } = await add();
    const delivery = await addSample(path);
    await attemptAll(service.parts, refusedByReceiver);
    const waiting = (await seller.get(delivery)).body.delivery;
    expect(waiting).to.deep.include({ status: 'waiting', fault: 'status', attempt_count: 1 });
    expect(Date.parse(waiting.next_attempt_at)).to.equal(service.clock.now() + webhookBackOff[0]);
    expect((await seller.get(path)).body.webhook.status).to.equal('failing');
    service.clock.advance(webhookBackOff[0]);
    await attemptAll(service.parts, arrived);
    const { body } = await seller.get(delivery);
    expect(body.delivery).to.deep.include({ status: 'delivered', fault: null, next_attempt_at: null });
    const { headers, url: sentTo } = refusedByReceiver.request;
    expect(body.delivery.attempts.map(({ at: _, ...rest }: { at: string }) => rest)).to.deep.equal([
      {
        number: 1,
        duration_ms: 42,
        fault: 'status',
        detail: refusedByReceiver.detail,
        request: { url: sentTo, headers },
        response: refusedByReceiver.answer,
      },
      {
        number: 2,
        duration_ms: 42,
        fault: null,
        detail: '',
        request: { url: sentTo, headers },
        response: arrived.answer,
      },
    ]);
    expect((await seller.get(path)).body.webhook.status).to.equal('on');
  });

  itLong('200 for the list of deliveries, by state, event and time, in pages', async () => {
    const { path } = await add();
    const early = await addSample(path, 'license.issued');
    await attemptAll(service.parts, arrived);
    service.clock.advance(day);
    const late = await addSample(path, 'license.revoked');
    const list = async (query: Record<string, string>) => {
      const { status, body } = await seller.get(`${path}/deliveries`, query);
      expect(status).to.equal(200);
      return body.data.map(({ id }: { id: number }) => `${path}/deliveries/${id}`);
    };
    const noon = new Date(service.clock.now() - day / 2).toISOString();
    expect(await list({})).to.deep.equal([late, early]);
    expect(await list({ status: 'delivered' })).to.deep.equal([early]);
    expect(await list({ status: 'failed' })).to.deep.equal([]);
    expect(await list({ event: 'license.revoked' })).to.deep.equal([late]);
    expect(await list({ from: noon })).to.deep.equal([late]);
    expect(await list({ to: noon })).to.deep.equal([early]);
    const { body } = await seller.get(`${path}/deliveries`, { limit: '1' });
    expect(await list({ cursor: body.next_cursor })).to.deep.equal([early]);
    for (const wrong of [
      { status: 'x' },
      { event: 'x' },
      { from: 'x' },
      { to: 'x' },
      { cursor: 'x' },
      { limit: '0' },
    ]) {
      expect(fieldsOf(await seller.get(`${path}/deliveries`, wrong))).to.deep.equal([422, Object.keys(wrong)]);
    }
  });

  it('200 for a delivery that is sent again, with the same body and webhook-id', async () => {
    const { path } = await add();
    const delivery = await addSample(path);
    await attemptAll(service.parts, arrived);
    const before = (await seller.get(delivery)).body.delivery;
    const { body } = await seller.post(`${delivery}/redeliver`, {});
    expect(body.delivery).to.deep.include({ status: 'waiting', attempt_count: 0 });
    expect([body.delivery.body, body.delivery.event_id]).to.deep.equal([before.body, before.event_id]);
    expect(await attemptAll(service.parts, arrived)).to.equal(1);
    expect((await seller.get(delivery)).body.delivery.attempts).to.have.length(2);
    expect((await eventsIn()).at(-1)).to.include({ type: 'webhook.redelivered' });
  });

  itLong('409 for a delivery that was sent 50 times', async () => {
    const { path } = await add();
    const delivery = await addSample(path);
    for (let n = 1; n < 50; n++) {
      await attemptAll(service.parts, arrived);
      await seller.post(`${delivery}/redeliver`, {});
      service.clock.advance(60_000);
    }
    await attemptAll(service.parts, arrived);
    const answer = await seller.post(`${delivery}/redeliver`, {});
    expect(codes(answer)).to.deep.equal([409, 'CONFLICT']);
    expect(answer.body.error.message).to.equal('It was sent 50 times already, and cannot be sent again.');
    expect((await seller.get(delivery)).body.delivery).to.include({ status: 'delivered' });
  });

  itLong(
    '200 for all deliveries since a time, sent again; 422 for a time that is too long ago, or in the future',
    async () => {
      const { path } = await add();
      await addSample(path);
      await attemptAll(service.parts, arrived);
      service.clock.advance(day);
      await addSample(path);
      await attemptAll(service.parts, arrived);
      const at = (ago: number) => new Date(service.clock.now() - ago).toISOString();
      expect((await seller.post(`${path}/replay`, { since: at(day / 2) })).body).to.deep.equal({
        success: true,
        queued: 1,
      });
      expect((await seller.post(`${path}/replay`, { since: at(14 * day) })).body.queued).to.equal(1);
      expect((await eventsIn()).at(-1)).to.include({ type: 'webhook.replayed' });
      for (const since of [at(14 * day + 1), at(-1), 'yesterday', undefined]) {
        expect(fieldsOf(await seller.post(`${path}/replay`, { since }))).to.deep.equal([422, ['since']]);
      }
    },
  );

  itLong('409 for samples and repetitions while the webhook is off', async () => {
    const { path } = await add();
    const delivery = await addSample(path);
    await patch(seller, path, { status: 'off' });
    for (const answer of [
      await seller.post(`${path}/test`, { event: 'license.issued' }),
      await seller.post(`${delivery}/redeliver`, {}),
      await seller.post(`${path}/replay`, { since: new Date(service.clock.now()).toISOString() }),
    ]) {
      expect(codes(answer)).to.deep.equal([409, 'CONFLICT']);
      expect(answer.body.error.message).to.equal('The webhook is off. Switch it on first.');
    }
  });

  it('are told of a change of a license, in the form that the document describes', async () => {
    const product = await productOf(seller, 'Told');
    const { path } = await add();
    expect((await seller.post('/api/licenses', { product: product.slug })).status).to.equal(200);
    const { body } = await seller.get(`${path}/deliveries`);
    expect(body.data[0]).to.include({ event: 'license.issued', is_sample: false });
    const { delivery } = (await seller.get(`${path}/deliveries/${body.data[0].id}`)).body;
    const schema = eventBodies.find(({ name }) => name === 'license.issued')?.body;
    expect(schema?.safeParse(JSON.parse(delivery.body)).error).to.equal(undefined);
  });
});

describe('the samples of a bundle', () => {
  const content = (id: number, title: string, price: number) =>
    ({ product: { ...newProduct({ title, price }), id: toProductId(id) }, offer: null, currency: 'usd' }) as const;
  const contents = [content(7, 'Simple DEX', 3_000), content(9, 'Token vesting', 1_000)];
  const { product } = content(31, 'Both', 2_000);
  const dataOf = (type: (typeof webhookEventTypes)[number]) => {
    const facts = { ownerId: toUserId(1), isLive: true, product, contents, at: 1_767_225_600_000 };
    const sent = JSON.parse(bodyOf(sampleOf({ type, ...facts }), 'evt_1'));
    const schema = eventBodies.find(({ name }) => name === type)?.body;
    expect(schema?.parse(sent)).to.deep.equal(sent);
    return sent.data;
  };

  for (const [type, ...states] of [
    ['order.paid', 'paid', 'paid', 'paid'],
    ['order.refunded', 'partly_refunded', 'refunded', 'paid'],
    ['order.disputed', 'disputed', 'disputed', 'disputed'],
  ] as const) {
    it(`${type}: an order without a license, and a part with a license for each product`, () => {
      const { status, license_key, product: sold, parts, amount, amount_refunded } = dataOf(type);
      expect(license_key).to.equal(null);
      expect(sold).to.include({ id: 31, title: 'Both' });
      expect([status, ...parts.map((part: { status: string }) => part.status)]).to.deep.equal(states);
      const [first, second] = parts;
      expect([first.product.id, second.product.id]).to.deep.equal([7, 9]);
      expect([first.price, second.price]).to.deep.equal([3_675, 1_225]);
      expect(amount).to.equal(first.price + second.price);
      expect(amount_refunded).to.equal(first.amount_refunded + second.amount_refunded);
      expect(hasValidCheckCharacter(first.license_key)).to.equal(true);
      expect(first.license_key).not.to.equal(second.license_key);
    });
  }

  it('license.issued: a license of one of its products', () => {
    expect(dataOf('license.issued').product).to.include({ id: 7, title: 'Simple DEX' });
  });
});

describe('the schemas of the events', () => {
  for (const { name, body } of eventBodies) {
    it(`${name}: describe what is sent, and no field is missing in them`, () => {
      const type = webhookEventTypes.find((one) => one === name);
      if (type === undefined) throw new Error(`There is no event ${name}.`);
      const sample = sampleOf({ type, ownerId: toUserId(1), isLive: false, product: undefined, at: 1_767_225_600_000 });
      const sent = JSON.parse(bodyOf(sample, 'evt_1'));
      expect(body.parse(sent)).to.deep.equal(sent);
    });
  }
});
