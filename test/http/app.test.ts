import { connect } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import pino from 'pino';
import { createApp } from '../../adapters/http/app.ts';
import { createReporter } from '../../adapters/http/exchange.ts';
import { createHttpMetrics } from '../../adapters/http/metrics.ts';
import { createHealth, createMetricsListener } from '../../adapters/http/operations.ts';
import { createHttpServer } from '../../adapters/http/server.ts';
import type { Middleware } from '../../adapters/http/state.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { type Service, startService } from './support.ts';

/** Sends raw bytes and answers all that comes back until the server hangs up. */
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

  it('carries the request id that came with the request, or a new one where that is missing or unusable', async () => {
    const id = async (given?: string) =>
      (await service.get('/health/live', {}, given ? { 'X-Request-Id': given } : {})).headers.get('x-request-id');
    expect(await id('req-1:a/b')).to.equal('req-1:a/b');
    const made = [await id(), await id('two words'), await id('x'.repeat(129))];
    for (const one of made) expect(one).to.match(/^[0-9a-f-]{36}$/);
    expect(new Set(made).size).to.equal(3);
  });

  it('carries the security headers', async () => {
    const { headers } = await service.get('/status');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('content-security-policy')).to.include("default-src 'none'");
    expect(headers.get('x-powered-by')).to.equal(null);
  });

  it('is an envelope even where the request could not be read', async () => {
    const garbage = await raw(service.url, 'nonsense\r\n\r\n');
    expect(garbage).to.match(/^HTTP\/1\.1 400 /);
    expect(garbage).to.include('"error":"bad_request"');
    const long = await raw(service.url, `GET /verify?domain=${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(long).to.match(/^HTTP\/1\.1 431 /);
    expect(long).to.include('"error":"headers_too_large"');
  });
});

describe('a client that does not get on', () => {
  it('is answered 408 and cut off', async () => {
    await using service = await startService({ settings: { REQUEST_TIMEOUT: '1' } });
    const answer = await raw(service.url, 'POST /activate HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(answer).to.include('"error":"request_timeout"');
  });
});

describe('health', () => {
  it('is live while the process answers, and ready while all that it needs does and it is not stopping', async () => {
    let accepts = true;
    let isUp = true;
    const app = new Koa();
    const check = async () => {
      if (!isUp) throw new Error('secret detail');
    };
    app.use(createHealth({ checks: { database: check }, accepts: () => accepts }) as Koa.Middleware);
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
      expect(await get('/health/ready')).to.deep.equal([503, '{"status":"unavailable","checks":{"database":"down"}}']);
      expect((await get('/health/live'))[0]).to.equal(200);
      isUp = true;
      accepts = false;
      expect((await get('/health/ready'))[0]).to.equal(503);
    } finally {
      await server.close(0);
    }
  });
});

describe('readiness', () => {
  it('tells of Redis, but does not depend on it', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_URL: 'redis://127.0.0.1:1' } });
    const { status, body } = await service.get('/health/ready');
    expect([status, body]).to.deep.equal([200, { status: 'ok', checks: { redis: 'down' } }]);
  });
});

/** An application whose only surface does what it is told. */
async function appThat(does: Middleware) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const metrics = createHttpMetrics();
  const server = createHttpServer(createApp(() => does, createReporter(log, metrics)).callback(), { request: 1000 });
  const { port } = await server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  return { url, lines, metrics, [Symbol.asyncDispose]: () => server.close(0) };
}

describe('failures that nobody foresaw', () => {
  it('500 internal_error tells nothing of the cause, which is logged under the request id', async () => {
    await using app = await appThat(() => {
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

  it('503 service_unavailable with Retry-After where an adapter is out', async () => {
    await using app = await appThat(() => {
      throw new Unavailable('database');
    });
    const response = await fetch(app.url);
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect(await response.json()).to.include({ error: 'service_unavailable' });
  });
});

describe('the log', () => {
  it('shortens license keys, and names path, status and request id', async () => {
    await using app = await appThat((ctx) => {
      ctx.state.licenseKey = 'LIC-AAAA-BBBB-CCCC-DDDD';
      ctx.body = {};
    });
    await fetch(`${app.url}/status?license_key=LIC-AAAA-BBBB-CCCC-DDDD`, { headers: { 'X-Request-Id': 'abc' } });
    expect(app.lines.join()).to.not.include('BBBB');
    const line = JSON.parse(app.lines.at(-1) ?? '');
    expect(line).to.include({ path: '/status', status: 200, requestId: 'abc', license: 'LIC-AA…DD' });
  });

  it('has no line at level info for a verification that succeeded, and one for each refusal', async () => {
    await using app = await appThat((ctx) => {
      ctx.state.envelope = 'verify';
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
  it('tells durations by route and status, and verifications by outcome', async () => {
    await using app = await appThat((ctx) => {
      ctx.state.envelope = 'verify';
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

  it('is not there on the public port', async () => {
    await using service = await startService();
    expect((await service.get('/metrics')).status).to.equal(404);
  });
});
