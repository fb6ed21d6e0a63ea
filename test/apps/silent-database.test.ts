import { expect } from 'chai';
import { type OpenService, openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { eventually } from '../support/eventually.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { needing } from '../support/required-service.ts';

/** Idle connections of the pool when the server fails silently. */
const idle = 10;
/** In milliseconds. The guides promise 5 and 20 seconds. These bounds are higher, for a busy machine. */
const bounds = { answer: 8_000, healing: 30_000 };

needing(postgresServer.skip).describe('a service whose Postgres goes silent', () => {
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  let proxy: PostgresProxy;
  let service: OpenService;

  before(async () => {
    schema = await makeSchema();
    proxy = await startPostgresProxy(schema.url);
    const settings = {
      DATABASE_URL: proxy.url,
      FILES_URL: 'temporary:',
      RATE_LIMIT_URL: 'off:',
      LOG_LEVEL: 'silent',
      PORT: '0',
    };
    service = await openService(readConfig(settings), compose, 'localhost');
  });
  after(async () => {
    await service?.close(0);
    await proxy?.close();
    await schema?.drop();
  });

  const get = async (path: string) => {
    const response = await fetch(`http://localhost:${service.port}${path}`);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const verify = () => get('/verify?license_key=LIC-AAAA-BBBB-CCCC-DDDD&domain=shop.example');
  const metric = async (name: string) => {
    const found = (await service.parts.get(t.registry)).getSingleMetric(`latchkey_${name}`);
    return (await found?.get())?.values ?? [];
  };
  const batchAge = async () => (await metric('verify_batch_age_seconds'))[0]?.value;
  const free = async () =>
    (await metric('database_pool_connections')).find(({ labels }) => labels.state === 'free')?.value;

  it('returns 503 for verifications, is not ready, reports how long its batch waits, and recovers by itself', async () => {
    expect(await verify()).to.include({ status: 404 });
    expect(await get('/health/ready')).to.include({ status: 200 });
    expect(await batchAge()).to.equal(0);

    const database = await service.parts.get(t.database);
    const useAll = () =>
      Promise.all(Array.from({ length: idle }, () => database.read((knex) => knex.raw('SELECT pg_sleep(0.2)'))));
    await useAll();
    expect(await free()).to.be.at.least(idle);

    const speak = proxy.goSilent();
    const asked = performance.now();
    const answer = verify();
    await eventually('the batch has an age', async () => (await batchAge()) !== 0);
    const { status, headers, body } = await answer;
    expect(performance.now() - asked, 'milliseconds until the answer').to.be.lessThan(bounds.answer);
    expect({ status, body }).to.deep.include({ status: 503 });
    expect(body).to.include({ valid: false, error: 'service_unavailable' });
    expect(headers.get('Retry-After')).to.equal('1');
    const readiness = await get('/health/ready');
    expect(readiness.status).to.equal(503);
    expect(readiness.body).to.have.nested.property('checks.database', 'down');

    speak();
    const back = performance.now();
    await eventually('verifications are answered', async () => (await verify()).status === 404);
    await eventually('the service is ready', async () => (await get('/health/ready')).status === 200);
    await eventually('each connection of the pool works', async () => {
      return await useAll().then(
        () => true,
        () => false,
      );
    });
    expect(performance.now() - back, 'milliseconds until the service has recovered').to.be.lessThan(bounds.healing);
    expect(await batchAge()).to.equal(0);
  });
});
