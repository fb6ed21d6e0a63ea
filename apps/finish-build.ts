import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs after `tsc`, from the output folder.
const built = fileURLToPath(new URL('..', import.meta.url));
const source = join(built, '..');

// `tsc` does not delete the output of source files that no longer exist.
const output = /\.(?:js|js\.map|d\.ts)$/;
for (const folder of ['core', 'adapters', 'apps']) {
  for (const name of readdirSync(join(built, folder), { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    const isOutput = output.test(file) && !/[\\/](?:assets|swagger-ui)[\\/]/.test(file);
    const hasSource = ['.ts', '.tsx'].some((ending) => existsSync(join(source, file.replace(output, ending))));
    if (isOutput && !hasSource) rmSync(join(built, file));
  }
}

const assets = 'adapters/http/ui/assets';
mirror(join(source, assets), join(built, assets), readdirSync(join(source, assets)).filter(isServed));
mirror(join(source, 'apps/docs'), join(built, 'apps/docs'));
// Swagger UI is copied so that users of Latchkey do not have to install its package. That package depends on one that
// reports installations to its authors.
mirror(
  dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'))),
  join(built, 'adapters/http/site/swagger-ui'),
  ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'],
);
chmodSync(join(built, 'apps/latchkey-server.js'), 0o755);

/** The folder of assets also contains the settings that check their types. */
function isServed(name: string): boolean {
  return name !== 'tsconfig.json';
}

/** Copies files, then deletes all others in `to`. It does not empty `to` first, because a server may be running. */
function mirror(from: string, to: string, names = readdirSync(from)): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, name));
  for (const name of readdirSync(to)) if (!names.includes(name)) rmSync(join(to, name));
}
