import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// What `tsc` leaves to do, run from the folder that it wrote. Swagger UI is copied so that who installs Latchkey need not
// install its package, which depends on one that reports installations to its makers.
const pages = new URL('../adapters/http/site/swagger-ui/', import.meta.url);
const bundle = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'];
const source = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

mkdirSync(pages, { recursive: true });
for (const name of ['swagger-ui.css', ...bundle, 'favicon-32x32.png', 'LICENSE', 'NOTICE']) {
  copyFileSync(`${source}/${name}`, new URL(name, pages));
}
chmodSync(new URL('latchkey-server.js', import.meta.url), 0o755);
