import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { describeError } from '../../apps/commands/describe-error.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import type { variables } from '../../apps/wiring/settings.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { unreachable } from '../../apps/wiring/unreachable-database.ts';
import { freePort } from '../support/free-port.ts';
import { makeDatabase, postgresServer } from '../support/postgres-backend.ts';
import { itLong, needing } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { runServerProgram } from '../support/server-process.ts';

const password = 'c4n4ry-s3cret';

type Settings = { readonly [Name in keyof typeof variables]?: string };

/** Returns the program's error if the database at this address cannot be opened. */
async function errorOfOpening(url: string, settings: Settings = {}): Promise<string> {
  const all = { DATABASE_URL: url, FILES_URL: 'temporary:', LOG_LEVEL: 'silent', ...settings };
  const parts = await compose(readConfig(all));
  return await parts
    .get(t.database)
    .then(() => 'It was opened.', describeError)
    .finally(() => parts.close().catch(() => undefined)); // It fails like the opening did.
}

/** Starts a server that waits until a client has sent something, and then calls `reply` with the client. */
async function startFakePostgres(reply: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => reply(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    place: `127.0.0.1:${port}`,
    url: (parameters = '') => `postgres://ada:${password}@127.0.0.1:${port}/shop${parameters}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Postgres's reply if the login is refused. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('a database server that cannot be used', () => {
  const expectMessage = (text: string, place: string, says: RegExp) => {
    expect(text).to.include(`The database server at ${place} `);
    expect(text).to.match(says);
    expect(text).to.match(/\. [A-Z].+\.$/); // The advice.
    expect(text).to.not.match(/\n|c4n4ry|s3cret|ada/);
  };

  it('gives an error that names host, port and what to do, if it refuses connections', async () => {
    const port = await freePort();
    expectMessage(
      await errorOfOpening(`postgres://ada:${password}@127.0.0.1:${port}/shop`),
      `127.0.0.1:${port}`,
      /refuses connections/,
    );
  });

  it('gives an error if its host is unknown', async () => {
    const text = await errorOfOpening(`postgres://ada:${password}@no-such-host.invalid/shop`);
    expectMessage(text, 'no-such-host.invalid:5432', /its host is unknown/);
  });

  const answers: Record<string, { readonly code: string; readonly says: RegExp }> = {
    'a wrong password': { code: '28P01', says: /refuses the password/ },
    'a user that is not accepted': { code: '28000', says: /does not accept this user/ },
    'a missing database': { code: '3D000', says: /has no database of the name/ },
    'too many connections': { code: '53300', says: /has no connection left/ },
    'a server that is starting': { code: '57P03', says: /is starting or stopping/ },
  };
  for (const [what, { code, says }] of Object.entries(answers)) {
    it(`gives an error for ${what}`, async () => {
      await using server = await startFakePostgres((socket) =>
        socket.end(errorResponse(code, `no, "ada" ${password}`)),
      );
      expectMessage(await errorOfOpening(server.url()), server.place, says);
    });
  }

  it('gives an error if it offers no TLS, or TLS that does not work', async () => {
    await using none = await startFakePostgres((socket) => socket.write('N'));
    expectMessage(await errorOfOpening(none.url('?sslmode=verify-full')), none.place, /offers no TLS/);
    await using broken = await startFakePostgres((socket) => {
      socket.once('data', () => socket.end('this is not TLS'));
      socket.write('S');
    });
    expectMessage(await errorOfOpening(broken.url('?sslmode=verify-full')), broken.place, /fails to set up TLS/);
    for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']) {
      const error = unreachable(Object.assign(new Error(`for ${password}`), { code }), 'db:5432');
      expectMessage(describeError(error), 'db:5432', /has a TLS certificate that is not trusted/);
    }
  });

  it('gives an error if it closes the connection at once', async () => {
    await using server = await startFakePostgres((socket) => socket.end());
    expectMessage(await errorOfOpening(server.url()), server.place, /closes the connection at once/);
  });

  needing(postgresServer.skip).it('gives an error for a missing database of a real Postgres', async () => {
    const url = new URL(postgresServer.url ?? '');
    url.pathname = '/no-such-database';
    expectMessage(await errorOfOpening(url.href), url.host, /has no database of the name/);
  });

  itLong('gives an error if it accepts the connection but does not answer', async () => {
    await using server = await startFakePostgres(() => undefined);
    expectMessage(await errorOfOpening(server.url()), server.place, /does not answer/);
  });

  needing(postgresServer.skip).describe('gives an error of a real Postgres for', () => {
    let database: Awaited<ReturnType<typeof makeDatabase>>;
    const role = `test_${randomUUID().replaceAll('-', '')}`;
    const run = (statement: string) => runOnPostgres(database.url, statement);
    before(async () => {
      database = await makeDatabase();
      await run(`CREATE ROLE ${role} LOGIN`);
    });
    after(async () => {
      await database?.drop();
      if (database) await runOnPostgres(postgresServer.url ?? '', `DROP ROLE ${role}`);
    });

    const place = () => new URL(database.url).host;
    const asRole = () => {
      const url = new URL(database.url);
      url.username = role;
      return url.href;
    };

    it('too many connections', async () => {
      await run(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
      expectMessage(await errorOfOpening(asRole()), place(), /has no connection left \(53300\)/);
      await run(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    });

    it('a missing right to create tables or to connect', async () => {
      await run('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
      expectMessage(
        await errorOfOpening(asRole()),
        place(),
        /does not allow this user to create or read the tables \(42501\)/,
      );
      const { pathname } = new URL(database.url);
      await run(`REVOKE CONNECT ON DATABASE ${pathname.slice(1)} FROM PUBLIC`);
      expectMessage(
        await errorOfOpening(asRole()),
        place(),
        /does not allow this user to create or read the tables \(42501\)/,
      );
    });

    it('a database that is read-only', async () => {
      await database.set('default_transaction_read_only = on');
      expectMessage(await errorOfOpening(database.url), place(), /cannot be written/);
      await database.set('default_transaction_read_only = off');
    });

    it('a lock that another program holds', async () => {
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      await other.query('CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at text)');
      await other.query('BEGIN; LOCK TABLE schema_migrations');
      expectMessage(
        await errorOfOpening(database.url, { DATABASE_STATEMENT_TIMEOUT: '0.2' }),
        place(),
        /did not finish a statement/,
      );
      await other.end();
    });

    it('anything else, with its message but without the statement', async () => {
      await run('DROP TABLE IF EXISTS schema_migrations');
      await run('CREATE VIEW products AS SELECT 1 AS id');
      const text = await errorOfOpening(database.url);
      expectMessage(text, place(), /refuses a statement: relation "products" already exists \(42P07\)/);
      expect(text).to.not.match(/create table/i);
    });
  });

  itLong('ends serve and the commands with this one line and exit code 1', async () => {
    const port = await freePort();
    const settings = { DATABASE_URL: `postgres://ada:${password}@127.0.0.1:${port}/shop`, FILES_URL: 'temporary:' };
    for (const args of [['serve'], ['license', 'list']]) {
      const { code, stdout, stderr } = await runServerProgram(args, { ...settings, PORT: '0' });
      expect({ code, stdout }, stderr).to.deep.equal({ code: 1, stdout: '' });
      expectMessage(stderr.trimEnd().replace(/^latchkey-server: /, ''), `127.0.0.1:${port}`, /refuses connections/);
    }
  });
});
