import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import stringWidth from 'string-width';
import { pages } from '../../apps/cli/commands/open.ts';
import type { Account } from '../adapters/http/account/account-service.ts';
import { type DashboardService, startDashboardService } from '../adapters/http/dashboard/dashboard-service.ts';
import { operator } from '../support/by.ts';
import { type Computer, makeComputer } from '../support/cli.ts';
import { payable, placeOrder, placeSubscription } from '../support/placed-orders.ts';
import { itLong } from '../support/required-service.ts';
import { pngOf, zipOf } from '../support/samples.ts';

const esc = '\u001b';

describe('the program latchkey', () => {
  let service: DashboardService;
  let seller: Account;
  let computer: Computer;
  before(async () => {
    service = await startDashboardService(payable);
    seller = await service.account('pro');
  });
  after(() => service.close());
  beforeEach(async () => {
    computer = await makeComputer({ LATCHKEY_URL: service.url });
  });
  afterEach(() => computer.folder.remove());

  const credentials = () => computer.folder.file('.config/latchkey/credentials.json');
  const withKey = () => ({ env: { LATCHKEY_API_KEY: seller.key } });
  /** Runs a command with the key of the seller. Returns its output. */
  async function ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await computer.run(args, withKey());
    expect(code, stderr).to.equal(0);
    return stdout;
  }
  const json = async (...args: string[]) => JSON.parse(await ok(...args, '--json'));
  async function failing(code: number, ...args: string[]): Promise<string> {
    const ending = await computer.run(args, withKey());
    expect([ending.code, ending.stdout], ending.stderr).to.deep.equal([code, '']);
    return ending.stderr;
  }
  const write = async (name: string, content: string | Buffer) => {
    const path = computer.folder.file(name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  async function publish(title: string): Promise<void> {
    await write('a.zip', await zipOf([{ name: 'README.md', content: 'Hi' }]));
    await write('a.png', pngOf());
    await write('latchkey.json', JSON.stringify(listingOf(title)));
    await ok('publish');
  }
  const listingOf = (title: string) => ({
    title,
    module: 'token',
    tagline: 'Mints',
    description: 'A token that mints what you want.',
    price: '49.90',
    tags: ['defi'],
    zip: 'a.zip',
    thumbnail: 'a.png',
  });

  describe('signs in', () => {
    it('warns once, on standard error, with each command that sends the key without encryption', async () => {
      const server = `http://0.0.0.0:${new URL(service.url).port}`;
      const warning = `Warning: ${server} is not encrypted. Others can read your key on its way.`;
      const { key } = await service.keyOf(seller.user);
      const warnings = (stderr: string) => stderr.split('\n').filter((line) => line === warning).length;
      const login = await computer.run(['login', '--with-token', '--server', server], { stdin: key });
      expect([login.code, warnings(login.stderr)]).to.deep.equal([0, 1]);
      const commands = [['whoami'], ['products', 'list', '--limit', '200'], ['whoami', '--json'], ['logout']];
      for (const command of commands) {
        const { code, stdout, stderr } = await computer.run([...command, '--server', server]);
        expect([code, warnings(stderr)], command.join(' ')).to.deep.equal([0, 1]);
        if (command.includes('--json')) expect(JSON.parse(stdout)).to.include({ server });
      }
      expect((await computer.run(['whoami'], withKey())).stderr, 'to this computer').to.equal('');
    });

    it('with a key from standard input, keeps it in a file that only its owner can read, and revokes it', async () => {
      const own = await service.keyOf(seller.user);
      const login = await computer.run(['login', '--with-token'], { stdin: `${own.key}\n` });
      expect(login.code, login.stderr).to.equal(0);
      expect(login.stdout).to.include(seller.user.email).and.not.include(own.key);
      expect((await stat(credentials())).mode & 0o777).to.equal(0o600);
      expect(await readdir(join(credentials(), '..'))).to.deep.equal(['credentials.json']);
      const me = await computer.run(['whoami', '--json']);
      expect(JSON.parse(me.stdout)).to.include({ server: service.url, email: seller.user.email, tier: 'pro' });
      expect((await computer.run(['logout'])).code).to.equal(0);
      expect((await own.get('/api/auth/me')).status).to.equal(401);
      const after = await computer.run(['whoami']);
      expect([after.code, after.stdout]).to.deep.equal([3, '']);
      expect(after.stderr).to.include('latchkey login --server');
    });

    itLong('with a code that a person approves on the page', async () => {
      const ada = await service.signedInUser();
      const login = computer.start(['login', '--name', 'My laptop', '--scopes', 'account:read,licenses:read']);
      const [, code = ''] = await login.printed(/\b([A-Z]{4}-[A-Z]{4})\b/);
      await login.printed(/\/device\b/);
      const page = await ada.browser.follow(await ada.browser.fill('/device', { code }));
      expect(page.text).to.include('My laptop').and.include('read the licenses of own products');
      await ada.browser.submit(page, {}, 'Approve');
      const { code: exit, stdout, stderr } = await login.ended;
      expect(exit, stderr).to.equal(0);
      expect(stdout).to.include(`as ${ada.email}`);
      expect((await computer.run(['licenses', 'list'])).code).to.equal(0);
      const refused = await computer.run(['templates', 'list']);
      expect(refused.code).to.equal(4);
      expect(refused.stderr).to.include('lacks the scope templates:read').and.include('latchkey login');
    });

    itLong('not if the person denies it', async () => {
      const ada = await service.signedInUser();
      const login = computer.start(['login']);
      const [, code = ''] = await login.printed(/\b([A-Z]{4}-[A-Z]{4})\b/);
      await ada.browser.submit(await ada.browser.get(`/device/approve?code=${code}`), {}, 'Deny');
      expect((await login.ended).code).to.equal(4);
      expect((await computer.run(['whoami'])).code).to.equal(3);
    });

    itLong('to several servers, one entry each, and uses the last one if none is named', async () => {
      const alias = service.url.replace('localhost', '127.0.0.1');
      for (const server of [service.url, alias]) {
        const own = await service.keyOf(seller.user);
        await computer.run(['login', '--with-token', '--server', server], { stdin: own.key });
      }
      const { servers } = JSON.parse(await readFile(credentials(), 'utf8'));
      expect(Object.keys(servers)).to.deep.equal([service.url, alias]);
      const none = { env: { LATCHKEY_URL: '' } };
      expect(JSON.parse((await computer.run(['whoami', '--json'], none)).stdout).server).to.equal(alias);
      await computer.run(['logout', '--server', alias]);
      expect(JSON.parse((await computer.run(['whoami', '--json'], none)).stdout).server).to.equal(service.url);
    });

    it('not with a file that others can read, and says what to do', async () => {
      await computer.run(['login', '--with-token'], { stdin: (await service.keyOf(seller.user)).key });
      await chmod(credentials(), 0o640);
      for (const args of [['whoami'], ['login', '--with-token'], ['logout']]) {
        const { code, stderr } = await computer.run(args);
        expect(code, args.join(' ')).to.equal(3);
        expect(stderr).to.include(`chmod 600 ${credentials()}`);
      }
    });

    it('not with a wrong key', async () => {
      const login = await computer.run(['login', '--with-token'], { stdin: 'lk_sk_live_0' });
      expect(login.code).to.equal(3);
      expect((await computer.run(['login', '--with-token'], { stdin: '\n' })).code).to.equal(2);
    });

    it('with LATCHKEY_API_KEY before everything else', async () => {
      const other = await service.account();
      await computer.run(['login', '--with-token'], { stdin: (await service.keyOf(seller.user)).key });
      const me = await computer.run(['whoami', '--json'], { env: { LATCHKEY_API_KEY: other.key } });
      expect(JSON.parse(me.stdout).email).to.equal(other.user.email);
    });
  });

  describe('ends', () => {
    it('with 2 after wrong usage', async () => {
      for (const args of [
        ['nonsense'],
        ['licenses'],
        ['licenses', 'show'],
        ['licenses', 'list', '--limit', 'x'],
        ['licenses', 'list', '--key', 'lk_sk_live_x'],
        ['licenses', 'issue', 'jar', '--expires', 'soon'],
        ['licenses', 'renew', 'LIC-X', '--until', '2027-02-30'],
        ['deploy', 'register'],
        ['completion', 'tcsh'],
        ['open', 'nonsense'],
        [],
      ]) {
        expect(await failing(2, ...args), args.join(' ')).to.not.equal('');
      }
      const { code, stderr } = await computer.run(['whoami'], { env: { LATCHKEY_URL: '' } });
      expect(code).to.equal(2);
      expect(stderr).to.include('LATCHKEY_URL');
    });

    it('with 0 after help', async () => {
      for (const args of [['--help'], ['licenses', 'issue', '--help'], ['help', 'login'], ['--version']]) {
        expect((await computer.run(args)).code, args.join(' ')).to.equal(0);
      }
    });

    it('with 1 if the server cannot be reached, 3 if it does not know the key, 4 if it refuses', async () => {
      expect(await failing(1, 'whoami', '--server', 'http://127.0.0.1:1')).to.include('cannot be reached');
      const wrong = { env: { LATCHKEY_API_KEY: `lk_sk_live_${'0'.repeat(32)}` } };
      expect((await computer.run(['whoami'], wrong)).code).to.equal(3);
      await failing(4, 'templates', 'show', 'no-such-thing');
      expect(await failing(4, 'licenses', 'issue', 'no-such-thing')).to.match(/^Error: /);
    });

    itLong('with JSON on standard error for each kind of failure, if --json is given', async () => {
      const failure = async (code: number, ...args: string[]) => {
        const told = JSON.parse(await failing(code, ...args, '--json'));
        expect(Object.keys(told)).to.deep.equal(['error']);
        expect(told.error.message, args.join(' '))
          .to.be.a('string')
          .and.not.match(/^error|\n/);
        return told.error;
      };
      expect(await failure(4, 'templates', 'show', 'no-such-thing')).to.include({ code: 'NOT_FOUND' });
      expect((await failure(4, 'licenses', 'issue', 'jar', '--holder-email', 'x')).fields).to.have.property('holder');
      await write('in.csv', 'product\nno-such\n');
      expect((await failure(4, 'licenses', 'import', 'in.csv')).faults[0]).to.include({ line: 2 });
      expect(await failure(1, 'whoami', '--server', 'http://127.0.0.1:1')).to.include({ code: 'unreachable' });
      expect(await failure(1, 'upload', 'missing.zip')).to.include({ code: 'enoent' });
      expect((await failure(2, 'products', 'archive', 'jar')).advice).to.include('--yes');
      for (const args of [
        ['nonsense'],
        ['licenses'],
        ['licenses', 'show'],
        ['licenses', 'show', ''],
        ['licenses', 'list', '--limit', 'x'],
        [],
      ]) {
        expect(await failure(2, ...args), args.join(' ')).to.include({ code: 'wrong_usage' });
      }
      const unknown = await computer.run(['whoami', '--json']);
      expect([unknown.code, JSON.parse(unknown.stderr).error.code]).to.deep.equal([3, 'not_signed_in']);
      const wrong = await computer.run(['whoami', '--json'], { env: { LATCHKEY_API_KEY: 'lk_sk_live_0' } });
      expect([wrong.code, JSON.parse(wrong.stderr).error.code]).to.deep.equal([3, 'UNAUTHORIZED']);
    });

    it('and says where a key that the server refuses comes from, and the address', async () => {
      const own = await service.keyOf(seller.user);
      await computer.run(['login', '--with-token'], { stdin: own.key });
      const wrong = { LATCHKEY_API_KEY: 'lk_sk_live_0' };
      const told = async (env: Record<string, string>, ...args: string[]) =>
        (await computer.run(['whoami', ...args], { env })).stderr;
      expect(await told(wrong))
        .to.include('The key comes from LATCHKEY_API_KEY, and the address from LATCHKEY_URL.')
        .and.include('unset it');
      expect(await told({ ...wrong, LATCHKEY_URL: '' })).to.include(
        'LATCHKEY_API_KEY, and the address from your last sign-in.',
      );
      expect(await told(wrong, '--server', service.url)).to.include('LATCHKEY_API_KEY, and the address from --server.');
      await write('a.png', pngOf());
      expect((await computer.run(['upload', 'a.png'], { env: wrong })).stderr).to.include(
        'comes from LATCHKEY_API_KEY',
      );
      await service.accounts.revokeKey(String(own.keyId), operator);
      expect(await told({}))
        .to.include(`The key comes from your sign-in in ${credentials()}, and the address from LATCHKEY_URL.`)
        .and.not.include('LATCHKEY_API_KEY');
    });

    it('with 1 if a file is missing, and names it', async () => {
      expect(await failing(1, 'upload', 'missing.zip')).to.include('missing.zip');
    });
  });

  itLong('shows the last day on which a coupon is valid, as the pages do', async () => {
    const coupon = await json('coupons', 'new', '--percent', '10', '--ends', '2090-01-01T00:00:00Z');
    expect(await ok('coupons', 'list'))
      .to.include('VALID UNTIL')
      .and.include('2089-12-31');
    expect(await ok('coupons', 'show', String(coupon.id))).to.match(/Valid until\s+2089-12-31/);
    await ok('coupons', 'end', String(coupon.id), '--yes');
    expect(await ok('coupons', 'list')).to.not.include('2089-12-31');
  });

  itLong('lists, shows and downloads templates', async () => {
    await service.template({ slug: 'simple-dex', title: 'Simple DEX' });
    expect(await ok('templates', 'list')).to.match(/SLUG +TITLE.*\n(?:.*\n)*simple-dex +Simple DEX +defi-dex +free\n/);
    expect((await json('templates', 'list')).templates.map(({ slug }: { slug: string }) => slug)).to.include(
      'simple-dex',
    );
    expect(await ok('templates', 'show', 'simple-dex')).to.include('A template.');
    await ok('templates', 'download', 'simple-dex', '--out', 'dex.zip');
    expect((await readFile(computer.folder.file('dex.zip'))).toString('latin1', 0, 2)).to.equal('PK');
    expect(await failing(2, 'templates', 'download', 'simple-dex', '--out', 'dex.zip')).to.include('--force');
    await ok('templates', 'download', 'simple-dex', '--out', 'dex.zip', '--force');
    expect((await readdir(computer.folder.path)).filter((name) => name.includes('zip'))).to.deep.equal(['dex.zip']);
  });

  itLong('publishes from latchkey.json and flags, which win, and manages products', async () => {
    await publish('From file');
    expect((await json('products', 'show', 'from-file')).tags).to.deep.equal(['defi']);
    const { product } = await json('publish', '--title', 'From flags', '--price', '0');
    expect(product).to.include({ slug: 'from-flags', status: 'pending' });
    expect(await ok('products', 'list'))
      .to.include('from-flags')
      .and.include('from-file');
    expect(await ok('products', 'release', 'from-file', 'a.zip', '--number', '2.0', '--notes', 'New')).to.include(
      '2.0',
    );
    expect(await ok('products', 'versions', 'from-file')).to.match(/2\.0 .*New/);
    await ok('products', 'download', 'from-file', '--of', '2.0', '--out', 'b.zip');
    expect(await readFile(computer.folder.file('b.zip'))).to.deep.equal(await readFile(computer.folder.file('a.zip')));
    expect(await failing(2, 'products', 'delete-version', 'from-file', '1')).to.include('--yes');
    expect(await failing(4, 'products', 'delete-version', 'from-file', '2.0', '--yes')).to.include('newest');
    expect(await ok('products', 'delete-version', 'from-file', '1', '--yes')).to.include('Deleted version 1');
    expect(await ok('products', 'versions', 'from-file')).to.not.match(/^1 /m);
    expect(await failing(2, 'products', 'archive', 'from-flags')).to.include('--yes');
    expect(await ok('products', 'archive', 'from-flags', '--yes')).to.include('archived');
    expect(await ok('upload', 'a.png')).to.include('/media/');
  });

  it('checks files by the rules of the server before it sends them', async () => {
    await write('latchkey.json', JSON.stringify(listingOf('Bad')));
    await write('a.png', pngOf());
    await write('a.zip', (await zipOf([{ name: 'README.md', content: 'Hi' }])).subarray(0, -30));
    const rows = (await service.rows('products')).length;
    expect(await failing(1, 'publish')).to.include('a.zip cannot be sent');
    await write('a.zip', pngOf());
    expect(await failing(1, 'publish')).to.include('must be zip');
    await write('a.zip', 'nothing');
    expect(await failing(1, 'publish')).to.include('neither a zip nor');
    expect(await service.rows('products')).to.have.lengthOf(rows);
  });

  itLong('names what is missing if there is no terminal, and what the server refuses', async () => {
    expect(await failing(2, 'publish', '--title', 'X')).to.include(
      'module, tagline, description, price, zip, thumbnail',
    );
    await write('a.zip', await zipOf([{ name: 'README.md', content: 'Hi' }]));
    await write('a.png', pngOf());
    await write('latchkey.json', JSON.stringify({ ...listingOf('X'), price: 'much', description: 'short' }));
    expect(await failing(4, 'publish'))
      .to.include('  price: ')
      .and.include('  description: ');
  });

  itLong('issues licenses and changes them', async () => {
    await publish('Jar');
    const keys = (await ok('licenses', 'issue', 'jar', '--count', '2', '--holder-email', 'g@example.com'))
      .trim()
      .split('\n');
    expect(keys).to.have.lengthOf(2);
    const [key = '', other = ''] = keys;
    expect(await ok('licenses', 'list', '--product', 'jar'))
      .to.include(key)
      .and.include('g@example.com');
    expect(await json('licenses', 'list', '--product', 'jar', '--limit', '1')).to.have.lengthOf(1);
    expect(await ok('licenses', 'show', key)).to.include('active');
    expect(await ok('licenses', 'suspend', key, '--reason', 'Unpaid')).to.include('suspended');
    expect(await ok('licenses', 'explain', key, 'app.example.com')).to.include('Not valid on app.example.com');
    expect(await ok('licenses', 'reinstate', key)).to.include('active');
    expect(await failing(2, 'licenses', 'revoke', key)).to.include('--yes');
    expect(await ok('licenses', 'revoke', key, '--yes')).to.include('revoked');
    expect(await failing(4, 'licenses', 'suspend', key)).to.match(/^Error: /);
    const perpetual = (await json('licenses', 'issue', 'jar', '--expires', 'never', '--updates-until', 'never'))[0];
    expect([perpetual.expires_at, perpetual.updates_until]).to.deep.equal([null, null]);
    const { key: dated, expires_at: end } = (await json('licenses', 'issue', 'jar', '--expires', '2026-03-01'))[0];
    expect(end).to.equal('2026-03-01T23:59:59.999Z');
    expect((await json('licenses', 'renew', dated, '--until', '2027-03-01')).expires_at).to.equal(
      '2027-03-01T23:59:59.999Z',
    );
    await ok('licenses', 'export', '--product', 'jar', '--out', 'out.csv');
    const csv = await readFile(computer.folder.file('out.csv'), 'utf8');
    expect(csv).to.include(other);
    expect(await ok('licenses', 'export', '--product', 'jar')).to.equal(csv);
    await write('in.csv', 'product,holder_email\njar,new@example.com\n');
    expect(await ok('licenses', 'import', 'in.csv')).to.equal('Imported 1, left out 0.\n');
    await write('in.csv', 'product\nno-such\n');
    expect(await failing(4, 'licenses', 'import', 'in.csv')).to.include('Line 2: ');
  });

  itLong('sets the clock of a test license, and not that of a live one', async () => {
    await publish('Clock');
    const live = (await ok('licenses', 'issue', 'clock')).trim();
    expect(await failing(4, 'licenses', 'clock', live, '--advance', 'P1D')).to.include('A live license has no clock');
    const test = await service.keyOf(seller.user, { mode: 'test' });
    const asTest = async (...args: string[]) => {
      const { code, stdout, stderr } = await computer.run(args, { env: { LATCHKEY_API_KEY: test.key } });
      expect(code, stderr).to.equal(0);
      return stdout;
    };
    await asTest('publish');
    const key = (await asTest('licenses', 'issue', 'clock-2', '--expires', '2026-03-01')).trim();
    expect(await asTest('licenses', 'clock', key, '--advance', 'P400D', '--force', '503')).to.match(
      /expired.*400.*503/s,
    );
    expect(await asTest('licenses', 'clock', key, '--force', 'none')).to.include('as the license is');
    expect(await asTest('licenses', 'show', key)).to.include('Days ahead');
    expect(await failing(2, 'licenses', 'clock', key, '--force', 'x')).to.include('is none of');
  });

  itLong('adds webhooks and sends samples', async () => {
    await publish('Hooked');
    const webhook = await json(
      'webhooks',
      'create',
      '--url',
      'https://hooks.example.com/in',
      '--events',
      'license.issued',
    );
    expect(webhook.secret).to.match(/^whsec_/);
    expect(await ok('webhooks', 'list')).to.include('https://hooks.example.com/in');
    expect(await ok('webhooks', 'trigger', String(webhook.id), 'license.issued')).to.include('on its way');
    await failing(4, 'webhooks', 'create', '--url', 'http://localhost');
  });

  itLong('forwards new deliveries of a webhook to this computer, signed', async () => {
    await publish('Listened');
    const { id } = await json('webhooks', 'create', '--url', 'https://hooks.example.com/listened');
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(received.length === 1 ? 200 : 500).end();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = receiver.address() as AddressInfo;
      await ok('webhooks', 'trigger', String(id), 'license.revoked');
      const listening = computer.start(['webhooks', 'listen', String(id), '--forward', `http://127.0.0.1:${port}/in`], {
        env: { ...withKey().env, LATCHKEY_WEBHOOK_SECRET: secret },
      });
      await listening.printed(/Ready\./);
      for (const event of ['license.issued', 'license.renewed']) {
        await ok('webhooks', 'trigger', String(id), event);
      }
      await listening.printedToOutput(/license\.renewed .*500/);
      listening.child.kill('SIGINT');
      const { code, stdout } = await listening.ended;
      expect(code).to.equal(0);
      expect(stdout).to.match(/^license\.issued +\S+ +200\nlicense\.renewed +\S+ +500\n$/);
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
    expect(received).to.have.lengthOf(2);
    const stored = await service.rows('webhook_events');
    for (const { headers, body } of received) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(stored.map((row) => row.body)).to.include(body);
    }
  });

  it('refuses to listen to a webhook of somebody else', async () => {
    await failing(4, 'webhooks', 'listen', '999', '--forward', 'http://127.0.0.1:1');
    await failing(2, 'webhooks', 'listen', '1', '--forward', 'nonsense');
  });

  it('starts with little code: what few commands need is loaded when they run', async () => {
    const dist = fileURLToPath(new URL('../../apps/cli/dist/', import.meta.url));
    const atStart = new Set<string>();
    async function collect(name: string): Promise<void> {
      if (atStart.has(name)) return;
      atStart.add(name);
      const code = await readFile(join(dist, name), 'utf8');
      for (const [, next = ''] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) await collect(next);
    }
    await collect('latchkey.js');
    const sizes = await Promise.all([...atStart].map(async (name) => (await stat(join(dist, name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(110_000);
    expect((await readdir(dist)).length).to.be.greaterThan(atStart.size);
  });

  itLong('lists orders', async () => {
    await publish('Sold');
    await service.products.change('sold', 'approve', operator);
    const order = await placeOrder(service.parts, 'sold', { email: 'grace@example.com' });
    expect(await ok('orders', 'list', 'grace', '--product', 'sold')).to.match(
      new RegExp(`\\n${order.id} +paid +sold +grace@example.com +USD\\s49\\.90 +2026-`),
    );
    expect(await json('orders', 'list', '--status', 'refunded')).to.deep.equal([]);
    expect(await json('orders', 'list', '--since', '2099-01-01')).to.deep.equal([]);
    const shown = await ok('orders', 'show', String(order.id));
    expect(shown).to.match(/Buyer +grace@example\.com/);
    expect(shown).to.match(/Invoice +1: http.*\/orders\/\w+\/invoice/);
  });

  itLong('lists customers', async () => {
    await publish('Sold');
    await service.products.change('sold', 'approve', operator);
    for (const email of ['maria@example.com', 'maria@example.com', 'linus@example.com']) {
      await placeOrder(service.parts, 'sold', { email });
    }
    const found = await ok('customers', 'list', 'MARIA');
    expect(found)
      .to.match(/\nmaria@example\.com +2 +2 +USD\s99\.80 +2026-/)
      .and.not.include('linus');
    expect(await json('customers', 'list', 'nobody')).to.deep.equal([]);
  });

  itLong('lists, shows, cancels and resumes subscriptions', async () => {
    const order = await placeSubscription(service.parts, seller.user.id, { email: 'linus@example.com', way: 'manual' });
    const id = String(order.id);
    expect(await ok('subscriptions', 'list', 'linus')).to.match(
      new RegExp(`\\n${id} +active +${order.agreed.slug} +monthly +linus@example.com +USD\\s9\\.90 / month +2026-`),
    );
    expect(await ok('subscriptions', 'show', id)).to.match(/Price +USD\s9\.90 \/ month/);
    expect(await failing(2, 'subscriptions', 'cancel', id)).to.include('--yes');
    expect(await ok('subscriptions', 'cancel', id, '--yes', '--reason', 'Asked.')).to.match(/ends 2026-/);
    expect(await json('subscriptions', 'list', '--status', 'active')).to.deep.equal([]);
    expect(await json('subscriptions', 'resume', id)).to.include({ subscription_id: order.id, is_cancelled: false });
  });

  it('prints the address of a page', async () => {
    expect(await ok('open', 'licenses', '--print')).to.equal(`${service.url}/selling/live/licenses\n`);
  });

  itLong('opens only pages that exist', async () => {
    const ada = await service.signedInUser();
    for (const name of Object.keys(pages)) {
      const { pathname } = new URL((await json('open', name)).url);
      expect((await ada.browser.get(pathname)).status, name).to.equal(200);
    }
  });

  describe('completes', () => {
    it('commands and options, by what was typed before', async () => {
      const words = async (...typed: string[]) =>
        (await ok('__complete', ...typed))
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split('\t')[0]);
      expect(await words(''))
        .to.include.members(['login', 'licenses', 'completion'])
        .and.not.include('__complete');
      expect(await words('licenses', 're')).to.deep.equal(['reinstate', 'revoke', 'renew', 'remove-alias']);
      expect(await words('licenses', 'issue', '--co')).to.deep.equal(['--count']);
      expect(await words('licenses', 'issue', '--js')).to.deep.equal(['--json']);
    });

    itLong('in bash, with the script for it', async () => {
      const asked = 'COMP_WORDS=(latchkey licenses rev); COMP_CWORD=2; _latchkey; echo "$COMPREPLY"';
      const program = fileURLToPath(new URL('../../apps/cli/dist/latchkey.js', import.meta.url));
      const script = `latchkey() { '${process.execPath}' '${program}' "$@"; }; eval "$(latchkey completion bash)"; ${asked}`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script]);
      expect(stdout).to.equal('revoke\n');
    });

    it('with a script for each shell', async () => {
      for (const shell of ['bash', 'zsh', 'fish']) expect(await ok('completion', shell)).to.include('__complete');
    });
  });

  describe('in a terminal', () => {
    itLong('prints colors, but not with NO_COLOR, and never into a pipe', async () => {
      const colorful = await computer.runInTerminal(['templates', 'list'], 80, undefined, withKey());
      expect(colorful.printed).to.include(`${esc}[1m`);
      const env = { ...withKey().env, NO_COLOR: '1' };
      const plain = await computer.runInTerminal(['templates', 'list'], 80, undefined, { env });
      expect(plain.printed).to.not.include(esc);
      expect(await ok('templates', 'list')).to.not.include(esc);
    });

    itLong('prints tables that fit, and whole ones into a pipe', async () => {
      const title = 'A very long title of a template that does not fit 漢字漢字漢字';
      await service.template({ slug: 'wide', title });
      const { printed } = await computer.runInTerminal(['templates', 'list'], 50, undefined, withKey());
      const lines = stripVTControlCharacters(printed).split(/\r?\n/);
      expect(lines.some((line) => line.startsWith('wide'))).to.equal(true);
      for (const line of lines) expect(stringWidth(line), line).to.be.at.most(50);
      expect(printed).to.include('…');
      expect(await ok('templates', 'list')).to.include(title);
    });

    it('lets no text of others move the cursor', async () => {
      await service.template({ slug: 'hostile', title: `a${esc}[2J${esc}]0;owned\u0007b` });
      const stdout = await ok('templates', 'show', 'hostile');
      expect(stdout).to.not.include(esc).and.not.include('\u0007');
    });

    itLong('asks for what a publication lacks', async () => {
      await write('a.zip', await zipOf([{ name: 'README.md', content: 'Hi' }]));
      await write('a.png', pngOf());
      const { title, tagline, ...rest } = listingOf('Asked');
      await write('latchkey.json', JSON.stringify(rest));
      const answers = new Map([
        ['Title', title],
        ['Tagline', tagline],
      ]);
      const { code, printed } = await computer.runInTerminal(
        ['publish'],
        100,
        (unread) => {
          for (const [question, answer] of answers) {
            if (!unread.includes(question)) continue;
            answers.delete(question);
            return `${answer}\r`;
          }
          return undefined;
        },
        withKey(),
      );
      expect(code, printed).to.equal(0);
      expect((await json('products', 'show', 'asked')).tagline).to.equal('Mints');
    });

    itLong('asks before it revokes a license', async () => {
      await publish('Careful');
      const [key = ''] = (await ok('licenses', 'issue', 'careful')).trim().split('\n');
      const answer = (typed: string) =>
        computer.runInTerminal(
          ['licenses', 'revoke', key],
          100,
          (unread) => (unread.includes('for ever?') ? typed : undefined),
          withKey(),
        );
      expect((await answer('n')).code).to.equal(1);
      expect((await json('licenses', 'show', key)).status).to.equal('active');
      expect((await answer('y')).code).to.equal(0);
      expect((await json('licenses', 'show', key)).status).to.equal('revoked');
    });

    itLong('shows the progress of uploads on standard error', async () => {
      await write('a.png', pngOf());
      const { printed } = await computer.runInTerminal(['upload', 'a.png'], 80, undefined, withKey());
      expect(printed).to.include('Uploading [');
      expect((await computer.run(['upload', 'a.png'], withKey())).stderr).to.equal('');
    });
  });
});
