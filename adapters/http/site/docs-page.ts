import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failures.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { sendFile } from '../send-file.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { guidePage, type Place, referencePage } from './docs-layout.ts';
import type { Guides } from './guides.ts';
import { referenceBookmarks } from './reference-bookmarks.ts';
import { referenceStart } from './reference-start.ts';

/** The dependencies of the documentation pages. */
export interface Documentation {
  /** The folder of the guides in Markdown. */
  readonly guides: URL;
  /** The new name of each guide that was renamed. Its earlier address redirects there. */
  readonly renamed: Readonly<Record<string, string>>;
  document(): OpenApiDocument;
  /** Other origins that the API reference may call. */
  readonly origins: readonly string[];
}

/** Only these files of Swagger UI's package are served. */
const swaggerAssets = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;

const ownAssets = [
  ['docs.css', text('text/css', () => ownFile('docs.css'))],
  ['icon.svg', text('image/svg+xml', () => ownFile('icon.svg'))],
  ['bookmarks.js', text('text/javascript', () => referenceBookmarks)],
  ['start.js', text('text/javascript', () => referenceStart)],
] as const;

/** Guides run no scripts. The first page needs one for old bookmarks. */
const guideSources = ["style-src 'self'", "img-src 'self'"];
const guidePolicy = policyOf(...guideSources);
const indexPolicy = policyOf("script-src 'self'", ...guideSources);

/**
 * `GET /docs` serves the guides, `GET /docs/reference` the API reference, and `GET /openapi.json` the OpenAPI document.
 * All assets come from this server. Everything is created at its first use.
 */
export function docsEndpoints({ guides: folder, renamed, document, origins }: Documentation): Endpoint[] {
  const referencePolicy = policyOf(
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
  );
  const newNames = new Map(Object.entries(renamed));
  let read: Guides | undefined;
  const guides = async () => {
    const { readGuides } = await import('./guides.ts'); // With the Markdown parser, which servers of APIs never need.
    read ??= readGuides(folder);
    return read;
  };
  const assets = new Map<string, Endpoint['respond']>([
    ...swaggerAssets.map((name) => [name, swaggerAsset(name)] as const),
    ...ownAssets,
  ]);
  return [
    {
      id: 'openapi',
      method: 'get',
      paths: ['/openapi.json'],
      respond: text('application/json', () => JSON.stringify(document()), { 'Access-Control-Allow-Origin': '*' }),
    },
    {
      id: 'docs',
      method: 'get',
      paths: ['/docs'],
      async respond(ctx) {
        if (ctx.path.endsWith('/')) return ctx.redirect('../docs');
        const all = await guides();
        sendPage(ctx, indexPolicy, guidePage(all.index, { docs: 'docs/', name: '' }, all));
      },
    },
    {
      id: 'docs-page',
      method: 'get',
      paths: ['/docs/:page'],
      async respond(ctx) {
        const name = (ctx.params.page ?? '').toLowerCase();
        const place: Place = { docs: './', name };
        const all = await guides();
        const guide = all.find(name);
        const newName = newNames.get(name);
        if (newName !== undefined) return ctx.redirect(ctx.path.endsWith('/') ? `../${newName}` : `./${newName}`);
        if (name !== 'reference' && guide === undefined) {
          // Programs get the error as JSON, as at every other address.
          if (ctx.accepts('json', 'html') !== 'html') throw new Failure('not_found');
          sendPage(ctx, guidePolicy, guidePage(noSuchPage, place, all), 404);
        } else if (ctx.path.endsWith('/')) {
          ctx.redirect(`../${name}`);
        } else if (guide === undefined) {
          sendPage(ctx, referencePolicy, referencePage(place));
        } else {
          sendPage(ctx, guidePolicy, guidePage(guide, place, all));
        }
      },
    },
    {
      id: 'docs-asset',
      method: 'get',
      paths: ['/docs/assets/:name'],
      respond(ctx) {
        const respond = assets.get(ctx.params.name ?? '');
        if (respond === undefined) throw new Failure('not_found');
        return respond(ctx);
      },
    },
  ];
}

const noSuchPage = {
  title: 'Not found',
  html: '<h1>Not found</h1>\n<p>There is no page at this address. See the list of guides.</p>\n',
  sections: [],
};

function policyOf(...directives: readonly string[]): string {
  const none = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return ["default-src 'none'", ...directives, ...none].join('; ');
}

function sendPage(ctx: Context, policy: string, page: string, status = 200): void {
  ctx.set('Content-Security-Policy', policy);
  ctx.status = status;
  if (status === 200) {
    ctx.set({ 'Cache-Control': 'no-cache', ETag: tagOf(page) });
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
  } else {
    ctx.set('Cache-Control', 'no-store');
  }
  ctx.type = 'html';
  ctx.body = page;
}

/** Sends a text that does not change while the process runs. */
function text(type: string, write: () => string, headers: Record<string, string> = {}): Endpoint['respond'] {
  let written: { readonly body: string; readonly etag: string } | undefined;
  return (ctx: Context) => {
    if (written === undefined) {
      const body = write();
      written = { body, etag: tagOf(body) };
    }
    ctx.set({ ...headers, 'Cache-Control': 'no-cache', ETag: written.etag });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = `${type}; charset=utf-8`;
    ctx.body = written.body;
  };
}

function tagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/** Reads an asset. The build copies the assets to the same relative path. */
function ownFile(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

function swaggerAsset(name: (typeof swaggerAssets)[number]): Endpoint['respond'] {
  const path = pathOf(name);
  return (ctx) => sendFile(ctx, { path }, { cacheControl: 'no-cache' });
}

/** Returns the path of the copy that the build makes, or, if the code runs from source, of the file in the package. */
function pathOf(name: (typeof swaggerAssets)[number]): string {
  const copy = fileURLToPath(new URL(`./swagger-ui/${name}`, import.meta.url));
  return existsSync(copy) ? copy : fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
}
