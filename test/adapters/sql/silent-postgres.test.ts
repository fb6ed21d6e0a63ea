import { expect } from 'chai';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import type { Verifier } from '../../../adapters/sql/verifier.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { eventually } from '../../support/eventually.ts';
import {
  actOn,
  addProduct,
  domain,
  issuedAt,
  keyNumber,
  must,
  newLicense,
  outcome,
} from '../../support/license-acts.ts';
import { makeSchema, postgresServer } from '../../support/postgres-backend.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

const key = keyNumber(1);
const shop = domain('shop.example');

/** In milliseconds. The guides promise 5 and 20 seconds. These bounds are higher, for a busy machine. */
const bounds = { answer: 8_000, healing: 30_000 };

/** A host that fails silently: its connections neither respond nor break. */
needing(postgresServer.skip).describe('a Postgres that goes silent', () => {
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  let proxy: PostgresProxy;
  let database: PostgresDatabase;
  let verifier: Verifier;
  let act: ReturnType<typeof actOn>;

  beforeEach(async () => {
    schema = await makeSchema();
    proxy = await startPostgresProxy(schema.url);
    // With one connection, the next statement would need the connection that failed.
    const options = { url: proxy.url, poolSize: 1, statementTimeout: 1_000 };
    database = await openPostgres(options);
    verifier = openPostgresVerifier(options);
    const licenses = createSqlLicenseStore(database, verifier.verify);
    act = actOn(licenses);
    await act.issue(newLicense(key, await addProduct(createSqlProductStore(database))));
    await act.activate(key, shop, issuedAt);
    expect(outcome(await act.verify(key, shop, issuedAt))).to.equal('ok');
  });
  afterEach(async () => {
    await verifier?.close();
    await database?.close();
    await proxy?.close();
    await schema?.drop();
  });

  const within = async <T>(limit: number, work: () => Promise<T>) => {
    const began = performance.now();
    const result = await work();
    expect(performance.now() - began, 'milliseconds').to.be.lessThan(limit);
    return result;
  };
  const count = async () =>
    must((await runOnPostgres(schema.url, 'SELECT verification_count::int AS count FROM activations')).rows[0]).count;

  it('rejects verifications in time, and works again when the server responds', async () => {
    const speak = proxy.goSilent();
    const failures = await within(bounds.answer, () =>
      Promise.all([errorOf(act.verify(key, shop, 1)), errorOf(act.verify(key, shop, 2))]),
    );
    for (const error of failures) expect(error).to.be.instanceOf(Unavailable);
    expect(await errorOf(verifier.check())).to.be.instanceOf(Unavailable);
    speak();
    await within(bounds.healing, async () => {
      await verifier.check();
      expect(outcome(await act.verify(key, shop, issuedAt + 1))).to.equal('ok');
    });
    expect(await count()).to.equal(2);
  });

  it('rejects later callers in time, even while the previous batch still waits', async () => {
    await verifier.close();
    verifier = openPostgresVerifier({ url: proxy.url, poolSize: 1, statementTimeout: 3_600_000 });
    const licenses = createSqlLicenseStore(database, verifier.verify);
    await actOn(licenses).verify(key, shop, issuedAt);
    const speak = proxy.goSilent();
    const first = errorOf(actOn(licenses).verify(key, shop, issuedAt));
    await new Promise(setImmediate);
    await eventually('a batch has the first', () => verifier.waiting() === 0);
    const later = () => errorOf(actOn(licenses).verify(key, shop, issuedAt));
    expect(await within(bounds.answer, later)).to.be.instanceOf(Unavailable);
    expect(await first).to.be.instanceOf(Unavailable);
    speak();
  });

  it('rejects reads, and does not reuse the connection', async () => {
    const speak = proxy.goSilent();
    expect(await errorOf(database.read((knex) => knex.raw('SELECT 1')))).to.be.instanceOf(Unavailable);
    speak();
    await within(bounds.healing, async () => {
      expect(await database.read((knex) => knex('licenses').pluck('id'))).to.have.length(1);
    });
  });

  for (const work of ['a read', 'the check'] as const) {
    it(`closes all idle connections if ${work} got no response`, async () => {
      const several = await openPostgres({ url: proxy.url, poolSize: 5, statementTimeout: 1_000 });
      const useAll = () =>
        Promise.all(Array.from({ length: 5 }, () => several.read((knex) => knex.raw('SELECT pg_sleep(0.1)'))));
      try {
        await useAll();
        expect(several.pool().free).to.equal(5);
        const speak = proxy.goSilent();
        const silence = work === 'a read' ? several.read((knex) => knex.raw('SELECT 1')) : several.check();
        expect(await errorOf(silence)).to.be.instanceOf(Unavailable);
        speak();
        await within(bounds.healing, useAll);
      } finally {
        await several.close();
      }
    });
  }

  it('throws `Unavailable` with the cause if a write fails before its commit', async () => {
    let speak: (() => void) | undefined;
    const error = await errorOf(
      database.write(async (trx) => {
        await trx('licenses').update({ max_domains: 7 });
        speak = proxy.goSilent();
        await trx('licenses').update({ max_domains: 8 });
      }),
    );
    expect(error).to.be.instanceOf(Unavailable);
    expect(error).to.have.nested.property('cause.message').that.includes('Query read timeout');
    speak?.();
    expect(await database.read((knex) => knex('licenses').pluck('max_domains'))).to.deep.equal([3]);
  });

  it('throws `OutcomeUnknown` if the reply to a commit is lost', async () => {
    let speak: (() => void) | undefined;
    const error = await errorOf(
      database.write(async (trx) => {
        await trx('licenses').update({ max_domains: 7 });
        speak = proxy.goSilent();
      }),
    );
    expect(error).to.be.instanceOf(OutcomeUnknown);
    speak?.();
    await database.check();
  });

  it('fails the check of the pool, and does not reuse its connection', async () => {
    const speak = proxy.goSilent();
    expect(await errorOf(database.check())).to.be.instanceOf(Unavailable);
    speak();
    await database.check();
  });
});
