import { expect } from 'chai';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import type { Verifier } from '../../../adapters/sql/verifier.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { noOwnPostgres } from '../../support/own-postgres.ts';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

const key = keyNumber(1);
const shop = domain('shop.example');
/** Milliseconds in which everything works again after the standby is promoted. */
const backWithin = 10_000;

needing(noOwnPostgres).describe('Postgres on several hosts', () => {
  let pair: PostgresPair;
  let database: PostgresDatabase;
  let verifier: Verifier;
  before(async () => {
    pair = await startPostgresPair(true);
    const options = { url: pair.url, poolSize: 3, statementTimeout: 15_000 };
    database = await openPostgres(options);
    verifier = openPostgresVerifier(options);
  });
  after(async () => {
    await verifier?.close();
    await database?.close();
    await pair?.close();
  });

  it('uses the host that accepts writes, at any place in the address', async () => {
    const [first = '', second = ''] = [pair.primary, pair.standby].map((url) => new URL(url).host);
    const url = pair.url.replace(`${first},${second}`, `${second},${first}`);
    const reversed = await openPostgres({ url, poolSize: 1, statementTimeout: 15_000 });
    await reversed.check();
    await reversed.close();
    const alone = openPostgresVerifier({ url: pair.standby, poolSize: 1, statementTimeout: 15_000 });
    expect(await alone.check().catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
    await alone.close();
  });

  it('loses no acknowledged write when a synchronous standby takes over, and works again within ten seconds', async () => {
    const act = actOn(createSqlLicenseStore(database, verifier.verify));
    await act.issue(newLicense(key, await addProduct(createSqlProductStore(database))));
    await act.activate(key, shop, issuedAt);

    let answered = 0;
    let isOver = false;
    const verifyOnce = async () => {
      try {
        if (outcome(await act.verify(key, shop, issuedAt)) === 'ok') answered++;
      } catch (error) {
        expect(error).to.be.instanceOf(Unavailable);
        await new Promise((resolve) => setTimeout(resolve, 20)); // Calls that fail at once would keep the process busy.
      }
    };
    const callers = Array.from({ length: 10 }, async () => {
      while (!isOver) await verifyOnce();
    });
    const untilMore = async (count: number, limit: number) => {
      const target = answered + count;
      const latest = performance.now() + limit;
      while (answered < target) {
        expect(performance.now(), 'verifications do not work again').to.be.lessThan(latest);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    try {
      await untilMore(100, 30_000);
      await pair.crash();
      const checks = [database.check(), verifier.check()].map((check) => check.catch((error: unknown) => error));
      for (const error of await Promise.all(checks)) expect(error).to.be.instanceOf(Unavailable);
      await pair.promote();
      await untilMore(100, backWithin);
    } finally {
      isOver = true;
      await Promise.all(callers);
    }
    const latest = performance.now() + backWithin;
    while ((await database.check().catch((error: unknown) => error)) !== undefined) {
      expect(performance.now(), 'the pool does not work again').to.be.lessThan(latest);
    }
    await act.issue(newLicense(keyNumber(2), await addProduct(createSqlProductStore(database))));
    const { rows } = await runOnPostgres(pair.standby, 'SELECT verification_count::int AS count FROM activations');
    expect(rows[0]?.count).to.be.at.least(answered);
  });
});
