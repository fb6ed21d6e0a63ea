import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { longestProductMap } from '../../../../core/selling/foreign-export.ts';
import { by, operator } from '../../../support/by.ts';
import { itLong, runsLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';
import { addOwnProduct } from './own-product.ts';

const keys = ['cc22c1ec86304b36883440e2e84cddff', 'aa22c1ec86304b36883440e2e84cddff'] as const;
const head = 'License Key,License Status,Customer Email,Product Name,Expiration Date,Activation Limit,Activated URLs';
const edd = (...rows: string[]) => `${head}\n${rows.join('\n')}\n`;
const good = edd(`${keys[0]},active,a@example.com,Jar,,3,shop.example.com/`, `${keys[1]},disabled,,Jar,,1,`);

describe('POST /api/licenses/import of exports of other systems', () => {
  let service: AccountService;
  let ada: Account;
  beforeEach(async () => {
    service = await startAccountService();
    ada = await service.account('pro');
    await addOwnProduct(service, 'jar', ada);
  });
  afterEach(() => service.close());

  const send = (query: string, body: string, type = 'text/csv') =>
    ada.send(`/api/licenses/import?${query}`, { method: 'POST', headers: { 'Content-Type': type }, body });
  const stored = async () => {
    const tables = ['licenses', 'license_aliases', 'license_imports', 'license_import_lines'];
    return await Promise.all(tables.map(async (table) => [table, await service.rows(table)]));
  };
  const checks = async () => {
    const rows = (await service.rows('audit_log')).filter(({ type }) => type === 'user.licenses_checked');
    return rows.map(({ subject, actor, data }) => ({ subject, actor, ...JSON.parse(String(data)) }));
  };

  it('200, and old keys lead to licenses of the product', async () => {
    const { status, body, text } = await send('from=edd&product=jar', good);
    expect([status, body], text).to.deep.equal([200, { success: true, imported: 2, left_out: 0, passed_over: 0 }]);
    const asked = new URLSearchParams({ license_key: keys[0], domain: 'shop.example.com' });
    const verified = await service.send(`/verify?${asked}`);
    expect(verified.body, verified.text).to.include({ valid: true });
    const json = JSON.stringify({
      data: [{ attributes: { key: 'a-key-of-lemons', status: 'active', product_id: 5 } }],
    });
    const other = await send('from=lemonsqueezy&product=jar', json, 'application/json');
    expect(other.body, other.text).to.include({ imported: 1 });
  });

  it('200 with what an import would do for dry_run=true, and nothing but the log is changed', async () => {
    const before = await stored();
    const { status, body, text } = await send('from=edd&product=jar&dry_run=true', good);
    expect(status, text).to.equal(200);
    const planned = { product: 'jar', expires_at: null };
    const none = {
      unmapped: [],
      more_unmapped: 0,
      faults: [],
      more_faults: 0,
      passed_over: [],
      more_passed_over: 0,
      more_licenses: 0,
    };
    expect(body).to.deep.equal({
      ...{ success: true, imported: 0, left_out: 0, passed_over: 0 },
      check: {
        licenses: [
          { line: 2, ...planned, status: 'active', max_domains: 3, domains: 1 },
          { line: 3, ...planned, status: 'suspended', max_domains: 1, domains: 0 },
        ],
        ...none,
      },
    });
    expect(await stored()).to.deep.equal(before);
    const { email } = ada.user;
    expect(await checks()).to.deep.equal([
      { subject: email, actor: email, licenses: 2, faults: 0, of_others: 0, is_import: false },
    ]);
    expect((await send('from=edd&product=jar', good)).body).to.include({ imported: 2 });
    const again = await send('from=edd&product=jar&dry_run=true', good);
    expect(again.body.check.licenses).to.deep.equal([]);
    expect(again.body.check.faults.map((one: { message: string }) => one.message)).to.deep.equal(
      keys.map((key) => `alias "${key}": A license already has this alias.`),
    );
  });

  it('200 for several products, and the lines of others are counted, named by a check and not imported', async () => {
    await addOwnProduct(service, 'pot', ada);
    const key = (n: number) => `a-key-of-theirs-${n}`;
    const rows = ['Jar', 'Pot', 'A=B', 'Cup', 'Cup', 'Lid'].map((name, n) => `${key(n)},active,,${name},,1,`);
    const map = encodeURIComponent('Jar = jar\n\nPot=pot\nA=B=pot\nSpoon=jar');
    const unknown = await send('from=edd&dry_run=true', edd(...rows));
    expect(unknown.body.check, unknown.text).to.deep.include({ licenses: [], faults: [], more_unmapped: 0 });
    expect(unknown.body.check.unmapped).to.deep.equal(
      Object.entries({ Jar: 1, Pot: 1, 'A=B': 1, Cup: 2, Lid: 1 }).map(([their_product, lines]) => ({
        their_product,
        lines,
      })),
    );
    const { body } = await send(`from=edd&map=${map}&dry_run=true`, edd(...rows));
    expect(body.check.unmapped).to.deep.equal([
      { their_product: 'Cup', lines: 2 },
      { their_product: 'Lid', lines: 1 },
    ]);
    expect(body.check.passed_over[0]).to.deep.equal({ line: 5, message: 'It belongs to "Cup".' });
    expect(await service.rows('licenses')).to.deep.equal([]);
    const headers = { 'Content-Type': 'text/csv', 'Idempotency-Key': 'move' };
    const path = `/api/licenses/import?from=edd&map=${map}`;
    const done = await ada.send(path, { method: 'POST', headers, body: edd(...rows) });
    expect(done.body, done.text).to.deep.equal({ success: true, imported: 3, left_out: 0, passed_over: 3 });
    const progress = await ada.send('/api/licenses/import?idempotency_key=move');
    expect(progress.body).to.include({ state: 'done', imported: 3, passed_over: 3 });
    const of = new Map((await service.rows('products')).map(({ id, slug }) => [id, slug]));
    const products = (await service.rows('licenses')).map(({ product_id: id }) => of.get(id));
    expect(products).to.deep.equal(['jar', 'pot', 'pot']);
  });

  it('names at most 100 products, and counts the lines of further ones', async () => {
    const rows = Array.from({ length: 103 }, (_, n) => `a-key-of-theirs-${n},active,,Product ${n % 102},,1,`);
    const { body } = await send('from=edd&dry_run=true', edd(...rows));
    expect(body.check.unmapped).to.have.lengthOf(100);
    expect([body.check.unmapped[0].lines, body.check.more_unmapped]).to.deep.equal([2, 2]);
  });

  it('names a product with the start of its name if that is long', async () => {
    const rows = [1, 2].map((n) => `a-key-of-theirs-${n},active,,${'Jar'.repeat(50_000)},,1,`);
    const { body } = await send('from=edd&dry_run=true', edd(...rows));
    expect(body.check.unmapped).to.deep.equal([{ their_product: `${'Jar'.repeat(67).slice(0, 200)}…`, lines: 2 }]);
  });

  it('422 for a map that fits to nothing else, or is none', async () => {
    const many = Array.from({ length: 201 }, (_, n) => `${n}=jar`).join('\n');
    for (const [query, map] of [
      ['', 'a=b'],
      ['from=edd&product=jar&', 'a=b'],
      ...['jar', '=jar', 'a=', 'a=jar\na=jar', ' \n ', many].map((map) => ['from=edd&', map]),
    ]) {
      const { status, body } = await send(`${query}map=${encodeURIComponent(map ?? '')}`, good);
      expect([status, Object.keys(body.error?.fields ?? {})], `${query} ${map?.slice(0, 20)}`).to.deep.equal([
        422,
        ['map'],
      ]);
    }
    expect((await send('from=edd&their_product=Jar', good)).body.error.fields).to.have.property('product');
  });

  itLong(
    '200 with a map in a form, as long as it may be, and the file is the same to its Idempotency-Key',
    async () => {
      const lines = ['Jar=jar', ...Array.from({ length: 198 }, (_, n) => `${n} ${'ü'.repeat(185)}=jar`)];
      const map = [...lines, `${'x'.repeat(longestProductMap - lines.join('\n').length - 5)}=jar`].join('\n');
      expect(map).to.have.lengthOf(longestProductMap);
      const sendForm = (more: string, parts: Record<string, string>, headers = {}) => {
        const form = new FormData();
        for (const [name, text] of Object.entries(parts))
          form.append(name, name === 'file' ? new Blob([text], { type: 'text/csv' }) : text);
        return ada.send(`/api/licenses/import?from=edd${more}`, { method: 'POST', headers, body: form });
      };
      const checked = await sendForm('&dry_run=true', { map, file: good });
      expect(checked.body.check?.licenses, checked.text).to.have.lengthOf(2);
      const named = { 'Idempotency-Key': 'form' };
      for (const answer of [
        await sendForm('', { map, file: good }, named),
        await sendForm('', { file: good, map }, named),
      ])
        expect(answer.body, answer.text).to.deep.equal({ success: true, imported: 2, left_out: 0, passed_over: 0 });
      expect(await service.rows('licenses')).to.have.lengthOf(2);
      const wrong = { file: await sendForm('', { map }), map: await sendForm('', { map: 'jar', file: good }) };
      for (const [name, { status, body }] of Object.entries(wrong))
        expect([status, Object.keys(body.error?.fields ?? {})]).to.deep.equal([422, [name]]);
      const tooLong = await sendForm('', { map: `${map}x`, file: good });
      expect([tooLong.status, Object.keys(tooLong.body.error.fields)]).to.deep.equal([422, ['map']]);
      expect((await service.files()).filter((name) => /[\da-f-]{36}$/.test(name))).to.deep.equal([]);
    },
  );

  it('409 with Retry-After for a third check at once, and for a second file of one account', async () => {
    const imports = await service.parts.get(t.sheetImports);
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = async function* () {
      await held;
      yield 'product\n';
    };
    const running = [1, 2].map(() => imports.checkAny(slow(), operator));
    const third = await send('from=edd&product=jar&dry_run=true', good);
    expect([third.status, third.body.error.code]).to.deep.equal([409, 'CONFLICT']);
    expect(Number(third.headers.get('Retry-After'))).to.be.within(1, 60);
    end();
    await Promise.all(running);
    expect((await send('from=edd&product=jar&dry_run=true', good)).status).to.equal(200);
    const both = await Promise.all([1, 2, 3].map(() => send('from=edd&product=jar&dry_run=true', good)));
    for (const { status, headers } of both.filter(({ status }) => status !== 200))
      expect([status, Number(headers.get('Retry-After')) > 0]).to.deep.equal([409, true]);
  });

  itLong('200 for a check while an import of somebody else runs', async () => {
    const imports = await service.parts.get(t.licenseImports);
    const running = await imports.begin('imported', by, Date.now());
    if (isRefused(running)) throw new Error(running.detail);
    expect((await send('from=edd&product=jar&dry_run=true', good)).status).to.equal(200);
    expect((await send('from=edd&product=jar', good)).status).to.equal(409);
    await running.undo();
    expect((await send('from=edd&product=jar', good)).status).to.equal(200);
  });

  itLong('422 with the faults of an export, and its dry run lists the same beside the licenses', async () => {
    const file = edd(
      `${keys[0]},active,,Jar,,3,`,
      `${keys[0].toUpperCase()},active,,Jar,,3,`,
      `${keys[1]},odd,,Jar,,1,`,
      ',,,,,,extra,cells',
    );
    const refused = await send('from=edd&product=jar', file);
    const checked = await send('from=edd&product=jar&dry_run=true', file);
    expect([refused.status, checked.status]).to.deep.equal([422, 200]);
    expect(refused.body.error.faults).to.have.lengthOf(3).and.to.deep.equal(checked.body.check.faults);
    expect(checked.body.check.licenses.map(({ line }: { line: number }) => line)).to.deep.equal([2]);
    expect(await service.rows('licenses')).to.deep.equal([]);
  });

  it('422 for a product of somebody else, and for from, product and their_product that do not fit', async () => {
    const eve = await service.account('pro');
    await addOwnProduct(service, 'dex', eve);
    const { status, body } = await send('from=edd&product=dex', good);
    expect([status, body.error.faults[0].message]).to.deep.equal([
      422,
      'product "dex": No product has this id or slug.',
    ]);
    const alone = await send('product=jar', good);
    expect(alone.body.error.fields, alone.text).to.deep.equal({ product: ['It needs `from`.'] });
    for (const query of ['from=edd', 'product=jar', 'their_product=Jar', 'from=excel&product=jar', 'dry_run=maybe']) {
      expect((await send(query, good)).status, query).to.equal(422);
    }
    expect((await send('', '{}', 'application/json')).status).to.equal(415);
    expect(await service.rows('licenses')).to.deep.equal([]);
  });

  itLong('tells at most 20 keys of licenses of others, and the audit trail has how many', async () => {
    const eve = await service.account('pro');
    await addOwnProduct(service, 'dex', eve);
    const alias = (n: number) => `a-key-of-somebody-${n}`;
    const all = Array.from({ length: 30 }, (_, n) => n);
    const rows = (product: string) => edd(...all.map((n) => `${alias(n)},active,,${product},,3,`));
    const headers = { 'Content-Type': 'text/csv' };
    const path = '/api/licenses/import?from=edd&product=';
    const theirs = await eve.send(`${path}dex`, { method: 'POST', headers, body: rows('Dex') });
    expect(theirs.body, theirs.text).to.include({ imported: 30 });
    const own = await eve.send(`${path}dex&dry_run=true`, { method: 'POST', headers, body: rows('Dex') });
    expect(own.body.check.faults, own.text).to.have.lengthOf(30);
    const file = rows('Jar').replace(`${alias(3)},`, 'a-new-key-of-ada,');
    const checked = await send('from=edd&product=jar&dry_run=true', file);
    const { faults, licenses } = checked.body.check;
    expect(faults.slice(0, 20).map(({ line }: { line: number }) => line)).to.deep.equal(
      all.slice(0, 21).flatMap((n) => (n === 3 ? [] : [n + 2])),
    );
    expect(faults.slice(20).map(({ message }: { message: string }) => message)).to.deep.equal([
      'The file has 20 keys or aliases of licenses that are not yours. The rest of it was not read.',
    ]);
    expect(licenses.map(({ line }: { line: number }) => line)).to.deep.equal([5]);
    const refused = await send('from=edd&product=jar', file);
    expect(refused.body.error.faults, refused.text).to.deep.equal(faults);
    const found = { licenses: 1, faults: 21, of_others: 20 };
    expect((await checks()).slice(-2)).to.deep.equal(
      [false, true].map((is_import) => ({ subject: ada.user.email, actor: ada.user.email, ...found, is_import })),
    );
    expect(await service.rows('licenses')).to.have.lengthOf(30);
    for (const _ of [3, 4, 5]) expect((await send('from=edd&product=jar&dry_run=true', file)).status).to.equal(200);
    for (const query of ['from=edd&product=jar&dry_run=true', 'from=edd&product=jar']) {
      const { status, body, headers } = await send(query, file);
      expect([status, body.error?.message]).to.deep.equal([
        409,
        'Your files have had 100 keys or aliases of licenses that are not yours. Try again tomorrow.',
      ]);
      expect(Number(headers.get('Retry-After'))).to.be.within(86_000, 86_400);
    }
    service.clock.advance(86_400_000);
    expect((await send('from=edd&product=jar&dry_run=true', file)).status).to.equal(200);
  });

  it('a dry run of files of our own form changes nothing either', async () => {
    const before = await stored();
    const { body, text } = await send('dry_run=true', 'product,domains\njar,a.example.com\nnone,\n');
    expect(body.check, text).to.deep.include({
      licenses: [{ line: 2, product: 'jar', status: 'active', max_domains: 1, expires_at: null, domains: 1 }],
      faults: [{ line: 3, message: 'product "none": No product has this id or slug.' }],
    });
    expect(await stored()).to.deep.equal(before);
  });

  it('200 for many lines, with a check that lists few of them', async function () {
    if (!runsLong) this.skip();
    const count = 10_000;
    const file = edd(...Array.from({ length: count }, (_, n) => `long-key-of-theirs-${n},active,,Jar,,3,`));
    const { body, text } = await send('from=edd&product=jar&dry_run=true', file);
    expect(body.check?.licenses, text).to.have.lengthOf(100);
    expect(body.check.more_licenses).to.equal(count - 100);
    expect(text.length).to.be.lessThan(50_000);
    expect((await send('from=edd&product=jar', file)).body).to.include({ imported: count });
  });
});
