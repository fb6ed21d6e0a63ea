import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openRaw } from '../support/raw-sqlite.ts';
import { itLong, needing } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { postgres, type SqlPlace, sqlite } from '../support/sql-databases.ts';
import { createWebClient } from '../support/web-client.ts';

const person = { name: 'Canary Bird', email: 'canary@example.com', password: 'c4n4ry in a coal mine' };

/** Changes to the database that make statements fail, some with the values in the message. */
const kinds = [
  {
    kind: sqlite,
    async run(url: string, statement: string) {
      const raw = await openRaw(url.slice('sqlite:'.length));
      await raw.run(`PRAGMA busy_timeout = 5000; ${statement}`).finally(() => raw.close());
    },
    breakInserts: `
      CREATE TRIGGER broken BEFORE INSERT ON one_time_links BEGIN SELECT RAISE(ABORT, 'broken by the test'); END;
      CREATE TRIGGER broken_too BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'broken by the test'); END`,
    breakReads: 'ALTER TABLE sessions RENAME TO gone; ALTER TABLE one_time_links RENAME TO gone_too',
  },
  {
    kind: postgres,
    run: (url: string, statement: string) => runOnPostgres(url, statement),
    breakInserts: `
      ALTER TABLE one_time_links ADD CHECK (purpose = '') NOT VALID;
      ALTER TABLE sessions ADD CHECK (browser = 'none') NOT VALID`,
    breakReads: `
      ALTER TABLE sessions ALTER COLUMN digest TYPE integer USING id;
      ALTER TABLE one_time_links DROP CONSTRAINT one_time_links_pkey, ALTER COLUMN digest TYPE integer USING 1`,
  },
];

for (const { kind, run, breakInserts, breakReads } of kinds) {
  needing(kind.skip).describe(`the log of the sign-in pages on ${kind.name}`, () => {
    let database: SqlPlace;
    let server: ServerProcess;
    before(async () => {
      database = await kind.make();
      server = await startServer({ DATABASE_URL: database.url, FILES_URL: 'temporary:', LOG_LEVEL: 'debug' });
      await eventually('the link is printed', () => server.log.some(({ setUp }) => setUp !== undefined));
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
      await database?.remove();
    });

    itLong(
      'contains no password, token, cookie, code, name or e-mail address, whatever succeeds or fails',
      async () => {
        const browser = createWebClient(server.url);
        const link = server.log.find(({ setUp }) => setUp !== undefined)?.setUp;
        const [, setUpToken = ''] = String(link).split('#');
        const secrets: string[] = [];
        const keepCookies = () =>
          secrets.push(...['session', 'challenge'].flatMap((name) => browser.cookies.get(name) ?? []));
        const statuses: number[] = [];
        const post = async (path: string, fields: Record<string, string>) => {
          statuses.push((await browser.post(path, fields)).status);
          keepCookies();
        };
        await post('/setup', { ...person, token: setUpToken });
        await post('/sign-out', {});
        await post('/sign-in', person);
        await post('/sign-out', {});
        await post('/sign-in', { ...person, password: `${person.password}!` });
        await post('/sign-up', { ...person, email: 'canary-two@example.com' });
        await post('/forgot-password', person);
        await post('/reset-password', { token: setUpToken, password: person.password });
        await post(`/sign-in?next=/account%23canary-next&token=${setUpToken}`, { email: 'canary', password: 'c4n4ry' });
        expect(statuses).to.deep.equal([303, 303, 303, 303, 422, 200, 200, 422, 422]);
        const [session = ''] = secrets;

        await run(database.url, breakInserts);
        statuses.length = 0;
        await post('/sign-up', { ...person, email: 'canary-two@example.com' });
        await post('/forgot-password', person);
        await post('/sign-in', person);
        await run(database.url, breakReads);
        await post('/verify-email', { token: setUpToken, password: person.password });
        browser.cookies.set('session', session);
        await post('/sign-out', {});
        statuses.push((await browser.get('/docs')).status);
        expect(statuses).to.deep.equal(Array(6).fill(500));

        await server.stop('SIGTERM');
        const lines = server.log.filter(({ setUp }) => setUp === undefined);
        expect(lines.filter(({ msg }) => msg === 'request failed')).to.have.lengthOf(6);
        const digests = [...secrets, setUpToken].map((secret) => createHash('sha256').update(secret).digest('hex'));
        const canaries = ['canary', 'c4n4ry', 'argon2', setUpToken, ...secrets, ...digests];
        const all = (JSON.stringify(lines) + server.errors()).toLowerCase();
        expect(secrets).to.have.length.above(1);
        expect(canaries.filter((canary) => all.includes(canary.toLowerCase()))).to.deep.equal([]);
      },
    );
  });
}
