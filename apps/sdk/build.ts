import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Makes the published package in `dist`. `tsc` has written the types before.
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await build({
  absWorkingDir: here('.'),
  entryPoints: ['index.ts', 'webhooks.ts', 'account.ts'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  sourcemap: true,
  format: 'esm',
  target: 'es2022',
});

// Only the files of this package: the types of the rules of the server stay inside.
cpSync(here('dist/types/apps/sdk'), here('dist'), { recursive: true });
rmSync(here('dist/types'), { recursive: true });
