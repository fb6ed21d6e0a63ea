import { expect } from 'chai';
import pino from 'pino';
import { type OpenService, openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { good } from '../support/good.ts';
import { noOwnPostgres } from '../support/own-postgres.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { administer } from './admin-program.ts';

interface Body {
  readonly valid?: boolean;
  readonly license?: { readonly domains_used: number; readonly status: string };
  readonly checks?: object;
}

needing(skipLong ?? noOwnPostgres).describe('a service with DATABASE_READ_URL', () => {
  let pair: PostgresPair;
  let proxy: PostgresProxy;
  let service: OpenService;
  const log: { readonly replica?: string; readonly err?: { readonly message: string } }[] = [];
  const settings = (readUrl = proxy.url) => ({
    DATABASE_URL: pair.primary,
    DATABASE_READ_URL: readUrl,
    FILES_URL: 'temporary:',
    RATE_LIMIT_URL: 'off:',
  });
  const openReading = (readUrl?: string) =>
    openService(
      readConfig({ ...settings(readUrl), LOG_LEVEL: 'info', PORT: '0' }),
      (config) => compose(config, { log: pino({}, { write: (line) => void log.push(JSON.parse(line)) }) }),
      'localhost',
    );

  before(async () => {
    pair = await startPostgresPair(false);
    proxy = await startPostgresProxy(pair.standby);
    service = await openReading();
  });
  after(async () => {
    await service?.close(0);
    await proxy?.close();
    await pair?.close();
  });

  const get = async (path: string) => {
    const response = await fetch(`http://localhost:${service.port}${path}`);
    return { status: response.status, body: (await response.json()) as Body };
  };
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    await fetch(`http://localhost:${service.port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const issue = async (title: string, expiresAt: number | null = null) => {
    const product = good(await (await service.parts.get(t.products)).add({ title, ownerId: null }, operator));
    const terms = { productId: product.id, maxDomains: 2, expiresAt };
    const [key = ''] = good(await (await service.parts.get(t.issuing)).issue(terms, 1, operator));
    return { key, productId: product.id };
  };
  const domainsUsed = async (key: string) => (await get(`/status?license_key=${key}`)).body.license?.domains_used;
  const status = async (key: string) => (await get(`/status?license_key=${key}`)).body.license?.status;
  const isValid = async (key: string, domain: string) =>
    (await get(`/verify?license_key=${key}&domain=${domain}`)).body.valid;
  const replica = async () => (await service.parts.get(t.replica)).state();
  const until = async (state: string) => {
    while ((await replica()) !== state) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const metric = async (name: string) => {
    const registry = await service.parts.get(t.registry);
    return (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
  };
  const onStandby = (statement: string) => runOnPostgres(pair.standby, statement);
  const caughtUp = async () => {
    const { rows } = await runOnPostgres(pair.primary, 'SELECT pg_current_wal_lsn()::text AS lsn');
    const isThere = async () =>
      (await onStandby(`SELECT pg_last_wal_replay_lsn() >= '${rows[0]?.lsn}' AS done`)).rows[0]?.done === true;
    while (!(await isThere()));
  };

  it('reads status and lists from the replica, but verifies, changes and looks up keys on the primary', async () => {
    await until('used');
    const { key, productId } = await issue('Replicated');
    await post('/activate', { license_key: key, domain: 'one.example' });
    await caughtUp();
    await onStandby('SELECT pg_wal_replay_pause()');
    try {
      await post('/activate', { license_key: key, domain: 'two.example' });
      expect(await domainsUsed(key), 'status comes from the replica').to.equal(1);
      expect(await isValid(key, 'two.example'), 'verify comes from the primary').to.equal(true);
      await post('/deactivate', { license_key: key, domain: 'two.example' });
      expect(await isValid(key, 'two.example')).to.equal(false);

      const late = await issue('Too new');
      expect(await domainsUsed(late.key), 'a license that the replica does not have yet').to.equal(0);
      const issuing = await service.parts.get(t.issuing);
      expect(good(await issuing.list({ productId: late.productId, limit: 5 }, operator))).to.deep.equal([]);
      expect(good(await issuing.list({ productId, limit: 5 }, operator))).to.have.length(1);
      expect(await metric('latchkey_replica_used')).to.equal(1);

      await until('behind');
      expect(
        good(await issuing.list({ productId: late.productId, limit: 5 }, operator)),
        'the list comes from the primary',
      ).to.have.length(1);
      expect(await metric('latchkey_replica_used')).to.equal(0);
      expect(await metric('latchkey_replica_lag_seconds')).to.be.greaterThan(5);
      const ready = await get('/health/ready');
      expect(ready).to.have.property('status', 200);
      expect(ready.body.checks).to.include({ database: 'ok', replica: 'down' });
    } finally {
      await onStandby('SELECT pg_wal_replay_resume()');
    }
    await until('used');
  });

  it('lets commands print the state after their change, even if the replica does not have it yet', async () => {
    const { key } = await issue('Changed', Date.UTC(2098, 0, 1));
    await caughtUp();
    await onStandby('SELECT pg_wal_replay_pause()');
    try {
      const admin = administer(settings());
      const renewed = (await admin.json('license', 'renew', key, '--expires', '2099-01-01T00:00:00Z')).license;
      expect(Date.parse(renewed.expires_at)).to.equal(Date.UTC(2099, 0, 1));
      expect((await admin.json('license', 'revoke', key)).license.status).to.equal('revoked');
    } finally {
      await onStandby('SELECT pg_wal_replay_resume()');
    }
    await until('used');
  });

  it('reads from the primary while the replica is silent, also for running calls, and from the replica again after that', async () => {
    const { key } = await issue('Silent');
    await caughtUp();
    expect(await domainsUsed(key)).to.equal(0);
    const speak = proxy.goSilent();
    const from = performance.now();
    expect(await domainsUsed(key), 'a call that is running when the replica becomes silent').to.equal(0);
    expect(performance.now() - from, 'milliseconds until the answer').to.be.lessThan(8_000);
    expect(await replica()).to.equal('down');
    expect((await get('/health/ready')).status).to.equal(200);
    expect(await isValid(key, 'none.example')).to.equal(false);
    speak();
    await until('used');
    expect(await domainsUsed(key)).to.equal(0);
  });

  it('starts while the replica is unreachable, and logs that once', async () => {
    const speak = proxy.goSilent();
    try {
      await service.close(0);
      const before = log.length;
      service = await openReading();
      const { key } = await issue('Alone');
      for (let calls = 0; calls < 5; calls++) expect(await domainsUsed(key)).to.equal(0);
      expect(await replica()).to.equal('down');
      expect(log.slice(before).flatMap(({ replica }) => replica ?? [])).to.deep.equal(['down']);
    } finally {
      speak();
    }
    await until('used');
  });

  it('accepts the address of the primary as a replica that is not behind', async () => {
    await service.close(0);
    service = await openReading(pair.primary);
    expect(await replica()).to.equal('used');
    await service.close(0);
    service = await openReading();
    await until('used');
  });

  it('does not read from a standby that was promoted to a separate primary', async () => {
    const { key } = await issue('Split');
    await caughtUp();
    expect(await status(key)).to.equal('active');
    await pair.promote();
    await (await service.parts.get(t.issuing)).change(key, 'revoke', operator);
    await eventually('status comes from the primary', async () => (await status(key)) === 'revoked');
    expect(await replica()).to.equal('down');
    expect((await get('/health/ready')).body.checks).to.include({ database: 'ok', replica: 'down' });
    expect(log.findLast((line) => line.replica === 'down')?.err?.message).to.include('promoted');
    await service.close(0);
    service = await openReading();
    expect(await replica(), 'also after a restart').to.equal('down');
    expect(await status(key)).to.equal('revoked');
  });
});
