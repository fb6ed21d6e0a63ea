import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Failure } from '../failures.ts';
import type { Endpoint } from '../surface.ts';

const types = {
  'style.css': 'text/css',
  'icon.svg': 'image/svg+xml',
  'local-times.js': 'text/javascript',
} as const;

/** A file that pages load. */
export type Asset = keyof typeof types;

interface Loaded {
  readonly address: string;
  readonly type: string;
  readonly body: Buffer;
}

const loaded = new Map<Asset, Loaded>();

/** Reads an asset once. The build copies the assets to the same relative path. */
function load(name: Asset): Loaded {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  const made = { address: `assets/${name.replace('.', `-${hash}.`)}`, type: types[name], body };
  loaded.set(name, made);
  return made;
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
    ctx.body = body;
  },
};
