import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { AccountFailure, createAccountClient } from '../../../apps/sdk/account.ts';
import { typesOf } from '../../../apps/sdk/types-of.ts';
import { type Account, type AccountService, startAccountService } from '../../adapters/http/account/account-service.ts';
import { itLong } from '../../support/required-service.ts';
import { pngOf, zipOf } from '../../support/samples.ts';
import { answering, type Door, openDoor } from './door.ts';

describe('the account client', () => {
  let service: AccountService;
  let door: Door;
  let account: Account;
  before(async () => {
    service = await startAccountService();
    door = await openDoor(() => service.url);
    account = await service.account('pro');
  });
  after(async () => {
    await door?.[Symbol.asyncDispose]();
    await service?.close();
  });
  beforeEach(() => {
    door.set('open');
    door.calls.length = 0;
  });

  const clientOf = (url = door.url, apiKey = account.key) => createAccountClient({ url: `${url}/`, apiKey });

  async function listing(title: string) {
    return {
      module: 'token',
      title,
      tagline: 'Mints',
      description: 'A token that mints what you want.',
      price: '49.90',
      product_zip: new Blob([new Uint8Array(await zipOf())]),
      thumbnail: new Blob([new Uint8Array(pngOf())]),
    };
  }

  async function failureOf(act: Promise<unknown>): Promise<AccountFailure> {
    const failure = await act.catch((fault) => fault);
    if (failure instanceof AccountFailure) return failure;
    throw new Error('It was no AccountFailure.', { cause: failure });
  }

  itLong('is made from the routes as they are', async () => {
    const types = await readFile(new URL('../../../apps/sdk/account/api.ts', import.meta.url), 'utf8');
    const { body } = await service.send('/openapi.json');
    expect(types === typesOf(body), 'Run npm run build').to.equal(true);
  });

  it('calls with the types of the routes', async () => {
    const me = await clientOf().get('/api/auth/me');
    const tier: 'free' | 'pro' | 'enterprise' = me.tier;
    expect([me.id, tier]).to.deep.equal([account.user.id, 'pro']);
    const { allowed } = await clientOf().post('/api/deploy/preflight', { body: { chain: 'base', chain_id: 8453 } });
    expect(allowed).to.equal(true);
  });

  it('uploads with progress, and reads lists of numbered pages to their end', async () => {
    const client = clientOf(service.url);
    for (const title of ['One', 'Two', 'Three']) {
      const steps: number[] = [];
      const form = await listing(title);
      const { product } = await client.post('/api/marketplace/publish', {
        form,
        onProgress: ({ sent, total }) => {
          expect(total).to.be.greaterThan(form.product_zip.size);
          steps.push(sent / total);
        },
      });
      expect(product.title).to.equal(title);
      expect(steps.at(-1)).to.equal(1);
      expect(steps).to.deep.equal(steps.toSorted((one, other) => one - other));
    }
    const titles = [];
    for await (const { title } of client.each('/api/marketplace/my-products', { query: { per_page: 2 } }))
      titles.push(title);
    expect(titles).to.deep.equal(['Three', 'Two', 'One']);
  });

  it('reads lists with cursors to their end, and only as far as needed', async () => {
    const client = clientOf();
    const { product } = await clientOf(service.url).post('/api/marketplace/publish', { form: await listing('Listed') });
    const { data: licenses } = await client.post('/api/licenses', { body: { product: product.id, count: 5 } });
    const keys = [];
    for await (const { key } of client.each('/api/licenses', { query: { limit: 2, sort: 'oldest' } })) keys.push(key);
    expect(keys).to.have.members(licenses.map(({ key }) => key));
    door.calls.length = 0;
    for await (const _ of client.each('/api/licenses', { query: { limit: 2 } })) break;
    expect(door.calls).to.have.length(1);
    const [key = ''] = keys;
    const { license } = await client.get('/api/licenses/{key}', { path: { key } });
    expect(license.key).to.equal(key);
    expect(await client.get('/api/licenses/export')).to.include(key);
  });

  it('sends a key of idempotency by default, and the given one, so that a repeated call does nothing twice', async () => {
    const keys: unknown[] = [];
    const spy = await openDoor(() => service.url);
    spy.set((response) => {
      keys.push(response.req.headers['idempotency-key']);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    const told = clientOf(spy.url);
    await told.post('/api/licenses', { body: { product: 1 } });
    await told.post('/api/licenses', { body: { product: 1 } });
    await told.get('/api/auth/me');
    await spy[Symbol.asyncDispose]();
    expect(keys[0]).to.match(/^[\da-f]{32}$/);
    expect(keys[1])
      .to.match(/^[\da-f]{32}$/)
      .and.not.equal(keys[0]);
    expect(keys[2]).to.equal(undefined);
    const [product] = (await clientOf().get('/api/products')).data;
    const once = { body: { product: product?.id ?? 0 }, idempotencyKey: 'order 7' };
    const first = await clientOf().post('/api/licenses', once);
    expect(await clientOf().post('/api/licenses', once)).to.deep.equal(first);
  });

  it('throws failures with code, fields, and the id of the request', async () => {
    const wrong = await failureOf(clientOf(service.url).post('/api/licenses', { body: { product: 1, count: 0 } }));
    expect(wrong).to.include({ status: 422, code: 'VALIDATION_ERROR' });
    expect(wrong.fields).to.have.property('count');
    expect(wrong.requestId).to.be.a('string');
    expect(await failureOf(clientOf(service.url, 'lk_sk_live_x').get('/api/auth/me'))).to.include({
      status: 401,
      code: 'UNAUTHORIZED',
    });
    door.set('cut');
    expect(await failureOf(clientOf().post('/api/licenses', { body: { product: 1 } }))).to.include({
      status: 0,
      code: 'NETWORK',
    });
    expect(door.calls).to.have.length(1);
    for (const type of ['application/json', 'text/html']) {
      door.set(answering(200, '<h1>Wi-Fi</h1>', { 'Content-Type': type }));
      expect(await failureOf(clientOf().get('/api/auth/me'))).to.include({ status: 200, code: 'BAD_ANSWER' });
    }
    door.set('hung');
    expect(await failureOf(clientOf().get('/api/auth/me', { timeout: 1 }))).to.include({ code: 'TIMEOUT' });
    const reason = new Error('changed my mind');
    expect(
      await clientOf()
        .get('/api/auth/me', { signal: AbortSignal.abort(reason) })
        .catch((fault) => fault),
    ).to.equal(reason);
  });

  it('repeats once what was certainly not carried out, and nothing else', async () => {
    for (const [status, headers, calls] of [
      [429, { 'Retry-After': '0' }, 2],
      [503, { 'Retry-After': '0' }, 2],
      [429, { 'Retry-After': '60' }, 1],
      [503, {}, 1],
      [500, {}, 1],
    ] as const) {
      door.calls.length = 0;
      door.once(answering(status, { error: { code: 'SERVICE_UNAVAILABLE', message: 'x' } }, headers));
      await clientOf()
        .post('/api/deploy/preflight', { body: { chain: 'base', chain_id: 8453 } })
        .catch(() => undefined);
      expect(door.calls, `${status} ${JSON.stringify(headers)}`).to.have.length(calls);
    }
  });

  it('throws a TypeError if an option or a part of a path is missing', async () => {
    expect(() => createAccountClient({ url: 'x', apiKey: 'y' })).to.throw(TypeError, 'url');
    expect(() => createAccountClient({ url: 'https://x', apiKey: '' })).to.throw(TypeError, 'apiKey');
    const fault = await clientOf()
      .get('/api/licenses/{key}', { path: { key: '' } })
      .catch((error) => error);
    expect(fault).to.be.instanceOf(TypeError);
  });
});
