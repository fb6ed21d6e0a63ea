import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { build } from 'esbuild';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { signed } from '../../../adapters/webhooks/signatures.ts';
import { mintWebhookSecret } from '../../../core/webhooks/secret.ts';
import { type Service, startService } from '../../adapters/http/license/license-service.ts';
import { operator } from '../../support/by.ts';
import { needing, requiredService } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { sdkFolder } from './built-sdk.ts';
import { answering, type Door, openDoor } from './door.ts';

const { skip } = requiredService('TEST_RUNTIMES', 'wish to download Bun and an edge runtime, such as `yes`');
const packages = ['bun@1.4.4', '@edge-runtime/vm@5.0.0'];

/** Runs an expression in which `guardOf` makes a guard, and `verify` checks webhooks. Its value must be JSON. */
type Run = (expression: string) => Promise<unknown>;

needing(skip).describe('the SDK on other runtimes', () => {
  let folder: TemporaryFolder;
  let service: Service;
  let door: Door;
  before(async () => {
    folder = await makeTemporaryFolder();
    service = await startService({ now: new Date(), settings: { RATE_LIMIT_URL: 'off:' } });
    await writeFile(folder.file('package.json'), '{"private":true,"allowScripts":{"bun":true}}');
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--silent'];
    await promisify(execFile)('npm', ['install', ...quiet, ...packages], { cwd: folder.path });
  });
  after(async () => {
    await service.close();
    await folder.remove();
  });
  beforeEach(async () => {
    door = await openDoor(() => service.url);
  });
  afterEach(() => door[Symbol.asyncDispose]());

  const runtimes: Readonly<Record<string, Run>> = {
    async Bun(expression) {
      const imports = `import { createLicenseGuard as guardOf } from '${sdkFolder}index.js'; import { verify } from '${sdkFolder}webhooks.js';`;
      await writeFile(
        folder.file('run.mjs'),
        `${imports} console.log(JSON.stringify([process.versions.bun, await ${expression}]));`,
      );
      const bun = folder.file('node_modules/.bin/bun');
      const [version, found] = JSON.parse((await promisify(execFile)(bun, [folder.file('run.mjs')])).stdout);
      expect(version).to.equal('1.4.4');
      return found;
    },
    async 'an edge runtime'(expression) {
      const { EdgeVM } = await import(pathToFileURL(createRequire(folder.file('x')).resolve('@edge-runtime/vm')).href);
      const contents = `export { createLicenseGuard as guardOf } from './index.js'; export { verify } from './webhooks.js';`;
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: sdkFolder },
        bundle: true,
        format: 'iife',
        globalName: 'sdk',
        write: false,
      });
      const edge = new EdgeVM();
      expect(edge.evaluate('[typeof EdgeRuntime, typeof process, typeof Buffer].join()')).to.equal(
        'string,undefined,undefined',
      );
      const script = outputFiles[0]?.text;
      return JSON.parse(
        await edge.evaluate(
          `${script}; const { guardOf, verify } = sdk; (async () => JSON.stringify(await ${expression}))()`,
        ),
      );
    },
  };

  for (const [name, run] of Object.entries(runtimes)) {
    const options = (licenseKey: string, timeout = 30_000) =>
      JSON.stringify({ url: door.url, licenseKey, domain: 'a.com', timeout });
    const check = (key: string, timeout?: number) => run(`guardOf(${options(key, timeout)}).check()`);

    it(`${name}: a license is valid, and invalid if it is not activated or revoked`, async () => {
      const key = await service.license();
      expect(await check(key)).to.include({ state: 'invalid', reason: 'invalid_domain' });
      await service.post('/activate', { license_key: key, domain: 'a.com' });
      expect(await check(key)).to.include({ state: 'valid', expiresAt: null, fromCache: false });
      await service.issuing.change(key, 'revoke', operator);
      expect(await check(key)).to.include({ state: 'invalid', reason: 'revoked' });
    });

    it(`${name}: many checks at once make one call, and its answer is kept`, async () => {
      const key = await service.license();
      await service.post('/activate', { license_key: key, domain: 'a.com' });
      const many = `(async () => { const g = guardOf(${options(key)});
        const all = await Promise.all(Array.from({ length: 50 }, () => g.check())); return [...all, await g.check()].map(({ state }) => state); })()`;
      expect(await run(many)).to.deep.equal(Array(51).fill('valid'));
      expect(door.calls).to.deep.equal(['GET /verify']);
    });

    it(`${name}: a license is unknown without an answer`, async () => {
      const key = await service.license();
      for (const [mode, reason] of [
        ['cut', 'network'],
        ['hung', 'timeout'],
        [answering(429, {}, { 'Retry-After': '9' }), 'rate_limited'],
        [answering(500, {}), 'server_error'],
        [answering(200, '<h1>Welcome</h1>'), 'bad_answer'],
      ] as const) {
        door.set(mode);
        expect(await check(key, mode === 'hung' ? 500 : undefined), reason).to.include({ state: 'unknown', reason });
      }
    });

    for (const isKnown of [true, false]) {
      it(`${name}: checks a lease with ${isKnown ? 'WebCrypto' : 'the library where WebCrypto does not know Ed25519'}`, async () => {
        const key = await service.license();
        await service.post('/activate', { license_key: key, domain: 'a.com' });
        const { body } = await service.get('/lease', { license_key: key, domain: 'a.com' });
        const { keys } = (await service.get('/.well-known/latchkey-keys.json')).body;
        const leases = JSON.stringify({ issuer: service.url, publicKeys: [keys[0].x] });
        const [head, , signature] = body.lease.split('.');
        const swapped = [head, Buffer.from('{"v":1}').toString('base64url'), signature].join('.');
        const both = `(async () => {
          const { subtle } = crypto;
          const { importKey, verify } = subtle;
          let checks = 0;
          subtle.verify = (...given) => { checks++; return verify.apply(subtle, given); };
          if (!${isKnown}) subtle.importKey = () => Promise.reject(new Error('Unrecognized name.'));
          const options = { ...${options(key)}, ...${leases} };
          const bad = await guardOf({ ...options, offline: true, lease: '${swapped}' }).check();
          const good = await guardOf(options).check();
          Object.assign(subtle, { importKey, verify });
          return [good.state, good.leaseUntil, bad.reason, checks];
        })()`;
        expect(await run(both)).to.deep.equal(['valid', body.expires_at, 'wrong_signature', isKnown ? 2 : 0]);
      });
    }

    it(`${name}: activates and deactivates`, async () => {
      const key = await service.license();
      const both = `(async () => { const g = guardOf(${options(key)}); return [await g.activate(), (await g.check()).state, await g.deactivate()]; })()`;
      const done = { ok: true, domain: 'a.com' };
      expect(await run(both)).to.deep.equal([done, 'valid', done]);
    });

    it(`${name}: verify() accepts what is signed, and refuses the rest`, async () => {
      const [secret, other] = [mintWebhookSecret(systemSecrets), mintWebhookSecret(systemSecrets)];
      const body = JSON.stringify({ id: 'evt_1', event: 'license.revoked', data: { name: 'Κέικ 🍰' } });
      const headers = JSON.stringify(signed({ id: 'evt_1', at: Date.now(), secrets: [secret], body }));
      const verified = (form: string, by: string, text = body) =>
        run(
          `verify(new TextEncoder().encode(${JSON.stringify(text)}), new Headers(${headers}), '${by}', { form: '${form}' }).catch(({ reason }) => reason)`,
        );
      for (const form of ['standard', 'service']) {
        expect(await verified(form, secret)).to.deep.equal(JSON.parse(body));
        expect(await verified(form, other)).to.equal('wrong_signature');
        expect(await verified(form, secret, `${body} `)).to.equal('wrong_signature');
      }
    });
  }
});
