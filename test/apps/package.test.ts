import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { itLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

describe('the npm package', () => {
  /** The packages of the lock file by their paths under `node_modules`. */
  let packages: [place: string, locked: Locked][];
  let allowed: Record<string, boolean>;
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
    const lock: { packages: Record<string, Locked> } = JSON.parse(
      await readFile(join(root, 'package-lock.json'), 'utf8'),
    );
    // Not this package itself, nor those that are published apart.
    packages = Object.entries(lock.packages).filter(([place, { link }]) => place.startsWith('node_modules/') && !link);
    allowed = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).allowScripts;
  });
  after(() => folder.remove());
  const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

  it('has one version everywhere, with its changes in the CHANGELOG under a date', async () => {
    const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'));
    const { version } = await read('package.json');
    const lock = await read('package-lock.json');
    expect([lock.version, lock.packages[''].version]).to.deep.equal([version, version]);
    for (const path of ['apps/sdk', 'apps/cli']) {
      expect([(await read(`${path}/package.json`)).version, lock.packages[path].version], path).to.deep.equal([
        version,
        version,
      ]);
    }
    for (const path of await readdir(join(root, 'apps/docs/examples'))) {
      const manifest = await read(`apps/docs/examples/${path}/package.json`).catch(() => ({}));
      const wanted = manifest.dependencies?.['latchkey-sdk'] ?? manifest.devDependencies?.['latchkey-sdk'];
      if (wanted !== undefined) expect(wanted, path).to.equal(`^${version}`);
    }
    const headings = Array.from((await readFile(join(root, 'CHANGELOG.md'), 'utf8')).matchAll(/^## (.*)$/gm));
    const [unreleased, newest = ''] = headings.map(([, heading]) => heading);
    expect(unreleased).to.equal('Unreleased');
    expect(newest)
      .to.match(/^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/)
      .and.to.match(new RegExp(`^${version} - `));
  });

  it('does not install @scarf/scarf, and only sqlite3 has an install script', () => {
    const installed = packages.filter(([, { dev }]) => !dev);
    expect(installed.map(([place]) => nameOf(place))).to.not.include('@scarf/scarf');
    expect(
      installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => nameOf(place)),
    ).to.deep.equal(['sqlite3']);
  });

  it('lists every package with an install script in allowScripts', () => {
    const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => nameOf(place));
    expect(Object.keys(allowed)).to.have.members([...new Set(scripted)]);
    expect(allowed).to.include({ sqlite3: true });
  });

  itLong('loads inversify and zod as one file each, with their licenses', async () => {
    const names = await readdir(join(root, 'dist'), { recursive: true });
    const compiled = names.filter((name) => name.endsWith('.js') && !name.includes('finish-build'));
    const texts = await Promise.all(compiled.map((name) => readFile(join(root, 'dist', name), 'utf8')));
    for (const name of ['inversify', 'zod']) {
      expect(compiled.filter((_, n) => texts[n]?.includes(` from '${name}';`))).to.deep.equal([]);
      expect(texts.some((text) => text.includes(`/bundles/${name}.js';`))).to.equal(true);
      expect(names).to.include.members([join('bundles', `${name}.js`), join('bundles', `${name}.LICENSE.txt`)]);
    }
  });

  it('loads the pages and the account API only when they are asked for, or served', async () => {
    const seen = new Set<string>();
    const walk = async (file: string): Promise<void> => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = await readFile(file, 'utf8');
      const named = [...text.matchAll(/^(?:import|export)\b[^;]*'(\.[^']+)';$/gm)].map(([, name]) => name ?? '');
      await Promise.all(named.map((name) => walk(join(dirname(file), name))));
    };
    for (const name of ['embed', 'server/serve', 'wiring/compose', 'wiring/tokens', 'server/open-service']) {
      await walk(join(root, 'dist/apps', `${name}.js`));
    }
    const files = [...seen].map((file) => relative(join(root, 'dist'), file));
    expect(files).to.include.members(['apps/wiring/surfaces.js', 'adapters/http/dashboard/paths.js']);
    const areas = '/http/(?:dashboard|site|account|storefront)/(?!paths)';
    const modules = '/modules/(?:dashboard|site|account-api|storefront|page-tools|.*-pages)\\.';
    expect(files.filter((file) => new RegExp(`${areas}|${modules}`).test(file))).to.deep.equal([]);
  });

  itLong('loads all that a server serves before it starts, so that it needs none of these files later', async () => {
    const copy = folder.file('copy');
    await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
    await cp(join(root, 'package.json'), join(copy, 'package.json'));
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const WORKERS of ['1', '2']) {
      const settings = { DATABASE_URL: WORKERS === '1' ? 'memory:' : `sqlite:${folder.file('copy.db')}`, WORKERS };
      await using server = await startServer(
        { ...settings, FILES_URL: `disk:${folder.file('files')}` },
        join(copy, 'dist/apps/latchkey-server.js'),
      );
      await rename(join(copy, 'dist/program'), join(copy, 'dist/moved'));
      for (const [path, due] of [
        ['/', 200],
        ['/sign-in', 200],
        ['/marketplace', 200],
        ['/api/marketplace/products', 200],
        ['/api/auth/me', 401],
        ['/no/such/page', 404],
      ] as const) {
        const { status } = await fetch(`${server.url}${path}`, { headers: { Accept: 'text/html' } });
        expect(status, path).to.equal(due);
      }
      await rename(join(copy, 'dist/moved'), join(copy, 'dist/program'));
    }
  });

  it('has assets that load each other by the addresses that change with their content', async () => {
    const { assetAddress, assetEndpoint } = await import(join(root, 'dist/adapters/http/ui/assets.js'));
    const ctx = {
      params: { name: '' },
      state: {},
      set: () => undefined,
      vary: () => undefined,
      acceptsEncodings: () => false,
      get: () => '',
      body: Buffer.of(),
    };
    for (const [name, loaded] of [
      ['style.css', 'inter.woff2'],
      ['plot.js', 'uplot.js'],
      ['guide-search.js', 'minisearch.js'],
    ] as const) {
      assetEndpoint.respond(Object.assign(ctx, { params: { name } }));
      expect(ctx.body.toString(), name).to.include(assetAddress(loaded).replace('assets/', './'));
    }
  });

  itLong('serves the reference and the guides when installed without dev dependencies', async () => {
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path], {
      cwd: root,
    });
    await run('tar', ['-xzf', join(folder.path, JSON.parse(stdout)[0].filename), '-C', folder.path]);
    const modules = folder.file('node_modules');
    for (const [place, { dev }] of packages) {
      if (dev || place.lastIndexOf('node_modules/') > 0) continue;
      const link = join(modules, nameOf(place));
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, place), link);
    }
    await using server = await startServer(
      { DATABASE_URL: 'memory:', FILES_URL: 'temporary:' },
      folder.file('package/dist/apps/latchkey-server.js'),
    );
    const page = await (await fetch(`${server.url}/docs/reference`)).text();
    const assets = [...page.matchAll(/(?:src|href)="(\.{1,2}\/assets\/[^"]+)"/g)].map(([, asset]) => asset ?? '');
    expect(assets).to.have.length.at.least(3);
    const guides = (await readdir(join(root, 'apps/docs')))
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.replace('README.md', '').replace('.md', ''));
    for (const asset of [...assets, ...guides]) {
      const answer = await fetch(`${server.url}/docs/${asset}`);
      expect(answer.status, asset).to.equal(200);
      expect((await answer.arrayBuffer()).byteLength, asset).to.be.greaterThan(100);
    }
  });
});
