import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { by, operator } from '../../../support/by.ts';
import { eventually } from '../../../support/eventually.ts';
import { good } from '../../../support/good.ts';
import type { Answer } from '../../../support/http-client.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';
import { addOwnProduct } from './own-product.ts';

const path = '/api/licenses';
const start = Date.UTC(2026, 0, 1);
const key = (n: number) => `LIC-FILE-0000-0000-${String(n).padStart(4, '0')}`;

describe('files of licenses over the account API', () => {
  let service: AccountService;
  let ada: Account;
  let adaTest: Account;
  let eve: Account;
  beforeEach(async () => {
    service = await startAccountService();
    [ada, eve] = [await service.account(), await service.account()];
    adaTest = await service.keyOf(ada.user, { mode: 'test' });
    await addOwnProduct(service, 'jar', ada);
    await addOwnProduct(service, 'test-jar', ada, 'test');
    await addOwnProduct(service, 'dex', eve);
  });
  afterEach(() => service.close());

  const send = (account: Account, body: string | Buffer, headers: Record<string, string> = {}) =>
    account.send(`${path}/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', ...headers },
      body: Buffer.from(body),
    });
  const exported = async (account: Account, query = '') => {
    const { status, text, headers } = await account.send(`${path}/export${query}`);
    expect(status, text).to.equal(200);
    return { lines: text.split('\r\n').slice(0, -1), text, headers };
  };
  const codeOf = ({ status, body }: Answer) => [status, body.error?.code];
  const nothingLeft = async () => {
    expect(await service.rows('license_imports')).to.deep.equal([]);
    expect(await service.rows('license_import_lines')).to.deep.equal([]);
    expect(await service.database.read((knex) => knex('license_import_hosts').select())).to.deep.equal([]);
    expect((await service.files()).filter((name) => /[\da-f-]{36}$/.test(name))).to.deep.equal([]);
  };

  itLong('bring keys of other systems, which verify, and do not show the license key', async () => {
    const lines = ['key,product,alias,alias_kind,domains', `${key(1)},jar,38b1460a-5104,lemonsqueezy,a.example.com`];
    const answer = await send(ada, [...lines, 'EDD-0123456789,jar,,edd,b.example.com'].join('\n'));
    expect(answer.body).to.deep.equal({ success: true, imported: 2, left_out: 0, passed_over: 0 });
    for (const [text, domain] of [
      ['38B1460A-5104', 'a.example.com'],
      ['EDD-0123456789', 'b.example.com'],
    ]) {
      const { body } = await service.send(`/verify?license_key=${text}&domain=${domain}`);
      expect(body, text).to.include({ valid: true });
      expect(JSON.stringify(body)).to.not.include('LIC-');
    }
    const again = await send(ada, 'product,alias\njar,edd-0123456789\n');
    expect(again.body.error.faults).to.deep.equal([
      { line: 2, message: 'alias "edd-0123456789": A license already has this alias.' },
    ]);
    await nothingLeft();
  });

  itLong('are imported with all cells, found by their texts, and valid on their domains', async () => {
    const answer = await send(
      ada,
      [
        'key,product,max_domains,expires_at,status,holder_email,holder_name,reference,metadata,domains',
        `${key(1)},jar,3,2999-01-31,active,grace@example.com,Grace Hopper,order-1,"{""plan"":""gold""}",a.example.com@2025-01-31T10:00:00Z b.example.com`,
        ',jar,,,,,,keyless,,',
      ].join('\r\n'),
    );
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      { success: true, imported: 2, left_out: 0, passed_over: 0 },
    ]);
    const { license } = (await ada.send(`${path}/${key(1)}`)).body;
    expect(license).to.deep.include({
      status: 'active',
      max_domains: 3,
      domains_used: 2,
      holder: { email: 'grace@example.com', name: 'Grace Hopper' },
      reference: 'order-1',
      metadata: { plan: 'gold' },
    });
    for (const q of ['grace@', 'hopper', 'order-1', 'b.example']) {
      const found = (await ada.send(`${path}?q=${q}`)).body.data;
      expect(
        found.map((one: { key: string }) => one.key),
        q,
      ).to.deep.equal([key(1)]);
    }
    const verified = await service.send(`/verify?license_key=${key(1)}&domain=a.example.com`);
    expect(verified.body).to.include({ valid: true });
    const [keyless] = (await ada.send(`${path}?q=keyless`)).body.data;
    expect(keyless.key).to.match(/^LIC-/);
    const [added] = (await ada.send(`${path}/${key(1)}/events`)).body.data;
    expect(added).to.deep.include({ type: 'license.imported', data: { standing: 'active', domains: 2 } });
    await nothingLeft();
  });

  itLong('are exported so that an import on another server gives the same licenses', async () => {
    const odd = ['=1+1', "'=x", '@x', 'a,b', 'a "b"', 'a\nb', 'a\r\nb', "'", '+49 1', 'grüße 😀'];
    for (const [n, text] of odd.entries()) {
      const { status, text: says } = await ada.post(path, {
        product: 'jar',
        max_domains: n + 2,
        ...(n % 2 && { expires_at: '2030-01-31T10:00:00.123Z' }),
        holder: { name: text, email: n % 3 ? null : `+${n}@example.com` },
        reference: text,
        metadata: { [text]: text },
      });
      expect(status, says).to.equal(200);
    }
    const first = await exported(ada);
    const keys = first.text.match(/LIC-[\w-]+/g) ?? [];
    await ada.post(`${path}/${keys[0]}/suspend`, {});
    await ada.post(`${path}/${keys[1]}/revoke`, {});
    for (const domain of ['z.example.com', 'a.example.com']) {
      await service.send('/activate', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ license_key: keys[2], domain }),
      });
    }
    const { text, headers } = await exported(ada);
    expect(text).to.not.equal(first.text);
    expect(text).to.match(/z\.example\.com@[\d:.TZ-]+ a\.example\.com@/);
    expect(headers.get('Content-Type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('Content-Disposition')).to.equal('attachment; filename="licenses.csv"');
    await using other = await startAccountService();
    const bob = await other.account();
    await addOwnProduct(other, 'jar', bob);
    const answer = await bob.send(`${path}/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv; charset=utf-8' },
      body: text,
    });
    expect(answer.body).to.deep.equal({ success: true, imported: odd.length, left_out: 0, passed_over: 0 });
    expect((await bob.send(`${path}/export`)).text).to.equal(text);
    for (const one of keys) {
      const shown = async (account: Account) => {
        const { created_at: _, product: __, ...rest } = (await account.send(`${path}/${one}`)).body.license;
        return rest;
      };
      expect(await shown(bob)).to.deep.equal(await shown(ada));
    }
  });

  itLong('are exported by product, status and expiry, and never those of others or of the other mode', async () => {
    await addOwnProduct(service, 'lid', ada);
    await send(
      ada,
      `key,product,status,expires_at\n${key(1)},jar,active,\n${key(2)},lid,suspended,2030-01-01\n${key(3)},jar,expired,2020-01-01\n`,
    );
    await send(eve, `key,product\n${key(4)},dex\n`);
    await send(adaTest, `key,product\n${key(5)},test-jar\n`);
    const keysOf = async (account: Account, query = '') =>
      (await exported(account, query)).lines.slice(1).map((line) => line.slice(0, key(1).length));
    expect(await keysOf(ada)).to.deep.equal([key(1), key(2), key(3)]);
    expect(await keysOf(ada, '?product=jar')).to.deep.equal([key(1), key(3)]);
    expect(await keysOf(ada, '?product=dex')).to.deep.equal([]);
    expect(await keysOf(ada, '?status=suspended')).to.deep.equal([key(2)]);
    expect(await keysOf(ada, '?status=expired&product=jar')).to.deep.equal([key(3)]);
    expect(await keysOf(ada, '?expires_before=2029-01-01T00:00:00Z')).to.deep.equal([key(3)]);
    expect(await keysOf(adaTest)).to.deep.equal([key(5)]);
    expect(codeOf(await ada.send(`${path}/export?status=gone`))).to.deep.equal([422, 'VALIDATION_ERROR']);
  });

  it('return 422 with the lines of at most 100 faults and the number of the others, and import nothing', async () => {
    const { status, body } = await send(ada, `key,product\n${key(1)},jar\n${'LIC-X,jar\n'.repeat(130)}`);
    expect([status, body.error.code, body.error.more_faults]).to.deep.equal([422, 'VALIDATION_ERROR', 30]);
    expect(body.error.faults).to.have.lengthOf(100);
    expect(body.error.faults[0]).to.deep.equal({
      line: 3,
      message: 'key "LIC-X": A license key looks like LIC-XXXX-XXXX-XXXX-XXXX.',
    });
    expect((await exported(ada)).lines).to.have.lengthOf(1);
    await nothingLeft();
  });

  it('return the same 422 for products of others, of the other mode and for unknown ones', async () => {
    const { body } = await send(ada, 'product\ndex\ntest-jar\nnone\n');
    expect(body.error.faults).to.deep.equal(
      ['dex', 'test-jar', 'none'].map((name, index) => ({
        line: index + 2,
        message: `product "${name}": No product has this id or slug.`,
      })),
    );
  });

  itLong(
    'return 422 for archived products, bundles, keys in use, too many domains, and domains of a license that has not started',
    async () => {
      await addOwnProduct(service, 'old', ada, 'live', { archivedAt: start });
      const { id } = await addOwnProduct(service, 'cup', ada);
      const bundle = [{ productId: id, offer: null }];
      await addOwnProduct(service, 'both', ada, 'live', { zip: null, version: null, bundle });
      await addOwnProduct(service, 'dev', ada, 'live', {
        terms: {
          maxDomains: 1,
          duration: null,
          movesPerMonth: 3,
          rotationsPerYear: 0,
          leaseHours: 168,
          onRefund: 'revoke',
          ...{ domainProof: 'never', deactivation: 'key', coolDownHours: 24 },
          hosts: { localHostsAreFree: true, previewHosts: [], wwwIsApex: true },
        },
      });
      await send(eve, `key,product\n${key(1)},dex\n`);
      const many = Array.from({ length: 21 }, (_, n) => `h${n}.localhost`).join(' ');
      const file = [
        'key,product,max_domains,days_from_activation,domains',
        ',old,,,',
        `${key(1)},jar,,,`,
        `${key(2)},jar,,,`,
        `${key(2)},jar,,,`,
        ',jar,1,,a.example.com;b.example.com',
        ',jar,1,30,a.example.com',
        `,dev,1,,${many}`,
        ',both,,,',
      ];
      const { body } = await send(ada, file.join('\n'));
      expect(
        body.error.faults.map(({ line, message }: { line: number; message: string }) => `${line}: ${message}`),
      ).to.deep.equal([
        '2: product "old": The product is archived.',
        `3: key "${key(1)}": A license already has this key.`,
        `5: key "${key(2)}": Line 4 already has this key.`,
        '6: domains: There are 2, but max_domains is 1.',
        '7: days_from_activation: A license with domains has started already. It needs an expires_at instead.',
        '8: domains: At most 20 of them can take no slot, but 21 do.',
        '9: product "both": A bundle has no licenses of its own. Issue them for its products.',
      ]);
      const good = await send(
        ada,
        `key,product,domains\n${key(3)},dev,"www.example.com example.com x.localhost [::1]"\n`,
      );
      expect(good.status, good.text).to.equal(200);
      const { license } = (await ada.send(`${path}/${key(3)}`)).body;
      expect([license.domains_used, license.domains.map((one: { domain: string }) => one.domain).sort()]).to.deep.equal(
        [1, ['[::1]', 'example.com', 'x.localhost']],
      );
    },
  );

  itLong('return 422 with one fault for files that are no CSV in UTF-8', async () => {
    const files = [
      '',
      '\0\0',
      Buffer.from('key,product\n', 'utf16le'),
      Buffer.from('product\nj\xf6r\n', 'latin1'),
      'a;b\n',
    ];
    for (const file of files) {
      const { status, body } = await send(ada, file);
      expect([status, body.error.faults?.length, body.error.more_faults], String(file)).to.deep.equal([422, 1, 0]);
    }
    await nothingLeft();
  });

  itLong('return 415 for another media type or encoding, and accept a compressed body', async () => {
    for (const type of ['application/json', 'application/xml', 'text/csv; charset=utf-16']) {
      expect(codeOf(await send(ada, 'product\njar\n', { 'Content-Type': type })), type).to.deep.equal([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ]);
    }
    expect(codeOf(await send(ada, 'x', { 'Content-Encoding': 'zstd' }))).to.deep.equal([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const zipped = await send(ada, gzipSync('product\njar\n'), { 'Content-Encoding': 'gzip' });
    expect(zipped.body).to.include({ imported: 1 });
  });

  itLong('return 422 for a field of a form that belongs into the address, and import nothing', async () => {
    const form = new FormData();
    form.set('dry_run', 'true');
    form.set('file', new File(['product\njar\n'], 'licenses.csv'));
    const { status, body } = await ada.send(`${path}/import`, { method: 'POST', body: form });
    expect([status, body.error.fields]).to.deep.equal([422, { dry_run: ['There is no such field.'] }]);
    await nothingLeft();
  });

  itLong('return 400 for a compressed body that is damaged', async () => {
    const damaged = gzipSync('product\njar\n').subarray(0, 15);
    expect(codeOf(await send(ada, damaged, { 'Content-Encoding': 'gzip' }))).to.deep.equal([400, 'BAD_REQUEST']);
    await nothingLeft();
  });

  itLong('return 413 for a file that is larger than MAX_CSV_SIZE, also if it is compressed', async () => {
    await using small = await startAccountService({ MAX_CSV_SIZE: '1000' });
    const bob = await small.account();
    await addOwnProduct(small, 'jar', bob);
    const file = `product,reference\n${'jar,x\n'.repeat(500)}`;
    expect(codeOf(await send(bob, file))).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    expect(codeOf(await send(bob, gzipSync(file), { 'Content-Encoding': 'gzip' }))).to.deep.equal([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
    expect((await small.files()).filter((name) => /[\da-f-]{36}$/.test(name))).to.deep.equal([]);
    expect((await send(bob, 'product\njar\n')).status).to.equal(200);
  });

  it('return 401 without a key and 403 without the scope', async () => {
    const post = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'product\njar\n' };
    expect((await service.send(`${path}/import`, post)).status).to.equal(401);
    expect((await service.send(`${path}/export`)).status).to.equal(401);
    const reader = await service.keyOf(ada.user, { scopes: ['licenses:read'] });
    expect(codeOf(await send(reader, 'product\njar\n'))).to.deep.equal([403, 'FORBIDDEN']);
    expect((await reader.send(`${path}/export`)).status).to.equal(200);
    const writer = await service.keyOf(ada.user, { scopes: ['licenses:write'] });
    expect(codeOf(await writer.send(`${path}/export`))).to.deep.equal([403, 'FORBIDDEN']);
  });

  itLong('return 409 while another import runs', async () => {
    const begun = await (await service.parts.get(t.licenseImports)).begin('imported', by, start);
    if (isRefused(begun)) throw new Error(begun.detail);
    const refused = await send(ada, 'product\njar\n', { 'Idempotency-Key': 'again' });
    expect(codeOf(refused)).to.deep.equal([409, 'CONFLICT']);
    expect(refused.body.error.message).to.include('Wait until it has finished');
    await begun.undo();
    expect((await send(ada, 'product\njar\n', { 'Idempotency-Key': 'again' })).status).to.equal(200);
  });

  it('are imported once for each Idempotency-Key, also without license keys', async () => {
    const once = { 'Idempotency-Key': createHash('sha256').update('x').digest('hex') };
    const first = await send(ada, 'product\njar\n', once);
    const second = await send(ada, 'product\njar\n', once);
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    expect(codeOf(await send(ada, 'product\njar\njar\n', once))).to.deep.equal([422, 'VALIDATION_ERROR']);
    expect((await exported(ada)).lines).to.have.lengthOf(2);
  });

  itLong('tell how far they are, to their account and in their mode only', async () => {
    const asked = (account: Account, idempotency_key = 'mine') => account.get(`${path}/import`, { idempotency_key });
    expect(codeOf(await asked(ada))).to.deep.equal([404, 'NOT_FOUND']);
    expect(codeOf(await send(ada, 'product\nnone\n', { 'Idempotency-Key': 'mine' }))[0]).to.equal(422);
    expect(codeOf(await asked(ada))).to.deep.equal([404, 'NOT_FOUND']);
    await send(ada, 'product\njar\njar\n', { 'Idempotency-Key': 'mine' });
    const ended = { success: true, state: 'done', lines: 2, imported: 2, left_out: 0, passed_over: 0 };
    expect((await asked(ada)).body).to.deep.equal(ended);
    for (const other of [eve, adaTest]) expect(codeOf(await asked(other))).to.deep.equal([404, 'NOT_FOUND']);
    for (const wrong of ['', 'x'.repeat(256)]) {
      expect(codeOf(await asked(ada, wrong))).to.deep.equal([422, 'VALIDATION_ERROR']);
    }
    await service.database.write((trx) => trx('idempotency').update({ status: 503, body: '{}' }));
    expect((await asked(ada)).body).to.include({ state: 'unknown', imported: 0 });
    service.clock.advance(24 * 3_600_000 + 1);
    expect(codeOf(await asked(ada))).to.deep.equal([404, 'NOT_FOUND']);
  });

  itLong('are finished by the same request, which gets their answer, if they were interrupted', async () => {
    const headers = { 'Idempotency-Key': 'mine' };
    const file = 'product\njar\njar\n';
    await service.database.write((trx) =>
      trx.raw("CREATE TEMP TRIGGER broken BEFORE INSERT ON main.licenses BEGIN SELECT RAISE(ABORT, 'broken'); END"),
    );
    const first = await send(ada, file, headers);
    expect([first.status, first.headers.get('Retry-After')]).to.deep.equal([503, null]);
    expect((await ada.get(`${path}/import`, { idempotency_key: 'mine' })).body).to.include({
      state: 'adding',
      lines: 2,
    });
    await service.database.write((trx) => trx.raw('DROP TRIGGER broken'));
    const second = await send(ada, file, headers);
    expect(second.body).to.deep.equal({ success: true, imported: 2, left_out: 0, passed_over: 0 });
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    expect((await exported(ada)).lines).to.have.lengthOf(3);
    await nothingLeft();
  });

  itLong(
    'leave nothing if the client disconnects during the upload, and the account can send the next one',
    async () => {
      const { port } = new URL(service.url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `POST ${path}/import HTTP/1.1\r\nHost: x\r\nX-API-Key: ${ada.key}\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\nproduct\njar\n`,
      );
      const isStaged = async () => (await service.files()).some((name) => /[\da-f-]{36}$/.test(name));
      await eventually('the file is on the disk', isStaged);
      expect(codeOf(await send(ada, 'product\njar\n'))).to.deep.equal([409, 'CONFLICT']);
      socket.destroy();
      await eventually('the file is deleted', async () => !(await isStaged()));
      await nothingLeft();
      expect((await exported(ada)).lines).to.have.lengthOf(1);
      expect((await send(ada, 'product\njar\n')).status).to.equal(200);
    },
  );

  itLong('are exported for administrators with the licenses of all products of the mode', async () => {
    good(await (await service.parts.get(t.userAdministration)).setRole(eve.user.email, 'admin', operator));
    await send(ada, `key,product\n${key(1)},jar\n`);
    await send(eve, `key,product\n${key(2)},dex\n${key(3)},jar\n`);
    expect((await exported(eve)).lines).to.have.lengthOf(4);
    expect((await exported(ada)).lines).to.have.lengthOf(3);
  });
});
