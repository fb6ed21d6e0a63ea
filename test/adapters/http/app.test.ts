import { connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import pino from 'pino';
import { createApp } from '../../../adapters/http/app.ts';
import { createClientAddress } from '../../../adapters/http/client-address.ts';
import { licenseEnvelope } from '../../../adapters/http/envelopes.ts';
import { createReporter } from '../../../adapters/http/exchange.ts';
import { Failure } from '../../../adapters/http/failures.ts';
import { healthEndpoints, type Readiness } from '../../../adapters/http/health.ts';
import { createHttpMetrics, createMetricsListener } from '../../../adapters/http/metrics.ts';
import { createHttpServer } from '../../../adapters/http/server.ts';
import type { Middleware } from '../../../adapters/http/state.ts';
import { createRouting } from '../../../adapters/http/surface.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { until } from '../../support/eventually.ts';
import { made } from '../../support/made.ts';
import { itLong } from '../../support/required-service.ts';
import { type Service, startService } from './license/license-service.ts';

/** The health endpoints as a middleware, without rate limits. */
function healthOf(readiness: Readiness): Koa.Middleware {
  const endpoints = healthEndpoints(readiness);
  const quotaOf = () => ({ subject: '', allowances: [] });
  return createRouting(
    [made(() => true, { name: 'health', endpoints, envelope: licenseEnvelope, quotaOf })],
    undefined,
  )('/') as Koa.Middleware;
}

/** Sends raw bytes. Returns everything that is received until the server closes the connection. */
function raw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

describe('every answer', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('carries the request id of the request, or a new one if it is missing or unusable', async () => {
    const id = async (given?: string) =>
      (await service.get('/health/live', {}, given ? { 'X-Request-Id': given } : {})).headers.get('x-request-id');
    expect(await id('req-1:a/b')).to.equal('req-1:a/b');
    const made = [await id(), await id('two words'), await id('x'.repeat(129))];
    for (const one of made) expect(one).to.match(/^[0-9a-f-]{36}$/);
    expect(new Set(made).size).to.equal(3);
  });

  itLong('carries the security headers. The license API sends only JSON, which needs one of them', async () => {
    const { headers } = await service.get('/api/auth/me');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('content-security-policy')).to.include("default-src 'none'");
    expect(headers.get('x-powered-by')).to.equal(null);
    const license = await service.get('/status');
    expect(license.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(license.headers.get('content-security-policy')).to.equal(null);
  });

  it('is an error envelope even if the request cannot be parsed', async () => {
    const garbage = await raw(service.url, 'nonsense\r\n\r\n');
    expect(garbage).to.match(/^HTTP\/1\.1 400 /);
    expect(garbage).to.include('"error":"bad_request"');
    const long = await raw(service.url, `GET /verify?domain=${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(long).to.match(/^HTTP\/1\.1 431 /);
    expect(long).to.include('"error":"headers_too_large"');
  });
});

describe('a client that does not finish its request', () => {
  it('gets 408, and the server closes its connection', async () => {
    await using service = await startService({ settings: { REQUEST_TIMEOUT: '1' } });
    const answer = await raw(service.url, 'POST /activate HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(answer).to.include('"error":"request_timeout"');
  });
});

describe('health', () => {
  it('is live while the process answers, and ready while every check succeeds and the process is not stopping', async () => {
    let accepts = true;
    let isUp = true;
    let now = 0;
    const app = new Koa();
    const check = async () => {
      if (!isUp) throw new Error('secret detail');
    };
    const health = healthOf({ checks: { database: check }, accepts: () => accepts, now: () => now });
    app.use(health);
    const server = createHttpServer(app.callback(), { request: 1000 });
    const { port } = await server.listen(0, '127.0.0.1');
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return [response.status, await response.text()];
    };
    try {
      expect(await get('/health/live')).to.deep.equal([200, '{"status":"ok"}']);
      expect(await get('/health/ready')).to.deep.equal([200, '{"status":"ok","checks":{"database":"ok"}}']);
      isUp = false;
      now += 1_000;
      expect(await get('/health/ready')).to.deep.equal([503, '{"status":"unavailable","checks":{"database":"down"}}']);
      expect((await get('/health/live'))[0]).to.equal(200);
      isUp = true;
      now += 1_000;
      expect((await get('/health/ready'))[0]).to.equal(200);
      accepts = false;
      expect((await get('/health/ready'))[0]).to.equal(503);
    } finally {
      await server.close(0);
    }
  });
});

describe('readiness', () => {
  itLong('is 503 if a check has not finished after three seconds', async () => {
    const app = new Koa();
    const never = () => new Promise<void>(() => undefined);
    app.use(healthOf({ checks: { database: never }, accepts: () => true }));
    const server = createHttpServer(app.callback(), { request: 10_000 });
    const { port } = await server.listen(0, '127.0.0.1');
    try {
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
      expect(response.status).to.equal(503);
      expect(await response.json()).to.deep.equal({ status: 'unavailable', checks: { database: 'down' } });
    } finally {
      await server.close(0);
    }
  });

  it('runs a check once for all concurrent requests, and not again within a second', async () => {
    let now = 0;
    const runs: (() => void)[] = [];
    const check = () => new Promise<void>((resolve) => void runs.push(resolve));
    let arrived = 0;
    const app = new Koa();
    app.use((_ctx, next) => {
      arrived++;
      return next();
    });
    app.use(healthOf({ checks: { storage: check }, accepts: () => true, now: () => now }));
    const server = createHttpServer(app.callback(), { request: 10_000 });
    const { port } = await server.listen(0, '127.0.0.1');
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status;
    try {
      const asked = [ready(), ready(), ready()];
      await until(() => arrived >= 3);
      now += 5_000;
      expect(runs).to.have.lengthOf(1);
      runs[0]?.();
      expect(await Promise.all(asked)).to.deep.equal([200, 200, 200]);
      now += 999;
      expect(await ready()).to.equal(200);
      expect(runs).to.have.lengthOf(1);
      now += 1;
      const last = ready();
      await until(() => runs.length >= 2);
      runs[1]?.();
      expect(await last).to.equal(200);
    } finally {
      await server.close(0);
    }
  });

  itLong('reports that Redis is down, but stays ready without it', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_URL: 'redis://127.0.0.1:1' } });
    const { status, body } = await service.get('/health/ready');
    expect([status, body]).to.deep.equal([
      200,
      { status: 'ok', checks: { database: 'ok', files: 'ok', redis: 'down' } },
    ]);
  });
});

/** Starts an application with one surface, which runs the given middleware. */
async function startAppWith(middleware: Middleware) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const metrics = createHttpMetrics();
  const reporter = createReporter(log, metrics, createClientAddress([]));
  const server = createHttpServer(createApp(() => middleware, reporter).callback(), { request: 1000 });
  const { port } = await server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  return { url, lines, metrics, [Symbol.asyncDispose]: () => server.close(0) };
}

describe('a long answer', () => {
  it('is kept as bytes while its client reads: as text or object, it would be in memory twice', async () => {
    const text = 'ü'.repeat(20_000);
    for (const answer of [text, { text }]) {
      let kept: unknown;
      await using app = await startAppWith((ctx) => {
        ctx.body = answer;
        ctx.res.on('finish', () => {
          kept = ctx.body;
        });
      });
      const response = await fetch(app.url);
      const received = await response.text();
      expect(received).to.equal(answer === text ? text : JSON.stringify(answer));
      expect(response.headers.get('content-type')).to.match(answer === text ? /^text\/plain;/ : /^application\/json;/);
      await until(() => kept !== undefined);
      expect(kept).to.be.instanceOf(Buffer);
    }
  });
});

describe('requests that fail', () => {
  it('get 500 internal_error without the cause, which is logged with the request id', async () => {
    await using app = await startAppWith(() => {
      throw new Error('SELECT secret FROM somewhere');
    });
    const response = await fetch(app.url, { headers: { 'X-Request-Id': 'abc' } });
    expect(response.status).to.equal(500);
    const text = await response.text();
    expect(JSON.parse(text)).to.include({ success: false, error: 'internal_error' });
    expect(text).to.not.include('SELECT');
    const logged = app.lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request failed');
    expect(logged.err.stack).to.include('SELECT secret');
    expect(logged.requestId).to.equal('abc');
  });

  it('are logged in one line, with the method, the path and the error', async () => {
    for (const [error, msg] of [
      [new Error('broken'), 'request failed'],
      [new Unavailable('out'), 'unavailable'],
    ] as const) {
      await using app = await startAppWith(() => {
        throw error;
      });
      await fetch(`${app.url}/some/path`);
      const lines = app.lines.map((line) => JSON.parse(line));
      expect(lines.map((line) => line.msg)).to.deep.equal([msg]);
      expect(lines[0]).to.include({ method: 'GET', path: '/some/path' });
      expect(lines[0].err).to.include({ message: error.message });
    }
  });

  itLong('are not all logged if there are very many; the log has the number of omitted lines', async () => {
    await using app = await startAppWith(() => {
      throw new Failure('not_found');
    });
    const lines = () => app.lines.map((line) => JSON.parse(line));
    const written = () => lines().filter(({ msg }) => msg === 'request').length;
    const omitted = () => lines().reduce((sum, line) => sum + (line.omitted ?? 0), 0);
    let calls = 0;
    while (omitted() === 0) {
      await Promise.all(Array.from({ length: 50 }, () => fetch(app.url)));
      calls += 50;
    }
    await until(() => written() + omitted() >= calls);
    expect(written() + omitted()).to.equal(calls);
    expect(lines().find((line) => line.omitted)).to.include({ refused: 'not_found' });
  });

  it('get 503 service_unavailable with Retry-After if an adapter is unavailable', async () => {
    await using app = await startAppWith(() => {
      throw new Unavailable('database');
    });
    const response = await fetch(app.url);
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect(await response.json()).to.include({ error: 'service_unavailable' });
  });
});

describe('the log', () => {
  it('shortens license keys, and has the path, the status and the request id', async () => {
    await using app = await startAppWith((ctx) => {
      ctx.state.licenseKey = 'LIC-AAAA-BBBB-CCCC-DDDD';
      ctx.body = {};
    });
    await fetch(`${app.url}/status?license_key=LIC-AAAA-BBBB-CCCC-DDDD`, { headers: { 'X-Request-Id': 'abc' } });
    expect(app.lines.join()).to.not.include('BBBB');
    const line = JSON.parse(app.lines.at(-1) ?? '');
    expect(line).to.include({ path: '/status', status: 200, requestId: 'abc', license: 'LIC-AA…DD' });
  });

  it('has no line at level info for a verification that succeeded, and one for each refusal', async () => {
    await using app = await startAppWith((ctx) => {
      ctx.state.endpoint = 'verify';
      if (ctx.path === '/refused') ctx.state.refused = 'revoked';
      ctx.body = {};
    });
    await fetch(`${app.url}/valid`);
    await fetch(`${app.url}/refused`);
    const requests = app.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(requests.map(({ path, level }) => [path, level])).to.deep.equal([
      ['/valid', 20],
      ['/refused', 30],
    ]);
  });
});

describe('GET /metrics', () => {
  it('returns durations by route and status, and verifications by outcome', async () => {
    await using app = await startAppWith((ctx) => {
      ctx.state.endpoint = 'verify';
      ctx.state.route = '/verify';
      ctx.body = {};
    });
    await fetch(`${app.url}/verify`);
    const server = createHttpServer(createMetricsListener(app.metrics.registry), { request: 1000 });
    const { port } = await server.listen(0, '127.0.0.1');
    try {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text).to.include('latchkey_verifications_total{outcome="valid"} 1');
      expect(text).to.include(
        'latchkey_http_request_duration_seconds_count{method="GET",route="/verify",status="200"} 1',
      );
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).to.equal(404);
    } finally {
      await server.close(0);
    }
  });

  it('returns 404 on the public port', async () => {
    await using service = await startService();
    expect((await service.get('/metrics')).status).to.equal(404);
  });
});
