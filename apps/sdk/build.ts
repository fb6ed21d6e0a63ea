import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { typesOf } from './types-of.ts';

// Makes the published package in `dist`. The types of the account client come from the routes of the built server.
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const { embed }: typeof import('../embed.ts') = await import(here('../../dist/program/embed.js'));
const server = await embed();
const document = await (await fetch(`${server.url}/openapi.json`)).json();
await server.close();
writeFileSync(here('account/api.ts'), typesOf(document));
execFileSync(process.execPath, [here('../../node_modules/typescript/bin/tsc'), '-p', here('tsconfig.build.json')], {
  stdio: 'inherit',
});

// Apart, so that nothing but the library that the guard loads later is in a file of its own.
for (const entryPoints of [['index.ts', 'ed25519.ts'], ['webhooks.ts'], ['account.ts']]) {
  await build({
    absWorkingDir: here('.'),
    entryPoints,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
  });
}

// Only the files of this package: the types of the rules of the server stay inside.
cpSync(here('dist/types/apps/sdk'), here('dist'), { recursive: true });
rmSync(here('dist/types'), { recursive: true });

// Compilers older than ours read types only through names that end with `.js`.
for (const name of readdirSync(here('dist'), { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = here(`dist/${name}`);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
