import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { placeholder } from './example.ts';

/** A site that serves the files of an example, under all names of this machine. */
export interface StaticSite extends AsyncDisposable {
  readonly port: number;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/**
 * Serves a folder with the address and the key of a license in place of those in the code. Its policy allows only its own
 * scripts and styles, and calls to the license server. `added` has the paths of files from elsewhere.
 */
export async function openStaticSite(
  folder: string,
  url: string,
  key: string,
  added: Readonly<Record<string, string>>,
): Promise<StaticSite> {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src ${url}; base-uri 'none'; form-action 'none'`;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://site');
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const text = await readFile(added[name] ?? join(folder, name), 'utf8').catch(() => undefined);
    response.writeHead(text === undefined ? 404 : 200, {
      'Content-Type': types[extname(name)] ?? 'text/plain',
      'Content-Security-Policy': policy,
    });
    response.end(text?.replaceAll(placeholder.url, url).replaceAll(placeholder.key, key));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
