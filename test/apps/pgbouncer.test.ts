import { expect } from 'chai';
import { type PgBouncer, pgbouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { makeDatabase, postgresServer } from '../support/postgres-backend.ts';
import { needing } from '../support/required-service.ts';
import { runServerProgram, startServer } from '../support/server-process.ts';

needing(postgresServer.skip ?? pgbouncer.skip).describe('the server behind PgBouncer', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let bouncer: PgBouncer;
  before(async () => {
    database = await makeDatabase();
    bouncer = await startPgBouncer(database.url, { transaction: 2, session: 2 });
  });
  after(async () => {
    await bouncer?.[Symbol.asyncDispose]();
    await database?.drop();
  });

  it('creates its schema, logs once that its connections are pooled, and answers', async () => {
    await using server = await startServer({ DATABASE_URL: bouncer.url('transaction'), FILES_URL: 'temporary:' });
    expect(server.log.filter(({ connections }) => connections === 'pooled').map(({ msg }) => msg)).to.deep.equal([
      'listening',
    ]);
    const calls = ['/health/ready', '/verify?license_key=LIC-0000-0000-0000-0000&domain=example.com'];
    const answers = await Promise.all(calls.map((path) => fetch(`${server.url}${path}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 404]);
  });

  it('ends with one line that says that PgBouncer refuses a parameter of the address, and what to do', async () => {
    const url = `${bouncer.url('transaction')}?options=-c%20search_path%3Dshop`;
    const { code, stderr } = await runServerProgram(['migrate'], { DATABASE_URL: url, FILES_URL: 'temporary:' });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^.*is a pooler .* refuses a parameter in DATABASE_URL \(08P01\)\. Take it out .*\n$/);
  });
});
