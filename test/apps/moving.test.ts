import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { verifyLink } from '../../adapters/files/signed-link.ts';
import { archivedTables } from '../../adapters/sql/archive/tables.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Actor } from '../../core/accounts/role.ts';
import { type DomainName, normalizeDomain } from '../../core/licensing/domain-name.ts';
import { remindOfEnds } from '../../core/selling/reminding.ts';
import { tellExpired } from '../../core/webhooks/telling.ts';
import { addFiles, addOrder, addUpload, addWebhook, attemptWebhooks, sound } from '../support/fill-service.ts';
import { good } from '../support/good.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runCommand } from '../support/run-command.ts';
import { openS3, s3Server } from '../support/s3.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer, onlyLine } from './admin-program.ts';

const by = { actor: 'Ada', reason: 'to move' };
const operator: Actor = { kind: 'operator', by };
const day = 24 * 3_600_000;
const licenseCount = 1_203;
const domainCount = 520;
/** The signing secret of the source, for targets that have no folder for it. */
const SECRET_KEY = 'the secret of the source, 32 characters or more';

/** An empty target for a move. */
interface Place {
  readonly admin: Administration;
  readonly settings: Record<string, string>;
  remove(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly skip?: string | undefined;
  open(): Promise<Place>;
}

const sqlite: Kind = {
  name: 'SQLite and disk',
  async open() {
    const folder = await makeTemporaryFolder();
    const settings = {
      DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`,
      FILES_URL: `disk:${folder.file('files')}`,
    };
    return { admin: administer(settings), settings, remove: () => folder.remove() };
  },
};

const postgres: Kind = {
  name: 'Postgres and disk',
  skip: postgresServer.skip,
  async open() {
    const folder = await makeTemporaryFolder();
    const schema = await makeSchema();
    const settings = { DATABASE_URL: schema.url, FILES_URL: `disk:${folder.file('files')}` };
    return {
      admin: administer(settings),
      settings,
      async remove() {
        await schema.drop();
        await folder.remove();
      },
    };
  },
};

const postgresAndS3: Kind = {
  name: 'Postgres and S3',
  skip: postgresServer.skip ?? s3Server.skip,
  async open() {
    const schema = await makeSchema();
    const bucket = await openS3();
    const url = new URL(s3Server.url ?? '');
    url.pathname = `/${bucket.options.prefix}`;
    const keys = Object.entries(process.env).filter(([name]) => name.startsWith('AWS_'));
    const settings: Record<string, string> = {
      ...Object.fromEntries(keys),
      DATABASE_URL: schema.url,
      FILES_URL: url.href,
      SECRET_KEY,
      // Otherwise the SDK writes a warning to standard error under Node 20.
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
    return {
      admin: administer(settings),
      settings,
      async remove() {
        await schema.drop();
        await bucket.close();
      },
    };
  },
};

needing(skipLong).describe('export and import', () => {
  let folder: TemporaryFolder;
  let source: Place;
  let exported: string;
  let link: URL;
  before(async () => {
    folder = await makeTemporaryFolder();
    source = await sqlite.open();
    await writeFile(secretIn(source), SECRET_KEY);
    link = await source.admin.beside(fillService);
    await source.admin.beside(async (parts) => {
      const credentials = { user_id: 1, password_hash: 'hash', totp_last_step: 2 ** 33, generation: 1 };
      const browser = { user_id: 1, digest: 'd', last_seen_at: 2 ** 41 };
      await (await parts.get(t.database)).write(async (trx) => {
        await trx('credentials').insert(credentials);
        await trx('known_browsers').insert(browser);
        await trx('site_settings').insert({ name: 'site_name', value: 'Shop', revision: 1 });
        await trx('product_usage').insert({ product_id: 1, at: 2 ** 41, verifications: 3, domains: 1 });
        await trx('license_usage').insert({ license_id: 1, at: 2 ** 41, verifications: 3, domains: 1 });
        await trx('usage_counted').insert({ license_id: 1, verifications: 3, domains: 1 });
        await trx('seller_pages').insert({ user_id: 1, slug: 'ada', name: 'Ada', about: 'Ü', updated_at: 2 ** 41 });
        await trx('idempotency_changes').insert({ owner: 'o', at: 2 ** 41 });
        await trx('invoice_profiles').insert({ seller_id: 1, profile: '{"name":"Ü"}', updated_at: 2 ** 41 });
      });
    });
    exported = folder.file('exported');
    await source.admin.text('export', exported);
  });
  after(async () => {
    await source?.remove();
    await folder?.remove();
  });

  /** Returns names that are unique in this file. */
  let count = 0;
  const fresh = () => folder.file(`folder-${count++}`);

  const opened: Place[] = [];
  afterEach(async () => {
    for (const place of opened.splice(0)) await place.remove();
  });
  /** Creates a target for one test. */
  const open = async (kind = sqlite) => {
    const place = await kind.open();
    opened.push(place);
    return place;
  };

  /** Tables of clients of other systems and of chains. The suite of the archive fills them. */
  const filledElsewhere = [
    ...[
      'lease_keys',
      'license_strays',
      'license_stray_days',
      'license_leaks',
      'license_instances',
      'release_codes',
      'wallets',
      'deployment_days',
      'deployment_sums',
    ],
    ...['usdc_quotes', 'usdc_transfers', 'usdc_sent_back', 'usdc_claims', 'usdc_watches'],
  ];

  it('exports every row and every file that a row refers to, and prints how many', async () => {
    const to = fresh();
    const { export: exportedCounts } = await source.admin.json('export', to);
    const manifest = await manifestOf(to);
    const kept = await source.admin.beside(keptIn);
    expect(exportedCounts).to.deep.equal({
      folder: to,
      schema: manifest.schema,
      rows: { ...kept.rows, ...noImports },
      files: { count: 5, bytes: kept.bytes },
    });
    expect(kept.rows).to.include({
      users: 3,
      licenses: licenseCount + 3, // Two of them were bought.
      activations: domainCount + 1,
      idempotency: 2,
    });
    expect(kept.rows.webhook_fan_outs).to.equal(0); // They are added at once.
    const empty = Object.entries(kept.rows).flatMap(([table, rows]) => (rows > 0 ? [] : [table]));
    expect(empty).to.have.members(['webhook_fan_outs', ...filledElsewhere]);
    expect(manifest).to.include({ format: 2, program: manifest.program });
    for (const [name, { rows, ...digest }] of Object.entries(manifest.tables)) {
      const content = await readFile(join(to, 'tables', `${name}.jsonl`));
      expect(digestOf(content)).to.deep.equal(digest);
      expect(content.toString().split('\n')).to.have.lengthOf(rows + 1);
      expect(rows).to.equal({ ...kept.rows, ...noImports }[name]);
    }
    for (const { key, ...digest } of manifest.files) {
      expect(digestOf(await readFile(join(to, 'files', key)))).to.deep.equal(digest);
    }
    expect(await contentsOf(to)).to.deep.equal(await contentsOf(exported));
  });

  for (const kind of [sqlite, postgres, postgresAndS3]) {
    needing(kind.skip).describe(`to ${kind.name}`, () => {
      let target: Place;
      beforeEach(async () => {
        target = await open(kind);
      });

      const expectEmpty = () =>
        target.admin.beside(async (parts) => {
          const { rows, keys } = await keptIn(parts);
          expect(Object.values(rows).every((number) => number === 0)).to.equal(true);
          expect(keys).to.deep.equal([]);
          if (kind !== postgresAndS3) expect(await readdir((await parts.get(t.files)).staging)).to.deep.equal([]);
        });

      it('imports everything unchanged, and so does a move back', async () => {
        const { import: importedCounts } = await target.admin.json('import', exported);
        const { rows } = await source.admin.beside(keptIn);
        expect(importedCounts.rows).to.deep.equal({ ...rows, ...noImports });
        expect(await target.admin.beside(keptIn)).to.deep.equal(await source.admin.beside(keptIn));
        const there = fresh();
        await target.admin.text('export', there);
        expect(await contentsOf(there)).to.deep.equal(await contentsOf(exported));
        const { settings } = await open();
        const back = administer({ ...settings, SECRET_KEY });
        await back.text('import', there);
        const again = fresh();
        await back.text('export', again);
        expect(await contentsOf(again)).to.deep.equal(await contentsOf(exported));
      });

      it('works there: new rows get new ids, and keys, licenses and links still work', async () => {
        const before = await source.admin.beside(keptIn);
        await target.admin.text('import', exported);
        await target.admin.beside(async (parts) => {
          const signer = await parts.get(t.signer);
          const key = link.pathname.slice('/files/'.length);
          expect(verifyLink(signer, key, Object.fromEntries(link.searchParams), 0)).to.equal('ok');
          const issuing = await parts.get(t.issuing);
          const licensing = await parts.get(t.licensing);
          const [busy] = good(await issuing.list({ limit: 1 }, operator));
          expect(await licensing.verify({ licenseKey: busy?.key ?? '', domain: domain(0) })).to.include({
            kind: 'valid',
          });
          expect(await licensing.activate({ licenseKey: busy?.key ?? '', domain: domain(9_999) })).to.include({
            reason: 'domain_limit_reached',
          });
          await addMore(parts, 'later');
        });
        const { ids, rows } = await target.admin.beside(keptIn);
        for (const [table, last] of Object.entries(before.ids)) {
          const added = (rows[table] ?? 0) - (before.rows[table] ?? 0);
          expect(added, table).to.be.greaterThan(0);
          // Work that is added anew takes the place of a row, with a new id.
          if (table === 'work') expect(ids[table]).to.be.at.least(last + added);
          else expect(ids[table], table).to.equal(last + added);
        }
      });

      it('refuses a changed, truncated or incomplete export with one line, and leaves the target empty', async () => {
        for (const [what, { change, says, isLate }] of Object.entries(damages)) {
          // Errors that are found before the target is used do not depend on its kind.
          if (kind !== sqlite && !isLate) continue;
          const damaged = fresh();
          await cp(exported, damaged, { recursive: true });
          await change(damaged, await manifestOf(damaged));
          expect(await target.admin.refusal('import', damaged), what).to.match(says);
          await expectEmpty();
          await rm(damaged, { recursive: true });
        }
        await target.admin.text('import', exported);
      });

      it('refuses a database that is not empty, and does not change it', async () => {
        await target.admin.text('import', exported);
        const before = await target.admin.beside(keptIn);
        const line = await target.admin.refusal('import', exported);
        expect(line).to.equal('Nothing was imported: the database is not empty: it contains users.');
        expect(await target.admin.beside(keptIn)).to.deep.equal(before);
      });

      it('exports the state of one moment while others write', async () => {
        await target.admin.text('import', exported);
        const to = fresh();
        await target.admin.beside(async (parts) => {
          let isDone = false;
          const exporting = target.admin.text('export', to).finally(() => {
            isDone = true;
          });
          const writing = async () => {
            for (let round = 0; !isDone; round++) await addMore(parts, `round-${round}`);
          };
          await Promise.all([exporting, writing()]);
        });
        const { tables, files } = await manifestOf(to);
        const [licenses, activations, events, products, uploads, templates] = await Promise.all(
          ['licenses', 'activations', 'audit_log', 'products', 'uploads', 'templates'].map((name) => rowsOf(to, name)),
        );
        const issued = events?.filter(({ type }) => type === 'license.issued');
        expect(licenses).to.have.lengthOf(issued?.length ?? 0);
        expect(tables.licenses?.rows).to.equal(licenses?.length);
        const used = new Map<unknown, number>();
        for (const { license_id: id } of activations ?? []) used.set(id, (used.get(id) ?? 0) + 1);
        for (const { id, domains_used } of licenses ?? []) expect(domains_used).to.equal(used.get(id) ?? 0);
        const published = events?.filter(({ type }) => type === 'product.published').map(({ subject }) => subject);
        expect(products?.filter(({ zip }) => zip !== null).map(({ slug }) => slug)).to.deep.equal(published);
        expect(files).to.have.lengthOf(
          (templates?.length ?? 0) + (published?.length ?? 0) * 2 + (uploads?.length ?? 0),
        );
        const { settings } = await open();
        await administer({ ...settings, SECRET_KEY }).text('import', to);
      });
    });
  }

  it('adds the deliveries that were still to be added, and none for a removed webhook, whose id may be used again', async () => {
    const place = await open();
    await place.admin.text('import', exported);
    const endpointId = await place.admin.beside(async (parts) => {
      return await (await parts.get(t.database)).write(async (trx) => {
        const { id: event } = await trx('webhook_events').first('id');
        const { id } = await trx('webhook_endpoints').orderBy('id', 'desc').first('id');
        const heard = [id, id + 1].map((one) => [0, one, 1]);
        const batch = JSON.stringify({ told: [[0, event, 'license.issued', 5]], heard });
        await trx('webhook_fan_outs').insert({ batch, deliveries: 2, due: 5 });
        return Number(id);
      });
    });
    const to = fresh();
    await place.admin.text('export', to);
    const target = await open();
    await target.admin.text('import', to);
    const [added, waiting] = await target.admin.beside(async (parts) => {
      const { read } = await parts.get(t.database);
      const ids = await read((knex) => knex('webhook_deliveries').where({ created_at: 5 }).pluck('endpoint_id'));
      return [ids, await read((knex) => knex('webhook_fan_outs').pluck('id'))];
    });
    expect([added, waiting]).to.deep.equal([[endpointId], []]);
  });

  it('copies the secret to a place without SECRET_KEY, in a file that nobody else may read', async () => {
    const target = await open();
    await target.admin.beside((parts) => parts.get(t.signer)); // It was started before, and has its own secret.
    await target.admin.text('import', exported);
    for (const file of [join(exported, 'secret.key'), secretIn(target)]) {
      expect(await readFile(file, 'utf8')).to.equal(`${SECRET_KEY}\n`);
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
    }
    for (const name of await readdir(join(exported, 'tables'))) {
      expect(await readFile(join(exported, 'tables', name), 'utf8')).to.not.include(SECRET_KEY);
    }
  });

  it('does not export a secret from SECRET_KEY, which the new place needs too', async () => {
    const to = fresh();
    const { admin, settings } = await open();
    await admin.text('import', exported);
    const given = administer({ ...settings, SECRET_KEY });
    await given.text('export', to);
    expect(await readdir(to)).to.have.members(['files', 'manifest.json', 'tables']);
    expect(await readFile(join(to, 'manifest.json'), 'utf8')).to.not.include(SECRET_KEY);
    const target = await open();
    expect(await target.admin.refusal('import', to)).to.match(/from a service with SECRET_KEY: set it/);
    await administer({ ...target.settings, SECRET_KEY }).text('import', to);
  });

  it('keeps files that the new place shares with the old one, and refuses a different file with the same name', async () => {
    const { settings } = await open();
    const sharing = administer({ ...settings, FILES_URL: source.settings.FILES_URL ?? '' });
    const before = await source.admin.beside(keptIn);
    const damaged = fresh();
    await cp(exported, damaged, { recursive: true });
    await forge(damaged, 'audit_log', (lines) => [...lines.slice(0, -1), lines[0] ?? '']);
    expect(await sharing.refusal('import', damaged)).to.match(/refuses the exported rows of audit_log: .*UNIQUE/);
    expect(await source.admin.beside(keptIn)).to.deep.equal(before);
    await sharing.text('import', exported);
    expect(await sharing.beside(keptIn)).to.deep.equal(before);

    const key = (await manifestOf(exported)).files.at(-1)?.key ?? '';
    const other = await open();
    const place = join(other.settings.FILES_URL?.slice('disk:'.length) ?? '', key);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, 'other');
    const line = await other.admin.refusal('import', exported);
    expect(line).to.equal(`Nothing was imported: another file is stored as ${key} already.`);
    expect((await other.admin.beside(keptIn)).keys).to.deep.equal([key]);
  });

  it('exports only into a new or empty folder, and leaves no folder if it fails', async () => {
    const to = fresh();
    mkdirSync(to);
    await source.admin.text('export', to);
    expect(await source.admin.refusal('export', to)).to.equal(`${to} is not empty.`);
    expect(await source.admin.refusal('export', join(fresh(), 'deeper'))).to.match(/^There is no .*folder-\d+\.$/);
    expect(await source.admin.refusal('export', join(to, 'manifest.json'))).to.match(/is a file, not a folder\.$/);
    const { admin, settings } = await open();
    expect(await admin.refusal('export', fresh())).to.include(
      `There is no Latchkey database at ${settings.DATABASE_URL?.slice('sqlite:'.length)}.`,
    );
    await admin.text('import', exported);
    const { keys } = await admin.beside(keptIn);
    await admin.beside(async (parts) => (await parts.get(t.files)).delete(keys.at(-1) ?? ''));
    const present = await readdir(folder.file('.'));
    expect(await admin.refusal('export', fresh())).to.equal(
      `Nothing was exported: the file ${keys.at(-1)} is missing in FILES_URL.`,
    );
    expect(await readdir(folder.file('.'))).to.deep.equal(present);
  });

  it('refuses to import a folder that is not an export, or into temporary files', async () => {
    const { admin, settings } = await open();
    const none = fresh();
    expect(await admin.refusal('import', none)).to.equal(`There is no ${join(none, 'manifest.json')}.`);
    const losing = administer({ ...settings, FILES_URL: 'temporary:' });
    expect(await losing.refusal('import', exported)).to.match(/^FILES_URL=temporary: would lose the files/);
  });

  for (const fate of ['answer lost', 'sent late'] as const) {
    needing(postgres.skip).it(
      `keeps its stored files after a lost commit (${fate}), because the rows may exist`,
      async () => {
        const { settings, admin } = await open(postgres);
        const proxy = await startPostgresProxy(settings.DATABASE_URL ?? '');
        try {
          const cut = proxy.atCommitOf('insert into "audit_log"', fate);
          const line = await administer({ ...settings, DATABASE_URL: proxy.url }).refusal('import', exported);
          expect(line).to.equal('It is unknown whether the change was made: the answer of the database was lost.');
          const deliver = await cut;
          if (fate === 'sent late') await deliver();
        } finally {
          await proxy.close();
        }
        expect(await admin.beside(keptIn)).to.deep.equal(await source.admin.beside(keptIn));
      },
    );
  }

  it('stops on a signal, and leaves nothing', async () => {
    const { settings } = await open();
    const present = await readdir(folder.file('.'));
    const { stderr } = await runCommand(['export', fresh()], source.settings, { isStopped: true });
    expect(onlyLine(stderr)).to.equal('Nothing was exported: stopped by SIGTERM.');
    expect(await readdir(folder.file('.'))).to.deep.equal(present);
    const importing = await runCommand(['import', exported], settings, { isStopped: true });
    expect(onlyLine(importing.stderr)).to.equal('Nothing was imported: stopped by SIGTERM.');
    await administer(settings).text('import', exported);
  });
});

interface Manifest {
  format: number;
  readonly program: string;
  schema: string;
  readonly tables: Record<string, { rows: number; bytes: number; sha256: string }>;
  files: { key: string; bytes: number; sha256: string }[];
}

/** Defects of an export, and the message for each. */
const damages: Record<
  string,
  { change(folder: string, manifest: Manifest): Promise<void>; says: RegExp; isLate?: true }
> = {
  'a changed row': {
    isLate: true,
    change: (folder) => edit(join(folder, 'tables/users.jsonl'), (text) => text.replace('"pro"', '"PRO"')),
    says: /^Nothing was imported: users\.jsonl has changed since the export\.$/,
  },
  'a row that is not JSON': {
    change: (folder) => edit(join(folder, 'tables/licenses.jsonl'), (text) => text.replace('}\n{', '}\n[')),
    says: /^Nothing was imported: licenses\.jsonl has changed since the export\.$/,
  },
  'a table that was cut off': {
    change: (folder) => truncate(join(folder, 'tables/audit_log.jsonl'), 70_000),
    says: /^Nothing was imported: audit_log\.jsonl has changed since the export\.$/,
  },
  'a missing table': {
    change: (folder) => rm(join(folder, 'tables/uploads.jsonl')),
    says: /^There is no .*uploads\.jsonl\.$/,
  },
  'a changed count': {
    change: (folder, manifest) => {
      (manifest.tables.users ?? { rows: 0 }).rows += 1;
      return save(folder, manifest);
    },
    says: /^Nothing was imported: users\.jsonl has 3 rows, but the manifest says 4\.$/,
  },
  'a file that was cut off': {
    change: (folder, { files }) => truncate(join(folder, 'files', files.at(-1)?.key ?? ''), 10),
    says: /^Nothing was imported: the file (?:media|private)\/[0-9a-f]+\.png has changed since it was written\.$/,
  },
  'a changed file, after others were stored': {
    isLate: true,
    change: (folder, { files }) => edit(join(folder, 'files', files.at(-1)?.key ?? ''), (text) => `X${text.slice(1)}`),
    says: /^Nothing was imported: the file (?:media|private)\/[0-9a-f]+\.png has changed since it was written\.$/,
  },
  'a missing file': {
    change: (folder, { files }) => rm(join(folder, 'files', files.at(-1)?.key ?? '')),
    says: /^There is no .*(?:media|private)\/[0-9a-f]+\.png\.$/,
  },
  'a file that is not listed': {
    change: (folder, manifest) => save(folder, { ...manifest, files: manifest.files.slice(1) }),
    says: /^Nothing was imported: the manifest lacks the file templates\/[0-9a-f]+\.zip of templates\.$/,
  },
  'a file name that leads to another folder': {
    change: (folder, manifest) => {
      const [file] = manifest.files;
      return save(folder, { ...manifest, files: [...manifest.files, { ...file, key: '../../etc/passwd' } as never] });
    },
    says: /^Nothing was imported: "\.\.\/\.\.\/etc\/passwd" is not a valid file name\.$/,
  },
  'rows that break a rule, after all files were stored': {
    isLate: true,
    change: (folder) =>
      forge(folder, 'activations', (lines) =>
        lines.map((line) => line.replace('"license_id":1,', '"license_id":77777,')),
      ),
    says: /^Nothing was imported: the database refuses the exported rows of activations: .*foreign key/i,
  },
  'a newer format': {
    change: (folder, manifest) => save(folder, { ...manifest, format: 3 }),
    says: /^Nothing was imported: the export was made by a newer version, latchkey [^ ]+\. Import it with that version\.$/,
  },
  'an older format': {
    change: (folder, manifest) => save(folder, { ...manifest, format: 1 }),
    says: /^Nothing was imported: the export was made by an older version, latchkey [^ ]+\. Export .* again with this version\.$/,
  },
  'another secret': {
    change: (folder) => writeFile(join(folder, 'secret.key'), 'f'.repeat(64)),
    says: /^Nothing was imported: secret\.key has changed since it was written\.$/,
  },
  'a missing secret': {
    change: (folder) => rm(join(folder, 'secret.key')),
    says: /^Nothing was imported: secret\.key has changed since it was written\.$/,
  },
  'a newer schema': {
    change: (folder, manifest) => save(folder, { ...manifest, schema: '9999-later' }),
    says: /^Nothing was imported: the export was made by a newer version, latchkey [^ ]+\. Import it with that version\.$/,
  },
  'an older schema': {
    change: (folder, manifest) => save(folder, { ...manifest, schema: '0001-licensing' }),
    says: /^Nothing was imported: the export was made by an older version, latchkey [^ ]+\. Export .* again with this version\.$/,
  },
  'a manifest that was cut off': {
    change: (folder) => truncate(join(folder, 'manifest.json'), 500),
    says: /^Nothing was imported: manifest\.json is incomplete\.$/,
  },
  'a manifest without a table': {
    change: (folder, manifest) => {
      delete manifest.tables.deployments;
      return save(folder, manifest);
    },
    says: /^Nothing was imported: manifest\.json is not the manifest of an export: tables\.deployments: /,
  },
};

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, 'latin1');
  const changed = change(text);
  expect(changed).to.not.equal(text);
  await writeFile(file, changed, 'latin1');
}

/** Changes the lines of a table, and updates the manifest. */
async function forge(folder: string, table: string, change: (lines: string[]) => string[]): Promise<void> {
  const file = join(folder, 'tables', `${table}.jsonl`);
  await edit(file, (text) => `${change(text.trimEnd().split('\n')).join('\n')}\n`);
  const manifest = await manifestOf(folder);
  const rows = manifest.tables[table]?.rows ?? 0;
  manifest.tables[table] = { rows, ...digestOf(await readFile(file)) };
  await save(folder, manifest);
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
}

async function save(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

async function rowsOf(folder: string, table: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(folder, 'tables', `${table}.jsonl`), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

function digestOf(content: Buffer) {
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** Returns the digest of each file of an export, without the export's time and the field about its secret. */
async function contentsOf(folder: string): Promise<Record<string, unknown>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents: Record<string, unknown> = {};
  for (const file of files) {
    if (file.endsWith('/secret.key')) continue;
    const text = (await readFile(file, 'latin1')).replace(/"exported_at": "[^"]+"|"included": \w+/g, '');
    contents[file.slice(folder.length)] = createHash('sha256').update(text).digest('hex');
  }
  return contents;
}

/** Returns the path of the file with the secret, beside the database of a target on SQLite. */
function secretIn({ settings }: Place): string {
  return join(dirname(settings.DATABASE_URL?.slice('sqlite:'.length) ?? ''), 'secret.key');
}

/** No import is running. */
const noImports: Record<string, number> = { license_imports: 0, license_import_lines: 0, license_import_hosts: 0 };

/** Returns the number of rows and the highest id of each table, and the stored files. */
async function keptIn(parts: Parts) {
  const database = await parts.get(t.database);
  const files = await parts.get(t.files);
  const rows: Record<string, number> = {};
  const ids: Record<string, number> = {};
  for (const { name } of archivedTables.filter(({ name }) => !(name in noImports))) {
    const all: { id?: number }[] = await database.read((knex) => knex(name));
    rows[name] = all.length;
    if (all[0]?.id !== undefined) ids[name] = Math.max(...all.map(({ id = 0 }) => id));
  }
  const keys: string[] = [];
  let bytes = 0;
  for await (const key of files.storedBefore('', 8e15)) {
    keys.push(key);
    bytes += (await buffer(files.read(key))).length;
  }
  return { rows, ids, keys: keys.sort(), bytes };
}

/** Fills a service through its use cases. Returns one of its links. */
async function fillService(parts: Parts): Promise<URL> {
  const now = (await parts.get(t.clock)).now();
  const accounts = await parts.get(t.accounts);
  const products = await parts.get(t.products);
  const issuing = await parts.get(t.issuing);
  const licensing = await parts.get(t.licensing);

  const zoe = await sound(
    accounts.add({ name: 'Zoë "O\'Neil" \\ 😀', email: 'zoe@example.com', tier: 'free' }, operator),
  );
  await sound(accounts.setTier('zoe@example.com', 'pro', operator));
  await sound(accounts.add({ name: 'Bob', email: 'bob@example.com', tier: 'enterprise' }, operator));
  const terms = { name: 'CI', mode: 'test', scopes: ['templates:read'], expiresAt: now + day } as const;
  const { secret } = await sound(accounts.createKey('zoe@example.com', terms, operator));
  await sound(accounts.authenticate(secret));
  await sound(accounts.rotateKey(secret.slice(0, -28), 60, operator));
  const { key: revoked } = await sound(accounts.createKey('bob@example.com', terms, operator));
  await sound(accounts.revokeKey(String(revoked.id), operator));

  await (await parts.get(t.usageLog)).add([{ userId: zoe.id, day: '2026-11-22', calls: 2, refused: 1 }]);

  const { id: productId } = good(await products.add({ title: 'House jar', ownerId: null }, operator));
  const keys = good(
    await issuing.issue({ productId, maxDomains: domainCount, expiresAt: null }, licenseCount, operator),
  );
  const [busy = '', suspended = '', revokedLicense = ''] = keys;
  const domains = Array.from({ length: domainCount }, (_, index) => domain(index));
  const gone = domain(domainCount);
  for (const each of [gone, domain(0)]) await sound(licensing.activate({ licenseKey: busy, domain: each }));
  for (let times = 0; times < 3; times++) await sound(licensing.verify({ licenseKey: busy, domain: gone }));
  await sound(licensing.deactivate({ licenseKey: busy, domain: gone }));
  await Promise.all(domains.map((each) => sound(licensing.activate({ licenseKey: busy, domain: each }))));
  await Promise.all(domains.slice(7).map((each) => sound(licensing.verify({ licenseKey: busy, domain: each }))));
  const { keys: ofLicense } = await parts.get(t.sellerLicenses);
  await sound(ofLicense.rotate(keys.at(-1) ?? '', 30, { actor: operator, mode: 'live' }));
  await sound(issuing.change(suspended, 'suspend', operator));
  await sound(issuing.change(revokedLicense, 'revoke', operator));

  await addMore(parts, 'first');
  const clock = await parts.get(t.clock);
  await tellExpired(await parts.get(t.webhookExpiries), clock, () => true);
  const [reminders, write] = [await parts.get(t.expiryReminders), await parts.get(t.writeLetter)];
  await remindOfEnds({ reminders, write, clock }, () => true);
  const [listed] = good(await products.list({ status: 'pending' }, 1, 1, operator)).items;
  await sound(products.change(String(listed?.id), 'approve', operator));
  await addUpload(parts, { user: zoe, mode: 'test' }, 30);
  const idempotency = await parts.get(t.idempotencyStore);
  const times = { now, forgetBefore: 0, abandonedBefore: 0 };
  const claims = ['1:live:publish:é', '1:live:upload:a'].map((key) => ({ key, owner: `the one of ${key}` }));
  for (const claim of claims) await idempotency.take(claim, 'a fingerprint', times);
  for (const claim of claims.slice(1)) await idempotency.keep(claim, { kind: 'known', body: '{"success":true}' });
  await (await parts.get(t.counterArchive)).save([{ id: 'user:1', used: 3, resetAt: now + day }], now);
  const { url } = await sound((await parts.get(t.templates)).download({ user: zoe, mode: 'live' }, 'template-first'));
  return new URL(url);
}

/** Adds data of every kind through the use cases. `name` must be new to the service. */
async function addMore(parts: Parts, name: string): Promise<void> {
  const { caller, product, template } = await addFiles(parts, name);
  const { user } = caller;
  const accounts = await parts.get(t.accounts);
  await sound(accounts.createKey(user.email, { name, mode: 'live', scopes: null, expiresAt: null }, operator));
  await addWebhook(parts, product);
  await addOrder(parts, product);
  const issuing = await parts.get(t.issuing);
  const [licenseKey = ''] = good(
    await issuing.issue({ productId: product.id, maxDomains: 2, expiresAt: null }, 1, operator),
  );
  const licensing = await parts.get(t.licensing);
  await attemptWebhooks(parts);
  await sound(licensing.activate({ licenseKey, domain: domain(1) }));
  await sound((await parts.get(t.sellerLicenses)).keys.rotate(licenseKey, 30, { actor: operator, mode: 'live' }));
  await (await parts.get(t.templateAdministration)).addPurchase(user, template, operator);
  const deployments = await parts.get(t.deployments);
  const contract = { chain: 'base', chainId: 8_453, address: '0xAbC', txHash: `0x${name}` };
  await deployments.register(caller, { ...contract, templateReference: template.slug });
}

/** Returns one of many names. The order in which a database sorts them depends on its collation. */
function domain(index: number): DomainName {
  return normalizeDomain(`${['a-', 'a.', 'a0', 'ä'][index % 4]}${index}.example.com`) as DomainName;
}
