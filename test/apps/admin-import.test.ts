import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { t } from '../../apps/tokens.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer, onlyLine } from './admin-program.ts';

describe('license import', function () {
  this.timeout(60_000); // It starts a process for every command.
  let folder: TemporaryFolder;
  let admin: Administration;
  before(async () => {
    folder = await makeTemporaryFolder();
    admin = administer({ DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` });
    await admin.text('product', 'add', '--title', 'Pro');
    await admin.text('product', 'add', '--title', 'Lite');
  });
  after(() => folder.remove());

  const fileOf = (text: string | Buffer) => {
    const file = folder.file('licenses.csv');
    writeFileSync(file, text);
    return file;
  };
  const stored = () => admin.beside(async (parts) => (await parts.get(t.issuing)).list({ limit: 10_000 }));
  /** What is wrong with a file, by line; nothing of it is imported. */
  const problemsOf = async (text: string | Buffer): Promise<string[]> => {
    const before = await stored();
    const line = await admin.refusal('license', 'import', fileOf(text));
    expect(await stored()).to.deep.equal(before);
    expect(line).to.match(/^Nothing was imported/);
    return line.split(/ (?=Line \d+: )/).slice(1);
  };

  it('takes over every license as its line says, in the order of the file', async () => {
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
      ['1', 'active', 'pro', 3, '2999-01-31T00:00:00.000Z'],
      ['2', 'expired', 'lite', 1, '2020-01-31T10:00:00.000Z'],
      ['3', 'expired', 'lite', 1, '2020-01-31T00:00:00.000Z'],
      ['4', 'suspended', 'pro', 5, null],
      ['5', 'revoked', 'pro', 1, '2999-01-31T00:00:00.000Z'],
      ['6', 'active', 'pro', 1, null],
    ]);
    const { events } = await admin.json('audit', '--limit', '6');
    for (const event of events) {
      expect(event).to.include({ type: 'license.imported', actor: 'Ada', reason: 'old shop' });
    }
  });

  it('does not mind a byte order mark, CRLF, empty lines and the order of the columns', async () => {
    const csv = '\uFEFFProduct,KEY\r\npro,LIC-CRLF-0000-0000-0001\r\n,\r\n\r\n"pro","LIC-CRLF-0000-0000-0002"\r\n';
    expect(await admin.json('license', 'import', fileOf(csv))).to.deep.equal({ imported: 2 });
    for (const key of ['LIC-CRLF-0000-0000-0001', 'LIC-CRLF-0000-0000-0002']) {
      expect((await admin.json('license', 'show', key)).license).to.include({ key, status: 'active' });
    }
  });

  it('reads standard input for `-`', async () => {
    const { code, stdout } = await admin.fed('key,product\nLIC-STDI-0000-0000-0001,pro\n', 'license', 'import', '-');
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: 'Imported 1 licenses.\n' });
    const again = await admin.fed('key,product\nLIC-STDI-0000-0000-0001,pro\n', 'license', 'import', '-', '--json');
    expect({ code: again.code, stdout: again.stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(onlyLine(again.stderr)).to.match(/Line 2: key "LIC-STDI-0000-0000-0001": A license has it already\.$/);
  });

  it('imports nothing where any line is bad, and names every bad line and what is wrong with it', async () => {
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
      'LIC-GOOD-0000-0000-0008,"pro,1,,active',
      ',pro,1,,active',
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
      /^Line 7: key "lic-good-0000-0000-0001": It is on line 2 already\.$/,
      /^Line 8: It has 3 cells where the header has 5\.$/,
      /^Line 9: It has 6 cells where the header has 5\.$/,
      /^Line 10: status "expired": It needs an expires_at that is past\.$/,
      /^Line 11: A quotation mark is out of place or not closed\.$/,
      /^Line 12: A quotation mark is out of place or not closed\.$/,
      /^Line 13: key "": A license key looks like/,
      /^Line 14: product "": /,
      /^Line 15: key "LIC-HELD-0000-0000-0001": A license has it already\.$/,
    ];
    expect(problems).to.have.lengthOf(expected.length);
    problems.forEach((problem, index) => {
      expect(problem).to.match(expected[index] ?? /^$/);
    });
  });

  it('refuses a file without the header that it needs', async () => {
    const good = 'LIC-HEAD-0000-0000-0001,pro,1,,active';
    const headers = {
      '': /it lacks key, product/,
      [good]: /it lacks key, product/,
      'key;product': /it lacks key, product/,
    };
    for (const [header, says] of Object.entries(headers)) {
      const problems = await problemsOf(`${header}\n${good}\n`);
      expect(problems).to.have.lengthOf(1);
      expect(problems[0]).to.match(
        /^Line 1: The header must name the columns key, product, max_domains, expires_at, status/,
      );
      expect(problems[0]).to.match(says);
    }
    expect((await problemsOf('key,product,expire_at\nLIC-HEAD-0000-0000-0001,pro,\n'))[0]).to.include('"expire_at"');
    expect((await problemsOf('key,product,key\nLIC-HEAD-0000-0000-0001,pro,\n'))[0]).to.include('"key"');
  });

  it('refuses a file that is not there, and one that is not UTF-8', async () => {
    expect(await admin.refusal('license', 'import', folder.file('none.csv'))).to.equal(
      `There is no ${folder.file('none.csv')}.`,
    );
    expect(await problemsOf(Buffer.from('key,product\nLIC-UTF8-0000-0000-0001,pr\xf6\n', 'latin1'))).to.deep.equal([]);
  });

  it('takes over thousands of licenses, or names each of thousands that are taken', async () => {
    const keys = Array.from({ length: 3_000 }, (_, n) => `LIC-MANY-0000-0000-${String(n).padStart(4, '0')}`);
    const file = fileOf(`key,product\n${keys.map((key) => `${key},pro\n`).join('')}`);
    expect(await admin.json('license', 'import', file)).to.deep.equal({ imported: 3_000 });
    const line = await admin.refusal('license', 'import', file);
    expect(line.match(/A license has it already/g)).to.have.lengthOf(3_000);
    const last = keys.at(-1);
    expect((await admin.json('license', 'show', String(last))).license).to.include({ key: last, status: 'active' });
  });
});
