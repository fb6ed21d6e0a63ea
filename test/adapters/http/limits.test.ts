import { expect } from 'chai';
import { raw } from '../../support/raw-http.ts';
import { type Service, startService } from './license/license-service.ts';

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

    it(`allow exactly ${limit} calls of ${operation} a minute, concurrent ones included, both path forms together`, async () => {
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

    it(`report the calls that remain on ${operation}, and refuse in its envelope with the time to wait`, async () => {
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

  it('are counted separately for each operation and address', async () => {
    await Promise.all(Array.from({ length: 31 }, () => call('activate')));
    expect((await call('activate')).status).to.equal(429);
    expect((await call('deactivate')).status).to.equal(422);
    expect((await call('activate', '203.0.113.2')).status).to.equal(422);
  });

  it('count an IPv6 network of 64 bits as one address, and both notations of an IPv4 address as one', async () => {
    const left = async (from: string) => (await call('status', from)).headers.get('x-ratelimit-remaining');
    expect(await left('2001:db8:1:2::1')).to.equal('59');
    expect(await left('2001:db8:1:2:ffff::9')).to.equal('58');
    expect(await left('2001:db8:1:3::1')).to.equal('59');
    expect(await left('198.51.100.7')).to.equal('59');
    expect(await left('::ffff:198.51.100.7')).to.equal('58');
  });

  it('use only the addresses that trusted proxies wrote', async () => {
    const left = async (from: string) => (await call('status', from)).headers.get('x-ratelimit-remaining');
    expect(await left('203.0.113.50, 198.51.100.1')).to.equal('59');
    expect(await left('203.0.113.51, 198.51.100.1')).to.equal('58');
    expect(await left('not an address')).to.equal('59');
    expect(await left('not one either')).to.equal('58');
  });

  it('are in the headers of 404, 405, 415, 422 and of a preflight, which is not counted', async () => {
    const preflight = () =>
      service.send('/activate', {
        method: 'OPTIONS',
        headers: { Origin: 'https://dapp.example', 'Access-Control-Request-Method': 'POST' },
      });
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

describe('OPTIONS on the license API', () => {
  it('is counted like any call, unless it is a preflight with Origin and Access-Control-Request-Method', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_STATUS: '3' } });
    const options = (headers: Record<string, string>) => service.send('/status', { method: 'OPTIONS', headers });
    const [from, method] = [{ Origin: 'https://a.example' }, { 'Access-Control-Request-Method': 'GET' }];
    const left = [];
    for (const headers of [{ ...from, ...method }, {}, from, method, { ...from, ...method }]) {
      left.push((await options(headers)).headers.get('x-ratelimit-remaining'));
    }
    expect(left).to.deep.equal(['3', '2', '1', '0', '0']);
    expect((await options({ ...from, ...method })).status).to.equal(204);
    expect((await options({})).status).to.equal(429);
    expect((await options(method)).status).to.equal(429);
  });
});

describe('rate limits of pages, files and health', () => {
  const pages = [
    '/marketplace/x',
    '/media/x.png',
    '/files/a/b',
    '/docs',
    '/docs/assets/reference.js',
    '/docs/nothing',
    '/openapi.json',
  ];
  const healths = ['/health/live', '/health/ready'];

  async function visit(service: Service, path: string, init: RequestInit = {}) {
    const { status, headers } = await service.send(path, init);
    const number = (name: string) => Number(headers.get(name) ?? Number.NaN);
    return { status, limit: number('x-ratelimit-limit'), left: number('x-ratelimit-remaining'), headers };
  }

  it('are in the headers of every answer, found or not, for every method, and count all pages together', async () => {
    await using service = await startService();
    const reset = String(service.clock.now() / 1000 + 60);
    let left = 600;
    for (const path of pages) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const answer = await visit(service, path, { method });
        expect(answer, `${method} ${path}`).to.include({ limit: 600, left: --left });
        expect(answer.headers.get('x-ratelimit-reset')).to.equal(reset);
      }
    }
    const plain = { headers: { 'Accept-Encoding': 'identity' } };
    const etag = (await service.send('/openapi.json', plain)).headers.get('etag') ?? '';
    const again = await raw(
      service.url,
      `GET /openapi.json HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`,
    );
    expect(again).to.match(/^HTTP\/1\.1 304 /);
    expect(again).to.include(`X-RateLimit-Remaining: ${left - 2}`);
  });

  it('count health checks separately, so that page requests cannot use up the limit of a load balancer', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_PAGES: '2', RATE_LIMIT_HEALTH: '5' } });
    const statuses = [];
    for (let call = 0; call < 4; call++) statuses.push((await visit(service, '/docs')).status);
    expect(statuses).to.deep.equal([200, 200, 429, 429]);
    let left = 5;
    for (const path of [...healths, ...healths]) {
      expect(await visit(service, path)).to.include({ status: 200, limit: 5, left: --left });
    }
    expect((await visit(service, '/health/live')).status).to.equal(200);
    const refused = await visit(service, '/health/live');
    expect(refused).to.include({ status: 429, left: 0 });
    expect(refused.headers.get('retry-after')).to.equal('60');
    service.clock.advance(60_000);
    expect((await visit(service, '/health/live')).status).to.equal(200);
    expect((await visit(service, '/docs')).status).to.equal(200);
  });

  it('count each address separately', async () => {
    const settings = { RATE_LIMIT_PAGES: '1', TRUSTED_PROXIES: 'loopback' };
    await using service = await startService({ settings });
    const from = (address: string) => visit(service, '/docs', { headers: { 'X-Forwarded-For': address } });
    const statuses = [];
    for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2']) statuses.push((await from(address)).status);
    expect(statuses).to.deep.equal([200, 429, 200]);
  });

  for (const [surface, closed] of [
    ['license', ['/api/auth/me', '/docs', '/media/x.png']],
    ['account', ['/verify', '/status', '/nothing', '/health/nothing']],
  ] as const) {
    it(`are in the headers of a 404 for a path that the process does not serve: --surface ${surface}`, async () => {
      await using service = await startService({ settings: { SURFACE: surface } });
      let left = 600;
      for (const path of closed) expect(await visit(service, path), path).to.include({ status: 404, left: --left });
    });
  }
});

describe('configured rate limits', () => {
  it('have the values of the settings', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_VERIFY: '2' } });
    const statuses = [];
    for (let call = 0; call < 3; call++) statuses.push((await service.get('/verify')).status);
    expect(statuses).to.deep.equal([422, 422, 429]);
  });

  it('ignore X-Forwarded-For without a trusted proxy', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_STATUS: '1' } });
    expect((await service.get('/status', {}, { 'X-Forwarded-For': '203.0.113.1' })).status).to.equal(422);
    expect((await service.get('/status', {}, { 'X-Forwarded-For': '203.0.113.2' })).status).to.equal(429);
  });

  it('are off if RATE_LIMIT_URL is off:', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => service.get('/verify')));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([422]));
    expect(answers[0]?.headers.get('x-ratelimit-limit')).to.equal(null);
    for (const path of ['/docs', '/health/live', '/media/x.png']) {
      expect((await service.get(path)).headers.get('x-ratelimit-limit'), path).to.equal(null);
    }
  });
});
