import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import type { GuardOptions, Verdict } from '../../../apps/sdk/index.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { runCommand } from '../../support/run-command.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { builtSdk } from './built-sdk.ts';
import { openShop, type Shop } from './shop.ts';

/** A license server with a database that survives it, always at the same address. */
interface Licenses extends AsyncDisposable {
  readonly url: string;
  start(settings?: Record<string, string>): Promise<ServerProcess>;
  /** Issues a license for two domains. */
  issue(): Promise<string>;
  revoke(key: string): Promise<void>;
}

async function openLicenses(): Promise<Licenses> {
  const folder: TemporaryFolder = await makeTemporaryFolder();
  const port = await freePort();
  const settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` };
  let server: ServerProcess | undefined;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, settings);
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  await run('migrate');
  await run('product', 'add', '--title', 'DEX');
  return {
    url: `http://127.0.0.1:${port}`,
    async start(more = {}) {
      server = await startServer({ ...settings, PORT: String(port), ...more });
      return server;
    },
    async issue() {
      const printed = await run('license', 'issue', '--product', 'dex', '--max-domains', '2');
      return /LIC-[\w-]+/.exec(printed)?.[0] ?? '';
    },
    async revoke(key) {
      await run('license', 'revoke', key);
    },
    async [Symbol.asyncDispose]() {
      await server?.stop('SIGKILL');
      await folder.remove();
    },
  };
}

/** Where the guard runs. */
interface Place {
  readonly name: string;
  readonly skip?: string | undefined;
  /** Opens it, and returns a function that runs an expression in which `guard` is the guard of a license. */
  open(api: string, key: string): Promise<Site>;
}

interface Site extends AsyncDisposable {
  run(expression: string): Promise<unknown>;
}

const places: readonly Place[] = [
  {
    name: `Node ${process.version}`,
    async open(url, licenseKey) {
      const { createLicenseGuard } = await builtSdk();
      const guard = createLicenseGuard({ url, licenseKey, domain: '127.0.0.1' });
      return {
        run: async (expression) => new Function('guard', `return ${expression}`)(guard),
        async [Symbol.asyncDispose]() {},
      };
    },
  },
  {
    name: 'Chromium, with a strict policy',
    skip: chromium.skip,
    async open(url, key) {
      const shop = await openShop(url);
      const browser = await openBrowser();
      const page = await browser.newPage();
      await page.goto(shop.url);
      return {
        run: (expression) => page.evaluate(withGuard({ url, licenseKey: key, timeout: 3000 }, expression)),
        async [Symbol.asyncDispose]() {
          await browser.close();
          await shop[Symbol.asyncDispose]();
        },
      };
    },
  },
];

/** `from`: the site of the page, if it has another origin than its script. */
function withGuard(options: GuardOptions, expression: string, from = ''): string {
  return `import('${from}/sdk/index.js').then(({ createLicenseGuard }) => {
    globalThis.guard ??= createLicenseGuard(${JSON.stringify(options)});
    return ${expression};
  })`;
}

const check = 'guard.check().then(({ state, reason, fromCache }) => [state, reason ?? null, fromCache])';
const fresh = check.replace('check()', 'check({ fresh: true })');

for (const { name, skip, open } of places) {
  needing(skipLong ?? skip).describe(`the guard in ${name}`, () => {
    it('tells the three states while the server is hung, stopped, limited, and revokes the license', async () => {
      await using licenses = await openLicenses();
      const key = await licenses.issue();
      const server = await licenses.start();
      await using site = await open(licenses.url, key);
      expect(await site.run(check)).to.deep.equal(['invalid', 'invalid_domain', false]);
      expect(await site.run('guard.activate()')).to.deep.equal({ ok: true, domain: '127.0.0.1' });
      expect(await site.run(fresh)).to.deep.equal(['valid', null, false]);
      expect(await site.run(check)).to.deep.equal(['valid', null, true]);

      server.child.kill('SIGSTOP');
      expect(await site.run(fresh)).to.deep.equal(['valid', 'timeout', true]);
      server.child.kill('SIGCONT');
      await server.stop('SIGTERM');
      expect(await site.run(fresh)).to.deep.equal(['valid', 'network', true]);

      const limited = await licenses.start({ RATE_LIMIT_URL: 'memory:', RATE_LIMIT_VERIFY: '1' });
      await fetch(`${licenses.url}/verify?license_key=x&domain=x`);
      expect(await site.run(fresh)).to.deep.equal(['valid', 'rate_limited', true]);
      await limited.stop('SIGTERM');

      await licenses.revoke(key);
      await licenses.start();
      // The server has asked for a pause, which a new guard without storage does not know.
      await using other = await open(licenses.url, `${key} `);
      expect(await other.run(check)).to.deep.equal(['invalid', 'revoked', false]);
    });
  });
}

needing(chromium.skip).describe('the guard in tabs of Chromium', () => {
  let licenses: Licenses;
  let browser: TestBrowser;
  let shop: Shop;
  let server: ServerProcess;
  before(async () => {
    licenses = await openLicenses();
    server = await licenses.start();
    shop = await openShop(licenses.url);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await shop?.[Symbol.asyncDispose]();
    await licenses?.[Symbol.asyncDispose]();
  });

  async function openTab(key: string, path = '/'): Promise<{ page: Page; calls: string[]; run: Site['run'] }> {
    const page = await browser.newPage();
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(licenses.url)) calls.push(request.url());
    });
    await page.goto(shop.url + path);
    return {
      page,
      calls,
      run: (expression) =>
        page.evaluate(withGuard({ url: licenses.url, licenseKey: key, timeout: 60_000 }, expression, shop.url)),
    };
  }

  async function activated(domain = '127.0.0.1'): Promise<string> {
    const key = await licenses.issue();
    const body = JSON.stringify({ license_key: key, domain });
    await fetch(`${licenses.url}/activate`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    return key;
  }

  async function fetched(path: string): Promise<{ lease: string; keys: { x: string }[] }> {
    return await (await fetch(licenses.url + path)).json();
  }

  const leaseOf = async (key: string, domain: string) =>
    (await fetched(`/lease?license_key=${key}&domain=${domain}`)).lease;

  const publicKey = async () => (await fetched('/.well-known/latchkey-keys.json')).keys[0]?.x ?? '';

  it('shares one answer between two tabs that ask at the same time, and tells the other of a change', async () => {
    const key = await activated();
    const tabs = [await openTab(key), await openTab(key)] as const;
    const told = 'guard.onChange(({ state }) => { globalThis.told = state; })';
    for (const { run } of tabs) await run(`void ${told}`);
    server.child.kill('SIGSTOP');
    const asked = tabs.map(({ run }) => run('guard.check().then(({ state }) => state)'));
    const waiting = 'navigator.locks.query().then(({ held, pending }) => held.length === 1 && pending.length === 1)';
    await tabs[0].page.waitForFunction(waiting);
    server.child.kill('SIGCONT');
    expect(await Promise.all(asked)).to.deep.equal(['valid', 'valid']);
    expect(tabs.flatMap(({ calls }) => calls)).to.have.length(1);
    expect(await tabs[0].run('guard.deactivate()')).to.include({ ok: true });
    await tabs[1].page.waitForFunction("globalThis.told === 'invalid'");
    expect(await tabs[1].run(check)).to.deep.equal(['invalid', 'invalid_domain', true]);
    for (const { page } of tabs) await page.close();
  });

  it('stays valid offline, also after the page was loaded again', async () => {
    const key = await activated();
    const { page, run } = await openTab(key);
    expect(await run(check)).to.deep.equal(['valid', null, false]);
    await page.reload();
    await run('undefined');
    await page.setOfflineMode(true);
    expect(await run(check)).to.deep.equal(['valid', null, true]);
    expect(await run(fresh)).to.deep.equal(['valid', 'network', true]);
    await page.close();
  });

  it('works where the browser blocks storage', async () => {
    const key = await activated();
    const { page, calls, run } = await openTab(key, '/opaque');
    const blocked = await run('(() => { try { return String(localStorage); } catch ({ name }) { return name; } })()');
    expect(blocked).to.equal('SecurityError');
    expect(await run(check)).to.deep.equal(['valid', null, false]);
    expect(await run(check)).to.deep.equal(['valid', null, true]);
    expect(calls).to.have.length(1);
    await page.close();
  });

  it('is unknown, without an exception, where the policy of the page forbids the call', async () => {
    await using strict = await openShop();
    const page = await browser.newPage();
    await page.goto(strict.url);
    const verdict = await page.evaluate(withGuard({ url: licenses.url, licenseKey: 'LIC' }, 'guard.check()'));
    expect(verdict as Verdict).to.include({ state: 'unknown', reason: 'network' });
    expect(server.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
    await page.close();
  });

  const noEd25519 = `SubtleCrypto.prototype.importKey = async () => {
    throw new DOMException('Unrecognized name.', 'NotSupportedError');
  };`;
  for (const { name, host, script, files } of [
    { name: 'WebCrypto', host: '127.0.0.1', script: '', files: ['index.js'] },
    { name: 'its library where WebCrypto does not know Ed25519', host: '127.0.0.1', script: noEd25519 },
    { name: 'its library in a page without TLS', host: plainHost, script: "if (crypto.subtle) throw 'secure';" },
  ].map((way) => ({ files: ['index.js', 'ed25519.js'], ...way }))) {
    it(`checks a lease with ${name}`, async () => {
      const key = await activated(host);
      const page = await browser.newPage();
      const [loaded, faults]: [string[], unknown[]] = [[], []];
      page.on('request', (request) => loaded.push(...(/\/sdk\/(.*)/.exec(request.url())?.slice(1) ?? [])));
      page.on('pageerror', (fault) => faults.push(fault));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      await page.evaluateOnNewDocument(script);
      await page.goto(shop.url.replace('127.0.0.1', host));
      const lease = await leaseOf(key, host);
      const [, claims = ''] = lease.split('.');
      const { iss: issuer, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      const options = { url: licenses.url, licenseKey: key, issuer, publicKeys: [await publicKey()] };
      const checked = (more: Partial<GuardOptions> = {}) => {
        const until = 'Number(leaseUntil) / 1000';
        const found = `check().then(({ state, reason, leaseUntil }) => [state, reason ?? null, ${until}])`;
        const make = `createLicenseGuard(${JSON.stringify({ ...options, ...more })})`;
        return page.evaluate(`import('/sdk/index.js').then(({ createLicenseGuard }) => ${make}.${found})`);
      };
      const forged = Buffer.from(claims, 'base64url')
        .toString()
        .replace(`"exp":${exp}`, `"exp":${exp + 1}`);
      const stolen = lease.replace(claims, Buffer.from(forged).toString('base64url'));
      expect(await checked({ offline: true, lease: stolen })).to.deep.equal(['unknown', 'wrong_signature', null]);
      expect(await checked()).to.deep.equal(['valid', null, exp]);
      expect(loaded.filter((file, index) => loaded.indexOf(file) === index)).to.deep.equal(files);
      expect(faults).to.deep.equal([]);
      await page.close();
    });
  }

  it('works as the guide shows it', async () => {
    const guide = await readFile(new URL('../../../apps/docs/sdk.md', import.meta.url), 'utf8');
    const [, example = ''] = /```js\n(import[\s\S]*?)```/.exec(guide) ?? [];
    const script = example
      .replace("'latchkey-sdk'", "'/sdk/index.js'")
      .replace('https://licenses.example.com', licenses.url)
      .replace('LIC-7H2K-9QWX-M4TB-C0VJ', await activated());
    await using site = await openShop(licenses.url, script);
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.waitForFunction("document.documentElement.dataset.license === 'valid'");
    await page.close();
  });
});
