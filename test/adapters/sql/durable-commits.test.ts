import { expect } from 'chai';
import { openPostgres } from '../../../adapters/sql/postgres/database.ts';
import { openPostgresVerifier } from '../../../adapters/sql/postgres/verifier.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { makeDatabase, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';
import { runOnPostgres } from '../../support/run-on-postgres.ts';

/** For each default of the server: the value that our transactions use. */
const effective = { off: 'on', local: 'local', remote_write: 'remote_write', on: 'on', remote_apply: 'remote_apply' };

/** Records the setting of each transaction that changes the table. */
const spyOn = (table: string) => `
  CREATE TABLE seen_${table} (setting text);
  CREATE FUNCTION see_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO seen_${table} VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
  CREATE TRIGGER spy AFTER INSERT OR UPDATE ON ${table} EXECUTE FUNCTION see_${table}()`;

needing(postgresServer.skip).describe('transactions on a Postgres', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  before(async () => {
    database = await makeDatabase();
  });
  after(() => database?.drop());

  for (const [index, [setting, expected]] of Object.entries(effective).entries()) {
    it(`commit with synchronous_commit=${expected} if the default is ${setting}, for verifications and all other writes`, async () => {
      await database.set(`synchronous_commit = ${setting}`);
      const options = { url: database.url, poolSize: 2, statementTimeout: 10_000 };
      const opened = await openPostgres(options);
      const verifier = openPostgresVerifier(options);
      const key = keyNumber(index);
      const shop = domain('shop.example');
      if (opened.migrated.length > 0) {
        for (const table of ['licenses', 'activations']) await runOnPostgres(database.url, spyOn(table));
      }
      await runOnPostgres(database.url, 'TRUNCATE seen_licenses, seen_activations');
      const act = actOn(createSqlLicenseStore(opened, verifier.verify));
      await act.issue(newLicense(key, await addProduct(createSqlProductStore(opened), setting)));
      await act.activate(key, shop, issuedAt);
      await runOnPostgres(database.url, 'TRUNCATE seen_activations');
      expect(outcome(await act.verify(key, shop, issuedAt))).to.equal('ok');
      await verifier.close();
      await opened.close();
      const seen = (table: string) => runOnPostgres(database.url, `SELECT DISTINCT setting FROM seen_${table}`);
      expect((await seen('licenses')).rows).to.deep.equal([{ setting: expected }]);
      expect((await seen('activations')).rows).to.deep.equal([{ setting: expected }]);
    });
  }
});
