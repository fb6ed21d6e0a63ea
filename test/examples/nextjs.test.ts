import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Service, startService } from '../adapters/http/license/license-service.ts';
import { type Door, openDoor } from '../apps/sdk/door.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { needing } from '../support/required-service.ts';
import { buildExample, type Example, examples } from './example.ts';

/** Sets the clock of the process an hour and a minute ahead at the signal. */
const clock = `{
  const now = Date.now;
  let ahead = 0;
  Date.now = () => now() + ahead;
  process.on('SIGUSR2', () => { ahead += 3_660_000; });
}`;

const password = 'correct horse';
const signedIn = { Authorization: `Basic ${Buffer.from(`owner:${password}`).toString('base64')}` };

interface Site extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** Returns the text of a page. */
  text(path?: string, headers?: Record<string, string>): Promise<string>;
  /** Sets the clock of the site an hour ahead. */
  passHour(): void;
}

needing(examples.skip ?? chromium.skip).describe('the example nextjs', () => {
  let example: Example;
  let service: Service;
  let door: Door;
  let browser: TestBrowser;
  before(async () => {
    example = await buildExample('nextjs', 'build');
    await writeFile(join(example.path, 'clock.mjs'), clock);
    service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    door = await openDoor(() => service.url);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await door?.[Symbol.asyncDispose]();
    await service?.close();
    await example?.remove();
  });
  beforeEach(() => {
    door.set('open');
    door.calls.length = 0;
  });

  /** Starts the built site for a domain, with a license that is active on a.com. */
  async function openSite(domain: string): Promise<Site> {
    const key = await service.license({ maxDomains: 2 });
    await service.post('/activate', { license_key: key, domain: 'a.com' });
    const port = await freePort();
    const next = join(example.path, 'node_modules/next/dist/bin/next');
    const child = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', String(port)], {
      cwd: example.path,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        NODE_OPTIONS: `--import=${join(example.path, 'clock.mjs')}`,
        LICENSE_URL: door.url,
        LICENSE_KEY: key,
        LICENSE_DOMAIN: domain,
        ADMIN_PASSWORD: password,
      },
      stdio: 'ignore',
      detached: true,
    });
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/admin`).then(
        ({ status }) => status === 401,
        () => false,
      );
    await eventually('the site answers', isUp);
    return {
      url,
      key,
      text: async (path = '/', headers = {}) => (await fetch(url + path, { headers })).text(),
      passHour: () => signalGroup(child, 'SIGUSR2'),
      async [Symbol.asyncDispose]() {
        const ended = once(child, 'exit');
        signalGroup(child, 'SIGKILL');
        await ended;
      },
    };
  }

  it('works where the license is active, asks once for all visitors, and keeps the key on the server', async () => {
    await using site = await openSite('a.com');
    const texts = await Promise.all(Array.from({ length: 20 }, () => site.text()));
    for (const text of texts) expect(text).to.include('Raised').and.to.not.include(site.key);
    expect(await site.text('/admin', signedIn)).to.match(/Valid on (?:<!-- -->)?a\.com, without end\./);
    expect(door.calls).to.deep.equal(['GET /verify']);
    await browser.checkPage(site.url);
    const assets = join(example.path, '.next/static');
    for (const name of await readdir(assets, { recursive: true })) {
      if (!name.endsWith('.js')) continue;
      expect(await readFile(join(assets, name), 'utf8'), name).to.not.match(/LICENSE_KEY|verify\?license_key/);
    }
  });

  it('stops on another domain, also for those who ask for a part of the page, until the owner activates it', async () => {
    await using site = await openSite('b.com');
    for (const headers of [{}, { RSC: '1' }] as const) {
      expect(await site.text('/', headers))
        .to.include('switched off')
        .and.to.not.include('Raised');
    }
    expect(await site.text('/', { RSC: '1', 'Next-Router-Prefetch': '1' })).to.not.include('Raised');
    await browser.checkPage(site.url);

    const page = await browser.newPage();
    await page.authenticate({ username: 'owner', password });
    await page.goto(`${site.url}/admin`);
    await page.waitForFunction("document.body.innerText.includes('The license is not active on this domain.')");
    await page.click('main button::-p-text(Activate on b.com)');
    await page.waitForFunction("document.body.innerText.includes('Valid on b.com, without end.')");
    await page.close();
    expect(await site.text()).to.include('Raised');
  });

  it('lets only the owner see the state and activate', async () => {
    await using site = await openSite('b.com');
    const wrong = { Authorization: `Basic ${Buffer.from('owner:wrong').toString('base64')}` };
    for (const headers of [{}, wrong]) {
      const { status } = await fetch(`${site.url}/admin`, { headers });
      expect(status).to.equal(401);
    }
    const [field = ''] = /\$ACTION_ID_\w+/.exec(await site.text('/admin', signedIn)) ?? [];
    expect(field).to.not.equal('');
    door.calls.length = 0;
    // Nor by way of the address of another page.
    for (const path of ['/', '/admin', '/admin/', '/elsewhere']) {
      for (const headers of [wrong, { ...wrong, 'Next-Action': field.replace('$ACTION_ID_', '') }]) {
        const body = new FormData();
        body.set(field, '');
        await (await fetch(site.url + path, { method: 'POST', headers, body })).text();
      }
    }
    expect(door.calls).to.not.include('POST /activate');
    const body = new FormData();
    body.set(field, '');
    await (await fetch(`${site.url}/admin`, { method: 'POST', headers: signedIn, body })).text();
    expect(door.calls).to.include('POST /activate');
  });

  it('goes on while the server is stopped, and only the owner reads about it', async () => {
    door.set('cut');
    await using site = await openSite('a.com');
    expect(await site.text())
      .to.include('Raised')
      .and.to.not.match(/license|gave no answer/i);
    expect(await site.text('/admin', signedIn)).to.match(/gave no answer \((?:<!-- -->)?network/);
  });

  it('notices a revoked license when the answer is an hour old', async () => {
    await using site = await openSite('a.com');
    expect(await site.text()).to.include('Raised');
    await service.issuing.change(site.key, 'revoke', operator);
    expect(await site.text()).to.include('Raised');
    expect(door.calls).to.deep.equal(['GET /verify']);
    site.passHour();
    await eventually('the site stops', async () => (await site.text()).includes('switched off'));
    expect(await site.text('/admin', signedIn)).to.include('The license was revoked.');
    expect(door.calls).to.deep.equal(['GET /verify', 'GET /verify']);
  });
});

/** `next start` may have processes of its own. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
