import { expect } from 'chai';
import fc from 'fast-check';
import pino from 'pino';
import { createApp } from '../../../adapters/http/app.ts';
import { createClientAddress } from '../../../adapters/http/client-address.ts';
import { createReporter, type Reporter, shownPath } from '../../../adapters/http/exchange.ts';
import { Failure } from '../../../adapters/http/failures.ts';
import type { CountCall } from '../../../adapters/http/rate-limit.ts';
import { createHttpServer } from '../../../adapters/http/server.ts';
import { createRouting, type Endpoint, type LazySurface } from '../../../adapters/http/surface.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { mintApiKey } from '../../../core/accounts/api-key.ts';
import { mintUserCode } from '../../../core/accounts/device-login.ts';
import { mintToken } from '../../../core/accounts/one-time-link.ts';
import { mintLicenseKey } from '../../../core/licensing/license-key.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import { newOrderToken } from '../../../core/purchases/order-token.ts';
import { newStorageKey } from '../../../core/storage-key.ts';
import { mintWebhookSecret } from '../../../core/webhooks/secret.ts';
import { operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { itLong } from '../../support/required-service.ts';
import { runs } from '../../support/runs.ts';
import { type AccountService, startAccountService } from './account/account-service.ts';

/** Everything secret that the service makes and that could be a part of an address. */
const mints: Readonly<Record<string, (secrets: Secrets) => string>> = {
  'license key': mintLicenseKey,
  'order token': newOrderToken,
  'one-time link': mintToken,
  'API key': (secrets) => mintApiKey('latchkey', 'live', secrets),
  'storage key': (secrets) => newStorageKey(secrets, 'private', 'png').slice('private/'.length),
  'secret of a webhook': mintWebhookSecret,
  'code of a device': mintUserCode,
};

/** How those stand in an address that do not stand there in every way. A slash would end the part of the path. */
const ways: Readonly<Record<string, ((secret: string) => string)[]>> = {
  'secret of a webhook': [encodeURIComponent],
  'code of a device': [String],
};

describe('a path in the log', () => {
  /** Random bytes, of which many lead to letters only. */
  const source = fc
    .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(10, 12, 13, 170, 203, 239)), {
      minLength: 8,
      maxLength: 64,
    })
    .map((pool): Secrets => {
      const bytes = (count: number) => Uint8Array.from({ length: count }, (_, index) => pool[index % pool.length] ?? 0);
      return { ...systemSecrets, bytes, base64: (count) => Buffer.from(bytes(count)).toString('base64') };
    });

  for (const [kind, mint] of Object.entries(mints)) {
    it(`never has a whole ${kind}, wherever it stands`, () => {
      const written = ways[kind] ?? [String, (text: string) => text.toLowerCase(), encodeURIComponent];
      fc.assert(
        fc.property(source, fc.constantFrom(...written), (secrets, write) => {
          const secret = write(mint(secrets));
          for (const path of [
            `/${secret}`,
            `/orders/${secret}/state`,
            `/a.${secret}`,
            `/api/licenses/${secret}/x/${secret}`,
            `/${'x/'.repeat(90)}${secret}`,
          ]) {
            expect(shownPath(path)).to.not.include(secret);
          }
        }),
        { numRuns: runs(500) },
      );
    });
  }

  it('has ordinary words, short names and ids as they are', () => {
    for (const path of [
      '/',
      '/wp-login.php',
      '/.well-known/security.txt',
      '/api/v2/orders/1234567/cancel',
      '/openapi.json/',
    ]) {
      expect(shownPath(path)).to.equal(path);
    }
  });

  it('shortens a license key as everywhere else, and a very long path', () => {
    expect(shownPath('/api/licenses/lic-aaaa-bbbb-cccc-dddd')).to.equal('/api/licenses/LIC-AA…DD');
    expect(shownPath(`/${'a/'.repeat(5_000)}`)).to.have.length(201);
  });
});

describe('the log of every address with a variable part', () => {
  let service: AccountService;
  let surfaces: readonly LazySurface[];
  let endpoints: readonly Endpoint[];
  let key: string;
  before(async () => {
    service = await startAccountService();
    surfaces = await service.parts.get(t.surfaces);
    endpoints = (await Promise.all(surfaces.map(({ make }) => make()))).flatMap((one) => one.endpoints);
    const product = good(await service.products.add({ title: 'Sample', ownerId: null }, operator));
    const issuing = await service.parts.get(t.issuing);
    [key = ''] = good(await issuing.issue({ productId: product.id, maxDomains: 1, expiresAt: null }, 1, operator));
  });
  after(() => service.close());

  const token = newOrderToken(systemSecrets);
  /** What stands for the variable part of a path. */
  const secretFor = (name: string) => (name === 'key' ? key : name === 'token' ? token : mintToken(systemSecrets));

  /** Starts the application alone. Its log omits nothing: each request has a reporter of its own. */
  async function startLogged(count?: CountCall) {
    let lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    let reporter: Reporter;
    const app = createApp(createRouting(surfaces, count), {
      failed: (...given) => reporter.failed(...given),
      answered: (...given) => reporter.answered(...given),
      undelivered: (error) => reporter.undelivered(error),
    });
    const server = createHttpServer(app.callback(), { request: 5_000 });
    const { port } = await server.listen(0, '127.0.0.1');
    return {
      async ask(method: string, path: string, headers: Record<string, string> = {}) {
        lines = [];
        reporter = createReporter(log, { observe: () => undefined }, createClientAddress([]));
        const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, redirect: 'manual' });
        return { status, logged: lines.join('') };
      },
      [Symbol.asyncDispose]: () => server.close(0),
    };
  }

  function* filledPaths(): Generator<{
    readonly path: string;
    readonly method: string;
    readonly secrets: readonly string[];
  }> {
    for (const { paths, method } of endpoints) {
      for (const pattern of paths.filter((path) => path.includes('/:'))) {
        const secrets: string[] = [];
        const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
          const secret = secretFor(name);
          secrets.push(secret);
          return secret;
        });
        yield { path, method: method.toUpperCase(), secrets };
      }
    }
  }

  const isTooMany: CountCall = async () => ({
    headers: {},
    tightest: { limit: 1, remaining: 0, resetAt: 60_000, seconds: 60 } as Awaited<ReturnType<CountCall>>['tightest'],
    failure: new Failure('rate_limit_exceeded'),
  });

  itLong('has none of their secrets, whether they are unknown, refused or too many', async () => {
    const { key: apiKey } = await service.account('pro');
    await using app = await startLogged();
    await using full = await startLogged(isTooMany);
    const seen = new Set<number>();
    let asked = 0;
    for (const { path, method, secrets } of filledPaths()) {
      const query = `?license_key=${key}&token=${token}&domain=app.example.com`;
      const answers = [
        await app.ask(method, path + query, { 'X-API-Key': apiKey }),
        await app.ask('PUT', path + query),
        await app.ask('GET', `${path}/nothing${query}`),
        await full.ask(method, path + query),
      ];
      for (const { status, logged } of answers) {
        seen.add(status);
        expect(logged, `${method} ${path}: ${status}`).to.match(/"path":"/);
        for (const secret of [...secrets, key, token, apiKey])
          expect(logged, `${status} of ${path}`).to.not.include(secret);
      }
      asked += 1;
    }
    expect(asked).to.be.greaterThan(50);
    expect([...seen]).to.include.members([404, 405, 429]);
  });

  itLong('has no license key of the calls that have one in their query', async () => {
    await using app = await startLogged();
    await using full = await startLogged(isTooMany);
    const seen = new Set<number>();
    for (const path of ['/verify', '/status', '/api/license/verify', '/api/license/status', `/verify/${key}`]) {
      const query = `?license_key=${key}&domain=app.example.com`;
      for (const { status, logged } of [
        await app.ask('GET', path + query),
        await app.ask('PUT', path + query),
        await full.ask('GET', path + query),
      ]) {
        expect(logged).to.match(/"path":"/);
        expect(logged).to.not.include(key);
        seen.add(status);
      }
    }
    expect([...seen]).to.include.members([200, 404, 405, 429]);
  });
});
