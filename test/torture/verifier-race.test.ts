import { expect } from 'chai';
import pg from 'pg';
import { openPostgres } from '../../adapters/sql/postgres.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres-verifier.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../support/license-acts.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { sqlStores } from '../support/sql-stores.ts';

/* What the storm found: a verification was valid and lost, when its domain was deactivated before it was counted. */
const { skip } = postgresServer;
(skip ? describe.skip : describe)(`a batch of verifications on Postgres${skip ? ` (${skip})` : ''}`, () => {
  it('holds every domain that it calls valid, also one that is activated while it waits for another', async () => {
    const schema = await makeSchema();
    const url = new URL(schema.url);
    url.searchParams.set('application_name', 'verifier-race');
    const options = { url: url.href, poolSize: 3, statementTimeout: 15_000 };
    const stores = sqlStores(await openPostgres(options), openPostgresVerifier(options));
    const outsider = new pg.Client({ connectionString: schema.url });
    await outsider.connect();
    try {
      const act = actOn(stores.licenses);
      const [busy, key] = [keyNumber(1), keyNumber(2)];
      const productId = await addProduct(stores.products);
      await act.issue(newLicense(busy, productId), newLicense(key, productId));
      const [held, late] = [domain('held.example'), domain('late.example')];
      await act.activate(busy, held, issuedAt);

      await outsider.query('BEGIN');
      await outsider.query('SELECT 1 FROM activations FOR UPDATE');
      const batch = Promise.all([act.verify(busy, held, issuedAt), act.verify(key, late, issuedAt)]);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%unnest%'
        AND application_name = 'verifier-race'`;
      while ((await outsider.query(waiting)).rowCount === 0) await outsider.query('SELECT pg_stat_clear_snapshot()');
      expect(outcome(await act.activate(key, late, issuedAt))).to.equal('ok');
      await outsider.query('COMMIT');

      expect((await batch).map(outcome)).to.deep.equal(['ok', 'invalid_domain']);
      expect(outcome(await act.verify(key, late, issuedAt))).to.equal('ok');
    } finally {
      await outsider.end();
      await stores.close();
      await schema.drop();
    }
  });
});
