import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sdkFolder } from './built-sdk.ts';

/** A site that uses the SDK. */
export interface Shop extends AsyncDisposable {
  /** Its page has no script of its own: tests run theirs in it. `/opaque` has an origin of its own, without storage. */
  readonly url: string;
}

/** Opens a site whose policy allows only its own scripts, and calls to the server `api`. `script` runs in its page. */
export async function openShop(api = '', script?: string): Promise<Shop> {
  const policy = `default-src 'none'; script-src 'self'; connect-src ${api || "'none'"}; require-trusted-types-for 'script'; trusted-types 'none'`;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://shop');
    const [, file] = /^\/sdk\/(\w+\.js)$/.exec(pathname) ?? [];
    if (file !== undefined) {
      response.setHeader('Content-Type', 'text/javascript');
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.end(await readFile(join(sdkFolder, file)));
      return;
    }
    if (pathname === '/site.js') {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(script);
      return;
    }
    const own = pathname === '/opaque' ? '; sandbox allow-scripts' : '';
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', policy + own);
    const tag = script === undefined ? '' : '<script type="module" src="site.js"></script>';
    response.end(`<!doctype html><html lang="en"><title>Shop</title>${tag}<h1>Shop</h1></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
