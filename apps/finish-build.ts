import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

// Runs after `tsc`, from the output folder.
const built = fileURLToPath(new URL('..', import.meta.url));
const source = join(built, '..');

// `tsc` does not delete the output of source files that no longer exist.
const output = /\.(?:js|js\.map|d\.ts)$/;
for (const folder of ['core', 'adapters', 'apps']) {
  for (const name of readdirSync(join(built, folder), { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    const hasSource = ['.ts', '.tsx', '.js'].some((ending) => existsSync(join(source, file.replace(output, ending))));
    if (isCompiled(file) && !hasSource) rmSync(join(built, file));
  }
}

const assets = 'adapters/http/ui/assets';
const icons = 'adapters/http/ui/icons.LICENSE.txt';
mirror(join(source, assets), join(built, assets), readdirSync(join(source, assets)).filter(isServed));
copyFileSync(join(source, icons), join(built, icons));
for (const [name, loader] of [
  ['style.css', 'css'],
  ['embed.js', 'js'],
] as const) {
  const file = join(built, assets, name);
  writeFileSync(file, (await transform(readFileSync(file, 'utf8'), { loader, minify: true })).code);
}
const guides = join(source, 'apps/docs');
mirror(guides, join(built, 'apps/docs'), readdirSync(guides).filter(isGuide));
const packaged = join(built, 'adapters/http/ui/packaged');
const uplot = dirname(fileURLToPath(import.meta.resolve('uplot/package.json')));
const inter = dirname(fileURLToPath(import.meta.resolve('@fontsource-variable/inter/package.json')));
const taken = [
  [uplot, 'dist/uPlot.iife.min.js'],
  [uplot, 'dist/uPlot.min.css'],
  [uplot, 'LICENSE', 'uplot.LICENSE.txt'],
  [inter, 'files/inter-latin-wght-normal.woff2'],
  [inter, 'LICENSE', 'inter.LICENSE.txt'],
] as const;
mkdirSync(packaged, { recursive: true });
for (const [folder, file, name = basename(file)] of taken) copyFileSync(join(folder, file), join(packaged, name));
chmodSync(join(built, 'apps/latchkey-server.js'), 0o755);

// These packages have hundreds of small files. Opening each of them took a quarter of the time of a start.
const bundled = ['inversify', 'zod'];
const bundles = join(built, 'bundles');
const { metafile } = await build({
  absWorkingDir: source,
  entryPoints: bundled,
  outdir: bundles,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  metafile: true,
});
for (const path of Object.keys(metafile.inputs)) {
  const [folder, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (folder === undefined || name === undefined) continue;
  copyFileSync(join(source, folder, 'LICENSE'), join(bundles, `${name.replace('/', '-')}.LICENSE.txt`));
}
for (const folder of ['adapters', 'apps']) {
  for (const name of readdirSync(join(built, folder), { recursive: true, encoding: 'utf8' })) {
    if (isCompiled(name) && name.endsWith('.js')) importBundles(join(built, folder, name));
  }
}

/** Makes a compiled file import the bundles instead of the packages. */
function importBundles(file: string): void {
  const toBundles = relative(dirname(file), bundles).replaceAll('\\', '/');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(/ from '([^']+)';$/gm, (end, name) =>
    bundled.includes(name) ? ` from '${toBundles}/${name}.js';` : end,
  );
  if (changed !== text) writeFileSync(file, changed);
}

/** Whether `tsc` may have written a file. The scripts of pages and of packages are copied. */
function isCompiled(file: string): boolean {
  return output.test(file) && !/[\\/](?:assets|packaged)[\\/]/.test(file);
}

/** The folder of assets also contains the settings that check their types. */
function isServed(name: string): boolean {
  return name !== 'tsconfig.json';
}

/** The folder of guides also contains the examples, which are not served. */
function isGuide(name: string): boolean {
  return name.endsWith('.md');
}

/** Copies files, then deletes all others in `to`. It does not empty `to` first, because a server may be running. */
function mirror(from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, name));
  for (const name of readdirSync(to)) if (!names.includes(name)) rmSync(join(to, name));
}
