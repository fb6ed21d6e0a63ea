import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenApiDocument } from '../openapi/document.ts';
import { sendFile } from '../send-file.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';

/** What is served of Swagger UI's package: nothing else of it can be asked for. */
const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

/**
 * `GET /openapi.json`, and `GET /docs`: the same as a page to read and try, which comes with all that it needs. The document is
 * made when it is first asked for. `origins` are those that the page may call beside its own.
 */
export function docsEndpoints(document: () => OpenApiDocument, origins: readonly string[]): Endpoint[] {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const pages: Record<string, Endpoint['respond']> = {
    '/openapi.json': text('application/json; charset=utf-8', () => JSON.stringify(document()), {
      'Access-Control-Allow-Origin': '*',
    }),
    '/docs': (ctx) => {
      ctx.set('Content-Security-Policy', policy);
      ctx.set('Cache-Control', 'no-cache');
      ctx.type = 'html';
      ctx.body = page(ctx.path.endsWith('/') ? '.' : './docs');
    },
    '/docs/start.js': text('text/javascript; charset=utf-8', () => start),
    ...Object.fromEntries(assets.map((name) => [`/docs/${name}`, asset(name)])),
  };
  return Object.entries(pages).map(([path, respond]) => ({ id: path, method: 'get', paths: [path], respond }));
}

/** A text that stays the same as long as the process runs. */
function text(type: string, write: () => string, headers: Record<string, string> = {}): Endpoint['respond'] {
  let written: { readonly body: string; readonly etag: string } | undefined;
  return (ctx: Context) => {
    written ??= withTag(write());
    ctx.set({ ...headers, 'Cache-Control': 'no-cache', ETag: written.etag });
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = type;
    ctx.body = written.body;
  };
}

function withTag(body: string) {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

function asset(name: (typeof assets)[number]): Endpoint['respond'] {
  const path = pathOf(name);
  return (ctx) => sendFile(ctx, { path }, { cacheControl: 'no-cache' });
}

/** The build puts a copy beside this file; run from source, the package itself is there. */
function pathOf(name: (typeof assets)[number]): string {
  const copy = fileURLToPath(new URL(`./swagger-ui/${name}`, import.meta.url));
  return existsSync(copy) ? copy : fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
}

/** The addresses are relative, so that the page works behind any prefix. */
function page(folder: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Latchkey API</title>
<link rel="icon" type="image/png" href="${folder}/favicon-32x32.png">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="${folder}/start.js"></script>
</body>
</html>
`;
}

/** `validatorUrl` names an outside host where it is not turned off. */
const start = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;
