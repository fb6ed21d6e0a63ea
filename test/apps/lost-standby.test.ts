import { expect } from 'chai';
import { type OpenService, openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { eventually } from '../support/eventually.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense } from '../support/license-acts.ts';
import { noOwnPostgres, type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type PgBouncer, pgbouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';

/**
 * Several domains and users, because a row that one session has locked keeps the next session from reaching its
 * commit.
 */
const domains = ['a.example', 'b.example', 'c.example'].map(domain);
const users = ['ada', 'bob', 'cyd'];
/**
 * Sessions of one service that may wait at the same time: one that verifies and one that writes, and those that are
 * being cancelled.
 */
const most = 4;

/** Neither `statement_timeout` nor a disconnected client ends a commit that waits for a standby. */
needing(skipLong ?? noOwnPostgres).describe('services whose synchronous standby is lost', () => {
  let server: OwnPostgres;
  let bouncer: PgBouncer | undefined;
  /** One service connects to Postgres directly, the other through PgBouncer. */
  const services: OpenService[] = [];

  before(async () => {
    server = await startOwnPostgres();
    if (pgbouncer.skip === undefined) bouncer = await startPgBouncer(server.url, { transaction: 8, session: 8 });
    else console.warn(`      only without PgBouncer: ${pgbouncer.skip}`);
    for (const url of [server.url, ...(bouncer ? [bouncer.url('transaction')] : [])]) {
      const settings = {
        DATABASE_URL: url,
        DATABASE_STATEMENT_TIMEOUT: '1',
        FILES_URL: 'temporary:',
        RATE_LIMIT_URL: 'off:',
        LOG_LEVEL: 'silent',
        PORT: '0',
      };
      services.push(await openService(readConfig(settings), compose, 'localhost'));
    }
  });
  after(async () => {
    await server?.set("synchronous_standby_names = ''");
    for (const service of services) await service.close(0);
    await bouncer?.[Symbol.asyncDispose]();
    await server?.close();
  });

  const each = <T>(work: (service: OpenService, key: ReturnType<typeof keyNumber>) => Promise<T>) =>
    Promise.all(services.map((service, index) => work(service, keyNumber(index))));
  const statusOf = async (service: OpenService, path: string) =>
    (await fetch(`http://localhost:${service.port}${path}`)).status;
  const verify = (service: OpenService, key: string, site = domains[0]) =>
    statusOf(service, `/verify?license_key=${key}&domain=${site}`);
  const ready = (service: OpenService) => statusOf(service, '/health/ready');
  const stuck = async () =>
    (await runOnPostgres(server.url, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).rowCount ?? 0;

  /** Resolves when the setting has taken effect: a commit waits, and is then cancelled. */
  async function loseStandby(): Promise<void> {
    await server.set("synchronous_standby_names = 'nobody'");
    let isInForce = false;
    const committing = (async () => {
      while (!isInForce) await runOnPostgres(server.url, "SELECT pg_logical_emit_message(true, 'test', ''::text)");
    })();
    try {
      await eventually('a commit waits for the standby', async () => (await stuck()) > 0);
    } finally {
      isInForce = true;
    }
    await runOnPostgres(server.url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    await committing;
  }

  it('leave no session behind when they give up work, are not ready meanwhile, and recover by themselves', async () => {
    await each(async (service, key) => {
      const act = actOn(await service.parts.get(t.licenseStore));
      await act.issue(newLicense(key, await addProduct(await service.parts.get(t.productStore), `product-${key}`)));
      for (const site of domains) {
        await act.activate(key, site, issuedAt);
        expect(await verify(service, key, site)).to.equal(200);
      }
      expect(await ready(service)).to.equal(200);
    });

    await loseStandby();
    const seen: number[] = [];
    await each(async (service, key) => {
      const verifying = async () => {
        for (const site of domains) {
          expect(await verify(service, key, site)).to.equal(503);
          seen.push(await stuck());
        }
      };
      const database = await service.parts.get(t.database);
      const writing = async () => {
        for (const name of users) {
          const user = { name, email: `${name}-${key}@x.example`, tier: 'free', created_at: 1 };
          const write = database.write((trx) => trx('users').insert(user));
          expect(await write.catch((error: unknown) => error)).to.be.instanceOf(OutcomeUnknown);
          seen.push(await stuck());
        }
      };
      await Promise.all([verifying(), writing()]);
    });
    expect(Math.max(...seen)).to.be.at.most(most * services.length);

    // Nobody verifies now. The check itself must find each time that commits are impossible.
    for (let call = 0; call < 2; call++) {
      expect(await each(ready)).to.deep.equal(services.map(() => 503));
      await eventually('no session is left', async () => (await stuck()) === 0);
    }

    await server.set("synchronous_standby_names = ''");
    await each(async (service, key) => {
      await eventually('the service is ready', async () => (await ready(service)) === 200);
      expect(await verify(service, key)).to.equal(200);
    });
    await eventually('no session is left', async () => (await stuck()) === 0);
  });
});
