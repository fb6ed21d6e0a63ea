import { expect } from 'chai';
import { licenseSheet } from '../../../adapters/csv/license-sheet.ts';
import { longestRecord } from '../../../adapters/csv/records.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LineFault, SheetLine, SheetRow } from '../../../core/ports/license-sheet.ts';
import { itLong } from '../../support/required-service.ts';

const now = Date.UTC(2026, 10, 22);
const key = (n: number) => `LIC-CELL-0000-0000-${String(n).padStart(4, '0')}` as LicenseKey;

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(file: string | Buffer, size = 65_536): Promise<{ lines: SheetLine[]; faults: LineFault[] }> {
  const all = { lines: [] as SheetLine[], faults: [] as LineFault[] };
  for await (const { lines, faults } of licenseSheet.read(piecesOf(Buffer.from(file), size), now)) {
    all.lines.push(...lines);
    all.faults.push(...faults);
  }
  return all;
}

async function faultsOf(file: string | Buffer, size?: number): Promise<string[]> {
  return (await read(file, size)).faults.map(({ line, message }) => `${line}: ${message}`);
}

async function written(rows: readonly SheetRow[]): Promise<string> {
  const some = async function* () {
    yield rows;
  };
  let text = '';
  for await (const piece of licenseSheet.write(some())) text += piece;
  return text;
}

const row = (n: number, more: Partial<SheetRow> = {}): SheetRow => ({
  key: key(n),
  product: 'jar',
  maxDomains: 1,
  expiresAt: null,
  daysFromActivation: null,
  updatesUntil: null,
  entitlements: [],
  status: 'active',
  notes: { holder: null, reference: null, metadata: {} },
  domains: [],
  ...more,
});

describe('CSV files of licenses', () => {
  it('read every cell, and defaults for the others', async () => {
    const { lines, faults } = await read(
      [
        'key,product,max_domains,expires_at,days_from_activation,updates_until,entitlements,status,holder_email,holder_name,reference,metadata,domains',
        `${key(1)},jar,7,2027-01-31,,2028-01-31,team; PRO pro,suspended,g@example.com,Grace Hopper,order 1,"{""a"":""1"",""b"":""2""}",A.example.com@2026-01-31T10:00:00Z; b.example.com`,
        `,jar,,,30,,,,,,,,`,
      ].join('\n'),
    );
    expect(faults).to.deep.equal([]);
    expect(lines).to.deep.equal([
      {
        line: 2,
        key: key(1),
        product: 'jar',
        alias: undefined,
        license: {
          maxDomains: 7,
          expiresAt: Date.parse('2027-01-31T23:59:59.999Z'),
          daysFromActivation: null,
          updatesUntil: Date.parse('2028-01-31T23:59:59.999Z'),
          entitlements: ['pro', 'team'],
          standing: 'suspended',
          notes: {
            holder: { email: 'g@example.com', name: 'Grace Hopper' },
            reference: 'order 1',
            metadata: { a: '1', b: '2' },
          },
          domains: [
            { domain: 'a.example.com', activatedAt: Date.parse('2026-01-31T10:00:00Z') },
            { domain: 'b.example.com', activatedAt: undefined },
          ],
        },
      },
      {
        line: 3,
        key: undefined,
        product: 'jar',
        alias: undefined,
        license: {
          maxDomains: 1,
          expiresAt: null,
          daysFromActivation: 30,
          updatesUntil: null,
          entitlements: [],
          standing: 'active',
          notes: { holder: null, reference: null, metadata: {} },
          domains: [],
        },
      },
    ]);
  });

  itLong('are read in the same way however they are cut into pieces', async () => {
    const file = Buffer.from(
      `\uFEFFkey,product,holder_name\r\n${key(1)},jar,"Gr\u00e4ce\r\n""H"" \u{1F600}"\r\n\r\n${key(2)},jar,x\r${key(3)},nope-é,y\n`,
    );
    const whole = await read(file);
    expect(whole.lines.map(({ line }) => line)).to.deep.equal([2, 5, 6]);
    expect(whole.lines[0]?.license?.notes.holder?.name).to.equal('Gr\u00e4ce\r\n"H" \u{1F600}');
    for (const size of [1, 2, 3, 7]) expect(await read(file, size)).to.deep.equal(whole);
  });

  it('name the right line for a fault below a cell with line breaks', async () => {
    const file = `key,product,holder_name,max_domains\n${key(1)},jar,"a\nb\r\nc",1\n\n${key(2)},jar,x,0\n`;
    expect(await faultsOf(file)).to.deep.equal(['6: max_domains "0": It must be a whole number from 1 to 1000000.']);
  });

  it('report every fault of a line with its column', async () => {
    const cells = {
      key: ['LIC-X', 'A license key looks like LIC-XXXX-XXXX-XXXX-XXXX.'],
      expires_at: ['soon', 'It must be a date'],
      days_from_activation: ['0', 'It must be a whole number from 1 to 36500.'],
      entitlements: [
        '-x',
        '"-x" is no code: use at most 40 letters (a to z), digits and the characters . _ : -, and begin with a letter or digit.',
      ],
      status: ['gone', 'It must be active, suspended, revoked or expired.'],
      holder_email: ['grace', 'It must be an e-mail address.'],
      holder_name: ['x'.repeat(121), 'It must have at most 120 characters.'],
      reference: ['x'.repeat(201), 'It must have at most 200 characters.'],
      metadata: ['[1]', 'It must be a JSON object of texts.'],
      domains: ['a.example.com@soon', '"a.example.com@soon" is no domain such as'],
    };
    for (const [column, [cell, message]] of Object.entries(cells)) {
      const [fault, ...others] = await faultsOf(`product,${column}\njar,${cell}\n`);
      expect(fault).to.include(`2: ${column} "`).and.include(message);
      expect(others).to.deep.equal([]);
    }
    for (const metadata of ['{', '{"a":1}', '{"":"x"}', '{"a":"\\u0000"}', '{"a":"\\ud800"}', '{"a":{"b":"c"}}']) {
      const file = `product,metadata\njar,"${metadata.replaceAll('"', '""')}"\n`;
      expect(await faultsOf(file), metadata).to.have.lengthOf(1);
    }
    const hosts = (count: number) => Array.from({ length: count }, (_, n) => `a${n}.com`).join(' ');
    expect(await faultsOf(`product,domains\njar,${hosts(2_000)}\n`)).to.deep.equal([]);
    const [tooMany] = await faultsOf(`product,domains\njar,${hosts(2_001)}\n`);
    expect(tooMany).to.include('A line can have at most 2000. Leave out the others');
    const both = await faultsOf('product,expires_at,days_from_activation\njar,2030-01-01,30\n');
    expect(both).to.deep.equal(['2: days_from_activation "30": It needs never as expires_at.']);
  });

  it('read keys of other systems as aliases, in their own column or as the key', async () => {
    const file = [
      'key,product,alias,alias_kind',
      `${key(1)},jar,38B1460A-5104-4067-A91D-77B872934D51,lemonsqueezy`,
      ',jar,Old key 12,',
      'ABCD-1234 x,jar,,edd',
      'lic-7h2k-9qwx-m4tb-c0vj,jar,,',
    ].join('\n');
    const { lines, faults } = await read(file);
    expect(faults).to.deep.equal([]);
    expect(lines.map((line) => [line.key, line.alias])).to.deep.equal([
      [key(1), { text: '38B1460A-5104-4067-A91D-77B872934D51', kind: 'lemonsqueezy' }],
      [undefined, { text: 'Old key 12', kind: 'other' }],
      [undefined, { text: 'ABCD-1234 x', kind: 'edd' }],
      ['LIC-7H2K-9QWX-M4TB-C0VJ', undefined],
    ]);
    const faulty = [
      'key,product,alias,alias_kind',
      'LIC-7H2K-9QWX-M4TB-C0V,jar,,',
      'short,jar,,',
      `,jar,${key(1)},`,
      ',jar,long-enough,former',
      'long-enough,jar,longer-still,',
    ].join('\n');
    const says = await faultsOf(faulty);
    expect(says).to.have.lengthOf(5);
    expect(says[0]).to.equal('2: key "LIC-7H2K-9QWX-M4TB-C0V": A license key looks like LIC-XXXX-XXXX-XXXX-XXXX.');
    expect(says[1]).to.include('A key of another system has 8 to 128 printable characters.');
    expect(says[2]).to.include('4: alias "LIC-CELL-0000-0000-0001": A key of another system');
    expect(says[3]).to.include('alias_kind "former": It must be lemonsqueezy, ');
    expect(says[4]).to.include('Leave one of the two empty.');
  });

  it('keep the key of a line with a fault, so that it is still compared with the others', async () => {
    const { lines } = await read(`key,product,max_domains\n${key(1)},jar,0\n`);
    expect(lines).to.deep.equal([{ line: 2, key: key(1), product: 'jar', alias: undefined, license: undefined }]);
  });

  it('refuse a header with other separators', async () => {
    for (const header of ['key;product;max_domains', '"Key";"Product"', 'product ; key ; other']) {
      const says = '1: The cells are separated by semicolons. Save the file with commas between the cells.';
      expect(await faultsOf(`${header}\nx\n`)).to.deep.equal([says]);
    }
    expect((await faultsOf('key\tproduct\n'))[0]).to.include('separated by tabs');
  });

  it('refuse other encodings', async () => {
    const latin1 = Buffer.from('key,product\n,p\xf6\n', 'latin1');
    expect(await faultsOf(latin1)).to.deep.equal(['1: From here on, the file is not text in UTF-8.']);
    expect(await faultsOf(latin1, 1)).to.deep.equal(['2: From here on, the file is not text in UTF-8.']);
    const utf16 = Buffer.from('\uFEFFkey,product\n', 'utf16le');
    expect((await faultsOf(utf16))[0]).to.include('not text in UTF-8');
    expect((await faultsOf(utf16.subarray(2)))[0]).to.include('It contains NUL');
    expect(await faultsOf(Buffer.from([0x6b, 0xe2, 0x82]))).to.have.lengthOf(1);
  });

  it('refuse NUL and quotation marks out of place, and read the next lines', async () => {
    const file = `key,product\n${key(1)},j\0r\n"${key(2)}"x,jar\n${key(3)},j"a"r\n${key(4)},jar\n`;
    const { lines, faults } = await read(file);
    expect(faults.map(({ line }) => line)).to.deep.equal([2, 3, 4]);
    expect(lines.map(({ line }) => line)).to.deep.equal([5]);
    expect(await faultsOf(`key,product\n${key(1)},"jar\n${key(2)},jar\n`)).to.deep.equal([
      '2: A quotation mark is out of place or not closed.',
    ]);
  });

  it('stop at a line that is too long, with or without quotation marks, however it arrives', async () => {
    const long = 'x'.repeat(longestRecord + 1);
    for (const cell of [long, `"${long}`, `"${`${'x'.repeat(99)}\n`.repeat(longestRecord / 100 + 1)}`]) {
      for (const size of [65_536, 2 * longestRecord + 100]) {
        const { lines, faults } = await read(`product\njar\n${cell}\njar\n`, size);
        expect(lines.map(({ line }) => line)).to.deep.equal([2]);
        expect(faults.map(({ line }) => line)).to.deep.equal([3]);
        expect(faults[0]?.message).to.include('The rest of the file was not read.');
      }
    }
  });

  it('read what they write', async () => {
    const odd = [
      '=1+1',
      '+x',
      '-x',
      '@x',
      "'=x",
      "''=x",
      "'x",
      "'",
      'a,b',
      'a "b"',
      'a\r\nb',
      'a\nb\n"',
      '\uFF1Dx',
      ';',
      '"',
    ];
    const rows = odd.flatMap((text, n) => [
      row(2 * n, {
        maxDomains: 9,
        expiresAt: now + n,
        status: 'suspended',
        notes: { holder: { email: null, name: text }, reference: text, metadata: { [text]: text } },
        domains: [{ domain: 'example.com' as DomainName, activatedAt: now - n }],
      }),
      row(2 * n + 1, {
        daysFromActivation: n + 1,
        updatesUntil: n,
        entitlements: ['a', `b.${n}`],
        status: 'revoked',
      }),
    ]);
    const { lines, faults } = await read(await written(rows), 11);
    expect(faults).to.deep.equal([]);
    expect(lines.map(({ key, product, license }) => ({ key, product, ...license }))).to.deep.equal(
      rows.map(({ status, ...same }) => ({ ...same, standing: status })),
    );
  });

  it('write no cell that a spreadsheet runs as a formula', async () => {
    for (const text of ['=1+1', '+x', '-x', '@SUM(A1)', '\uFF1Dx', '\t=x', '\r=x', '"=x"']) {
      const file = await written([
        row(1, { notes: { holder: { email: null, name: text }, reference: text, metadata: {} } }),
      ]);
      expect(file.replaceAll('\r\n', ''), text).to.not.match(/(?:^|,)"?[=+\-@\t\r\uFF1D]/);
    }
  });

  it('write the header alone if there are no licenses', async () => {
    expect(await written([])).to.equal(
      'key,product,max_domains,expires_at,days_from_activation,updates_until,entitlements,status,holder_email,holder_name,reference,metadata,domains\r\n',
    );
  });
});
