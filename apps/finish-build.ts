import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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
const guides = join(source, 'apps/docs');
mirror(guides, join(built, 'apps/docs'), readdirSync(guides).filter(isGuide));
const packaged = join(built, 'adapters/http/ui/packaged');
const uplot = dirname(fileURLToPath(import.meta.resolve('uplot/package.json')));
const inter = dirname(fileURLToPath(import.meta.resolve('@fontsource-variable/inter/package.json')));
const minisearch = join(dirname(fileURLToPath(import.meta.resolve('minisearch'))), '../..');
/** Files of packages, under the names of their assets. */
const taken = {
  'uplot.js': [uplot, 'dist/uPlot.iife.min.js'],
  'uplot.css': [uplot, 'dist/uPlot.min.css'],
  'uplot.LICENSE.txt': [uplot, 'LICENSE'],
  'inter.woff2': [inter, 'files/inter-latin-wght-normal.woff2'],
  'inter.LICENSE.txt': [inter, 'LICENSE'],
  'minisearch.js': [minisearch, 'dist/es/index.js'],
  'minisearch.LICENSE.txt': [minisearch, 'LICENSE.txt'],
} as const;
mkdirSync(packaged, { recursive: true });
for (const [name, [folder, file]] of Object.entries(taken)) copyFileSync(join(folder, file), join(packaged, name));
for (const [file, loader] of [
  [join(built, assets, 'style.css'), 'css'],
  [join(built, assets, 'embed.js'), 'js'],
  [join(packaged, 'minisearch.js'), 'js'],
] as const) {
  writeFileSync(file, (await transform(readFileSync(file, 'utf8'), { loader, minify: true })).code);
}
chmodSync(join(built, 'apps/latchkey-server.js'), 0o755);

// These packages have hundreds of small files. Opening each of them took a quarter of the time of a start. Their comments, and the texts
// of Zod in 50 languages, would only fill the memory: our own texts are English.
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
  minifyWhitespace: true,
  lineLimit: 160,
  metafile: true,
  plugins: [
    {
      name: 'english',
      setup: (plugin) => void plugin.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, onlyEnglish),
    },
  ],
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

// The same for our own files. They stay beside the programs: types, threads and processes of their own, and tests use them.
const programs = join(built, 'program');
const made = await build({
  absWorkingDir: built,
  entryPoints: ['apps/commands/run-program.js', 'apps/commands/terminal.js', 'apps/embed.js'],
  outdir: programs,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  // Node reads all of the text at each start, and keeps it.
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: true,
  metafile: true,
  plugins: [{ name: 'places', setup: (plugin) => void plugin.onLoad({ filter: /\.js$/ }, inPlace) }],
});
// V8 keeps a text in two bytes for each character as soon as one of them needs it. esbuild escapes all but those of regular expressions.
for (const [path, { bytes }] of Object.entries(made.metafile.outputs)) {
  const wide =
    path.endsWith('.js') && bytes > 100_000 && /.*[^\0-\xff].*/.exec(readFileSync(join(built, path), 'utf8'));
  if (wide) throw new Error(`Write these characters as \\u, or all of ${path} takes twice the memory: ${wide}`);
}

/** In milliseconds. */
const oneDay = 24 * 60 * 60 * 1_000;
const fresh = new Set(Object.keys(made.metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync(programs)) {
  // A server that was started before may still load its parts. Files of this build have the time of now.
  const isOld = statSync(join(programs, name)).mtimeMs < statSync(join(programs, 'embed.js')).mtimeMs - oneDay;
  if (!fresh.has(name) && isOld) rmSync(join(programs, name));
}
const main = join(built, 'apps/latchkey-server.js');
writeFileSync(main, readFileSync(main, 'utf8').replaceAll(" from './commands/", " from '../program/"));

/** Makes a file find what stands beside it from the folder of the programs, too. */
function inPlace({ path }: { readonly path: string }): { readonly contents: string } {
  const place = relative(programs, path).replaceAll('\\', '/');
  const text = readFileSync(path, 'utf8');
  return { contents: text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
}

function onlyEnglish(): { readonly contents: string } {
  return { contents: "export { default as en } from './en.js';" };
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

/** The folder of guides also contains the examples, which are not served. Guides offer JSON files. */
function isGuide(name: string): boolean {
  return /\.(?:md|json)$/.test(name);
}

/** Copies files, then deletes all others in `to`. It does not empty `to` first, because a server may be running. */
function mirror(from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, name));
  for (const name of readdirSync(to)) if (!names.includes(name)) rmSync(join(to, name));
}
