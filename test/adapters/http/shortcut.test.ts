import { expect } from 'chai';
import fc from 'fast-check';
import { createHttpServer } from '../../../adapters/http/server.ts';
import { compose } from '../../../apps/wiring/compose.ts';
import { readConfig } from '../../../apps/wiring/config.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { addressLike, anyText } from '../../core/texts.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { raw } from '../../support/raw-http.ts';
import { runs } from '../../support/runs.ts';
import { type Service, startService } from './license/license-service.ts';

const id = { 'X-Request-Id': 'the-same' };

/** Returns the whole answer without its date. */
async function answerOf(service: Service, path: string, headers: Record<string, string> = {}) {
  const { status, headers: given, text } = await service.send(path, { headers: { ...id, ...headers } });
  return { status, headers: [...given].filter(([name]) => name !== 'date'), text };
}

/* A path with a slash at its end does not use the shortcut: the application answers it. */
describe('the shortcut of the license API', () => {
  let service: Service;
  let key: string;
  before(async () => {
    service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    key = await service.license({ maxDomains: 2 });
    for (const domain of ['a.com', 'münchen.example']) await service.post('/activate', { license_key: key, domain });
  });
  after(() => service.close());

  for (const operation of ['verify', 'status', 'api/license/verify', 'api/license/status']) {
    const same = async (query: string, headers?: Record<string, string>) => {
      const short = await answerOf(service, `/${operation}?${query}`, headers);
      const long = await answerOf(service, `/${operation}/?${query}`, headers);
      // The first of the two calls was counted.
      const uncounted = (text: string) => text.replace(/"(?:verification_count|last_verified_at)":[^,}]+/g, '');
      expect({ ...short, text: uncounted(short.text) }).to.deep.equal({ ...long, text: uncounted(long.text) });
      return short.status;
    };

    it(`answers /${operation} exactly like the application, with the same headers, whatever the query is`, async () => {
      const value = fc.oneof(anyText, addressLike, fc.constantFrom('a.com', 'https://A.com/', 'b.com'));
      const licenseKey = fc.oneof(anyText, fc.constant(key), fc.constant('LIC-0000-0000-0000-0000'));
      const pair = fc.oneof(
        fc.tuple(fc.constant('license_key'), licenseKey),
        fc.tuple(fc.constant('domain'), value),
        fc.tuple(fc.constantFrom('__proto__', 'constructor', 'x', ''), value),
      );
      const encoded = fc.array(pair, { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString());
      const raw = fc.stringMatching(/^[ -"$-~]{0,30}$/).map(encodeURI);
      await fc.assert(
        fc.asyncProperty(fc.oneof(encoded, encoded, raw), async (query) => {
          await same(query);
        }),
        { numRuns: runs(150) },
      );
    });

    it(`answers /${operation} exactly like the application in each status, also to a browser`, async () => {
      const origin = { Origin: 'https://a.com' };
      expect(await same(`license_key=${key}&domain=a.com`, origin)).to.equal(200);
      expect(await same(`license_key=${key}&domain=m%C3%BCnchen.example`, origin)).to.equal(200);
      expect(await same('license_key=LIC-0000-0000-0000-0000&domain=a.com', origin)).to.equal(404);
      expect(await same('domain=a.com', origin)).to.equal(422);
      const suspended = await service.license();
      await service.issuing.change(suspended, 'suspend', operator);
      expect(await same(`license_key=${suspended}&domain=a.com`, origin)).to.equal(200);
    });
  }

  it('answers only its own paths, and other paths do not count against its limit', async () => {
    await using service = await startService({ settings: { RATE_LIMIT_VERIFY: '2' } });
    for (const path of [
      '/verifyX',
      '/statusX',
      '/api/license/verifyZ',
      '/api/license/statusZ',
      '/verif',
      '/verify/x',
    ]) {
      expect((await service.send(path)).status, path).to.equal(404);
    }
    const { status, headers } = await service.send('/verify');
    expect([status, headers.get('x-ratelimit-remaining')]).to.deep.equal([422, '1']);
  });

  it('counts against the same limit as the application, and reports it in the same way', async () => {
    const settings = { settings: { RATE_LIMIT_VERIFY: '2' } };
    await using short = await startService(settings);
    await using long = await startService(settings);
    const query = '?license_key=LIC-0000-0000-0000-0000&domain=a.com';
    for (const status of [404, 404, 429, 429]) {
      const answer = await answerOf(short, `/verify${query}`);
      expect(answer).to.deep.equal(await answerOf(long, `/verify/${query}`));
      expect(answer.status).to.equal(status);
    }
    expect((await answerOf(short, `/verify/${query}`)).status).to.equal(429);
  });

  it('leaves other methods to the application', async () => {
    const query = `/verify?license_key=${key}&domain=a.com`;
    const head = await service.send(query, { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    const refused = await service.send(query, { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const preflight = await service.send(query, {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'GET', Origin: 'https://a.com' },
    });
    expect(preflight.status).to.equal(204);
  });
});

/** Starts the same service twice: with the shortcut, and with the application only. */
async function startBoth() {
  const config = readConfig({
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'memory:',
    FILES_URL: 'temporary:',
    RATE_LIMIT_URL: 'off:',
    VERIFY_URL: 'https://license.example',
  });
  const parts = await compose(config);
  const app = await parts.get(t.app);
  const servers = [await parts.get(t.listener), app.callback()].map((listener) =>
    createHttpServer(listener, { request: 5_000 }),
  );
  const urls = await Promise.all(
    servers.map(async (server) => `http://127.0.0.1:${(await server.listen(0, '127.0.0.1')).port}`),
  );
  const [short = '', long = ''] = urls;
  const product = good(await (await parts.get(t.products)).add({ title: 'Sample', ownerId: null }, operator));
  const issuing = await parts.get(t.issuing);
  const [key = ''] = good(await issuing.issue({ productId: product.id, maxDomains: 1, expiresAt: null }, 1, operator));
  const activation = JSON.stringify({ license_key: key, domain: 'a.com' });
  await fetch(`${long}/activate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: activation,
  });
  return {
    short,
    long,
    key,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close(0)));
      await parts.close();
    },
  };
}

/**
 * Returns an answer without its date, the order of its headers, and everything that differs between two calls: the
 * counts of a license, and the length of a body with counts. `isHead`: the answer has no body.
 */
function compared(answer: string, isHead: boolean): unknown {
  const [head = '', ...rest] = answer.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n\r\n');
  const [first, ...headers] = head.split('\r\n');
  const body = rest.join('\r\n\r\n');
  const uncounted = body.replace(/"(?:verification_count|last_verified_at)":[^,}]+/g, '');
  const isCounted = isHead || uncounted !== body;
  return {
    first,
    headers: headers
      .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
      .filter((line) => !line.startsWith('date:') && !(isCounted && line.startsWith('content-length:')))
      .sort(),
    body: uncounted,
  };
}

describe('the shortcut of the license API, compared with the application alone', () => {
  it('gives the same answer to any path, method, headers, body and version of HTTP', async () => {
    await using both = await startBoth();
    const path = fc
      .tuple(
        fc.constantFrom('', '', '', '/', 'http://license.example', '/api'),
        fc.constantFrom('/verify', '/status', '/api/license/verify', '/api/license/status', '/VERIFY', '/'),
        fc.constantFrom('', '', '', 'X', '/', '//', '.json', '%20', '%00', '/x', ';x', '#x'),
        fc.constantFrom(
          '',
          '?',
          `?license_key=${both.key}&domain=a.com`,
          '?domain=a.com',
          '?domain=a&domain=b',
          '?a#b',
        ),
      )
      .map((parts) => parts.join(''));
    const method = fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PURGE', 'get');
    const headers = fc.subarray([
      'Origin: https://a.com',
      'Access-Control-Request-Method: GET',
      'X-API-Key: lk_sk_live_x',
      'Accept: text/html',
      'If-None-Match: *',
      'Cookie: a=b',
      'Range: bytes=0-1',
      'X-HTTP-Method-Override: POST',
      'X-Forwarded-For: 1.2.3.4',
    ]);
    const hosts = fc.constantFrom(['Host: a'], ['Host: a'], ['Host: a'], [], ['Host: a', 'host: b'], ['Host:']);
    const body = fc.constantFrom(
      ...['', '', 'Content-Length: 0\r\n\r\n', 'Content-Length: 2\r\n\r\n{}', 'Expect: 100-continue\r\n\r\n'],
      'Content-Length: 9\r\n\r\n{}',
      'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'Transfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n',
    );
    const version = fc.constantFrom('1.1', '1.1', '1.1', '1.0', '0.9', '2.0');
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(method, path, version, hosts, headers, body),
        async ([verb, url, http, named, more, end]) => {
          const head = [`${verb} ${url} HTTP/${http}`, 'X-Request-Id: the-same', ...named, ...more].join('\r\n');
          const request = `${head}\r\n${end || '\r\n'}`;
          const [short, long] = await Promise.all([raw(both.short, request), raw(both.long, request)]);
          const isHead = verb === 'HEAD' && url.includes(both.key);
          expect(compared(short, isHead), request).to.deep.equal(compared(long, isHead));
        },
      ),
      {
        numRuns: runs(400),
        examples: [
          [['GET', '/verifyX', '1.1', ['Host: a'], [], '']],
          [['GET', '/status?a#b', '1.1', ['Host: a'], [], '']],
        ],
      },
    );
  });
});
