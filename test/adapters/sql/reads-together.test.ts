import { expect } from 'chai';
import type { Knex } from 'knex';
import { builtOnce } from '../../../adapters/sql/built-once.ts';
import { openPostgres, type PostgresDatabase } from '../../../adapters/sql/postgres/database.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { makeDatabase, postgresServer } from '../../support/postgres-backend.ts';
import { needing } from '../../support/required-service.ts';

type Session = readonly { readonly pid: number; readonly text: string }[];
const sessionOf = builtOnce<'', Session, [string]>((knex, _, text) =>
  knex
    .from(knex.raw("(SELECT pg_backend_pid() AS pid, 'asked' AS asked) AS s"))
    .select('pid', 'asked as text')
    .where('asked', text),
);
/** Ten divided by the number. */
const tenBy = builtOnce<'', readonly { readonly quotient: number }[], [number]>((knex, _, by) =>
  knex.from(knex.raw('(SELECT CAST(? AS integer) AS divisor) AS d', [by])).select(knex.raw('10 / divisor AS quotient')),
);
/** Ends its own session. */
const ending = builtOnce<'', unknown, [number]>((knex, _, wait) =>
  knex.from(knex.raw('(SELECT pg_terminate_backend(pg_backend_pid(), ?)) AS e', [wait])).select('*'),
);

needing(postgresServer.skip).describe('reads of Postgres that share a connection', () => {
  let made: Awaited<ReturnType<typeof makeDatabase>>;
  let database: PostgresDatabase;
  before(async () => {
    made = await makeDatabase();
    database = await openPostgres({ url: made.url, poolSize: 10, statementTimeout: 10_000 });
  });
  after(async () => {
    await database?.close();
    await made?.drop();
  });

  const many = Array.from({ length: 50 }, (_, n) => n);
  const quotient = (by: number) => database.read((knex) => tenBy(knex, '', by));

  it('are sent together if they come together', async () => {
    const sessions = await Promise.all(
      many.slice(0, 8).map(() => database.read((knex) => sessionOf(knex, '', 'asked'))),
    );
    expect(new Set(sessions.map(([session]) => session?.pid))).to.have.length(1);
  });

  it('leave connections to others, however many come', async () => {
    const held = database.write(async (trx) => {
      const found = await Promise.all(many.map(() => database.read((knex) => sessionOf(knex, '', 'asked'))));
      await trx.raw('SELECT 1');
      return new Set(found.map(([session]) => session?.pid));
    });
    expect(await held)
      .to.have.property('size')
      .that.is.within(1, 4);
    expect(database.pool().used).to.equal(0);
  });

  it('return the rows of each, and fail alone', async () => {
    const outcomes = await Promise.allSettled(many.map((n) => quotient(n % 5)));
    outcomes.forEach((outcome, n) => {
      if (n % 5 > 0) expect(outcome).to.have.deep.property('value', [{ quotient: Math.trunc(10 / (n % 5)) }]);
      else expect(outcome).to.have.property('reason').with.property('message').that.contains('22012');
    });
    expect(database.pool().used).to.equal(0);
  });

  it('go on after their connection was cut', async () => {
    const cut = [1, 2, 3].map((n) =>
      database.read((knex: Knex) => (n === 2 ? ending(knex, '', 0) : tenBy(knex, '', n))),
    );
    const [first, ...rest] = await Promise.allSettled(cut);
    expect(first).to.have.property('status', 'fulfilled');
    for (const one of rest) expect(one).to.have.property('reason').that.is.instanceOf(Unavailable);
    expect(await quotient(5)).to.deep.equal([{ quotient: 2 }]);
  });

  it('are refused if no connection becomes free', async () => {
    const full = await openPostgres({ url: made.url, poolSize: 1, statementTimeout: 20_000 });
    try {
      await full.write(async (trx) => {
        await trx.raw('SELECT 1');
        const waited = await Promise.allSettled(
          many.slice(0, 3).map((n) => full.read((knex) => tenBy(knex, '', n + 1))),
        );
        for (const one of waited) expect(one).to.have.property('reason').that.is.instanceOf(Unavailable);
      });
      expect(await full.read((knex) => tenBy(knex, '', 5))).to.deep.equal([{ quotient: 2 }]);
    } finally {
      await full.close();
    }
  }).timeout(60_000);
});
