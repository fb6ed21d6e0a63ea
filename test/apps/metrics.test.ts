import { expect } from 'chai';
import { watched } from '../../adapters/prometheus/watched.ts';
import { withSnapshot } from '../../adapters/sql/archive/archive.ts';
import { openService } from '../../apps/server/open-service.ts';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import type { variables } from '../../apps/wiring/settings.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { toTemplateId, toUserId } from '../../core/id.ts';
import { normalizeDomain } from '../../core/licensing/domain-name.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import { refuse } from '../../core/refusal.ts';
import { makeDatabase, makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { redisServer } from '../support/redis-process.ts';
import { itLong, needing } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

type Settings = { readonly [Name in keyof typeof variables]?: string };

const inMemory = { LOG_LEVEL: 'silent', DATABASE_URL: 'memory:', FILES_URL: 'temporary:', PORT: '0' };
const nowhere = '127.0.0.1:1';

/** Returns the service's parts, and its metrics by name and labels. */
async function measured(settings: Settings = {}) {
  const parts = await compose(readConfig({ ...inMemory, ...settings }));
  return { parts, ...metricsOf(parts), [Symbol.asyncDispose]: () => parts.close() };
}

function metricsOf(parts: Parts) {
  const metrics = async () => {
    const text = await (await parts.get(t.registry)).metrics();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]));
  };
  return { metrics, metric: async (name: string) => (await metrics())[name] };
}

async function fails(work: Promise<unknown>): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  );
  expect(failed, 'whether the work failed').to.equal(true);
}

describe('metrics', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  const stores = [
    {
      name: 'SQLite',
      place: async (name: string) => ({ url: `sqlite:${folder.file(`${name}.db`)}`, drop: async () => undefined }),
    },
    { name: 'Postgres', skip: postgresServer.skip, place: makeSchema },
  ];
  for (const { name, skip, place } of stores) {
    needing(skip).describe(`of verifications on ${name}`, () => {
      itLong('report how many verifications wait, and the size, the wait and the duration of each batch', async () => {
        const { url, drop } = await place('batches');
        {
          await using service = await measured({ DATABASE_URL: url });
          const store = await service.parts.get(t.licenseStore);
          const [key, domain] = [parseLicenseKey('LIC-0000-0000-0000-0000'), normalizeDomain('example.com')];
          if (key === undefined || domain === undefined) throw new Error('The key or the domain is not valid.');
          const verify = () => store.verify(key, domain, () => refuse('invalid_key'));
          const verifications = [verify(), verify(), verify()];
          expect(await service.metric('latchkey_verify_queue_depth')).to.equal(3);
          await Promise.all(verifications);
          await verify();
          const metrics = await service.metrics();
          expect(metrics).to.include({
            latchkey_verify_queue_depth: 0,
            latchkey_verify_batch_size_count: 2,
            latchkey_verify_batch_size_sum: 4,
            'latchkey_verify_batch_size_bucket{le="1"}': 1,
            latchkey_verify_wait_seconds_count: 2,
            latchkey_verify_batch_duration_seconds_count: 2,
            'latchkey_database_errors_total{operation="verify"}': 0,
          });
          expect(metrics.latchkey_verify_wait_seconds_sum).to.be.greaterThan(0);
          expect(metrics.latchkey_verify_batch_duration_seconds_sum).to.be.greaterThan(0);

          const database = await service.parts.get(t.database);
          await database.write((trx) => trx.schema.dropTable('activations'));
          await fails(verify());
          await fails(database.read((knex) => knex.raw('nonsense')));
          await fails(database.write((trx) => trx.raw('nonsense')));
          await fails(database.write((trx) => trx.raw('nonsense')));
          expect(await service.metrics()).to.include({
            'latchkey_database_errors_total{operation="verify"}': 1,
            'latchkey_database_errors_total{operation="read"}': 1,
            'latchkey_database_errors_total{operation="write"}': 2,
          });
        }
        await drop();
      });
    });
  }

  describe('of open snapshots', () => {
    const name = 'latchkey_database_oldest_snapshot_seconds';
    needing(postgresServer.skip).it('report the age of the oldest transaction that keeps old rows', async () => {
      const { url, drop } = await makeDatabase();
      {
        await using service = await measured({ DATABASE_URL: url });
        const database = await service.parts.get(t.database);
        const age = await withSnapshot(database, async ({ rows }) => {
          for await (const _ of rows({ name: 'users', key: { id: 'number' } })) break;
          await new Promise((resolve) => setTimeout(resolve, 100));
          return await service.metric(name);
        });
        expect(age).to.be.within(0.1, 60);
        // The value is cached for 15 seconds.
        expect(await service.metric(name)).to.equal(age);
      }
      {
        await using service = await measured({ DATABASE_URL: url });
        await service.parts.get(t.database);
        expect(await service.metric(name)).to.equal(0);
      }
      await drop();
    });

    itLong('exist for Postgres only', async () => {
      await using service = await measured({ DATABASE_URL: `sqlite:${folder.file('snapshots.db')}` });
      await service.parts.get(t.database);
      expect(await service.metrics()).to.not.have.property(name);
    });

    it('are queried at most every 15 seconds, and do not wait for a query without an answer', async () => {
      let time = 0;
      let asked = 0;
      const { watch, latest } = watched(() => time);
      expect(await latest()).to.equal(undefined);
      const answers = [
        async () => 7,
        async () => Promise.reject(new Error('out')),
        () => new Promise<number>(() => undefined),
      ];
      watch(() => answers[asked++]?.() ?? Promise.resolve(0));
      expect(await latest()).to.equal(7);
      time += 14_999;
      expect([await latest(), asked]).to.deep.equal([7, 1]);
      time += 1;
      expect([await latest(), asked]).to.deep.equal([undefined, 2]);
      time += 15_000;
      expect([await latest(), asked]).to.deep.equal([undefined, 3]);
    });
  });

  needing(postgresServer.skip).describe('of the pool', () => {
    it('report the number of used and free connections, and of requests that wait for one', async () => {
      const { url, drop } = await makeSchema();
      {
        await using service = await measured({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1' });
        const database = await service.parts.get(t.database);
        const states = async () => {
          const metrics = await service.metrics();
          return ['used', 'free', 'pending'].map(
            (state) => metrics[`latchkey_database_pool_connections{state="${state}"}`],
          );
        };
        let waiting: Promise<unknown> = Promise.resolve();
        await database.write(async (trx) => {
          await trx.raw('SELECT 1');
          waiting = database.write((other) => other.raw('SELECT 1'));
          await trx.raw('SELECT 1');
          expect(await states()).to.deep.equal([1, 0, 1]);
        });
        await waiting;
        expect(await states()).to.deep.equal([0, 1, 0]);
      }
      await drop();
    });
  });

  describe('of rate limits', () => {
    const limited = (outcome: string, place: string, surface = 'license') =>
      `latchkey_rate_limit_calls_total{surface="${surface}",outcome="${outcome}",counted_in="${place}"}`;

    /**
     * Returns the metrics after three calls of status (two are allowed), one preflight, and one call each of the
     * account API, a page and health.
     */
    async function afterCalls(RATE_LIMIT_URL: string) {
      // A new address for each call, because the counters in Redis outlive the test.
      const address = `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join('.')}`;
      const settings = { RATE_LIMIT_URL, RATE_LIMIT_STATUS: '2', TRUSTED_PROXIES: 'loopback' };
      const service = await openService(readConfig({ ...inMemory, ...settings }), compose, '127.0.0.1');
      try {
        const call = async (path: string, method = 'GET', more = {}) => {
          const headers = { 'X-Forwarded-For': address, ...more };
          await (await fetch(`http://127.0.0.1:${service.port}${path}`, { method, headers })).text();
        };
        for (let calls = 0; calls < 3; calls++) await call('/status');
        await call('/status', 'OPTIONS', { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' });
        await call('/api/auth/me');
        await call('/docs');
        await call('/health/live');
        return await metricsOf(service.parts).metrics();
      } finally {
        await service.close(0);
      }
    }

    itLong('report the allowed and refused calls of each surface', async () => {
      expect(await afterCalls('memory:')).to.include({
        [limited('allowed', 'memory')]: 2,
        [limited('refused', 'memory')]: 1,
        [limited('allowed', 'memory', 'account')]: 1,
        [limited('allowed', 'memory', 'pages')]: 1,
        [limited('allowed', 'memory', 'health')]: 1,
        latchkey_rate_limiter_shared: 1,
      });
    });

    itLong('report that Redis is unreachable, and that calls are counted in memory', async () => {
      expect(await afterCalls(`redis://${nowhere}`)).to.include({
        [limited('allowed', 'memory')]: 2,
        [limited('refused', 'memory')]: 1,
        latchkey_rate_limiter_shared: 0,
      });
    });

    needing(redisServer.skip).it('report the calls that Redis counted', async () => {
      const metrics = await afterCalls(redisServer.url ?? '');
      expect(metrics).to.include({
        [limited('allowed', 'redis')]: 2,
        [limited('refused', 'redis')]: 1,
        [limited('allowed', 'redis', 'account')]: 1,
        latchkey_rate_limiter_shared: 1,
      });
      expect(metrics).to.not.have.property(limited('allowed', 'memory'));
    });
  });

  it('of storage report failed operations', async () => {
    await using service = await measured();
    const files = await service.parts.get(t.files);
    const drain = async (pieces: AsyncIterable<unknown>) => {
      for await (const _ of pieces);
    };
    const failed = (operation: string) => service.metric(`latchkey_storage_errors_total{operation="${operation}"}`);
    const wrong = {
      put: () => files.put('uploads/a.zip', folder.file('nothing')),
      delete: () => files.delete('../a.zip'),
      has: () => files.has('../a.zip'),
      read: () => drain(files.read('uploads/nothing.zip')),
      link: () => files.link('../a.zip', 'a.zip', 0),
    };
    for (const [operation, work] of Object.entries(wrong)) {
      expect(await failed(operation)).to.equal(0);
      await fails(work());
      expect(await failed(operation), operation).to.equal(1);
    }
    await drain(files.storedBefore('uploads/', 0));
    expect(await failed('list')).to.equal(0);
  });

  itLong('of purchase checks report each outcome', async () => {
    const [user, template] = [
      { id: toUserId(1), email: 'ada@example.com' },
      { id: toTemplateId(2), slug: 'dex' },
    ];
    const outcome = (name: string) => `latchkey_purchase_checks_total{outcome="${name}"}`;
    await using local = await measured();
    expect(await (await local.parts.get(t.purchaseCheck)).has(user, template)).to.equal(false);
    await using remote = await measured({ PURCHASE_CHECK_URL: `http://${nowhere}` });
    await fails((await remote.parts.get(t.purchaseCheck)).has(user, template));
    expect(await local.metrics()).to.include({ [outcome('not_purchased')]: 1, [outcome('error')]: 0 });
    expect(await remote.metrics()).to.include({ [outcome('not_purchased')]: 0, [outcome('error')]: 1 });
  });

  itLong('of Node itself exist if the process serves HTTP and metrics', async () => {
    const ofNode = ['nodejs_eventloop_lag_p99_seconds', 'process_cpu_seconds_total'] as const;
    await using service = await measured({ METRICS_PORT: '0' });
    await service.parts.get(t.metrics);
    expect(await service.metrics()).to.include.keys(...ofNode);
    await using unwatched = await measured();
    await unwatched.parts.get(t.metrics);
    expect(await unwatched.metrics()).to.not.include.any.keys(...ofNode);
  });
});
