import { expect } from 'chai';
import fc from 'fast-check';
import { t } from '../../../../apps/wiring/tokens.ts';
import { plans, type Tier, tierNames } from '../../../../core/accounts/tier.ts';
import { operator } from '../../../support/by.ts';
import { formOf } from '../../../support/forms.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong, needing, skipLong } from '../../../support/required-service.ts';
import { runs } from '../../../support/runs.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const minute = 60_000;
const day = 86_400_000;

const times = async (count: number, call: () => Promise<Answer>) =>
  await Promise.all(Array.from({ length: count }, call));
const passed = (answers: readonly Answer[]) => answers.filter(({ status }) => status !== 429).length;

/** Returns the two windows as the headers report them. */
function quota({ headers }: Answer) {
  const [, left, leftWait, day, dayWait] =
    /^"minute";r=(\d+);t=(\d+), "day";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  return {
    limit: Number(headers.get('x-ratelimit-limit') ?? Number.NaN),
    remaining: Number(headers.get('x-ratelimit-remaining') ?? Number.NaN),
    reset: Number(headers.get('x-ratelimit-reset') ?? Number.NaN),
    minute: Number(left),
    minuteWait: Number(leftWait),
    day: Number(day),
    dayWait: Number(dayWait),
  };
}

describe('rate limits of the account API', () => {
  let service: AccountService;
  beforeEach(async () => {
    service = await startAccountService({ RATE_LIMIT_URL: 'memory:', TRUSTED_PROXIES: 'loopback' });
  });
  afterEach(() => service.close());

  const me = (account: Account) => () => account.send('/api/auth/me');
  const from = (address: string, path = '/api/auth/me') =>
    service.send(path, { headers: { 'X-Forwarded-For': address } });

  /** Counts calls of a user without sending them. */
  async function spend(account: Account, count: number): Promise<void> {
    const limiter = await service.parts.get(t.rateLimiter);
    const { allowances } = plans[account.user.tier];
    const [{ limit }] = allowances;
    let refused = 0;
    for (let spent = 0; spent < count; spent++) {
      if (spent % limit === 0) service.clock.advance(minute);
      const { allowed } = await limiter.count(`account:user:${account.user.id}`, allowances);
      if (!allowed) refused++;
    }
    expect(refused).to.equal(0);
    service.clock.advance(minute);
  }

  for (const tier of tierNames) {
    const [{ limit }, { limit: daily }] = plans[tier].allowances;

    // Very many calls, which are counted in the same way.
    needing(tier === 'enterprise' ? skipLong : undefined).it(
      `allow exactly ${limit} calls a minute on ${tier}, concurrent ones included`,
      async () => {
        const account = await service.account(tier);
        const answers = await times(limit + 25, me(account));
        expect(passed(answers)).to.equal(limit);
        expect(answers[0]?.headers.get('ratelimit-policy')).to.equal(
          `"minute";q=${limit};w=60, "day";q=${daily};w=86400`,
        );
        service.clock.advance(minute - 1);
        expect((await me(account)()).status).to.equal(429);
        service.clock.advance(1);
        expect(quota(await me(account)())).to.include({ minute: limit - 1, day: daily - limit - 1 });
      },
    );
  }

  for (const tier of ['free', 'pro'] as const) {
    const [{ limit }, { limit: daily }] = plans[tier].allowances;

    itLong(`allow exactly ${daily} calls a day on ${tier}, concurrent ones included`, async () => {
      const account = await service.account(tier);
      const start = service.clock.now() + minute;
      await spend(account, daily - 7);
      expect(service.clock.now() - start).to.be.lessThan(day);
      const answers = await times(20, me(account));
      expect(passed(answers)).to.equal(7);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused && quota(refused)).to.include({ limit: daily, remaining: 0, day: 0, reset: (start + day) / 1000 });
      service.clock.set(start + day - 1);
      const last = await me(account)();
      expect(last.status).to.equal(429);
      expect(last.headers.get('retry-after')).to.equal('1');
      service.clock.set(start + day);
      expect(quota(await me(account)())).to.include({ minute: limit - 1, day: daily - 1 });
    });
  }

  itLong('do not count a call in the day window if the minute window refuses it', async () => {
    const account = await service.account();
    for (let round = 1; round <= 5; round++) {
      const answers = await times(50, me(account));
      expect(passed(answers)).to.equal(30);
      for (const answer of answers.filter(({ status }) => status === 429)) {
        expect(quota(answer).day).to.equal(1000 - 30 * round);
      }
      service.clock.advance(minute);
    }
    expect(quota(await me(account)()).day).to.equal(1000 - 151);
  });

  itLong('allow the full daily limit on free, spread over many minutes, and no more', async () => {
    const account = await service.account();
    let total = 0;
    for (let round = 0; round < 36; round++) {
      total += passed(await times(32, me(account)));
      service.clock.advance(minute);
    }
    expect(total).to.equal(1000);
  });

  itLong('use fixed windows for any pattern of calls', async () => {
    const step = fc.record({ calls: fc.integer({ min: 1, max: 45 }), wait: fc.integer({ min: 0, max: 90_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const account = await service.account();
        let window = { end: Number.NEGATIVE_INFINITY, used: 0 };
        for (const { calls, wait } of steps) {
          const now = service.clock.now();
          if (now >= window.end) window = { end: now + minute, used: 0 };
          const expected = Math.min(calls, 30 - window.used);
          expect(passed(await times(calls, me(account)))).to.equal(expected);
          window.used += expected;
          service.clock.advance(wait);
        }
      }),
      { numRuns: runs(10) },
    );
  });

  itLong('report the minute window in X-RateLimit-* at first, and both windows in RateLimit', async () => {
    const account = await service.account('pro');
    const now = service.clock.now();
    const answer = await me(account)();
    expect(answer.headers.get('ratelimit-policy')).to.equal('"minute";q=120;w=60, "day";q=50000;w=86400');
    expect(answer.headers.get('ratelimit')).to.equal('"minute";r=119;t=60, "day";r=49999;t=86400');
    expect(quota(answer)).to.include({ limit: 120, remaining: 119, reset: now / 1000 + 60 });
    service.clock.advance(1_500);
    expect((await me(account)()).headers.get('ratelimit')).to.equal('"minute";r=118;t=59, "day";r=49998;t=86399');
  });

  itLong('report the window with the fewest remaining calls in X-RateLimit-*', async () => {
    const account = await service.account();
    const start = service.clock.now() + minute;
    await spend(account, 980);
    const seen = [];
    for (let call = 0; call < 20; call++) seen.push(quota(await me(account)()));
    for (const [index, { limit, remaining, reset, minute, day: left }] of seen.entries()) {
      expect({ minute, left }).to.deep.equal({ minute: 29 - index, left: 19 - index });
      expect({ limit, remaining }).to.deep.equal({ limit: 1000, remaining: 19 - index });
      expect(reset).to.equal((start + day) / 1000);
    }
  });

  itLong('send a Retry-After after which a call is allowed, if both windows are used up', async () => {
    const account = await service.account();
    await spend(account, 970);
    expect(passed(await times(30, me(account)))).to.equal(30);
    const refused = await me(account)();
    expect(refused.status).to.equal(429);
    expect(quota(refused)).to.include({ minute: 0, day: 0, limit: 1000, remaining: 0 });
    const wait = Number(refused.headers.get('retry-after'));
    service.clock.advance((wait - 1) * 1000);
    expect((await me(account)()).status).to.equal(429);
    service.clock.advance(1000);
    expect((await me(account)()).status).to.equal(200);
  });

  itLong('refuse with 429 RATE_LIMITED in the account envelope, and send Retry-After', async () => {
    const account = await service.account();
    await times(30, me(account));
    service.clock.advance(12_345);
    const refused = await me(account)();
    expect(refused.status).to.equal(429);
    expect(refused.body.error).to.have.all.keys('code', 'message');
    expect(refused.body.error.code).to.equal('RATE_LIMITED');
    expect(refused.headers.get('retry-after')).to.equal('48');
    expect(refused.headers.get('x-ratelimit-remaining')).to.equal('0');
    expect(refused.headers.get('cache-control')).to.equal('no-store');
  });

  itLong('count all keys of one user together, and each user separately', async () => {
    const account = await service.account();
    const other = await service.keyOf(account.user, { mode: 'test' });
    await times(29, me(account));
    expect(quota(await me(other)())).to.include({ remaining: 0 });
    expect((await me(account)()).status).to.equal(429);
    expect(quota(await me(await service.account())())).to.include({ remaining: 29 });
  });

  itLong('use the current tier of a user', async () => {
    const account = await service.account('free');
    await times(31, me(account));
    const promote = (tier: Tier) => service.accounts.setTier(account.user.email, tier, operator);
    await promote('pro');
    expect(quota(await me(account)())).to.include({ limit: 120, remaining: 89, day: 49_969 });
    await promote('free');
    expect((await me(account)()).status).to.equal(429);
  });

  itLong('count calls without a valid key per client address, with the limits of free', async () => {
    const account = await service.account('enterprise');
    const answers = await times(50, () => from('203.0.113.1'));
    expect(passed(answers)).to.equal(30);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([401, 429]));
    expect(answers[0]?.headers.get('ratelimit-policy')).to.equal('"minute";q=30;w=60, "day";q=1000;w=86400');
    expect((await from('203.0.113.2')).status).to.equal(401);
    const withKey = await account.send('/api/auth/me', { headers: { 'X-Forwarded-For': '203.0.113.1' } });
    expect(quota(withKey)).to.include({ limit: 600, remaining: 599 });
  });

  itLong('count calls with invalid keys per client address, which stops guessing', async () => {
    const guess = (index: number) =>
      service.send('/api/auth/me', {
        headers: { 'X-API-Key': `lk_sk_live_${String(index).padStart(32, '0')}`, 'X-Forwarded-For': '203.0.113.9' },
      });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => guess(index)));
    expect(passed(answers)).to.equal(30);
    expect((await from('203.0.113.9', '/api/nothing')).status).to.equal(429);
  });

  itLong('allow 1000 calls per day from one address without a key', async () => {
    let total = 0;
    for (let round = 0; round < 35; round++) {
      total += passed(await times(30, () => from('198.51.100.1')));
      service.clock.advance(minute);
    }
    expect(total).to.equal(1000);
  });

  itLong('count OPTIONS requests per client address, except preflights, and ignore their API key', async () => {
    const account = await service.account('pro');
    const headers = { 'X-Forwarded-For': '203.0.113.20' };
    const preflight = { ...headers, Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
    const options = (key: string, more: Record<string, string>) =>
      service.send('/api/auth/me', { method: 'OPTIONS', headers: { ...more, ...(key && { 'X-API-Key': key }) } });
    const wrong = `${account.key.slice(0, -1)}${account.key.endsWith('0') ? '1' : '0'}`;
    for (let call = 0; call < 40; call++) {
      expect(quota(await options(account.key, preflight))).to.include({ limit: 30, remaining: 30, day: 1000 });
    }
    const rest = async (key: string, more: Record<string, string>) => {
      const { status, text, headers } = await options(key, more);
      return { status, text, headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date') };
    };
    const statuses = [];
    for (let call = 0; call < 34; call++) statuses.push((await options(wrong, headers)).status);
    expect(statuses).to.deep.equal([...Array(30).fill(405), ...Array(4).fill(429)]);
    expect(await rest(account.key, headers)).to.deep.equal(await rest(wrong, headers));
    expect((await options(account.key, headers)).status).to.equal(429);
    expect(await rest(account.key, preflight)).to.deep.equal(await rest(wrong, preflight));

    const other = { 'X-Forwarded-For': '203.0.113.21' };
    const [right, guessed] = [await options(account.key, other), await options(wrong, other)];
    expect([right.status, guessed.status]).to.deep.equal([405, 405]);
    expect([quota(right).remaining, quota(guessed).remaining]).to.deep.equal([29, 28]);
    const call = await account.send('/api/auth/me', { headers });
    expect(quota(call), 'OPTIONS requests do not count for the account').to.include({ limit: 120, remaining: 119 });
  });

  itLong('do not look up the API key of an OPTIONS request', async () => {
    const account = await service.account();
    await account.send('/api/auth/me', { method: 'OPTIONS' });
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
    await account.send('/api/auth/me', { method: 'OPTIONS', headers: preflight });
    const used = async () => {
      const keys = await service.accounts.listKeys(account.user.email, operator);
      return Array.isArray(keys) ? keys.map(({ lastUsedAt }) => lastUsedAt) : keys;
    };
    expect(await used()).to.deep.equal([null]);
    await account.send('/api/auth/me');
    expect(await used()).to.deep.equal([service.clock.now()]);
  });

  itLong(
    'are in the headers of every answer: 200, 401, 404, 405, 413, 415, 422, 429 and of a preflight, which is not counted',
    async () => {
      const account = await service.account();
      const big = JSON.stringify({ chain: 'x'.repeat(70_000) });
      const json = { 'Content-Type': 'application/json' };
      const calls: readonly (readonly [number, () => Promise<Answer>])[] = [
        [200, me(account)],
        [401, () => from('203.0.113.7')],
        [404, () => from('203.0.113.7', '/api/nothing')],
        [404, () => account.send('/api/nothing')],
        [405, () => account.send('/api/auth/me', { method: 'DELETE' })],
        [413, () => account.send('/api/deploy/register', { method: 'POST', headers: json, body: big })],
        [415, () => account.send('/api/deploy/register', { method: 'POST', body: 'x' })],
        [422, () => account.post('/api/deploy/register', {})],
        [422, () => account.submit('/api/marketplace/publish', formOf({}))],
      ];
      for (const [status, call] of calls) {
        const answer = await call();
        expect(answer.status).to.equal(status);
        expect(quota(answer).limit, String(status)).to.equal(30);
        expect(quota(answer).remaining, String(status)).to.be.within(0, 29);
        expect(quota(answer).day, String(status)).to.be.within(0, 999);
      }
      const asked = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
      const preflight = () => account.send('/api/auth/me', { method: 'OPTIONS', headers: asked });
      expect([quota(await preflight()).remaining, quota(await preflight()).remaining]).to.deep.equal([30, 30]);
      await times(30, me(account));
      const refused = await me(account)();
      expect(refused.status).to.equal(429);
      expect(quota(refused)).to.include({ limit: 30, remaining: 0, minute: 0 });
    },
  );

  itLong('are checked before the body is read: a call over the limit stores nothing', async () => {
    const account = await service.account();
    await times(30, me(account));
    const report = {
      chain: 'sepolia',
      chain_id: 11155111,
      address: `0x${'00'.repeat(20)}`,
      tx_hash: `0x${'00'.repeat(32)}`,
    };
    expect((await account.post('/api/deploy/register', report)).status).to.equal(429);
    expect(await service.rows('deployments')).to.deep.equal([]);
  });
});

describe('disabled rate limits of the account API', () => {
  itLong('refuse no calls and send no rate-limit headers', async () => {
    await using service = await startAccountService({ RATE_LIMIT_URL: 'off:' });
    const account = await service.account();
    const answers = await times(100, () => account.send('/api/auth/me'));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(answers[0]?.headers.get('x-ratelimit-limit')).to.equal(null);
  });
});
