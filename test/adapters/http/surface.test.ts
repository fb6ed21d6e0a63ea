import { expect } from 'chai';
import pino from 'pino';
import { z } from 'zod';
import { createApp } from '../../../adapters/http/app.ts';
import { createClientAddress } from '../../../adapters/http/client-address.ts';
import { accountEnvelope, licenseEnvelope } from '../../../adapters/http/envelopes.ts';
import { createReporter } from '../../../adapters/http/exchange.ts';
import { createCallCounter } from '../../../adapters/http/rate-limit.ts';
import { licenseRoute } from '../../../adapters/http/route.ts';
import { createHttpServer } from '../../../adapters/http/server.ts';
import { createShortcut } from '../../../adapters/http/shortcut.ts';
import {
  createRouting,
  isUnder,
  type LazySurface,
  madeAtStart,
  openToAll,
  type Surface,
} from '../../../adapters/http/surface.ts';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { plainUser } from '../../../core/accounts/user.ts';
import { toApiKeyId, toUserId } from '../../../core/id.ts';
import { made } from '../../support/made.ts';

const quotaOf = () => ({ subject: 'everybody', allowances: [{ limit: 3, seconds: 60 }] });

/** Everything that is needed to add a surface. */
const partners: Surface = {
  name: 'partners',
  envelope: licenseEnvelope,
  headers: { 'X-Partner': 'yes' },
  cors: openToAll,
  endpoints: [
    licenseRoute({
      id: 'greet',
      summary: 'Greets',
      tag: { name: 'Partners', description: 'For partners.' },
      method: 'get',
      paths: ['/partners/greeting'],
      envelope: licenseEnvelope,
      query: z.object({ name: z.string() }),
      answer: z.object({ greeting: z.string() }),
      refusals: [],
      handle: async ({ query }) => ({ greeting: `Hello, ${query.name}` }),
    }),
  ],
  quotaOf,
};

const others: Surface = {
  name: 'others',
  envelope: accountEnvelope,
  endpoints: [
    {
      id: 'whoami',
      method: 'get',
      paths: ['/whoami'],
      respond(ctx) {
        ctx.body = { name: ctx.state.caller?.user.name ?? 'nobody' };
      },
    },
  ],
  async authenticate(ctx) {
    if (ctx.get('X-API-Key') !== 'good') return;
    const user = {
      ...plainUser,
      id: toUserId(1),
      name: 'Ada',
      email: 'ada@example.com',
      tier: 'pro',
      createdAt: 0,
    } as const;
    ctx.state.caller = { user, mode: 'live', keyId: toApiKeyId(2), scopes: null };
  },
  quotaOf: ({ caller }) => ({
    subject: `user ${caller?.user.id}`,
    allowances: [{ limit: caller ? 9 : 1, seconds: 60 }],
  }),
};

const forms: Surface = {
  name: 'forms',
  envelope: accountEnvelope,
  formsOf: 'https://shop.example',
  endpoints: (['get', 'post', 'delete'] as const).map((method) => ({
    id: method,
    method,
    paths: ['/forms'],
    respond(ctx) {
      ctx.body = { method };
    },
  })),
  quotaOf: () => ({ subject: 'everybody', allowances: [{ limit: 99, seconds: 60 }] }),
};

const ownsPartners = (path: string) => isUnder(path, '/partners');
const ownsForms = (path: string) => isUnder(path, '/forms');
const allMade = [made(ownsPartners, partners), made(ownsForms, forms), made(() => true, others)];

async function serve(surfaces: readonly LazySurface[] = allMade) {
  const clock = createManualClock(0);
  const counted: string[] = [];
  const count = createCallCounter(createMemoryRateLimiter(clock), clock, (surface) => counted.push(surface));
  const reporter = createReporter(pino({ level: 'silent' }), { observe: () => undefined }, createClientAddress([]));
  const app = createApp(createRouting(surfaces, count), reporter);
  const tools = { surfaces: await madeAtStart(surfaces), count, reporter };
  const server = createHttpServer(createShortcut(tools, app.callback()), { request: 1000 });
  const { port } = await server.listen(0, '127.0.0.1');
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { call, counted, [Symbol.asyncDispose]: () => server.close(0) };
}

describe('a surface', () => {
  it('is defined by one value with its paths, endpoints, headers, envelope, origins and quota, also in the shortcut', async () => {
    await using service = await serve();
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await service.call('/partners/greeting?name=Ada', { method });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('x-partner')).to.equal('yes');
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      if (method === 'GET') expect(answer.body).to.deep.equal({ greeting: 'Hello, Ada' });
    }
    const third = await service.call('/Partners/greeting/?name=Ada');
    expect(third.headers.get('x-ratelimit-remaining')).to.equal('0');
    expect(third.headers.get('ratelimit')).to.equal('"minute";r=0;t=60');
    for (const path of ['/partners/greeting?name=Ada', '/partners/none']) {
      const refused = await service.call(path);
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('retry-after')).to.equal('60');
      expect(refused.headers.get('x-ratelimit-limit')).to.equal('3');
      expect(refused.body).to.include({ success: false, error: 'rate_limit_exceeded' });
    }
    expect(service.counted).to.deep.equal(Array(5).fill('partners'));
  });

  it('authenticates the caller before it counts the call, except for OPTIONS', async () => {
    await using service = await serve();
    const headers = { 'X-API-Key': 'good' };
    expect((await service.call('/whoami', { headers })).body).to.deep.equal({ name: 'Ada' });
    expect((await service.call('/whoami', { headers })).headers.get('x-ratelimit-remaining')).to.equal('7');
    const options = await service.call('/whoami', { method: 'OPTIONS', headers });
    expect(options.status).to.equal(405);
    expect(options.headers.get('allow')).to.equal('GET, HEAD');
    expect(options.headers.get('x-ratelimit-limit')).to.equal('1');
    expect((await service.call('/whoami')).body.error).to.include({ code: 'RATE_LIMITED' });
  });

  it('refuses what pages of other sites send, whatever the endpoint, if it is for forms', async () => {
    await using service = await serve();
    for (const method of ['POST', 'DELETE']) {
      for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }]) {
        const { status, body } = await service.call('/forms', { method, headers });
        expect(status).to.equal(403);
        expect(body.error.code).to.equal('FORBIDDEN');
      }
      for (const headers of [{ 'Sec-Fetch-Site': 'same-origin' }, { Origin: 'https://shop.example' }]) {
        expect((await service.call('/forms', { method, headers })).status).to.equal(200);
      }
    }
    expect((await service.call('/forms', { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).to.equal(200);
  });
});

describe('a surface that is made when it is needed', () => {
  it('is made before the first request if it says so, else once by its first requests, and after a failure by the next ones', async () => {
    const made: string[] = [];
    let works = false;
    const make = async () => {
      made.push('forms');
      if (!works) throw new Error('planted');
      return forms;
    };
    const lazy: readonly LazySurface[] = [
      { owns: ownsPartners, envelope: licenseEnvelope, atStart: true, make: async () => partners },
      { owns: ownsForms, envelope: accountEnvelope, atStart: false, make },
    ];
    await using service = await serve(lazy);
    expect((await service.call('/partners/greeting?name=Ada')).status).to.equal(200);
    expect(made).to.deep.equal([]);
    const failed = await service.call('/forms');
    expect(failed.status).to.equal(500);
    expect(failed.body.error.code, 'the form of its failures').to.equal('INTERNAL');
    works = true;
    const answers = await Promise.all([service.call('/forms'), service.call('/forms'), service.call('/forms')]);
    expect(answers.map(({ body }) => body)).to.deep.equal(Array(3).fill({ method: 'get' }));
    expect(made).to.deep.equal(['forms', 'forms']);
    expect((await madeAtStart(lazy)).map(({ name }) => name)).to.deep.equal(['partners']);
  });
});
