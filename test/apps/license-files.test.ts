import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { event } from '../../core/events/event.ts';
import { blankProduct } from '../../core/marketplace/product.ts';
import { by, operator } from '../support/by.ts';
import { eventually, until } from '../support/eventually.ts';
import { good } from '../support/good.ts';
import { issuedAt, keyNumber, newProduct } from '../support/license-acts.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type SharedPlace, sharedPlaces } from '../support/shared-place.ts';

for (const { name, skip, make } of sharedPlaces) {
  needing(skipLong ?? skip).describe(`files of licenses over HTTP on ${name}`, () => {
    let place: SharedPlace;
    let settings: Record<string, string>;
    let parts: Parts;
    let secret: string;
    beforeEach(async () => {
      place = await make();
      settings = { DATABASE_URL: place.url, FILES_URL: `disk:${place.files}` };
      parts = await compose(readConfig({ LOG_LEVEL: 'silent', ...settings }));
      const accounts = await parts.get(t.accounts);
      const { id } = good(await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'pro' }, operator));
      const key = { name: 'x', mode: 'live', scopes: null, expiresAt: null } as const;
      secret = good(await accounts.createKey('ada@example.com', key, operator)).secret;
      const product = newProduct({ slug: 'jar', title: 'Jar', ownerId: id, isLive: true, ...blankProduct });
      await (await parts.get(t.productStore)).add(product, (given) => event('product.added', given, by, issuedAt));
    });
    afterEach(async () => {
      await parts?.close();
      await place?.remove();
    });

    const count = async (table: string) =>
      (await parts.get(t.database)).read(async (knex) => Number((await knex(table).count({ n: '*' }))[0]?.n));
    const send = ({ url }: ServerProcess, body: string, headers: Record<string, string> = {}, query = '') =>
      fetch(`${url}/api/licenses/import${query}`, {
        method: 'POST',
        headers: { 'X-API-Key': secret, 'Content-Type': 'text/csv', ...headers },
        body,
      });
    const fileOf = (lines: number, metadata = '') =>
      `key,product,metadata\n${Array.from({ length: lines }, (_, n) => `${keyNumber(n)},jar,${metadata}\n`).join('')}`;
    /** Kills a server during the import of a file, as soon as a row is in this table. */
    async function killDuring(file: string, table: string, headers: Record<string, string> = {}): Promise<void> {
      await using server = await startServer(settings);
      const sent = send(server, file, headers).then(
        ({ status }) => status,
        () => 'no answer',
      );
      await until(async () => (await count(table)) > 0);
      await server.stop('SIGKILL');
      expect(await sent).to.equal('no answer');
    }

    for (const [moment, table] of [
      ['while it checks the file', 'license_import_lines'],
      ['while it adds the licenses', 'licenses'],
    ] as const) {
      it(`are imported once for each Idempotency-Key, also if the server is killed ${moment}`, async () => {
        const lines = 4_000;
        const file = `product\n${'jar\n'.repeat(lines)}`;
        const headers = { 'Idempotency-Key': 'once' };
        await killDuring(file, table, headers);
        await using server = await startServer(settings);
        for (let again = 0; again < 2; again++) {
          const answer = await send(server, file, headers);
          expect([answer.status, await answer.json()]).to.deep.equal([
            200,
            { success: true, imported: lines, left_out: 0, passed_over: 0 },
          ]);
          expect(await count('licenses')).to.equal(lines);
        }
        expect(await count('license_imports')).to.equal(0);
      });
    }

    it('of another system need only little memory, however many lines they have', async function () {
      if (process.platform !== 'linux') this.skip();
      const lines = 50_000;
      const head =
        'License Key,License Status,Customer Email,Product Name,Expiration Date,Activation Limit,Activated URLs';
      const file = `${head}\n${Array.from({ length: lines }, (_, n) => `long-key-of-theirs-${n},active,,Jar,,3,\n`).join('')}`;
      await using server = await startServer(settings);
      const most = async () => {
        const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8');
        return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
      };
      const before = await most();
      const answer = await send(server, file, {}, '?from=edd&product=jar');
      expect(await answer.json()).to.include({ imported: lines });
      expect((await most()) - before, 'MB').to.be.within(1, 200);
    });

    it('leave no license if the server is killed before the check ended, and can be imported again', async () => {
      const [lines, file] = [4_000, fileOf(4_000)];
      await killDuring(file, 'license_import_lines');
      expect(await count('licenses')).to.equal(0);
      await using server = await startServer(settings);
      // Until then, the server answers 409: another import is running.
      await eventually('the import is undone', async () => (await count('license_imports')) === 0);
      expect(await count('licenses')).to.equal(0);
      const answer = await send(server, file);
      expect([answer.status, await answer.json()]).to.deep.equal([
        200,
        { success: true, imported: lines, left_out: 0, passed_over: 0 },
      ]);
      expect([await count('licenses'), await count('license_import_lines')]).to.deep.equal([lines, 0]);
    });

    it('are imported to the end by the next start if the server is killed after the check, and only once', async () => {
      const [lines, file] = [4_000, fileOf(4_000)];
      await killDuring(file, 'licenses');
      await using server = await startServer(settings);
      await eventually('the import is finished', async () => (await count('license_imports')) === 0);
      expect(await count('licenses')).to.equal(lines);
      const again = await send(server, file);
      const { error } = (await again.json()) as { error: { faults: unknown[]; more_faults: number } };
      expect([again.status, error.faults.length + error.more_faults]).to.deep.equal([422, lines]);
      expect(await count('licenses')).to.equal(lines);
    });

    it('leave no descriptor and no query open if clients leave during an export', async () => {
      const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`name${n}`, 'x'.repeat(500)]));
      await using server = await startServer(settings);
      const file = fileOf(3_000, `"${JSON.stringify(metadata).replaceAll('"', '""')}"`);
      expect((await send(server, file)).status).to.equal(200);
      const descriptors = async () => (await readdir(`/proc/${server.child.pid}/fd`).catch(() => [])).length;
      const leave = async () => {
        const client = new AbortController();
        const answer = await fetch(`${server.url}/api/licenses/export`, {
          headers: { 'X-API-Key': secret },
          signal: client.signal,
        });
        expect((await answer.body?.getReader().read())?.done).to.equal(false);
        client.abort();
      };
      await leave(); // The first one opens what stays open, such as connections to the database.
      const before = await descriptors();
      await Promise.all(Array.from({ length: 10 }, leave));
      await eventually('all descriptors are closed', async () => (await descriptors()) <= before + 1);
      const whole = await fetch(`${server.url}/api/licenses/export`, { headers: { 'X-API-Key': secret } });
      expect((await whole.text()).split('\r\n')).to.have.lengthOf(3_002);
      expect(await openTransactions()).to.equal(0);
      expect(server.log.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
      expect(await server.stop('SIGTERM')).to.equal(0);
    });

    /** Connections to the database that wait inside of a transaction. SQLite refuses to empty its log if there is one. */
    async function openTransactions(): Promise<number> {
      const database = await parts.get(t.database);
      return await database.read(async (knex) => {
        if (name === 'sqlite') return Number((await knex.raw('PRAGMA wal_checkpoint(TRUNCATE)'))[0].busy);
        const { rows } = await knex.raw(
          // Other tests use other schemas of the database.
          `SELECT count(DISTINCT pid) AS n FROM pg_stat_activity
           JOIN pg_locks USING (pid) JOIN pg_class ON pg_class.oid = relation
           WHERE state LIKE 'idle in transaction%' AND relnamespace = current_schema()::regnamespace`,
        );
        return Number(rows[0].n);
      });
    }
  });
}
