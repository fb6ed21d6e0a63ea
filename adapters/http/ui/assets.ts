import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chooseEncoding } from '../encodings.ts';
import { Failure } from '../failures.ts';
import type { Endpoint } from '../surface.ts';
import { accentSheet } from './accent.ts';

const types = {
  'style.css': 'text/css',
  'icon.svg': 'image/svg+xml',
  'inter.woff2': 'font/woff2',
  'bundle-sum.js': 'text/javascript',
  'copy.js': 'text/javascript',
  'current-place.js': 'text/javascript',
  'guide-search.js': 'text/javascript',
  'link-token.js': 'text/javascript',
  'local-times.js': 'text/javascript',
  'palette.js': 'text/javascript',
  'minisearch.js': 'text/javascript',
  'plot.js': 'text/javascript',
  'uplot.css': 'text/css',
  'uplot.js': 'text/javascript',
  'preview.js': 'text/javascript',
  'print.js': 'text/javascript',
  'select-all.js': 'text/javascript',
  'send-once.js': 'text/javascript',
  'sum.js': 'text/javascript',
  'upload.js': 'text/javascript',
  'wait.js': 'text/javascript',
  'wallet.js': 'text/javascript',
} as const;

/** A file that pages load. */
export type Asset = keyof typeof types;

interface Loaded {
  readonly address: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Files of packages, each with its place there. The build copies them, so that users of Latchkey do not have to install them. */
const packaged: Readonly<Partial<Record<Asset, { readonly folder: () => string; readonly file: string }>>> = {
  'uplot.css': { folder: () => import.meta.resolve('uplot/package.json'), file: 'dist/uPlot.min.css' },
  'uplot.js': { folder: () => import.meta.resolve('uplot/package.json'), file: 'dist/uPlot.iife.min.js' },
  'minisearch.js': { folder: () => import.meta.resolve('minisearch'), file: './index.js' },
  'inter.woff2': {
    folder: () => import.meta.resolve('@fontsource-variable/inter/package.json'),
    file: 'files/inter-latin-wght-normal.woff2',
  },
};

const loaded = new Map<Asset, Loaded>();

/** Reads an asset once. The build copies the assets to the same relative path. */
function load(name: Asset): Loaded {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const body = read(name);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  const made = { address: `assets/${name.replace('.', `-${hash}.`)}`, type: types[name], body };
  loaded.set(name, made);
  return made;
}

/** Assets that load another one. Browsers keep both, so they name it by the address that changes with its content. */
const loading: Readonly<Partial<Record<Asset, readonly [written: string, name: Asset]>>> = {
  'guide-search.js': ['minisearch', 'minisearch.js'],
  'plot.js': ['uplot', 'uplot.js'],
  'style.css': ['inter.woff2', 'inter.woff2'],
};

function read(name: Asset): Buffer {
  const file = readFileSync(pathOf(name));
  const other = loading[name];
  if (other !== undefined) {
    const [written, asset] = other;
    const address = load(asset).address.replace('assets/', './');
    // The style sheet of the build has no quotation marks.
    return Buffer.from(file.toString().replace(new RegExp(`(['"(])${written}(['")])`), `$1${address}$2`));
  }
  // The package has a small file only for pages without modules. In a module, its variable must be exported.
  return name === 'uplot.js' ? Buffer.concat([file, Buffer.from('\nexport default uPlot;\n')]) : file;
}

/** Returns the path of the build's copy, or, if the code runs from source, of the file in the package. */
function pathOf(name: Asset): URL {
  const source = packaged[name];
  if (source === undefined) return new URL(`./assets/${name}`, import.meta.url);
  const copy = new URL(`./packaged/${name}`, import.meta.url);
  return existsSync(copy) ? copy : new URL(source.file, source.folder());
}

/** Returns the address from the first page, such as `assets/style-1f2e3d4c5b6a.css`. It changes with the content. */
export function assetAddress(name: Asset): string {
  return load(name).address;
}

function isAsset(name: string): name is Asset {
  return Object.hasOwn(types, name);
}

/**
 * Browsers keep an asset for a year, because other content has another address. If the hash is that of another version,
 * the server returns its own version for this time only: during an upgrade, old and new servers answer the same
 * browser.
 */
export const assetEndpoint: Endpoint = {
  id: 'asset',
  method: 'get',
  paths: ['/assets/:name'],
  respond(ctx) {
    const accent = accentSheet(ctx.params.name ?? '');
    if (accent !== undefined) {
      // Another version may make other tints of the same color.
      ctx.set('Cache-Control', 'public, max-age=3600');
      ctx.type = 'text/css; charset=utf-8';
      ctx.body = accent;
      return;
    }
    const name = (ctx.params.name ?? '').replace(/-[0-9a-f]{12}(?=\.[a-z0-9]+$)/, '');
    if (!isAsset(name)) throw new Failure('not_found');
    const { address, type, body } = load(name);
    const isCurrent = address === `assets/${ctx.params.name}`;
    ctx.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    ctx.status = 200;
    ctx.type = type === 'font/woff2' ? type : `${type}; charset=utf-8`;
    const encoding = chooseEncoding(ctx, body);
    if (encoding !== undefined) ctx.state.encoded = { encoding, audience: 'kept' };
    ctx.body = body;
  },
};
