import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { type Service, startService } from '../../adapters/http/license/license-service.ts';
import { claimsOf, headerOf, signedBy, testKeys } from '../../support/lease-vectors.ts';
import { itLong } from '../../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const sdk = join(root, 'apps/sdk');

describe('the package latchkey-sdk', () => {
  let folder: TemporaryFolder;
  let installed: string;
  let manifest: Record<string, unknown> & { readonly 'size-limit': readonly { path: string; limit: string }[] };
  before(async () => {
    folder = await makeTemporaryFolder();
    manifest = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8'));
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path], {
      cwd: sdk,
    });
    installed = folder.file('node_modules/latchkey-sdk');
    await mkdir(installed, { recursive: true });
    const [{ filename }] = JSON.parse(stdout);
    await run('tar', ['-xzf', folder.file(filename), '-C', installed, '--strip-components=1']);
    await writeFile(folder.file('package.json'), '{"type":"module"}');
  });
  after(() => folder.remove());

  itLong('depends on nothing, and its files import only each other', async () => {
    expect(manifest).to.not.include.any.keys('dependencies', 'peerDependencies', 'optionalDependencies');
    const names = await readdir(installed, { recursive: true });
    const code = names.filter((name) => /\.(?:js|d\.ts)$/.test(name));
    expect(code).to.include.members(['dist/index.js', 'dist/account.d.ts', 'dist/ed25519.js', 'dist/webhooks.js']);
    for (const name of code) {
      const text = await readFile(join(installed, name), 'utf8');
      for (const [, imported = ''] of text.matchAll(/\b(?:from|import)\s*\(?['"]([.\w@][^'"\n]*)['"]/g)) {
        const target = join(name, '..', imported.replace(/\.js$/, '.d.ts'));
        expect(names, `${imported} in ${name}`).to.include(target);
      }
    }
  });

  it('contains its license, its README and the vectors, and the server has the same version', async () => {
    const names = await readdir(installed, { recursive: true });
    expect(names).to.include.members(['LICENSE', 'README.md', 'vectors/domains.json', 'package.json']);
    expect(names.filter((name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name))).to.deep.equal([]);
    expect(await readFile(join(sdk, 'LICENSE'), 'utf8')).to.equal(await readFile(join(root, 'LICENSE'), 'utf8'));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(manifest.version).to.equal(version);
  });

  it('is as small as it promises', async () => {
    expect(manifest['size-limit']).to.have.length(3);
    for (const { path, limit } of manifest['size-limit']) {
      const most = 1000 * Number(limit.replace(' kB', ''));
      const { byteLength } = brotliCompressSync(await readFile(join(installed, path)));
      expect(byteLength, path).to.be.at.most(most);
    }
  });

  itLong(
    'checks leases where the platform does not know Ed25519, with a library that is loaded only then',
    async () => {
      const now = Math.floor(Date.now() / 1000);
      const keys = testKeys('a key of a test');
      const lease = signedBy(keys, headerOf(keys), claimsOf(now, 'https://a.com', 'b.com', 'LIC'));
      const options = { url: 'https://a.com', licenseKey: 'LIC', domain: 'b.com', lease, offline: true };
      const program = (platform: string, publicKey: string) => `
      import { createLicenseGuard } from 'latchkey-sdk';
      ${platform}
      const guard = createLicenseGuard(${JSON.stringify({ ...options, publicKeys: [publicKey] })});
      const { state, reason } = await guard.check();
      console.log(JSON.stringify([state, reason ?? null]));`;
      const platforms = {
        'with Ed25519': '',
        'without Ed25519': 'crypto.subtle.importKey = () => Promise.reject(new Error());',
        'without WebCrypto': `Object.defineProperty(globalThis, 'crypto', { value: undefined });`,
      };
      const library = join(installed, 'dist/ed25519.js');
      const code = await readFile(library, 'utf8');
      for (const [name, platform] of Object.entries(platforms)) {
        for (const [publicKey, result] of [
          [keys.publicKey, ['valid', null]],
          [testKeys('another').publicKey, ['unknown', 'wrong_signature']],
        ] as const) {
          await writeFile(folder.file('lease.js'), program(platform, publicKey));
          const { stdout } = await run(process.execPath, [folder.file('lease.js')]);
          expect(JSON.parse(stdout), name).to.deep.equal(result);
        }
      }
      await rm(library);
      for (const [name, platform] of Object.entries(platforms)) {
        await writeFile(folder.file('lease.js'), program(platform, keys.publicKey));
        const [state] = JSON.parse((await run(process.execPath, [folder.file('lease.js')])).stdout);
        expect(state, name).to.equal(name === 'with Ed25519' ? 'valid' : 'unknown');
      }
      await writeFile(library, code);
    },
  );

  itLong('has types that a strict program without the types of any platform compiles against', async () => {
    await writeFile(
      folder.file('site.ts'),
      `import { createLicenseGuard, normalizeDomain, type Verdict } from 'latchkey-sdk';
import { AccountFailure, createAccountClient } from 'latchkey-sdk/account';
import { verify, WebhookRefused } from 'latchkey-sdk/webhooks';
const guard = createLicenseGuard({ url: 'https://x.com', licenseKey: 'LIC', domain: normalizeDomain('a.com') });
export const verdict: Promise<Verdict> = guard.check();
const client = createAccountClient({ url: 'https://x.com', apiKey: 'lk' });
export async function all(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of client.each('/api/licenses', { query: { status: 'active' } })) keys.push(key);
  await client.get('/api/licenses/{key}', { path: { key: 'LIC' } });
  // @ts-expect-error there is no such path
  await client.get('/api/nothing');
  // @ts-expect-error the path has a part
  await client.get('/api/licenses/{key}');
  // @ts-expect-error the body needs a product
  await client.post('/api/licenses', { body: {} });
  return keys;
}
export const event = verify('{}', { 'webhook-id': 'x' }, 'whsec_x').then(({ id }) => id);
export const failures: readonly unknown[] = [AccountFailure, WebhookRefused];
`,
    );
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
      types: [],
      noEmit: true,
    };
    await writeFile(folder.file('tsconfig.json'), JSON.stringify({ compilerOptions, files: ['site.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', folder.path]).catch((error) => error);
    expect(stdout).to.equal('');
  });

  describe('its README', () => {
    let service: Service;
    before(async () => {
      service = await startService({ settings: { RATE_LIMIT_URL: 'off:' } });
    });
    after(() => service.close());

    itLong('has a first example that runs as it is, on a server', async () => {
      const readme = await readFile(join(installed, 'README.md'), 'utf8');
      const [, example = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
      const key = await service.license();
      await service.post('/activate', { license_key: key, domain: 'shop.example.com' });
      const program = example
        .replace('https://licenses.example.com', service.url)
        .replace('LIC-7H2K-9QWX-M4TB-C0VJ', key);
      expect(program).to.include(service.url).and.to.include(key);
      await writeFile(folder.file('example.js'), program);
      const { stdout } = await run(process.execPath, [folder.file('example.js')]);
      expect(stdout).to.equal('valid\n');
    });
  });
});
