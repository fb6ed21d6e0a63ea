import { expect } from 'chai';
import fc from 'fast-check';
import { tierNames } from '../../../../core/accounts/tier.ts';
import { operator } from '../../../support/by.ts';
import type { Answer } from '../../../support/http-client.ts';
import { raw } from '../../../support/raw-http.ts';
import { itLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';
import { type AccountService, startAccountService } from './account-service.ts';

const challenge = 'ApiKey realm="latchkey", header="X-API-Key"';
const origin = 'https://dashboard.example';

/** Every endpoint of the account API, with one of its methods. */
const endpoints = [
  ['GET', '/api/auth/me'],
  ['GET', '/api/keys'],
  ['DELETE', '/api/keys/1'],
  ['GET', '/api/templates'],
  ['GET', '/api/templates/categories'],
  ['GET', '/api/templates/dex'],
  ['GET', '/api/templates/dex/download'],
  ['POST', '/api/marketplace/publish'],
  ['GET', '/api/marketplace/my-products'],
  ['POST', '/api/marketplace/upload'],
  ['POST', '/api/deploy/preflight'],
  ['POST', '/api/deploy/register'],
] as const;

describe('account API', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService({ ACCOUNT_ORIGINS: `https://other.example, ${origin}` });
  });
  after(() => service.close());

  describe('GET /api/auth/me', () => {
    const paid = ['mainnet_deploy', 'ai_review', 'marketplace_publish'];
    const features = { free: [], pro: paid, enterprise: [...paid, 'priority_support'] };
    for (const tier of tierNames) {
      it(`200 with the owner of the key and the features of ${tier}`, async () => {
        const account = await service.account(tier);
        const answer = await account.get('/api/auth/me');
        expect(answer.status).to.equal(200);
        const { id, name, email } = account.user;
        expect(answer.body).to.deep.equal({ id, name, email, tier, features: features[tier] });
        expect(answer.headers.get('cache-control')).to.equal('no-store');
      });
    }

    it('200 with the same answer for a test key and a live key', async () => {
      const live = await service.account('pro');
      const test = await service.keyOf(live.user, { mode: 'test' });
      expect(test.key).to.match(/^lk_sk_test_[0-9a-f]{32}$/);
      expect((await test.get('/api/auth/me')).text).to.equal((await live.get('/api/auth/me')).text);
    });

    it('200 up to the last millisecond before a key expires, and 401 from then on', async () => {
      const { user } = await service.account();
      const account = await service.keyOf(user, { expiresAt: service.clock.now() + 1000 });
      service.clock.advance(999);
      expect((await account.get('/api/auth/me')).status).to.equal(200);
      service.clock.advance(1);
      expect((await account.get('/api/auth/me')).status).to.equal(401);
    });

    it('401 at once for a revoked key, while the other keys of its owner still work', async () => {
      const account = await service.account();
      const other = await service.keyOf(account.user);
      expect((await account.get('/api/auth/me')).status).to.equal(200);
      await service.accounts.revokeKey(String(account.keyId), operator);
      expect((await account.get('/api/auth/me')).status).to.equal(401);
      expect((await other.get('/api/auth/me')).status).to.equal(200);
    });

    it('200 with the new tier as soon as it is set', async () => {
      const account = await service.account('free');
      await service.accounts.setTier(account.user.email, 'enterprise', operator);
      expect((await account.get('/api/auth/me')).body).to.include({ tier: 'enterprise' });
    });

    it('401 with the same bytes for every invalid key', async () => {
      const account = await service.account();
      const revoked = await service.keyOf(account.user);
      await service.accounts.revokeKey(String(revoked.keyId), operator);
      const expired = await service.keyOf(account.user, { expiresAt: service.clock.now() });
      const keys = {
        missing: undefined,
        empty: '',
        malformed: 'nonsense',
        'of another service': account.key.replace('lk_', 'xx_'),
        'of the other mode': account.key.replace('live', 'test'),
        'in capitals': account.key.toUpperCase(),
        'too long': `${account.key}0`,
        'two in one': `${account.key}, ${account.key}`,
        unknown: `lk_sk_live_${'0'.repeat(32)}`,
        revoked: revoked.key,
        expired: expired.key,
      };
      const answers: Answer[] = [];
      for (const [name, key] of Object.entries(keys)) {
        const answer = await service.send('/api/auth/me', { headers: key === undefined ? {} : { 'X-API-Key': key } });
        expect(answer.status, name).to.equal(401);
        expect(answer.headers.get('www-authenticate'), name).to.equal(challenge);
        expect(answer.headers.get('cache-control'), name).to.equal('no-store');
        answers.push(answer);
      }
      expect(new Set(answers.map(({ text }) => text))).to.have.property('size', 1);
      expect(answers[0]?.body.error).to.have.all.keys('code', 'message');
      expect(answers[0]?.body.error.code).to.equal('UNAUTHORIZED');
    });

    it('401 for a valid key that is not in the X-API-Key header', async () => {
      const { key } = await service.account();
      const basic = Buffer.from(`${key}:`).toString('base64');
      for (const [path, headers] of [
        [`/api/auth/me?api_key=${key}&X-API-Key=${key}`, {}],
        ['/api/auth/me', { Authorization: `Bearer ${key}` }],
        ['/api/auth/me', { Authorization: `Basic ${basic}` }],
        ['/api/auth/me', { Cookie: `X-API-Key=${key}` }],
      ] as const) {
        expect((await service.send(path, { headers })).status).to.equal(401);
      }
    });
  });

  describe('every endpoint', () => {
    for (const [method, path] of endpoints) {
      it(`401 in the account envelope on ${method} ${path} without a key, whatever else is wrong with the request`, async () => {
        const init = method === 'POST' ? { body: '{' } : {};
        const answer = await service.send(path, { method, ...init });
        expect(answer.status).to.equal(401);
        expect(answer.body.error.code).to.equal('UNAUTHORIZED');
        expect(answer.headers.get('www-authenticate')).to.equal(challenge);
      });

      it(`405 with Allow on ${path} for every verb but ${method}`, async () => {
        const account = await service.account();
        const allow = method === 'GET' ? 'GET, HEAD' : method;
        const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((verb) => verb !== method);
        for (const verb of others) {
          const answer = await account.send(path, { method: verb });
          expect(answer.status, verb).to.equal(405);
          expect(answer.headers.get('allow'), verb).to.equal(allow);
          expect(answer.body.error, verb).to.have.all.keys('code', 'message');
          expect(answer.body.error.code, verb).to.equal('METHOD_NOT_ALLOWED');
        }
        expect((await account.send(path, { method: 'HEAD' })).status === 405).to.equal(method !== 'GET');
      });
    }

    it('answers HEAD like GET, without the body', async () => {
      const account = await service.account();
      const get = await account.get('/api/auth/me');
      const head = await account.send('/api/auth/me', { method: 'HEAD' });
      expect(head.status).to.equal(200);
      expect(head.text).to.equal('');
      expect(head.headers.get('content-length')).to.equal(get.headers.get('content-length'));
    });
  });

  describe('an unknown path', () => {
    it('404 NOT_FOUND in the account envelope, with or without a key', async () => {
      const account = await service.account();
      for (const path of ['/api', '/api/', '/api/nothing', '/api/auth', '/api/auth/me/x', '/api/deploy', '/api/%zz']) {
        for (const answer of [await account.send(path), await service.send(path)]) {
          expect(answer.status, path).to.equal(404);
          expect(answer.body.error, path).to.have.all.keys('code', 'message');
          expect(answer.body.error.code, path).to.equal('NOT_FOUND');
        }
      }
    });

    it('never gives 500, whatever the path and the query are', async () => {
      const account = await service.account();
      const piece = fc.oneof(
        fc.constantFrom('api', 'templates', 'marketplace', 'media', 'files', 'my-products', 'download', '..', '.', ''),
        fc.constantFrom(
          '%00',
          '%zz',
          '%2f',
          '%2e%2e',
          '%E0%A4%A',
          '%',
          '__proto__',
          'constructor',
          '%25',
          'é',
          '?',
          '&a=b',
        ),
        fc.constantFrom('category[]=', 'page=', '%0d%0a', ';', '\\', "'", '"', '*', ':id', '(.*)'),
      );
      const path = fc
        .tuple(fc.constantFrom('/api/templates/', '/api/', '/media/', '/files/', '/marketplace/', '/'), fc.array(piece))
        .map(([start, pieces]) => start + pieces.join('/'));
      await fc.assert(
        fc.asyncProperty(path, async (target) => {
          const request = `GET ${encodeURI(target).replaceAll('%25', '%')} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${account.key}\r\n\r\n`;
          expect(await raw(service.url, request)).to.match(/^HTTP\/1\.1 (200|4\d\d) /);
        }),
        { numRuns: runs(100) },
      );
    });
  });

  describe('browsers', () => {
    const preflight = (from: string) =>
      service.send('/api/deploy/register', {
        method: 'OPTIONS',
        headers: {
          Origin: from,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'x-api-key,content-type,idempotency-key',
        },
      });

    it('may call from a configured origin, without credentials, and may read the rate-limit and challenge headers', async () => {
      const account = await service.account();
      const allowed = await account.send('/api/auth/me', { headers: { Origin: origin } });
      const refused = await service.send('/api/auth/me', { headers: { Origin: origin } });
      for (const { headers } of [allowed, refused]) {
        expect(headers.get('access-control-allow-origin')).to.equal(origin);
        expect(headers.get('access-control-allow-credentials')).to.equal(null);
        expect(headers.get('access-control-expose-headers')).to.include('X-RateLimit-Remaining');
        expect(headers.get('vary')).to.match(/\bOrigin\b/);
      }
      expect(refused.status).to.equal(401);
    });

    it('get a preflight answer for a configured origin, valid for a day', async () => {
      const answer = await preflight(origin);
      expect(answer.status).to.equal(204);
      expect(answer.headers.get('access-control-allow-origin')).to.equal(origin);
      expect(answer.headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST,PUT,PATCH,DELETE');
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).to.include('x-api-key');
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).to.include('idempotency-key');
      expect(answer.headers.get('access-control-max-age')).to.equal('86400');
    });

    itLong(
      'get no CORS headers for an origin that is not configured, even if it looks like a configured one',
      async () => {
        const account = await service.account();
        const alike = ['https://evil.example', `${origin}.evil.example`, origin.replace('https', 'http'), 'null', '*'];
        for (const from of [...alike, origin.toUpperCase(), `${origin}:8443`]) {
          const answer = await account.send('/api/auth/me', { headers: { Origin: from } });
          expect(answer.status, from).to.equal(200);
          expect(answer.headers.get('access-control-allow-origin'), from).to.equal(null);
          const asked = await preflight(from);
          expect(asked.status, from).to.equal(405);
          expect(asked.headers.get('access-control-allow-origin'), from).to.equal(null);
          expect(asked.headers.get('access-control-allow-headers'), from).to.equal(null);
        }
      },
    );
  });
});

describe('account API without configured origins', () => {
  itLong('does not let a page of any origin call it', async () => {
    await using service = await startAccountService();
    const account = await service.account();
    for (const from of ['https://dapp.example', 'null', '']) {
      const { headers } = await account.send('/api/auth/me', { headers: { Origin: from } });
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    }
  });
});

describe('API_KEY_PREFIX', () => {
  it('is the prefix of new API keys; a key with another prefix gets 401', async () => {
    await using service = await startAccountService({ API_KEY_PREFIX: 'acme' });
    const account = await service.account();
    expect(account.key).to.match(/^acme_sk_live_[0-9a-f]{32}$/);
    expect((await account.get('/api/auth/me')).status).to.equal(200);
    const headers = { 'X-API-Key': account.key.replace('acme', 'lk') };
    expect((await service.send('/api/auth/me', { headers })).status).to.equal(401);
  });
});
