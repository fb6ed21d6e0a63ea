import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chooseEncoding } from '../encodings.ts';
import { Failure } from '../failures.ts';
import type { Endpoint } from '../surface.ts';

const types = {
  'style.css': 'text/css',
  'icon.svg': 'image/svg+xml',
  'copy.js': 'text/javascript',
  'link-token.js': 'text/javascript',
  'local-times.js': 'text/javascript',
  'plot.js': 'text/javascript',
  'uplot.css': 'text/css',
  'uplot.js': 'text/javascript',
  'preview.js': 'text/javascript',
  'select-all.js': 'text/javascript',
  'send-once.js': 'text/javascript',
  'upload.js': 'text/javascript',
  'wait.js': 'text/javascript',
} as const;

/** A file that pages load. */
export type Asset = keyof typeof types;

interface Loaded {
  readonly address: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Files of a package. The build copies them, so that users of Latchkey do not have to install it. */
const packaged: Readonly<Partial<Record<Asset, string>>> = {
  'uplot.css': 'uPlot.min.css',
  'uplot.js': 'uPlot.iife.min.js',
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

function read(name: Asset): Buffer {
  const file = readFileSync(pathOf(name));
  if (name === 'plot.js') {
    // Browsers keep both scripts, so the one must import the other by the address that changes with its content.
    const imported = load('uplot.js').address.replace('assets/', './');
    return Buffer.from(file.toString().replace("from 'uplot'", `from '${imported}'`));
  }
  // The package has a small file only for pages without modules. In a module, its variable must be exported.
  return name === 'uplot.js' ? Buffer.concat([file, Buffer.from('\nexport default uPlot;\n')]) : file;
}

/** Returns the path of the build's copy, or, if the code runs from source, of the file in the package. */
function pathOf(name: Asset): URL {
  const file = packaged[name];
  const copy = new URL(file === undefined ? `./assets/${name}` : `./uplot/${file}`, import.meta.url);
  return file === undefined || existsSync(copy)
    ? copy
    : new URL(`./dist/${file}`, import.meta.resolve('uplot/package.json'));
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
    const name = (ctx.params.name ?? '').replace(/-[0-9a-f]{12}(?=\.[a-z]+$)/, '');
    if (!isAsset(name)) throw new Failure('not_found');
    const { address, type, body } = load(name);
    const isCurrent = address === `assets/${ctx.params.name}`;
    ctx.set('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    ctx.status = 200;
    ctx.type = `${type}; charset=utf-8`;
    const encoding = chooseEncoding(ctx, body);
    if (encoding !== undefined) ctx.state.encoded = { encoding, isKept: true };
    ctx.body = body;
  },
};
