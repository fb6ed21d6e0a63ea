import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { t } from '../../../apps/wiring/tokens.ts';
import { event } from '../../../core/events/event.ts';
import { blankProduct } from '../../../core/marketplace/product.ts';
import { type Account, type AccountService, startAccountService } from '../../adapters/http/account/account-service.ts';
import { by } from '../../support/by.ts';
import { type Computer, makeComputer } from '../../support/cli.ts';
import { deferred } from '../../support/deferred.ts';
import { issuedAt, newProduct } from '../../support/license-acts.ts';
import { itLong } from '../../support/required-service.ts';

describe('latchkey licenses import', () => {
  let service: AccountService;
  let seller: Account;
  let computer: Computer;
  let door: Server;
  /** What the door does with the answer to the next import: its connection breaks, or nobody gets the answer. */
  let fate: 'broken' | 'held' | undefined;
  let imported: ReturnType<typeof deferred<void>>;
  let imports: number;

  beforeEach(async () => {
    service = await startAccountService();
    seller = await service.account('pro');
    const product = newProduct({ slug: 'jar', title: 'Jar', ownerId: seller.user.id, isLive: true, ...blankProduct });
    const products = await service.parts.get(t.productStore);
    await products.add(product, (slug) => event('product.added', slug, by, issuedAt));
    fate = undefined;
    imported = deferred<void>();
    imports = 0;
    door = createServer(async (asked, answer) => {
      const { method = '', url = '', headers } = asked;
      const body = await buffer(asked);
      const isImport = method === 'POST';
      if (isImport) imports += 1;
      const behind = request(service.url + url, { method, headers }, async (response) => {
        const content = await buffer(response);
        const now = isImport ? fate : undefined;
        if (isImport) fate = undefined;
        if (now === undefined) answer.writeHead(response.statusCode ?? 0, response.headers).end(content);
        if (now === 'broken') asked.socket.destroy();
        if (isImport) imported.resolve();
      });
      behind.end(body);
    });
    await once(door.listen(0, '127.0.0.1'), 'listening');
    const { port } = door.address() as AddressInfo;
    computer = await makeComputer({ LATCHKEY_URL: `http://127.0.0.1:${port}`, LATCHKEY_API_KEY: seller.key });
    await writeFile(computer.folder.file('in.csv'), 'product\njar\njar\n');
  });
  afterEach(async () => {
    door.closeAllConnections();
    await new Promise((resolve) => door.close(resolve));
    await service.close();
    await computer.folder.remove();
  });

  const run = (...more: string[]) => computer.run(['licenses', 'import', ...more]);
  const licenses = async () => (await service.rows('licenses')).length;

  itLong('imports the same content once, wherever it comes from, and says so', async () => {
    expect(await run('in.csv')).to.include({ code: 0, stdout: 'Imported 2, left out 0.\n', stderr: '' });
    const stdin = { stdin: 'product\njar\njar\n' };
    const second = await computer.run(['licenses', 'import', '-'], stdin);
    expect(second).to.include({ code: 0, stdout: 'Imported 2, left out 0.\n' });
    expect(second.stderr).to.include('imported before').and.include('--idempotency-key');
    expect(await licenses()).to.equal(2);
    expect((await run('in.csv', '--idempotency-key', 'other')).stderr).to.equal('');
    expect(await licenses()).to.equal(4);
  });

  itLong('returns the result if the connection breaks before the answer, and sends the file only once', async () => {
    fate = 'broken';
    const { code, stdout, stderr } = await run('in.csv', '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({ success: true, imported: 2, left_out: 0, passed_over: 0 });
    expect([await licenses(), imports]).to.deep.equal([2, 1]);
  });

  itLong('says after Ctrl+C what the server does and how to go on', async () => {
    fate = 'held';
    const { child, ended } = computer.start(['licenses', 'import', 'in.csv']);
    await imported.promise;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('All 2 licenses were added').and.include('Run the same command again');
    expect(await run('in.csv')).to.include({ code: 0, stdout: 'Imported 2, left out 0.\n' });
    expect(await licenses()).to.equal(2);
  });

  itLong('fails at once if another import runs', async () => {
    const running = await (await service.parts.get(t.licenseImports)).begin('imported', by, issuedAt);
    const { code, stderr } = await run('in.csv');
    expect(code, stderr).to.equal(4);
    expect(stderr).to.include('Another import is running');
    if ('undo' in running) await running.undo();
  });

  itLong('checks an export of another system with --dry-run, and imports it without', async () => {
    const file = computer.folder.file('keys.json');
    const attributes = { key: 'a-key-of-lemons', status: 'active', product_id: 5, expires_at: '2099-01-31T10:00:00Z' };
    await writeFile(file, JSON.stringify({ data: [{ attributes }, { attributes: { ...attributes, key: '' } }] }));
    const args = ['licenses', 'import', file, '--from', 'lemonsqueezy', '--product', 'jar'];
    const checked = await computer.run([...args, '--dry-run']);
    expect(checked.code, checked.stderr).to.equal(0);
    expect(checked.stdout).to.include('License 2 is passed over: It has no license key.');
    expect(checked.stdout).to.include('Nothing was changed. Licenses: 1, faults: 0, passed over: 1.');
    expect(await service.rows('licenses')).to.deep.equal([]);
    const imported = await computer.run(args);
    expect(imported.stdout, imported.stderr).to.include('Imported 1, left out 0, passed over 1 (--dry-run says why).');
    expect(await service.rows('license_aliases')).to.have.lengthOf(1);
    const wrong = await computer.run(['licenses', 'import', file, '--from', 'excel']);
    expect(wrong.code).not.to.equal(0);
  });

  itLong('names the licenses of a JSON file by their number if they are refused', async () => {
    const file = computer.folder.file('keys.json');
    const attributes = { key: 'a-key-of-lemons', status: 'active', product_id: 5 };
    await writeFile(file, JSON.stringify({ data: [{ attributes }, { attributes: { ...attributes, status: 'odd' } }] }));
    const { code, stderr } = await run(file, '--from', 'lemonsqueezy', '--product', 'jar');
    expect(code, stderr).to.equal(4);
    expect(stderr).to.include('License 2: ').and.not.include('Line');
    expect(await licenses()).to.equal(0);
  });

  itLong('sends a map that is as long as it may be', async () => {
    await writeFile(
      computer.folder.file('keys.csv'),
      'License Key,License Status,Product Name\na-key-of-theirs,active,Jar\n',
    );
    const others = Array.from({ length: 199 }, (_, n) => `${n} ${'x'.repeat(180)}=jar`);
    await writeFile(computer.folder.file('map.txt'), ['Jar=jar', ...others].join('\n'));
    const { stdout, stderr } = await run('keys.csv', '--from', 'edd', '--map-file', 'map.txt');
    expect(stdout, stderr).to.include('Imported 1, left out 0');
  });

  itLong('imports several products with --map and --map-file, and names those without one', async () => {
    const file = computer.folder.file('keys.csv');
    const rows = ['Jar', 'Pot', 'Cup'].map((name, n) => `a-key-of-theirs-${n},active,${name}\n`).join('');
    await writeFile(file, `License Key,License Status,Product Name\n${rows}`);
    await writeFile(computer.folder.file('map.txt'), 'Pot = jar\n');
    const args = [file, '--from', 'edd', '--map', 'Jar=jar', '--map', 'A=B=jar', '--map-file', 'map.txt'];
    const { stdout, stderr } = await run(...args, '--dry-run');
    expect(stdout, stderr).to.include('No --map for "Cup": 1 passed over.').and.to.include('Licenses: 2, faults: 0');
    expect((await run(...args)).stdout).to.include('Imported 2, left out 0, passed over 1');
    expect(await licenses()).to.equal(2);
    expect((await run(file, '--from', 'edd', '--map', 'Jar')).code).not.to.equal(0);
  });
});
