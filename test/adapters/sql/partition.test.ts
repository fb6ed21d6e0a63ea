import { expect } from 'chai';
import type { Knex } from 'knex';
import { migrate } from '../../../adapters/sql/migrate.ts';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import {
  abandonPartitioning,
  PartitioningRefused,
  partitionActivations,
} from '../../../adapters/sql/postgres/partition.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import type { Verifier } from '../../../adapters/sql/verifier.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { makeDatabase, makeSchema, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

const licenses = 80;
const shop = domain('shop.example');
const blog = domain('blog.example');

needing(postgresServer.skip).describe('partitioning the activations', () => {
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  let database: PostgresDatabase;
  let verifier: Verifier;
  let act: ReturnType<typeof actOn>;

  beforeEach(async () => {
    schema = await makeSchema();
    const options = { url: schema.url, poolSize: 5, statementTimeout: 10_000 };
    database = await openPostgres(options);
    verifier = openPostgresVerifier(options);
    act = actOn(createSqlLicenseStore(database, verifier.verify));
    const productId = await addProduct(createSqlProductStore(database));
    const keys = Array.from({ length: licenses }, (_, index) => keyNumber(index + 1));
    await act.issue(...keys.map((key) => newLicense(key, productId, { maxDomains: 2 })));
    await database.write(async (trx) => {
      await trx('licenses').update({ domains_used: 1, activations_made: 1 });
      await trx.raw(
        'INSERT INTO activations (license_id, domain, ordinal, activated_at) SELECT id, ?, 1, ? FROM licenses',
        [shop, issuedAt],
      );
    });
  });
  afterEach(async () => {
    await verifier.close();
    await database.close();
    await schema.drop();
  });

  const one = async <T>(work: (knex: Knex) => PromiseLike<{ rows: T[] }>) => (await database.read(work)).rows[0] as T;
  const rows = () =>
    one<{ count: number; verified: number; parts: number }>((knex) =>
      knex.raw(`SELECT count(*)::int AS count, sum(verification_count)::int AS verified,
        count(DISTINCT tableoid)::int AS parts FROM activations`),
    );
  const setStanding = (n: number, standing: string) =>
    database.write((trx) =>
      trx('licenses')
        .where({ key: keyNumber(n) })
        .update({ standing }),
    );
  const constraintsOf = async () =>
    (
      await one<{ names: string }>((knex) =>
        knex.raw(`SELECT string_agg(conname, ' ' ORDER BY conname) AS names FROM pg_constraint
        WHERE conrelid = 'activations'::regclass AND contype IN ('p', 'f')`),
      )
    ).names;

  it('loses no concurrent count or change, and leaves no temporary objects behind', async () => {
    const constraints = await constraintsOf();
    let isOver = false;
    let verified = 0;
    const refused: unknown[] = [];
    const callers = Array.from({ length: 6 }, async (_, caller) => {
      for (let turn = caller; !isOver; turn += 6) {
        const key = keyNumber((turn % licenses) + 1);
        const verdict = outcome(await act.verify(key, shop, issuedAt));
        if (verdict === 'ok') verified++;
        else refused.push(verdict);
      }
    });
    // Activates a second domain for each license, and deactivates it again for each license with an even number.
    const changes = (async () => {
      for (let n = 1; n <= licenses; n++) {
        await act.activate(keyNumber(n), blog, issuedAt);
        if (n % 2 === 0) await act.deactivate(keyNumber(n), blog, issuedAt);
        if (n % 10 === 0) for (const standing of ['suspended', 'active']) await setStanding(n, standing);
      }
    })();
    const copied = await partitionActivations(database, 4, { chunkSize: 5 });
    await changes;
    isOver = true;
    await Promise.all(callers);

    expect(copied).to.be.at.least(licenses);
    expect(await rows()).to.deep.equal({ count: licenses * 1.5, verified, parts: 4 });
    expect(refused.filter((reason) => reason !== 'suspended')).to.deep.equal([]);
    expect(await constraintsOf(), 'the names of the constraints, which later steps use').to.equal(constraints);
    const left = await one<{ names: string | null }>((knex) =>
      knex.raw(`SELECT string_agg(relname, ' ') AS names FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relname ~ 'partitioned|unpartitioned'`),
    );
    expect(left.names).to.equal(null);
    expect(await migrate(database), 'missing steps of the schema').to.deep.equal([]);
    const error = await partitionActivations(database, 4).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(PartitioningRefused);
  });

  it('can be continued or abandoned after an interruption', async () => {
    const breaksOff = (count: number) =>
      partitionActivations(database, count, {
        chunkSize: 5,
        at: (done) => {
          if (done >= 20) throw new Error('killed');
        },
      }).catch((error: Error) => error.message);
    expect(await breaksOff(3)).to.equal('killed');
    expect(await abandonPartitioning(database)).to.equal(true);
    expect(await abandonPartitioning(database)).to.equal(false);
    expect(await breaksOff(3)).to.equal('killed');
    await act.deactivate(keyNumber(1), shop, issuedAt);
    await act.verify(keyNumber(2), shop, issuedAt);
    expect(await partitionActivations(database, 3)).to.equal(licenses - 1);
    expect(await rows()).to.deep.equal({ count: licenses - 1, verified: 1, parts: 3 });
  });

  it('allows later migrations of the schema', async () => {
    await partitionActivations(database, 3);
    await database.write(async (trx) => {
      await trx.raw('ALTER TABLE activations ADD COLUMN note text');
      await trx.raw('CREATE INDEX ON activations (activated_at)');
      await trx.raw('ALTER TABLE activations DROP CONSTRAINT activations_license_id_fkey');
    });
    expect(outcome(await act.verify(keyNumber(5), shop, issuedAt))).to.equal('ok');
  });

  it('may exceed the time limit of other statements when it scans a large table', async () => {
    const own = await makeDatabase();
    const limited = await openPostgres({ url: own.url, poolSize: 2, statementTimeout: 500 });
    try {
      const productId = await addProduct(createSqlProductStore(limited));
      const issuing = actOn(createSqlLicenseStore(limited, verifier.verify));
      await issuing.issue(newLicense(keyNumber(1), productId));
      await issuing.activate(keyNumber(1), shop, issuedAt);
      await runOnPostgres(own.url, slowSteps);
      expect(await partitionActivations(limited, 2)).to.equal(1);
    } finally {
      await limited.close();
      await own.drop();
    }
  });
});

/**
 * Makes two steps slower than the server's limit for a statement: the check of a foreign key, and that of a partition
 * with rows.
 */
const slowSteps = `
  CREATE FUNCTION slow_check() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_query() ~ 'p0 VALIDATE' THEN PERFORM pg_sleep(1.8); END IF;
  END $$;
  CREATE EVENT TRIGGER slow_check ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION slow_check();
  CREATE FUNCTION slow_look(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
    IF current_query() ~ 'ANALYZE' THEN PERFORM pg_sleep(1.8); END IF;
    RETURN $1;
  END $$;
  CREATE INDEX ON activations (slow_look(domain))`;
