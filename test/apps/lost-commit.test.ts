import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import { storeZip } from '../../apps/commands/store-zip.ts';
import { type OpenService, openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { operator } from '../support/by.ts';
import { errorOf } from '../support/error-of.ts';
import { sound } from '../support/fill-service.ts';
import { formOf, listingForm } from '../support/forms.ts';
import { postgresServer } from '../support/postgres-backend.ts';
import { type CommitFate, usePostgresProxy } from '../support/postgres-proxy.ts';
import { needing } from '../support/required-service.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { pngOf, zipOf } from '../support/samples.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/** The operations that write a row with an `Idempotency-Key`. `keys` are the columns that name stored files. */
const operations = [
  {
    path: '/api/marketplace/publish',
    table: 'products',
    keys: ['zip', 'thumbnail'],
    body: () => listingForm(),
  },
  {
    path: '/api/marketplace/upload',
    table: 'uploads',
    keys: ['key'],
    body: () => formOf({ file: pngOf() }),
  },
  {
    path: '/api/deploy/register',
    table: 'deployments',
    keys: [],
    body: () =>
      JSON.stringify({
        chain: 'sepolia',
        chain_id: 11155111,
        address: `0x${'5f'.repeat(20)}`,
        tx_hash: `0x${'a1'.repeat(32)}`,
      }),
  },
] as const;

/** The number of rows after each fate of a COMMIT. */
const rowsAfter = { 'answer lost': 1, 'never sent': 0, 'sent late': 1 } as const satisfies Record<CommitFate, number>;
const fates = Object.keys(rowsAfter) as CommitFate[];

needing(postgresServer.skip).describe('a service whose connection to Postgres is cut at a commit', () => {
  const postgres = usePostgresProxy();
  let folder: TemporaryFolder;
  let service: OpenService;
  let clock: ManualClock;
  let apiKey: string;

  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    clock = createManualClock(Date.UTC(2026, 0, 1));
    const settings = {
      DATABASE_URL: postgres.proxy.url,
      FILES_URL: `disk:${folder.file('files')}`,
      RATE_LIMIT_URL: 'off:',
      LOG_LEVEL: 'silent',
      PORT: '0',
    };
    service = await openService(readConfig(settings), (config) => compose(config, { clock }), 'localhost');
    const accounts = await service.parts.get(t.accounts);
    await sound(accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'free' }, operator));
    const terms = { name: 'test', mode: 'live', scopes: null, expiresAt: null } as const;
    apiKey = (await sound(accounts.createKey('ada@example.com', terms, operator))).secret;
  });
  afterEach(async () => {
    await service?.close(0);
    await folder?.remove();
  });

  async function send({ path, body }: (typeof operations)[number], idempotencyKey: string) {
    const content = body();
    const response = await fetch(`http://localhost:${service.port}${path}`, {
      method: 'POST',
      headers: {
        'X-API-Key': apiKey,
        'Idempotency-Key': idempotencyKey,
        ...(typeof content === 'string' && { 'Content-Type': 'application/json' }),
      },
      body: content,
    });
    const { error } = (await response.json()) as { error?: { code: string; message: string } };
    return { status: response.status, code: error?.code, message: error?.message, headers: response.headers };
  }
  const rowsOf = async (table: string) => (await runOnPostgres(postgres.url, `SELECT * FROM ${table}`)).rows;
  const stored = async () => {
    const keys: string[] = [];
    for await (const key of (await service.parts.get(t.files)).storedBefore('', Number.POSITIVE_INFINITY))
      keys.push(key);
    return keys.sort();
  };

  for (const operation of operations) {
    const { path, table, keys } = operation;
    const inserting = `insert into "${table}"`;

    for (const fate of fates) {
      it(`keeps the files, and the Idempotency-Key cannot be used again (${path}, ${fate})`, async () => {
        const cut = postgres.proxy.atCommitOf(inserting, fate);
        const first = await send(operation, 'a');
        expect(first).to.include({ status: 503, code: 'SERVICE_UNAVAILABLE' });
        expect(first.message).to.include('We do not know');
        expect(first.headers.get('Retry-After')).to.equal(null);
        const deliver = await cut;
        if (fate === 'sent late') await deliver();

        const rows = await rowsOf(table);
        expect(rows).to.have.length(rowsAfter[fate]);
        expect(await stored()).to.have.length(keys.length);
        expect(await stored()).to.include.members(rows.flatMap((row) => keys.map((key) => row[key])));

        // After 15 minutes, the key of an interrupted request can be used again. The key of this request cannot.
        for (const minutes of [0, 16, 23 * 60]) {
          clock.advance(minutes * 60_000);
          expect(await send(operation, 'a')).to.include({ status: 409, code: 'CONFLICT' });
        }
        expect(await rowsOf(table)).to.have.length(rowsAfter[fate]);
        expect(await stored()).to.have.length(keys.length);
        expect(await send(operation, 'b')).to.include({ status: 200 });
      });
    }

    it(`deletes the files, and the Idempotency-Key can be used again, if the connection is cut before the commit (${path})`, async () => {
      const cut = postgres.proxy.cutAt(inserting);
      const first = await send(operation, 'a');
      await cut;
      expect(first).to.include({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect(first.headers.get('Retry-After')).to.equal('1');
      expect(await stored()).to.deep.equal([]);
      expect(await send(operation, 'a')).to.include({ status: 200 });
      expect(await rowsOf(table)).to.have.length(1);
      expect(await stored()).to.have.length(keys.length);
    });
  }

  describe('while an administrator stores a template zip', () => {
    const template = { title: 'Dex', description: 'A template.', category: 'defi-dex', tier: 'free' } as const;
    let zip: string;
    beforeEach(async () => {
      zip = folder.file('dex.zip');
      await writeFile(zip, await zipOf());
    });
    const add = async () => {
      const administration = await service.parts.get(t.templateAdministration);
      return await storeZip(service.parts, zip, (key) =>
        administration.add({ ...template, slug: 'dex', tags: [], parameters: [], zip: key }, operator),
      );
    };
    const replace = async () => {
      const administration = await service.parts.get(t.templateAdministration);
      return await storeZip(service.parts, zip, (key) => administration.update('dex', { zip: key }, operator));
    };

    for (const fate of fates) {
      it(`keeps the zip of a new template (${fate})`, async () => {
        const cut = postgres.proxy.atCommitOf('insert into "templates"', fate);
        expect(await errorOf(add())).to.be.instanceOf(OutcomeUnknown);
        const deliver = await cut;
        if (fate === 'sent late') await deliver();
        const rows = await rowsOf('templates');
        expect(rows).to.have.length(rowsAfter[fate]);
        expect(await stored()).to.have.length(1);
        expect(await stored()).to.include.members(rows.map((row) => row.zip));
      });

      it(`keeps both zips if a zip is replaced (${fate})`, async () => {
        await add();
        const cut = postgres.proxy.atCommitOf('update "templates"', fate);
        expect(await errorOf(replace())).to.be.instanceOf(OutcomeUnknown);
        const deliver = await cut;
        if (fate === 'sent late') await deliver();
        const [row] = await rowsOf('templates');
        expect(await stored()).to.have.length(2);
        expect(await stored()).to.include(row.zip);
      });
    }

    it('deletes the zip if the connection is cut before the commit', async () => {
      const cut = postgres.proxy.cutAt('insert into "templates"');
      expect(await errorOf(add())).to.be.instanceOf(Unavailable);
      await cut;
      expect(await stored()).to.deep.equal([]);
    });
  });
});
