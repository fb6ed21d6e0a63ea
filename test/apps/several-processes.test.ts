import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { toUserId } from '../../core/id.ts';
import { isRefused } from '../../core/refusal.ts';
import { operator } from '../support/by.ts';
import { until } from '../support/eventually.ts';
import { sound } from '../support/fill-service.ts';
import { good } from '../support/good.ts';
import { needing, requiredService, skipLong } from '../support/required-service.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sharedPlaces } from '../support/shared-place.ts';

const redis = requiredService('TEST_REDIS_URL', 'Redis');

for (const { name, skip, make } of sharedPlaces) {
  needing(skipLong ?? skip).describe(`three processes on one ${name} database`, () => {
    let place: Awaited<ReturnType<typeof make>>;
    let settings: Record<string, string>;
    const servers: ServerProcess[] = [];
    before(async () => {
      place = await make();
      settings = { DATABASE_URL: place.url, FILES_URL: `disk:${place.files}` };
      servers.push(...(await Promise.all([1, 2, 3].map(() => startServer(settings)))));
    });
    after(async () => {
      await Promise.all(servers.map((server) => server.stop('SIGKILL')));
      await place?.remove();
    });

    const beside = async <T>(work: (parts: Awaited<ReturnType<typeof compose>>) => Promise<T>): Promise<T> => {
      const parts = await compose(readConfig({ LOG_LEVEL: 'silent', ...settings }));
      return await work(parts).finally(() => parts.close());
    };

    it('do the work of a request once if all get it at the same time with the same Idempotency-Key', async () => {
      const secret = await beside(async (parts) => {
        const accounts = await parts.get(t.accounts);
        await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'pro' }, operator);
        const created = await accounts.createKey(
          'ada@example.com',
          { name: 'x', mode: 'live', scopes: null, expiresAt: null },
          operator,
        );
        if (isRefused(created)) throw new Error(created.reason);
        return created.secret;
      });
      const form = () => {
        const body = new FormData();
        body.set('file', new Blob([png]), 'x.png');
        return body;
      };
      const headers = { 'X-API-Key': secret, 'Idempotency-Key': 'once' };
      const send = async ({ url }: ServerProcess) =>
        await fetch(`${url}/api/marketplace/upload`, { method: 'POST', headers, body: form() });
      const answers = await Promise.all([...servers, ...servers].map(send));
      const done = answers.filter(({ status }) => status === 200);
      expect(done.length).to.be.greaterThan(0);
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).to.deep.equal([]);
      const addresses = new Set(
        await Promise.all(done.map(async (answer) => ((await answer.json()) as { url: string }).url.slice(-36))),
      );
      expect(addresses.size).to.equal(1);
      expect(await beside(async (parts) => (await parts.get(t.fileLedger)).used(toUserId(1)))).to.equal(png.length);
    });

    it('add up the calls of an account that each of them counted, when they stop', async () => {
      const [user, secret] = await beside(async (parts) => {
        const accounts = await parts.get(t.accounts);
        const added = await sound(
          accounts.add({ name: 'Bob', email: 'bob@example.com', tier: 'enterprise' }, operator),
        );
        const terms = { name: 'x', mode: 'live', scopes: null, expiresAt: null } as const;
        return [added, (await sound(accounts.createKey('bob@example.com', terms, operator))).secret] as const;
      });
      const own = { ...settings, RATE_LIMIT_URL: 'off:' };
      const counting = await Promise.all([startServer(own), startServer({ ...own, WORKERS: '2' })]);
      const calls = Array.from({ length: 40 }, (_, n) =>
        fetch(`${counting[n % 2]?.url}/api/auth/me`, { headers: { 'X-API-Key': secret } }),
      );
      expect((await Promise.all(calls)).filter(({ ok }) => ok)).to.have.lengthOf(40);
      expect(await Promise.all(counting.map((server) => server.stop('SIGTERM')))).to.deep.equal([0, 0]);
      const { minute, days } = await beside(async (parts) => (await parts.get(t.accountUsage)).usageOf(user));
      expect(minute?.used).to.equal(0);
      // The calls may have been made on both sides of midnight.
      expect(days.reduce((sum, day) => sum + day.calls, 0)).to.equal(40);
    });

    it('can be restarted one after the other under load, without a lost or refused verification', async () => {
      const key = await beside(async (parts) => {
        const { id: productId } = good(
          await (await parts.get(t.products)).add({ title: 'Sample', ownerId: null }, operator),
        );
        return good(
          await (await parts.get(t.issuing)).issue({ productId, maxDomains: 1, expiresAt: null }, 1, operator),
        )[0];
      });
      const body = JSON.stringify({ license_key: key, domain: 'a.com' });
      const post = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
      expect((await fetch(`${servers[0]?.url}/activate`, { ...post, body })).status).to.equal(200);

      let isOver = false;
      let answered = 0;
      const refused: unknown[] = [];
      /** Like a proxy: a request that one process does not accept goes to the next. */
      const client = async (seed: number) => {
        for (let turn = seed; !isOver; turn++) {
          const { url = '' } = servers[turn % servers.length] ?? {};
          const answer = await fetch(`${url}/verify?license_key=${key}&domain=a.com`, {
            headers: { Connection: 'close' },
          }).catch(() => undefined);
          if (answer === undefined) {
            await pause(1);
            continue;
          }
          const { valid } = (await answer.json()) as { valid: boolean };
          if (valid) answered++;
          else refused.push(answer.status);
          // Hundreds of calls a second are enough, and leave time to the processes that start.
          await pause(10);
        }
      };
      const clients = Array.from({ length: 8 }, (_, seed) => client(seed));
      try {
        for (const [index, server] of [...servers.entries()]) {
          const before = answered;
          expect(await server.stop('SIGTERM')).to.equal(0);
          servers[index] = await startServer(settings);
          await until(() => answered >= before + 50 || refused.length > 0);
        }
      } finally {
        isOver = true;
        await Promise.all(clients);
      }
      expect(refused).to.deep.equal([]);
      const status = await fetch(`${servers[0]?.url}/status?license_key=${key}`);
      const { license } = (await status.json()) as { license: { verification_count: number } };
      expect(license.verification_count).to.equal(answered);
    });

    needing(redis.skip).it('share their rate limits through Redis', async () => {
      const limited = {
        ...settings,
        RATE_LIMIT_URL: redis.url ?? '',
        RATE_LIMIT_ACTIVATE: '30',
        TRUSTED_PROXIES: 'loopback',
      };
      await using one = await startServer(limited);
      await using other = await startServer(limited);
      await using third = await startServer(limited);
      const from = `198.51.100.${Math.floor(Math.random() * 250)}, 2001:db8:${Math.floor(Math.random() * 65_535).toString(16)}::1`;
      const statuses = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const { url } = [one, other, third][n % 3] ?? one;
          return (await fetch(`${url}/activate`, { method: 'POST', headers: { 'X-Forwarded-For': from } })).status;
        }),
      );
      expect(statuses.filter((status) => status === 422)).to.have.length(30);
      expect(statuses.filter((status) => status === 429)).to.have.length(20);
    });
  });
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
