import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { isRefused } from '../../core/refusal.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { openRaw } from '../support/raw-sqlite.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { runServerProgram, type ServerProcess, startServer } from '../support/server-process.ts';
import { postgres, type SqlPlace, sqlite } from '../support/sql-databases.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { administer } from './admin-program.ts';

const licenseKey = 'LIC-CANA-RYCA-NARY-0001' as LicenseKey;
const domain = 'canary-domain.example';

/** Changes to the database that make the program's statements fail. */
const kinds = [
  {
    kind: sqlite,
    async run(url: string, statement: string) {
      const raw = await openRaw(url.slice('sqlite:'.length));
      await raw.run(`PRAGMA busy_timeout = 5000; ${statement}`).finally(() => raw.close());
    },
    breakActivations:
      "CREATE TRIGGER broken BEFORE INSERT ON activations BEGIN SELECT RAISE(ABORT, 'broken by the test'); END",
    breakUsers: "CREATE TRIGGER broken_too BEFORE INSERT ON users BEGIN SELECT RAISE(ABORT, 'broken by the test'); END",
    breakLicenses: 'ALTER TABLE licenses RENAME TO gone',
    breakKeys: 'ALTER TABLE api_keys RENAME TO gone_too',
  },
  {
    kind: postgres,
    run: (url: string, statement: string) => runOnPostgres(url, statement),
    breakActivations: "ALTER TABLE activations ADD CHECK (domain = '') NOT VALID",
    breakUsers: "ALTER TABLE users ADD CHECK (name = '') NOT VALID",
    // The error message quotes the value that does not fit the type. What uses the column must go first.
    breakLicenses: [
      'DROP TRIGGER license_changed ON licenses',
      'DROP TRIGGER license_key_changed ON licenses',
      'DROP INDEX licenses_by_key',
      'ALTER TABLE licenses ALTER COLUMN key TYPE integer USING id',
    ].join('; '),
    breakKeys: 'ALTER TABLE api_keys ALTER COLUMN digest TYPE integer USING id',
  },
];

for (const { kind, run, ...breaks } of kinds) {
  needing(skipLong ?? kind.skip).describe(`the log of failed statements on ${kind.name}`, () => {
    let database: SqlPlace;
    let server: ServerProcess;
    let secret = '';
    before(async () => {
      database = await kind.make();
      server = await startServer({ DATABASE_URL: database.url, FILES_URL: 'temporary:', LOG_LEVEL: 'debug' });
      await administer({ DATABASE_URL: database.url, FILES_URL: 'temporary:' }).beside(async (parts) => {
        const { id: productId } = good(
          await (await parts.get(t.products)).add({ title: 'Jar', ownerId: null }, operator),
        );
        await (await parts.get(t.issuing)).issueAs(licenseKey, { productId, maxDomains: 3, expiresAt: null }, operator);
        const accounts = await parts.get(t.accounts);
        await accounts.add({ name: 'Canary', email: 'canary@example.com', tier: 'free' }, operator);
        const terms = { name: 'canary', mode: 'live', scopes: null, expiresAt: null } as const;
        const made = await accounts.createKey('canary@example.com', terms, operator);
        if (!isRefused(made)) secret = made.secret;
      });
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
      await database?.remove();
    });

    it('contains no license key, domain, e-mail address, API key or digest, and neither does standard error', async () => {
      const asked = new URLSearchParams({ license_key: licenseKey, domain });
      const activate = () =>
        fetch(`${server.url}/activate`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ license_key: licenseKey, domain }),
        });
      const add = (email: string, ...more: string[]) => {
        const settings = { DATABASE_URL: database.url, FILES_URL: 'temporary:' };
        return runServerProgram(['user', 'add', '--name', 'Canary', '--email', email, ...more], settings);
      };
      await run(database.url, breaks.breakActivations);
      const statuses = [(await activate()).status];
      await run(database.url, breaks.breakUsers);
      const { code, stdout, stderr } = await add('canary-two@example.com');
      await run(database.url, breaks.breakLicenses);
      statuses.push((await activate()).status);
      statuses.push((await fetch(`${server.url}/verify?${asked}`)).status);
      statuses.push((await fetch(`${server.url}/status?${asked}`)).status);
      await run(database.url, breaks.breakKeys);
      statuses.push((await fetch(`${server.url}/api/auth/me`, { headers: { 'X-API-Key': secret } })).status);

      expect(statuses).to.deep.equal([500, 500, 500, 500, 500]);
      expect([code, stdout]).to.deep.equal([1, '']);
      await server.stop('SIGTERM');
      const failed = server.log.filter(({ msg }) => msg === 'request failed');
      expect(failed).to.have.lengthOf(5);
      for (const { err } of failed) expect(err).to.have.property('code').that.is.a('string');
      const all = JSON.stringify(server.log) + server.errors() + stdout + stderr;
      const digest = createHash('sha256').update(secret).digest('hex');
      const canaries = [licenseKey, 'RYCA', domain, 'canary-domain', 'canary@', 'canary-two', secret.slice(12), digest];
      expect(canaries.filter((canary) => all.toLowerCase().includes(canary.toLowerCase()))).to.deep.equal([]);
    });
  });
}

needing(skipLong).describe('the log', () => {
  it('names the same client as rate limits do: the one behind trusted proxies, and the network of an IPv6 address', async () => {
    const folder = await makeTemporaryFolder();
    const settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, LOG_LEVEL: 'debug' };
    const clientsOf = async (proxies: string, forwarded: string) => {
      await using server = await startServer({ ...settings, TRUSTED_PROXIES: proxies });
      const headers = { 'X-Forwarded-For': forwarded };
      // The shortcut, Koa, and a path without a route.
      for (const path of ['/verify?license_key=x&domain=y', '/health/live', '/nothing']) {
        await fetch(server.url + path, { headers });
      }
      await server.stop('SIGTERM');
      return server.log.filter(({ msg }) => msg === 'request').map(({ client }) => client);
    };
    try {
      expect(await clientsOf('loopback', '203.0.113.9')).to.deep.equal(Array(3).fill('203.0.113.9'));
      expect(await clientsOf('loopback', '2001:db8:1:2:3::4')).to.deep.equal(Array(3).fill('2001:db8:1:2::/64'));
      expect(await clientsOf('', '203.0.113.9')).to.deep.equal(Array(3).fill('127.0.0.1'));
    } finally {
      await folder.remove();
    }
  });
});
