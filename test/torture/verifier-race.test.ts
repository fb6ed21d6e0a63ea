import { expect } from 'chai';
import pg from 'pg';
import type { ProductId } from '../../core/id.ts';
import type { Stores } from '../support/backends.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../support/license-acts.ts';
import { makeSchema, openPostgresStores, postgresServer } from '../support/postgres-backend.ts';
import { needing } from '../support/required-service.ts';
import { randomOf, shuffled } from './random.ts';

needing(postgresServer.skip).describe('a batch of verifications on Postgres', () => {
  const [busy, key] = [keyNumber(1), keyNumber(2)];
  const [held, late] = [domain('held.example'), domain('late.example')];
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  let stores: Stores;
  let patientUrl: string;
  let outsider: pg.Client;
  let act: ReturnType<typeof actOn>;
  let productId: ProductId;

  /** Another session has locked the domain of one license, in an open transaction. */
  beforeEach(async () => {
    schema = await makeSchema();
    const url = new URL(schema.url);
    url.searchParams.set('application_name', 'verifier-race');
    patientUrl = url.href;
    stores = await openPostgresStores(patientUrl);
    outsider = new pg.Client({ connectionString: schema.url });
    await outsider.connect();
    act = actOn(stores.licenses);
    productId = await addProduct(stores.products);
    await act.issue(newLicense(busy, productId), newLicense(key, productId));
    await act.activate(busy, held, issuedAt);
    await outsider.query('BEGIN');
    await outsider.query('SELECT 1 FROM activations FOR UPDATE');
  });
  afterEach(async () => {
    await outsider.end();
    await stores.close();
    await schema.drop();
  });

  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%unnest%'
    AND application_name = 'verifier-race'`;

  async function untilItWaits(): Promise<void> {
    while ((await outsider.query(waiting)).rowCount === 0) await outsider.query('SELECT pg_stat_clear_snapshot()');
  }

  /**
   * Found by the torture test: a verification returned valid and was lost, because its domain was deactivated before
   * the count.
   */
  it('returns valid only for counted verifications, even if their domain is activated while the batch waits', async () => {
    const batch = Promise.all([act.verify(busy, held, issuedAt), act.verify(key, late, issuedAt)]);
    await untilItWaits();
    expect(outcome(await act.activate(key, late, issuedAt))).to.equal('ok');
    await outsider.query('COMMIT');

    expect((await batch).map(outcome)).to.deep.equal(['ok', 'invalid_domain']);
    expect(outcome(await act.verify(key, late, issuedAt))).to.equal('ok');
  });

  /** Verifies the locked domain, and ends the other transaction. Returns the answer and the counts. */
  async function verifyHeld() {
    const verdict = act.verify(busy, held, issuedAt);
    await untilItWaits();
    await outsider.query('COMMIT');
    const answer = outcome(await verdict);
    return { answer, counts: (await stores.licenses.find(busy))?.domains.map((one) => one.verificationCount) };
  }

  it('counts nothing for a license that is suspended while it waits, and returns suspended', async () => {
    await outsider.query("UPDATE licenses SET standing = 'suspended'");
    expect(await verifyHeld()).to.deep.equal({ answer: 'suspended', counts: [0] });
  });

  it('counts nothing on a domain that is activated again while it waits, until it has read the new activation', async () => {
    await outsider.query('DELETE FROM activations');
    await outsider.query(
      `INSERT INTO activations (license_id, domain, ordinal, activated_at) SELECT id, '${held}', 2, 0 FROM licenses WHERE key = '${busy}'`,
    );
    expect(await verifyHeld()).to.deep.equal({ answer: 'ok', counts: [1] });
  });

  /* This prevents deadlocks between two processes. Postgres would read a small table in its physical order if it could. */
  it('locks its rows in the order of their keys, for any order of the requests and the rows', async () => {
    await outsider.query('ROLLBACK');
    const all = Array.from({ length: 100 }, (_, index) => keyNumber(100 + index));
    await act.issue(...all.map((one) => newLicense(one, productId)));
    for (const one of [...all].reverse()) await act.activate(one, held, issuedAt);
    const keys = all.slice(0, 32);
    const { rows: ids } = await outsider.query<{ id: number }>(
      'SELECT id FROM licenses WHERE key = ANY ($1) ORDER BY id',
      [keys],
    );
    const lock = async (of: readonly { id: number }[]) => {
      const text = `SELECT license_id AS id FROM activations WHERE license_id = ANY ($1) ORDER BY license_id FOR UPDATE SKIP LOCKED`;
      return (await outsider.query<{ id: number }>(text, [of.map(({ id }) => id)])).rows;
    };
    // It waits long enough for the test to see it.
    const patient = await openPostgresStores(patientUrl, { lockTimeout: 3_500 });
    const patientAct = actOn(patient.licenses);
    await outsider.query('ANALYZE activations');
    await outsider.query('BEGIN');
    await lock(ids.slice(15, 16));
    const batch = Promise.all(shuffled(keys, randomOf(1)).map((one) => patientAct.verify(one, held, issuedAt)));
    await untilItWaits();

    expect(await lock(ids)).to.deep.equal(ids.slice(15));
    await outsider.query('COMMIT');
    expect(new Set((await batch).map(outcome))).to.deep.equal(new Set(['ok']));
    await patient.close();
  });
});
