import { Readable } from 'node:stream';
import { expect } from 'chai';
import { exportTables } from '../../../adapters/csv/exports.ts';
import { licenseSheet } from '../../../adapters/csv/license-sheet.ts';
import { iso } from '../../../core/iso.ts';
import { type ExportingSystem, systemsWithExports } from '../../../core/licensing/alias.ts';
import type { ForeignExport, LineFault, PassedOver, SheetLine } from '../../../core/ports/license-sheet.ts';
import { itLong } from '../../support/required-service.ts';

const now = Date.UTC(2026, 10, 22);
const keys = ['38b1460a-5104-4067-a91d-77b872934d51', '80e15db5-c796-436b-850c-8f9c98a48abe', 'third-key-of-theirs'];

async function read(from: ExportingSystem, file: string, products: ForeignExport['products'] = 'jar', size = 7) {
  const all = { lines: [] as SheetLine[], faults: [] as LineFault[], passedOver: [] as PassedOver[] };
  const bytes = Buffer.from(file);
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  for await (const part of licenseSheet.read(pieces(), now, { from, products })) {
    all.lines.push(...part.lines);
    all.faults.push(...part.faults);
    all.passedOver.push(...part.passedOver);
  }
  return all;
}

/** What a test compares of a line. */
function shown({ line, alias, license }: SheetLine): unknown[] {
  if (license === undefined) return [line, alias?.text, 'faulty'];
  const { maxDomains, expiresAt, standing, notes, domains } = license;
  const end = expiresAt === null ? 'never' : iso(expiresAt);
  const most = maxDomains === 1_000_000 ? 'no limit' : maxDomains;
  return [
    line,
    alias?.text,
    standing,
    most,
    end,
    notes.holder?.email,
    notes.reference,
    domains.map((one) => one.domain),
  ];
}

const textsOf = (faults: readonly LineFault[]) => faults.map(({ line, message }) => `${line}: ${message}`);

/** An answer of Lemon Squeezy with these keys. */
const answerOf = (...attributes: object[]) =>
  JSON.stringify({
    meta: { page: { currentPage: 1 } },
    jsonapi: { version: '1.0' },
    data: attributes.map((one, index) => ({
      ...{ type: 'license-keys', id: String(index + 1) },
      attributes: {
        store_id: 1,
        order_id: 7,
        product_id: 5,
        user_name: 'Grace',
        user_email: 'grace@example.com',
        ...one,
      },
    })),
  });
const squeezed = (n: number, more: object = {}) => {
  return { key: keys[n], activation_limit: 5, status: 'active', expires_at: null, ...more };
};

const eddHead =
  'License ID,License Key,License Status,Customer ID,Customer Email,Customer Name,User ID,Product Name,Price ID,Purchase Date,Expiration Date,Activation Limit,Activation Count,Activated URLs';
const edd = (cells: string) => `${eddHead}\n${cells}\n`;

const gumroadHead =
  'Purchase ID,Item Name,Buyer Name,Purchase Email,Refunded?,Fully Refunded?,Disputed?,Dispute Won?,Access Revoked?,Recurring Charge?,Product ID,Subscription End Date,License Key,License Key Activation Count,License Key Enabled?';

describe('exports of other systems', () => {
  it('there is a table for each, whose statuses are in lower case', () => {
    expect(Object.keys(exportTables)).to.have.members(systemsWithExports);
    for (const { statuses } of Object.values(exportTables)) {
      for (const status of Object.keys(statuses)) expect(status).to.equal(status.toLowerCase());
    }
  });

  it('Lemon Squeezy: pages of answers, with limits, holders and ends in any zone', async () => {
    const file = [
      answerOf(squeezed(0), squeezed(1, { status: 'expired', expires_at: '2026-01-24T16:15:07.000000+02:00' })),
      answerOf(squeezed(2, { status: 'disabled', activation_limit: null })),
    ].join('\n');
    for (const size of [1, 7, 65_536]) {
      const { lines, faults } = await read('lemonsqueezy', file, undefined, size);
      expect(textsOf(faults)).to.deep.equal([]);
      expect(lines.map(shown)).to.deep.equal([
        [1, keys[0], 'active', 5, 'never', 'grace@example.com', '7', []],
        [2, keys[1], 'active', 5, '2026-01-24T14:15:07.000Z', 'grace@example.com', '7', []],
        [3, keys[2], 'suspended', 'no limit', 'never', 'grace@example.com', '7', []],
      ]);
    }
  });

  it('Lemon Squeezy: refuses unknown statuses, ends that are missing, and what is no answer', async () => {
    const { faults } = await read(
      'lemonsqueezy',
      answerOf(squeezed(0, { status: 'paused' }), squeezed(1, { status: 'expired' }), squeezed(2, { key: 'short' })),
    );
    expect(textsOf(faults)).to.deep.equal([
      '1: status "paused": It must be inactive, active, expired, disabled.',
      '2: status "expired": It needs an expires_at in the past.',
      '3: alias "short": A key of another system has 8 to 128 printable characters.',
    ]);
    for (const text of ['key,product\n', '{"data":[', '{"data":]}', '}{}', '{"key":"\\"}']) {
      expect((await read('lemonsqueezy', text)).faults, text).to.have.lengthOf(1);
    }
  });

  itLong(
    'JSON: reads some rows of a text at a time, lets other work run meanwhile, and refuses too many rows',
    async () => {
      const rows = (count: number) => JSON.stringify(Array.from({ length: count }, (_, n) => squeezed(0, { id: n })));
      let turns = 0;
      const other = setInterval(() => (turns += 1), 1);
      const sizes: number[] = [];
      const found: LineFault[] = [];
      const file = Readable.from([Buffer.from(rows(10_000) + rows(10_001))]);
      for await (const { lines, faults } of licenseSheet.read(file, now, { from: 'lemonsqueezy', products: 'jar' })) {
        sizes.push(lines.length);
        found.push(...faults);
      }
      clearInterval(other);
      expect(Math.max(...sizes)).to.equal(500);
      expect(sizes.reduce((sum, size) => sum + size)).to.equal(10_000);
      expect(turns).to.be.greaterThan(2);
      expect(textsOf(found)).to.deep.equal([
        '10001: One of its JSON texts has more than 10000 rows, or 100000 objects, lists and fields. Put the answers of their API one after the other, as they are.',
      ]);
      const nested = await read('lemonsqueezy', `${'['.repeat(100_001)}1`, undefined, 65_536);
      expect(textsOf(nested.faults).join()).to.include('100000 objects, lists and fields');
    },
  );

  it('refuses more than 1,000 columns, and JSON texts with too many fields', async () => {
    const wide = await read('edd', `${'a,'.repeat(1_000)}a\n`, undefined, 65_536);
    expect(textsOf(wide.faults)).to.deep.equal(['1: It has more than 1000 columns.']);
    const fields = Array.from({ length: 100_001 }, (_, n) => `"${n}":1`).join(',');
    const long = await read('lemonsqueezy', `{${fields}}`, undefined, 65_536);
    expect(textsOf(long.faults).join()).to.include('objects, lists and fields');
  });

  itLong('EDD: reads no more sites of a line than it can have', async () => {
    const timed = async (site: string) => {
      const began = performance.now();
      const line = `1,${keys[0]},active,,,,,Jar,,,,1,0,"${site.repeat(300_000)}"`;
      const { faults } = await read('edd', edd(line), undefined, 65_536);
      return { took: performance.now() - began, text: textsOf(faults).join() };
    };
    const one = await timed('aaa');
    const many = await timed('a, ');
    expect(many.text).to.include('A line can have at most 2000. Leave out the others');
    expect(many.took).to.be.lessThan(2 * one.took + 200);
  });

  it('EDD: seconds since 1970 and dates, sites with slashes, and a limit of 0', async () => {
    const { lines, faults } = await read(
      'edd',
      edd(
        [
          `1,${keys[0]},active,3,grace@example.com,Grace Hopper,9,Simple DEX,1,2025-01-24 14:15:07,1800800107,3,2,"shop.example.com/, https://www.blog.example.com/"`,
          `2,${keys[1]},inactive,3,,"=1+1",9,Simple DEX,,2025-01-24 14:15:07,lifetime,0,0,`,
          `3,${keys[2]},expired,3,'=x@example.com,,9,Simple DEX,,2025-01-24 14:15:07,2026-01-24 14:15:07,1,1,shop.example.com - b.example.com`,
          `,,,,,,,,,,,,,`,
        ].join('\n'),
      ).replace("'=x@", 'x@'),
    );
    expect(textsOf(faults)).to.deep.equal([]);
    expect(lines.map(shown)).to.deep.equal([
      [
        ...[2, keys[0], 'active', 3, '2027-01-24T14:15:07.000Z', 'grace@example.com', '1'],
        ['shop.example.com', 'www.blog.example.com'],
      ],
      [3, keys[1], 'active', 'no limit', 'never', null, '2', []],
      [
        4,
        keys[2],
        'active',
        1,
        '2026-01-24T14:15:07.000Z',
        'x@example.com',
        '3',
        ['shop.example.com', 'b.example.com'],
      ],
    ]);
    expect(lines[1]?.license?.notes.holder?.name).to.equal('=1+1');
  });

  it('EDD: the columns of old versions, in any order, and a head that lacks some', async () => {
    const old = `Email,License Key,License Status,Product Name,Purchase Date,Expiration Date,Activation Limit,Activation Count,Activated URLs\na@example.com,${keys[0]},active,Jar,,,1,0,\n`;
    expect((await read('edd', old)).lines.map(shown)).to.deep.equal([
      [2, keys[0], 'active', 1, 'never', 'a@example.com', null, []],
    ]);
    for (const head of ['License Key,Product Name', 'License Key;License Status;Product Name', '\0']) {
      expect(textsOf((await read('edd', `${head}\n`)).faults).join(), head).to.match(/^1: It lacks the columns /);
    }
  });

  it('EDD: lines of several products are refused, and one of them can be chosen', async () => {
    const file = edd(['Jar', 'Pot', 'Jar'].map((name, n) => `${n},${keys[n]},active,3,,,9,${name},,,,1,0,`).join('\n'));
    const { faults } = await read('edd', file);
    expect(textsOf(faults)).to.deep.equal([
      '3: It belongs to "Pot", and line 2 to "Jar". Say which product here each of their products is.',
    ]);
    const chosen = await read('edd', file, new Map([['Jar', 'jar']]));
    expect(chosen.lines.map(({ line }) => line)).to.deep.equal([2, 4]);
    expect(textsOf(chosen.passedOver)).to.deep.equal(['3: It belongs to "Pot".']);
  });

  it('EDD: each product, or price of it, can become another product here, and the others are named', async () => {
    const rows = ['Jar,', 'Pot,1', 'Pot,2', 'Pot,', 'Cup,7', 'Cup,7'].map(
      (name, n) => `${n},a-key-of-theirs-${n},active,3,,,9,${name},,,1,0,`,
    );
    const map = new Map(Object.entries({ Jar: 'jar', Pot: 'pot', 'Pot/2': 'pot-pro', Lid: 'lid' }));
    const { lines, faults, passedOver } = await read('edd', edd(rows.join('\n')), map);
    expect(textsOf(faults)).to.deep.equal([]);
    expect(lines.map(({ line, product }) => `${line} ${product}`)).to.deep.equal([
      '2 jar',
      '3 pot',
      '4 pot-pro',
      '5 pot',
    ]);
    expect(passedOver.map(({ line, theirProduct }) => `${line} ${theirProduct}`)).to.deep.equal(['6 Cup/7', '7 Cup/7']);
    expect((await read('edd', edd(rows.join('\n')), new Map())).passedOver).to.have.lengthOf(6);
  });

  itLong(
    'EDD: a product there that has a long name can be named, and a report has no more of it than its start',
    async () => {
      const fits = '🫙'.repeat(200);
      const long = `${fits}${'x'.repeat(100_000)}`;
      const rows = [fits, long].map((name, n) => `${n},a-key-of-theirs-${n},active,3,,,9,${name},,,,1,0,`);
      const file = edd(rows.join('\n'));
      const { passedOver } = await read('edd', file, new Map());
      expect(passedOver.map(({ theirProduct }) => theirProduct)).to.deep.equal([fits, `${fits}…`]);
      const { lines } = await read(
        'edd',
        file,
        new Map([
          [fits, 'jar'],
          [long, 'pot'],
        ]),
      );
      expect(lines.map(({ product }) => product)).to.deep.equal(['jar', 'pot']);
    },
  );

  it('Gumroad: refunds and lost disputes are suspended, and later payments and totals are passed over', async () => {
    const sales = [
      `a==,Jar,Grace,grace@example.com,0,0,0,0,0,0,jar,,${keys[0]},3,1`,
      `b==,Jar,Grace,grace@example.com,1,0,1,1,0,0,jar,2026-12-31 10:00:00 UTC,${keys[1]},3,1`,
      ...[`1,1,0,0,0`, `0,0,1,0,0`, `0,0,0,0,1`].map((flags, n) => `c==,Jar,,,${flags},0,jar,,refunded-key-${n},0,1`),
      `d==,Jar,,,0,0,0,0,0,0,jar,,disabled-key,0,0`,
      `e==,Jar,,,0,0,0,0,0,1,jar,,${keys[0]},3,1`,
      `f==,Book,,,0,0,0,0,0,0,book,,,,`,
      `Totals,,,,,,,,,,,,,,`,
    ];
    const { lines, faults, passedOver } = await read('gumroad', `${gumroadHead}\n${sales.join('\n')}\n`);
    expect(textsOf(faults)).to.deep.equal([]);
    expect(lines.map(shown)).to.deep.equal([
      [2, keys[0], 'active', 'no limit', 'never', 'grace@example.com', 'a==', []],
      [3, keys[1], 'active', 'no limit', '2026-12-31T10:00:00.000Z', 'grace@example.com', 'b==', []],
      ...[0, 1, 2].map((n) => [4 + n, `refunded-key-${n}`, 'suspended', 'no limit', 'never', undefined, 'c==', []]),
      [7, 'disabled-key', 'suspended', 'no limit', 'never', undefined, 'd==', []],
    ]);
    expect(textsOf(passedOver)).to.deep.equal([
      '8: It is a later payment of a subscription.',
      '9: It has no license key.',
      '10: It has no license key.',
    ]);
  });

  it('Freemius: lists of licenses, and an end that is only one of updates', async () => {
    const license = (n: number, more: object) => {
      const own = { id: String(n), plugin_id: '5', quota: 3, is_block_features: true, is_cancelled: false };
      return { ...own, secret_key: keys[n], expiration: null, ...more };
    };
    const { lines, faults } = await read(
      'freemius',
      JSON.stringify({
        licenses: [
          license(0, { expiration: '2027-01-24 14:15:07' }),
          license(1, { expiration: '2026-01-24 14:15:07', is_block_features: false, quota: null }),
          license(2, { is_cancelled: true }),
        ],
      }),
    );
    expect(textsOf(faults)).to.deep.equal([]);
    expect(lines.map(shown)).to.deep.equal([
      [1, keys[0], 'active', 3, '2027-01-24T14:15:07.000Z', undefined, '0', []],
      [2, keys[1], 'active', 'no limit', 'never', undefined, '1', []],
      [3, keys[2], 'suspended', 3, 'never', undefined, '2', []],
    ]);
    expect(lines.map(({ license: one }) => one?.updatesUntil)).to.deep.equal([
      null,
      Date.UTC(2026, 0, 24, 14, 15, 7),
      null,
    ]);
  });

  it('Keygen: attributes and relationships of JSON:API', async () => {
    const license = (n: number, status: string, more: object = {}) => ({
      ...{
        id: `l${n}`,
        type: 'licenses',
        attributes: { key: keys[n], name: 'order 7', maxMachines: 2, status, ...more },
      },
      relationships: { product: { data: { type: 'products', id: n === 2 ? 'other' : 'dex' } }, owner: { data: null } },
    });
    const file = JSON.stringify({
      data: [
        license(0, 'EXPIRING', { expiry: '2026-11-24T14:15:07.000Z', maxMachines: null }),
        license(1, 'BANNED'),
        license(2, 'ACTIVE'),
      ],
    });
    const { lines, faults, passedOver } = await read('keygen', file, new Map([['dex', 'jar']]));
    expect(textsOf(faults)).to.deep.equal([]);
    expect(lines.map(shown)).to.deep.equal([
      [1, keys[0], 'active', 'no limit', '2026-11-24T14:15:07.000Z', undefined, 'order 7', []],
      [2, keys[1], 'suspended', 2, 'never', undefined, 'order 7', []],
    ]);
    expect(textsOf(passedOver)).to.deep.equal(['3: It belongs to "other".']);
  });

  it('License Manager for WooCommerce: all its statuses, and empty dates', async () => {
    const head =
      'id,order_id,product_id,user_id,license_key,expires_at,valid_for,status,times_activated,times_activated_max,created_at,created_by,updated_at,updated_by';
    const statuses = ['SOLD', 'DELIVERED', 'ACTIVE', 'INACTIVE', 'DISABLED', 'GONE'];
    const rows = statuses.map(
      (status, n) => `${n},7${n},5,1,woo-key-${n},${n === 0 ? '2027-01-24 14:15:07' : ''},,${status},0,${n || ''},,,,`,
    );
    const { lines, faults } = await read('woocommerce', `${head}\n${rows.join('\n')}\n`);
    expect(textsOf(faults)).to.deep.equal([
      '7: status "GONE": It must be sold, delivered, active, inactive, disabled.',
    ]);
    expect(lines.map(shown)).to.deep.equal([
      [2, 'woo-key-0', 'active', 'no limit', '2027-01-24T14:15:07.000Z', undefined, '70', []],
      [3, 'woo-key-1', 'active', 1, 'never', undefined, '71', []],
      [4, 'woo-key-2', 'active', 2, 'never', undefined, '72', []],
      [5, 'woo-key-3', 'suspended', 3, 'never', undefined, '73', []],
      [6, 'woo-key-4', 'suspended', 4, 'never', undefined, '74', []],
      [7, 'woo-key-5', 'faulty'],
    ]);
  });
});
