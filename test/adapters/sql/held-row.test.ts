import { expect } from 'chai';
import pg from 'pg';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Stores } from '../../support/backends.ts';
import { until } from '../../support/eventually.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';
import { makeSchema, openPostgresStores, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';

const shop = domain('shop.example');
const [busy, ...others] = Array.from({ length: 20 }, (_, index) => keyNumber(index + 1));
/** Milliseconds in which a call for a locked domain gets an answer, and in which calls succeed again. */
const within = 5_000;

/** Another session locks a row in an open transaction. */
needing(postgresServer.skip).describe('a row that another session has locked', () => {
  let schema: Awaited<ReturnType<typeof makeSchema>>;
  let stores: Stores;
  let outsider: pg.Client;
  let watcher: pg.Client;
  let act: ReturnType<typeof actOn>;

  before(async () => {
    schema = await makeSchema();
    const url = new URL(schema.url);
    url.searchParams.set('application_name', 'held-row');
    stores = await openPostgresStores(url.href);
    watcher = new pg.Client({ connectionString: schema.url });
    await watcher.connect();
    act = actOn(stores.licenses);
    outsider = new pg.Client({ connectionString: schema.url });
    await outsider.connect();
    const productId = await addProduct(stores.products);
    for (const key of all) {
      await act.issue(newLicense(key, productId));
      await act.activate(key, shop, issuedAt);
    }
  });
  beforeEach(async () => {
    await outsider.query("UPDATE licenses SET standing = 'active'");
    await outsider.query('UPDATE activations SET verification_count = 0');
    for (const key of all) expect(outcome(await act.verify(key, shop, issuedAt))).to.equal('ok');
    await outsider.query('BEGIN');
  });
  afterEach(() => outsider.query('ROLLBACK'));
  after(async () => {
    await outsider?.end();
    await watcher?.end();
    await stores?.close();
    await schema?.drop();
  });

  const all = [busy, ...others].filter((key) => key !== undefined);
  const held = all[0] as (typeof all)[number];
  const verifyHeld = () => act.verify(held, shop, issuedAt).then(outcome, (error: unknown) => error);
  /** Resolves when a verification waits for a lock that no earlier one waited for. */
  let lastSeen = '';
  async function untilWaits(): Promise<void> {
    const text = `SELECT query_start::text AS began FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%unnest%' AND application_name = 'held-row' AND query_start::text > $1`;
    for (;;) {
      const [row] = (await watcher.query<{ began: string }>(text, [lastSeen])).rows;
      if (row !== undefined) {
        lastSeen = row.began;
        return;
      }
    }
  }
  const counts = async () => {
    const found = await Promise.all(all.map((key) => stores.licenses.find(key)));
    return found.map((one) => one?.domains[0]?.verificationCount);
  };
  /**
   * Verifies all other domains repeatedly, with many callers, until it is stopped. Returns the number of answers for
   * each.
   */
  function verifyOthers() {
    let isOver = false;
    const answers: number[] = others.map(() => 0);
    const callers = Promise.all(
      others.map(async (key, index) => {
        while (!isOver) {
          expect(outcome(await act.verify(key, shop, issuedAt))).to.equal('ok');
          answers[index] = (answers[index] ?? 0) + 1;
        }
      }),
    );
    return {
      least: () => Math.min(...answers),
      end: async () => {
        isOver = true;
        await callers;
        return answers;
      },
    };
  }

  it('delays no verification of another row; verifications of the row itself throw Unavailable in time', async () => {
    await outsider.query(
      'SELECT 1 FROM activations WHERE license_id = (SELECT id FROM licenses WHERE key = $1) FOR UPDATE',
      [held],
    );
    const start = performance.now();
    const going = verifyOthers();
    const refused = await Promise.all(Array.from({ length: 50 }, verifyHeld));
    expect(performance.now() - start).to.be.below(2 * within);
    for (const error of refused) expect(error).to.be.instanceOf(Unavailable);
    const answered = await going.end();
    expect(Math.min(...answered)).to.be.above(100);
    await outsider.query('ROLLBACK');
    expect(await counts()).to.deep.equal([1, ...answered.map((count) => count + 1)]);
  });

  it('is verified once for each waiting caller when the lock ends, also if an UPDATE of the license locked it', async () => {
    await outsider.query("UPDATE licenses SET standing = 'suspended' WHERE key = $1", [held]);
    const waiting = Promise.all(Array.from({ length: 50 }, verifyHeld));
    const going = verifyOthers();
    await until(() => going.least() >= 10);
    await outsider.query('ROLLBACK');
    expect(new Set(await waiting)).to.deep.equal(new Set(['ok']));
    const answered = await going.end();
    expect(await counts()).to.deep.equal([51, ...answered.map((count) => count + 1)]);
  });

  it('is verified in its new state when the lock ends: a license that was revoked meanwhile is revoked', async () => {
    await outsider.query("UPDATE licenses SET standing = 'revoked' WHERE key = $1", [held]);
    const waiting = Promise.all(Array.from({ length: 10 }, verifyHeld));
    const going = verifyOthers();
    await until(() => going.least() >= 10);
    await outsider.query('COMMIT');
    expect(new Set(await waiting)).to.deep.equal(new Set(['revoked']));
    await going.end();
    expect((await counts())[0]).to.equal(1);
  });

  it('delays verifications only until the lock ends, also if whole tables are locked', async () => {
    await outsider.query('LOCK TABLE licenses, activations IN ACCESS EXCLUSIVE MODE');
    const waiting = Promise.all(
      [...all, keyNumber(99)].map((key) => act.verify(key, shop, issuedAt).then(outcome, (error: unknown) => error)),
    );
    // The first wait times out. This is the second one.
    for (let seen = 0; seen < 2; seen++) await untilWaits();
    await outsider.query('COMMIT');
    expect(await waiting).to.deep.equal([...all.map(() => 'ok'), 'invalid_key']);
    expect(await counts()).to.deep.equal(all.map(() => 2));
  });
});
