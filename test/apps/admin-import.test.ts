import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import pino from 'pino';
import { importRecovery, startJobs } from '../../apps/server/jobs.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { openRaw, type RawSqlite } from '../support/raw-sqlite.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

needing(skipLong).describe('license import', () => {
  let folder: TemporaryFolder;
  let admin: Administration;
  before(async () => {
    folder = await makeTemporaryFolder();
    admin = administer({ DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` });
    await admin.text('migrate');
    await admin.text('product', 'add', '--title', 'Pro');
    await admin.text('product', 'add', '--title', 'Lite');
  });
  after(() => folder.remove());

  const fileOf = (text: string | Buffer) => {
    const file = folder.file('licenses.csv');
    writeFileSync(file, text);
    return file;
  };
  const stored = () => admin.beside(async (parts) => (await parts.get(t.issuing)).list({ limit: 10_000 }, operator));
  /** Returns the errors of a file by line. None of its lines is imported. */
  const problemsOf = async (text: string | Buffer): Promise<string[]> => {
    const before = await stored();
    const { code, stdout, stderr } = await admin.fed(text, 'license', 'import', '-');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(await stored()).to.deep.equal(before);
    expect(stderr).to.match(/^latchkey-server: Nothing was imported: .+\n/);
    return stderr.trimEnd().split('\n').slice(1);
  };

  it('imports every license with the values of its line, in the order of the file', async () => {
    const csv = [
      'key,product,max_domains,expires_at,status',
      'LIC-TAKE-0000-0000-0001,pro,3,2999-01-31,active',
      'LIC-TAKE-0000-0000-0002,2,1,2020-01-31T12:00:00+02:00,expired',
      'LIC-TAKE-0000-0000-0003,lite,1,2020-01-31,active',
      '"lic-take-0000-0000-0004", pro ,"5",never,suspended',
      'LIC-TAKE-0000-0000-0005,pro,1,2999-01-31,revoked',
      'LIC-TAKE-0000-0000-0006,pro,,,',
    ];
    const import_ = ['license', 'import', fileOf(csv.join('\n')), '--actor', 'Ada', '--reason', 'old shop'];
    expect(await admin.text(...import_)).to.equal('Imported 6 licenses.');
    const { licenses } = await admin.json('license', 'list');
    expect(
      licenses.map(
        (one: { key: string; status: string; product: { slug: string }; max_domains: number; expires_at: string }) => [
          one.key.at(-1),
          one.status,
          one.product.slug,
          one.max_domains,
          one.expires_at,
        ],
      ),
    ).to.deep.equal([
      ['1', 'active', 'pro', 3, '2999-01-31T23:59:59.999Z'],
      ['2', 'expired', 'lite', 1, '2020-01-31T10:00:00.000Z'],
      ['3', 'expired', 'lite', 1, '2020-01-31T23:59:59.999Z'],
      ['4', 'suspended', 'pro', 5, null],
      ['5', 'revoked', 'pro', 1, '2999-01-31T23:59:59.999Z'],
      ['6', 'active', 'pro', 1, null],
    ]);
    const { events } = await admin.json('audit', '--limit', '6');
    for (const event of events) {
      expect(event).to.include({ type: 'license.imported', actor: 'Ada', reason: 'old shop' });
    }
  });

  it('accepts a byte order mark, CRLF, empty lines and any order of the columns', async () => {
    const csv = '\uFEFFProduct,KEY\r\npro,LIC-CRLF-0000-0000-0001\r\n,\r\n\r\n"pro","LIC-CRLF-0000-0000-0002"\r\n';
    expect(await admin.json('license', 'import', fileOf(csv))).to.deep.equal({ imported: 2, passed_over: 0 });
    for (const key of ['LIC-CRLF-0000-0000-0001', 'LIC-CRLF-0000-0000-0002']) {
      expect((await admin.json('license', 'show', key)).license).to.include({ key, status: 'active' });
    }
  });

  it('reads standard input for `-`', async () => {
    const { code, stdout } = await admin.fed('key,product\nLIC-STDI-0000-0000-0001,pro\n', 'license', 'import', '-');
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: 'Imported 1 license.\n' });
    const again = await admin.fed('key,product\nLIC-STDI-0000-0000-0001,pro\n', 'license', 'import', '-', '--json');
    expect({ code: again.code, stdout: again.stdout }).to.deep.equal({ code: 1, stdout: '' });
    const message =
      'Nothing was imported: there is 1 fault.\nLine 2: key "LIC-STDI-0000-0000-0001": A license already has this key.';
    expect(JSON.parse(again.stderr)).to.deep.equal({ error: { code: 'file_refused', message } });
  });

  it('imports nothing if any line is invalid, and prints every invalid line with its error', async () => {
    await admin.text('license', 'issue', '--product', 'pro', '--key', 'LIC-HELD-0000-0000-0001');
    const csv = [
      'key,product,max_domains,expires_at,status',
      'LIC-GOOD-0000-0000-0001,pro,1,,active',
      'LIC-GOOD-0000-0000,pro,1,,active',
      'LIC-GOOD-0000-0000-0002,none,1,,active',
      'LIC-GOOD-0000-0000-0003,pro,0,2026-02-31,gone',
      '',
      'lic-good-0000-0000-0001,pro,1,,active',
      'LIC-GOOD-0000-0000-0004,pro,1',
      'LIC-GOOD-0000-0000-0005,pro,1,,active,more',
      'LIC-GOOD-0000-0000-0006,pro,1,2999-01-01,expired',
      '"LIC-GOOD-0000-0000-0007"x,pro,1,,active',
      'LIC-GOOD-0000-0000-0008,p"ro",1,,active',
      '"LIC-GOOD-0000-',
      '0000",pro,1,,active',
      'LIC-GOOD-0000-0000-0009,,1,,active',
      'LIC-HELD-0000-0000-0001,pro,1,,active',
      'LIC-GOOD-0000-0000-0010,pro,1,,active',
    ];
    const problems = await problemsOf(csv.join('\r\n'));
    const expected = [
      /^Line 3: key "LIC-GOOD-0000-0000": A license key looks like/,
      /^Line 4: product "none": No product has this id or slug\.$/,
      /^Line 5: max_domains "0": It must be a whole number from 1 to 1000000\.$/,
      /^Line 5: expires_at "2026-02-31": It must be a date/,
      /^Line 5: status "gone": It must be active, suspended, revoked or expired\.$/,
      /^Line 7: key "LIC-GOOD-0000-0000-0001": Line 2 already has this key\.$/,
      /^Line 8: It has 3 cells, but the header has 5\.$/,
      /^Line 9: It has more cells, but the header has 5\.$/,
      /^Line 10: status "expired": It needs an expires_at in the past\.$/,
      /^Line 11: A quotation mark is out of place or not closed\.$/,
      /^Line 12: A quotation mark is out of place or not closed\.$/,
      /^Line 13: key "LIC-GOOD-0000-\\r\\n0000": A license key looks like/,
      /^Line 15: product "": /,
      /^Line 16: key "LIC-HELD-0000-0000-0001": A license already has this key\.$/,
    ];
    expect(problems).to.have.lengthOf(expected.length);
    problems.forEach((problem, index) => {
      expect(problem).to.match(expected[index] ?? /^$/);
    });
  });

  it('refuses a file without a valid header', async () => {
    const good = 'LIC-HEAD-0000-0000-0001,pro,1,,active';
    const headers = {
      '': /it lacks product/,
      [good]: /it lacks product/,
      'key|product': /it lacks product/,
    };
    for (const [header, says] of Object.entries(headers)) {
      const problems = await problemsOf(`${header}\n${good}\n`);
      expect(problems).to.have.lengthOf(1);
      expect(problems[0]).to.match(
        /^Line 1: The header can name the columns key, alias, alias_kind, product, max_domains, expires_at, days_from_activation, updates_until, entitlements, status/,
      );
      expect(problems[0]).to.match(says);
    }
    expect((await problemsOf('key,product,expire_at\nLIC-HEAD-0000-0000-0001,pro,\n'))[0]).to.include('"expire_at"');
    expect((await problemsOf('key,product,key\nLIC-HEAD-0000-0000-0001,pro,\n'))[0]).to.include('"key"');
  });

  it('reports semicolons or tabs between the cells', async () => {
    expect(await problemsOf('\uFEFFkey;product\nLIC-HEAD-0000-0000-0001;pro\n')).to.deep.equal([
      'Line 1: The cells are separated by semicolons. Save the file with commas between the cells.',
    ]);
  });

  it('checks exports of other systems with --dry-run, and imports several products of one', async () => {
    const rows = ['Jar', 'Pot', 'Cup'].map((name, n) => `a-key-of-theirs-${n},active,${name}\n`).join('');
    const file = fileOf(`License Key,License Status,Product Name\n${rows}`);
    const import_ = ['license', 'import', file, '--from', 'edd'];
    const count = async () => (await admin.json('license', 'list', '--limit', '1000')).licenses.length;
    const [before, had] = [await stored(), await count()];
    expect(await admin.text(...import_, '--dry-run')).to.include('No --map for "Jar": 1 passed over.');
    const maps = ['--map', 'Jar=pro', '--map', 'Pot=lite'];
    const checked = await admin.text(...import_, ...maps, '--dry-run');
    expect(checked).to.include('pro').and.to.include('Nothing was changed. Licenses: 2, faults: 0, passed over: 1.');
    const { licenses, unmapped } = await admin.json(...import_, ...maps, '--dry-run');
    expect(licenses.first.map(({ product }: { product: string }) => product)).to.deep.equal(['pro', 'lite']);
    expect(unmapped).to.deep.equal({ first: [{ their_product: 'Cup', lines: 1 }], others: 0 });
    expect(await stored()).to.deep.equal(before);
    for (const wrong of [[], ['--product', 'pro', ...maps], ['--map', 'Jar'], ['--their-product', 'Jar']]) {
      expect((await admin.fed('', ...import_, ...wrong)).code, wrong.join(' ')).to.equal(1);
    }
    expect(await admin.text(...import_, ...maps)).to.equal(
      'Imported 2 licenses. Passed over 1 line: --dry-run says why.',
    );
    expect(await count()).to.equal(had + 2);
    const again = await admin.fed('', ...import_, ...maps);
    expect(again.stderr).to.include('Line 2: alias "a-key-of-theirs-0": A license already has this alias.');
  });

  it('refuses a file that does not exist, and one that is not UTF-8', async () => {
    expect(await admin.refusal('license', 'import', folder.file('none.csv'))).to.equal(
      `There is no ${folder.file('none.csv')}.`,
    );
    const { stderr } = await admin.fed(
      Buffer.from('key,product\nLIC-UTF8-0000-0000-0001,pr\xf6\n', 'latin1'),
      ...['license', 'import', '-'],
    );
    expect(stderr).to.equal(
      'latchkey-server: Nothing was imported: there is 1 fault.\nLine 1: From here on, the file is not text in UTF-8.\n',
    );
  });

  it('imports thousands of licenses, or prints the first hundred keys that are taken and the number of the others', async () => {
    const keys = Array.from({ length: 3_000 }, (_, n) => `LIC-MANY-0000-0000-${String(n).padStart(4, '0')}`);
    const csv = `key,product\n${keys.map((key) => `${key},pro\n`).join('')}`;
    expect(await admin.json('license', 'import', fileOf(csv))).to.deep.equal({ imported: 3_000, passed_over: 0 });
    const problems = await problemsOf(csv);
    expect(problems).to.have.lengthOf(101);
    problems.slice(0, -1).forEach((problem, index) => {
      expect(problem).to.equal(`Line ${index + 2}: key "${keys[index]}": A license already has this key.`);
    });
    expect(problems.at(-1)).to.equal('And 2900 more faults.');
    const last = keys.at(-1);
    expect((await admin.json('license', 'show', String(last))).license).to.include({ key: last, status: 'active' });
  });

  it('prints only 100 errors of a file of 30,000 invalid lines, each in one line, even if cells are long or unprintable', async () => {
    const odd = `${'x'.repeat(70)}\u0085\u2028\u001b[31m`;
    const lines = Array.from({ length: 30_000 }, (_, n) => `LIC-${n},${n % 2 ? odd : `none${n}`},0,soon,gone`);
    const { code, stderr } = await admin.fed(
      `key,product,max_domains,expires_at,status\n${lines.join('\n')}\n`,
      ...['license', 'import', '-'],
    );
    expect(code).to.equal(1);
    expect(stderr.length).to.be.below(25_000);
    // Unprintable characters of a cell are written as escapes, because they could break the line or colour the
    // terminal.
    expect(stderr.replaceAll('\n', '')).to.not.match(/[\p{Control}\u2028\u2029]/u);
    const printed = stderr.trimEnd().split('\n');
    expect(printed).to.have.lengthOf(102);
    expect(printed[0]).to.equal('latchkey-server: Nothing was imported: there are 150000 faults.');
    expect(printed.slice(1, -1).every((line) => /^Line \d+: \w/.test(line))).to.equal(true);
    expect(printed.at(-1)).to.equal('And 149900 more faults.');
  });

  describe('of a file with a key that another program takes right after the check', () => {
    const taken = 'LIC-LEFT-0000-0000-0001';
    const errorLine = 'Line 2, LIC-LE…01: a license already has this key.';
    const csv = `key,product\n${taken},pro\nLIC-LEFT-0000-0000-0002,pro\n`;
    const columns = 'key, product_id, standing, max_domains, created_at';
    let raw: RawSqlite;
    beforeEach(async () => {
      raw = await openRaw(folder.file('latchkey.db'));
      await raw.run(`DELETE FROM licenses WHERE key LIKE 'LIC-LEFT-%'`);
      await raw.run(`CREATE TRIGGER rival AFTER UPDATE OF state ON license_imports WHEN NEW.state = 'applying'
        BEGIN INSERT INTO licenses (${columns}) VALUES ('${taken}', 1, 'active', 1, 1); END`);
    });
    afterEach(() => raw.close());
    const keys = async () => (await raw.all("SELECT key FROM licenses WHERE key LIKE 'LIC-LEFT-%'")).length;

    it('imports the other lines, and ends with an error that names the line and the key', async () => {
      const ending = await admin.fed(csv, 'license', 'import', '-');
      await raw.run('DROP TRIGGER rival');
      const failure = `latchkey-server: 1 line of the file could no longer be imported:\n${errorLine}\n`;
      expect(ending).to.deep.equal({ code: 1, stdout: 'Imported 1 license.\n', stderr: failure });
      expect(await keys()).to.equal(2);
      const { events } = await admin.json('audit', '--subject', taken);
      expect(events[0]).to.deep.include({ type: 'license.left_out', data: { line: 2, why: 'key_taken' } });
    });

    it('is logged by the server that finishes it', async () => {
      const log: { readonly leftOut?: string[] }[] = [];
      await raw.run(`INSERT INTO license_imports (id, origin, state, actor, at, owner, host, pid, leased_until)
        VALUES (99, 'imported', 'staging', 'x', 1, 'gone', 'elsewhere', 1, 0);
        INSERT INTO license_import_lines (line, key, product_id, standing, max_domains) VALUES (2, '${taken}', 1, 'active', 1);
        UPDATE license_imports SET state = 'applying'; DROP TRIGGER rival`);
      const settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`, LOG_LEVEL: 'warn' };
      const parts = await compose(readConfig(settings), {
        log: pino({}, { write: (line) => void log.push(JSON.parse(line)) }),
      });
      const stop = await startJobs(parts, [importRecovery]);
      await eventually('the log contains the line', () => log.some(({ leftOut }) => leftOut !== undefined));
      await stop();
      await parts.close();
      expect(log.flatMap(({ leftOut }) => leftOut ?? [])).to.deep.equal([errorLine]);
      expect(await keys()).to.equal(1);
    });
  });
});
