import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';
import { addOwnProduct } from './own-product.ts';

const domain = 'shop.example.com';

describe('POST /api/licenses/:key/clock', () => {
  let service: AccountService;
  let ada: Account;
  let live: Account;
  let key: string;
  beforeEach(async () => {
    service = await startAccountService();
    live = await service.account('pro');
    ada = await service.keyOf(live.user, { mode: 'test' });
    await addOwnProduct(service, 'jar', live, 'test');
    await addOwnProduct(service, 'live-jar', live);
    const end = new Date(service.clock.now() + 30 * 86_400_000).toISOString();
    key = (await ada.post('/api/licenses', { product: 'jar', expires_at: end })).body.data[0].key;
    expect((await call('activate')).status).to.equal(200);
  });
  afterEach(() => service.close());

  const set = (body: object, account = ada, license = key) => account.post(`/api/licenses/${license}/clock`, body);
  const call = (operation: 'activate' | 'deactivate') =>
    service.send(`/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key: key, domain }),
    });
  const verify = () => service.send(`/verify?license_key=${key}&domain=${domain}`);
  const codeOf = ({ status, body }: Answer) => [status, body.error ?? body.error?.code];

  itLong('200: advances the clock, so that the license ends at once, and says by how much', async () => {
    expect((await verify()).body.valid).to.equal(true);
    const { status, body } = await set({ advance: 'P1M2DT12H' });
    expect(status).to.equal(200);
    expect(body.license.status).to.equal('expired');
    expect(body.license.test_clock.forced).to.equal(null);
    expect(body.license.test_clock.ahead_seconds % 86_400).to.equal(43_200);
    expect(codeOf(await verify())).to.deep.equal([200, 'expired']);
    expect((await ada.get(`/api/licenses/${key}/events`)).body.data[0].type).to.equal('license.clock_set');
    const again = await set({});
    expect(again.body.license.test_clock).to.deep.equal(body.license.test_clock);
  });

  itLong(
    '200: forces the answers of the license API until it is null, in the form of each call, and no outage is counted',
    async () => {
      const expected = {
        suspended: [
          [200, 'suspended'],
          [422, 'suspended'],
        ],
        expired: [
          [200, 'expired'],
          [422, 'expired'],
        ],
        429: [
          [429, 'rate_limit_exceeded'],
          [429, 'rate_limit_exceeded'],
        ],
        503: [
          [503, 'service_unavailable'],
          [503, 'service_unavailable'],
        ],
      };
      for (const [force, answers] of Object.entries(expected)) {
        expect((await set({ force })).body.license).to.deep.include({
          status: 'active',
          test_clock: { ahead_seconds: 0, forced: force },
        });
        const got = [await verify(), await call('activate')];
        const lease = await service.send(`/lease?license_key=${key}&domain=${domain}`);
        expect(codeOf(lease), force).to.deep.equal(answers[0]);
        expect(got.map(codeOf), force).to.deep.equal(answers);
        const { explanation } = (await ada.get(`/api/licenses/${key}/explain?domain=${domain}`)).body;
        const isStatus = force === 'suspended' || force === 'expired';
        expect([explanation.error, explanation.forced], force).to.deep.equal(isStatus ? [force, null] : [null, force]);
        if (isStatus) expect(JSON.stringify(explanation.rules)).to.include('forces this answer');
        if (force === '429' || force === '503')
          for (const { headers } of got) expect(headers.get('Retry-After')).to.equal('30');
      }
      expect((await set({ force: null })).body.license.test_clock.forced).to.equal(null);
      expect((await verify()).body.valid).to.equal(true);
      const metrics = await (await service.parts.get(t.registry)).metrics();
      expect(metrics).to.not.match(/status="(429|503)"/);
    },
  );

  itLong('200: a slow answer comes after 10 seconds, and counts in no metric', async () => {
    await set({ force: 'slow' });
    expect((await verify()).body.valid).to.equal(true);
    expect(await (await service.parts.get(t.registry)).metrics()).to.not.match(/_count\{method="GET",route="\/verify"/);
  });

  itLong(
    '404 for the license of somebody else and with a live key, 409 for a live license, 422 for what is no duration or too long',
    async () => {
      const eve = await service.keyOf((await service.account('pro')).user, { mode: 'test' });
      for (const account of [eve, live]) expect(codeOf(await set({ force: '503' }, account))[0]).to.equal(404);
      const [{ key: liveKey }] = (await live.post('/api/licenses', { product: 'live-jar' })).body.data;
      const refused = await set({ advance: 'P1D' }, live, liveKey);
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'CONFLICT']);
      for (const advance of [
        '30',
        'P',
        '-P1D',
        'P1.5D',
        'PT0.5S',
        'P4000D',
        `P${'9'.repeat(30)}Y`,
        'P99999999999999D',
        5,
        null,
      ]) {
        const { status, body } = await set({ advance });
        expect([status, Object.keys(body.error?.fields ?? {})], String(advance)).to.deep.equal([422, ['advance']]);
      }
      expect(Object.keys((await set({ force: 'revoked' })).body.error.fields)).to.deep.equal(['force']);
      expect((await verify()).body.valid).to.equal(true);
    },
  );

  itLong('a repeated request with its Idempotency-Key advances the clock once', async () => {
    const send = () =>
      ada.send(`/api/licenses/${key}/clock`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
        body: JSON.stringify({ advance: 'P5D' }),
      });
    expect((await send()).body).to.deep.equal((await send()).body);
    expect((await ada.get(`/api/licenses/${key}`)).body.license.test_clock.ahead_seconds).to.equal(5 * 86_400);
  });
});
