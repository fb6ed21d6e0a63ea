import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Makes the published package in `dist`: the program with everything that it needs, in pieces that are loaded when they are
// used, so that a short command starts quickly.
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

rmSync(here('dist'), { recursive: true, force: true });
await build({
  absWorkingDir: here('.'),
  entryPoints: ['latchkey.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  legalComments: 'linked',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Some packages are CommonJS and need `require` for the modules of Node.
  banner: { js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);" },
});
chmodSync(here('dist/latchkey.js'), 0o755);
