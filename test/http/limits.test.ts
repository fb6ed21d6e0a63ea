import { expect } from 'chai';
import { type Service, startService } from './support.ts';

const limits = { activate: 30, deactivate: 30, status: 60, verify: 120 } as const;
const methods = { activate: 'POST', deactivate: 'POST', status: 'GET', verify: 'GET' } as const;
const operations = Object.keys(limits) as (keyof typeof limits)[];

describe('rate limits of the license API', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ settings: { TRUSTED_PROXIES: 'loopback' } });
  });
  afterEach(() => service.close());

  const call = (operation: keyof typeof limits, from = '203.0.113.1', path = `/${operation}`) =>
    service.send(path, {
      method: methods[operation],
      headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json' },
    });

  for (const operation of operations) {
    const limit = limits[operation];

    it(`pass exactly ${limit} calls of ${operation} a minute, concurrent ones included, over both path forms`, async () => {
      const paths = [`/${operation}`, `/api/license/${operation}`];
      const calls = Array.from({ length: limit + 20 }, (_, index) => call(operation, undefined, paths[index % 2]));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 422)).to.have.length(limit);
      expect(statuses.filter((status) => status === 429)).to.have.length(20);
      service.clock.advance(59_999);
      expect((await call(operation)).status).to.equal(429);
      service.clock.advance(1);
      expect((await call(operation)).status).to.equal(422);
    });

    it(`tell on ${operation} what is left, and when refused how long to wait, in its envelope`, async () => {
      const first = await call(operation);
      expect(first.headers.get('x-ratelimit-limit')).to.equal(String(limit));
      expect(first.headers.get('x-ratelimit-remaining')).to.equal(String(limit - 1));
      expect(first.headers.get('x-ratelimit-reset')).to.equal(String(service.clock.now() / 1000 + 60));
      expect(first.headers.get('ratelimit-policy')).to.equal(`"minute";q=${limit};w=60`);
      expect(first.headers.get('ratelimit')).to.equal(`"minute";r=${limit - 1};t=60`);
      await Promise.all(Array.from({ length: limit - 1 }, () => call(operation)));
      service.clock.advance(12_345);
      const refused = await call(operation);
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('x-ratelimit-remaining')).to.equal('0');
      expect(refused.headers.get('retry-after')).to.equal('48');
      expect(refused.body).to.include({ error: 'rate_limit_exceeded' });
      expect(refused.body).to.have.property(operation === 'verify' ? 'valid' : 'success', false);
    });
  }

  it('are counted for each operation and address apart', async () => {
    await Promise.all(Array.from({ length: 31 }, () => call('activate')));
    expect((await call('activate')).status).to.equal(429);
    expect((await call('deactivate')).status).to.equal(422);
    expect((await call('activate', '203.0.113.2')).status).to.equal(422);
  });

  it('count an IPv6 network of 64 bits as one address, and an IPv4 address the same in both notations', async () => {
    const left = async (from: string) => (await call('status', from)).headers.get('x-ratelimit-remaining');
    expect(await left('2001:db8:1:2::1')).to.equal('59');
    expect(await left('2001:db8:1:2:ffff::9')).to.equal('58');
    expect(await left('2001:db8:1:3::1')).to.equal('59');
    expect(await left('198.51.100.7')).to.equal('59');
    expect(await left('::ffff:198.51.100.7')).to.equal('58');
  });

  it('believe nothing but what trusted proxies wrote', async () => {
    const left = async (from: string) => (await call('status', from)).headers.get('x-ratelimit-remaining');
    expect(await left('203.0.113.50, 198.51.100.1')).to.equal('59');
    expect(await left('203.0.113.51, 198.51.100.1')).to.equal('58');
    expect(await left('not an address')).to.equal('59');
    expect(await left('not one either')).to.equal('58');
  });

  it('stand in the headers of 404, 405, 415, 422 and of a preflight, which is not counted', async () => {
    const preflight = () =>
      service.send('/activate', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } });
    expect((await preflight()).headers.get('x-ratelimit-remaining')).to.equal('30');
    expect((await preflight()).headers.get('x-ratelimit-remaining')).to.equal('30');
    for (const [path, init, status] of [
      ['/nothing', {}, 404],
      ['/activate', { method: 'GET' }, 405],
      ['/activate', { method: 'POST', body: 'x' }, 415],
      ['/verify', {}, 422],
    ] as const) {
      const answer = await service.send(path, init);
      expect(answer.status).to.equal(status);
      expect(Number(answer.headers.get('x-ratelimit-limit'))).to.be.greaterThan(0);
      expect(answer.headers.get('x-ratelimit-remaining')).to.match(/^\d+$/);
    }
  });
});

describe('rate limits that are configured', () => {
  it('are what the settings say', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_VERIFY: '2' } });
    const statuses = [];
    for (let call = 0; call < 3; call++) statuses.push((await service.get('/verify')).status);
    expect(statuses).to.deep.equal([422, 422, 429]);
  });

  it('do not believe X-Forwarded-For without a trusted proxy', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_STATUS: '1' } });
    expect((await service.get('/status', {}, { 'X-Forwarded-For': '203.0.113.1' })).status).to.equal(422);
    expect((await service.get('/status', {}, { 'X-Forwarded-For': '203.0.113.2' })).status).to.equal(429);
  });

  it('are off with off:', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => service.get('/verify')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([422]));
    expect(answers[0]?.headers.get('x-ratelimit-limit')).to.equal(null);
  });
});
