import type { Source } from './module.ts';
import type { RuleName } from './rules.ts';

/** One file that breaks a rule once, or several files of which only the first breaks it. */
type Breach = Source | readonly [Source, ...Source[]];

/** For each rule: files that break it, and files that do not. */
export const planted: Record<RuleName, { breaches: readonly Breach[]; sound: readonly Source[] }> = {
  'core imports only core': {
    breaches: [
      { path: 'core/a.ts', text: `import { readFile } from 'node:fs';` },
      { path: 'core/a.ts', text: `import fs from "fs";` },
      { path: 'core/a.ts', text: `import type { Knex } from 'knex';` },
      { path: 'core/a.ts', text: `import { x } from '../adapters/sql/database.ts';` },
      { path: 'core/licensing/a.ts', text: `import { x } from '../../apps/wiring/config.ts';` },
      { path: 'core/licensing/a.ts', text: `import { x } from '../../core-extra/x.ts';` },
      { path: 'core/a.ts', text: `import '../adapters/sql/database.ts';` },
      { path: 'core/a.ts', text: `import 'reflect-metadata';` },
      { path: 'core/a.ts', text: `export * from 'zod';` },
      { path: 'core/a.ts', text: `export type { ZodType } from 'zod';` },
      { path: 'core/a.ts', text: `import {\n  one,\n  type Other, // 'why'\n} from 'zod';` },
      { path: 'core/a.ts', text: `import zod, * as all from'zod'` },
      { path: 'core/a.ts', text: `const x = await import('zod');` },
      { path: 'core/a.ts', text: `const x = await import(/* now */ 'zod', { with: {} });` },
      { path: 'core/a.ts', text: `type X = import('zod').ZodType;` },
      { path: 'core/a.ts', text: `const x = await import(name);` },
      { path: 'core/a.ts', text: `const x = one ? import(name) : two;` },
      { path: 'core/a.ts', text: `stop();\nimport(name).then(start);` },
      { path: 'core/a.ts', text: 'const x = await import(`zod`);' },
      { path: 'core/a.ts', text: `const x = \`\${await import("zod")}\`;` },
      { path: 'core/a.ts', text: `const quote = /'/; const x = await import('zod');` },
      { path: 'core/a.ts', text: `const address = 'http://x'; import 'zod';` },
      { path: 'core/a.ts', text: `import { x } from '/srv/core/b.ts';` },
      { path: 'core/a.ts', text: `import { x } from '#b';` },
      { path: 'core/a.ts', text: `import { 'a b' as x } from 'zod';` },
      { path: 'core/a.ts', text: `import { b } from './b.ts'\nimport zod from 'zod'` },
      { path: 'core/a.ts', text: `import zod = require('zod');` },
    ],
    sound: [
      { path: 'core/a.ts', text: `import { b } from './licensing/b.ts';` },
      {
        path: 'core/licensing/a.ts',
        text: `import type { Clock } from '../ports/clock.ts'; export * from './b.ts';`,
      },
      { path: 'core/a.ts', text: `// import { x } from 'zod';\n/* import 'zod';\n import('zod') */` },
      { path: 'core/a.ts', text: `const text = "import { x } from 'zod'";` },
      { path: 'core/a.ts', text: `export const from = 'zod'; export function important(text = 'zod') {}` },
      {
        path: 'core/a.ts',
        text: `interface X {\n  import(one: string, done: (two: number) => void): Promise<void>;\n}`,
      },
      { path: 'core/a.ts', text: `export default {\n  ...x,\n  async import(one, by) {\n    return one;\n  },\n};` },
      { path: 'core/a.ts', text: `issuing.import(licenses);` },
      { path: 'adapters/sql/a.ts', text: `import knex from 'knex';` },
    ],
  },
  'core uses no global object of the platform except URL, declared in domain-name.ts': {
    breaches: [
      { path: 'core/a.ts', text: 'declare const URL: unknown;' },
      { path: 'core/licensing/domain-name.ts', text: 'declare const process: unknown;' },
      { path: 'core/licensing/domain-name.ts', text: 'declare const URLSearchParams: unknown;' },
      { path: 'core/a.ts', text: 'declare function fetch(address: string): unknown;' },
      { path: 'core/a.ts', text: 'declare global { var x: number }' },
      { path: 'core/a.ts', text: 'declare const brand: unique symbol, process: unknown;' },
      { path: 'core/a.ts', text: 'declare abstract class Buffer {}' },
      { path: 'core/a.ts', text: 'const { process } = globalThis as never;' },
    ],
    sound: [
      { path: 'core/licensing/domain-name.ts', text: 'declare const URL: new (address: string) => object;' },
      { path: 'core/a.ts', text: 'declare const brand: unique symbol;' },
      { path: 'adapters/http/a.ts', text: 'declare const x: unknown;' },
    ],
  },
  'an adapter imports only core, its own folder, packages, adapters/contracts and files directly in adapters': {
    breaches: [
      { path: 'adapters/system-error.ts', text: `import { x } from './sql/database.ts';` },
      { path: 'adapters/system-error.ts', text: `import { x } from '../apps/wiring/config.ts';` },
      { path: 'adapters/sql/a.ts', text: `import { x } from '../files';` },
      { path: 'adapters/http/a.ts', text: `import { x } from '../sql/database.ts';` },
      { path: 'adapters/http/routes/a.ts', text: `import { x } from '../../http-extra/x.ts';` },
      { path: 'adapters/http/routes/a.ts', text: `import { x } from '../../../adapters/sql/database.ts';` },
      { path: 'adapters/http/a.ts', text: `export { x } from '../../apps/wiring/config.ts';` },
      { path: 'adapters/http/a.ts', text: `import { x } from '../../test/support/x.ts';` },
      { path: 'adapters/http/a.ts', text: `import manifest from '../../package.json' with { type: 'json' };` },
      { path: 'adapters/http/a.ts', text: `const x = await import('../sql/database.ts');` },
      { path: 'adapters/http/a.ts', text: `const x = await import(\`../\${name}/database.ts\`);` },
      {
        path: 'adapters/http/a.ts',
        text: `const x = createRequire(import.meta.url); require('../sql/database.ts');`,
      },
      { path: 'adapters/http/a.ts', text: `import { embed } from 'latchkey';` },
      { path: 'adapters/http/a.ts', text: `import { x } from 'file:///srv/apps/config.ts';` },
    ],
    sound: [
      {
        path: 'adapters/http/a.ts',
        text: `import Koa from 'koa'; import { x } from 'node:fs'; import y from '@koa/cors';`,
      },
      {
        path: 'adapters/http/routes/a.ts',
        text: `import { x } from '../route.ts'; import '../../../core/refusal.ts';`,
      },
      {
        path: 'adapters/sql/a.ts',
        text: `const x = await import('./migrations/x.ts'); const here = import.meta.url;`,
      },
      { path: 'adapters/sql/migrations/a.ts', text: `import { codeOf } from '../../system-error.ts';` },
      { path: 'adapters/b.ts', text: `import pg from 'pg'; import './a.ts'; import '../core/unavailable.ts';` },
      { path: 'apps/a.ts', text: `import '../adapters/sql/database.ts'; import './config.ts';` },
    ],
  },
  'only apps import inversify': {
    breaches: [
      { path: 'core/a.ts', text: `import { injectable } from 'inversify';` },
      { path: 'adapters/http/a.ts', text: `import type { Container } from 'inversify';` },
      { path: 'adapters/http/a.ts', text: `import { x } from '@inversifyjs/core';` },
      { path: 'adapters/http/a.ts', text: `const x = await import('inversify');` },
    ],
    sound: [
      { path: 'apps/modules/a.ts', text: `import { ContainerModule } from 'inversify';` },
      { path: 'adapters/http/a.ts', text: `// wired by import { x } from 'inversify'` },
    ],
  },
  'apps/wiring imports nothing from apps/server or apps/commands, and apps/server nothing from apps/commands': {
    breaches: [
      { path: 'apps/wiring/a.ts', text: `import { serve } from '../server/serve.ts';` },
      { path: 'apps/wiring/modules/a.ts', text: `import type { Terminal } from '../../commands/terminal.ts';` },
      { path: 'apps/wiring/a.ts', text: `const x = await import('../commands/program.ts');` },
      { path: 'apps/server/a.ts', text: `export * from '../commands/program.ts';` },
    ],
    sound: [
      { path: 'apps/wiring/a.ts', text: `import './modules/core.ts'; import '../../adapters/http/server.ts';` },
      { path: 'apps/server/a.ts', text: `import './serve.ts'; import '../wiring/compose.ts';` },
      { path: 'apps/commands/a.ts', text: `import '../server/serve.ts'; import '../wiring/compose.ts';` },
      { path: 'apps/embed.ts', text: `import './commands/program.ts'; import './server/serve.ts';` },
    ],
  },
  'apps/commands imports nothing from adapters/http': {
    breaches: [
      { path: 'apps/commands/a.ts', text: `import { iso } from '../../adapters/http/fields.ts';` },
      { path: 'apps/commands/a.ts', text: `type X = import('../../adapters/http/route.ts').Route;` },
    ],
    sound: [
      { path: 'apps/commands/a.ts', text: `import '../../adapters/sql/database.ts'; import './http.ts';` },
      { path: 'apps/wiring/a.ts', text: `import '../../adapters/http/server.ts';` },
    ],
  },
  'apps/sdk imports only itself, the rules of domains and keys, and in one file a library': {
    breaches: [
      { path: 'apps/sdk/index.ts', text: `import { z } from 'zod';` },
      { path: 'apps/sdk/guard/a.ts', text: `import { createHash } from 'node:crypto';` },
      { path: 'apps/sdk/a.ts', text: `import '../embed.ts';` },
      { path: 'apps/sdk/a.ts', text: `import type { License } from '../../core/licensing/license.ts';` },
      { path: 'apps/sdk/a.ts', text: `const x = await import('latchkey');` },
      { path: 'apps/sdk/guard/a.ts', text: `import { verify } from '@noble/ed25519';` },
      { path: 'apps/sdk/ed25519.ts', text: `import { z } from 'zod';` },
    ],
    sound: [
      { path: 'apps/sdk/index.ts', text: `import '../../core/licensing/domain-name.ts'; import './guard/a.ts';` },
      { path: 'apps/sdk/guard/a.ts', text: `import '../platform.ts'; import './b.ts';` },
      { path: 'apps/sdk/guard/a.ts', text: `import '../../../core/licensing/license-key.ts';` },
      { path: 'apps/sdk/ed25519.ts', text: `import { verify } from '@noble/ed25519';` },
      { path: 'apps/sdk/build.ts', text: `import { build } from 'esbuild';` },
    ],
  },
  'nothing imports apps/sdk, except for apps/cli': {
    breaches: [
      { path: 'apps/embed.ts', text: `import './sdk/index.ts';` },
      { path: 'adapters/http/a.ts', text: `import type { A } from '../../apps/sdk/guard/a.ts';` },
    ],
    sound: [
      { path: 'apps/sdk/index.ts', text: `import './webhooks.ts';` },
      { path: 'apps/cli/a.ts', text: `import '../sdk/account/client.ts';` },
    ],
  },
  'apps/cli imports only itself, packages, core, the account client, and what it shares with the server': {
    breaches: [
      { path: 'apps/cli/a.ts', text: `import '../embed.ts';` },
      { path: 'apps/cli/commands/a.ts', text: `const x = await import('../../../adapters/http/fields.ts');` },
    ],
    sound: [
      { path: 'apps/cli/commands/a.ts', text: `import { Command } from 'commander'; import '../stop.ts';` },
      { path: 'apps/cli/a.ts', text: `import '../../core/iso.ts'; import '../../adapters/files/inspection/zip.ts';` },
    ],
  },
  'nothing imports apps/cli': {
    breaches: [{ path: 'apps/commands/a.ts', text: `import '../cli/stop.ts';` }],
    sound: [{ path: 'apps/cli/latchkey.ts', text: `import './run.ts';` }],
  },
  'every port is imported by a core file outside core/ports': {
    breaches: [
      { path: 'core/ports/a.ts', text: '' },
      [
        { path: 'core/ports/a.ts', text: '' },
        { path: 'adapters/sql/a.ts', text: `import type { A } from '../../core/ports/a.ts';` },
        { path: 'core/ports/b.ts', text: `import type { A } from './a.ts';` },
        { path: 'core/licensing/a.ts', text: `import type { B } from '../ports/b.ts';` },
      ],
    ],
    sound: [
      { path: 'core/ports/a.ts', text: '' },
      { path: 'core/licensing/b.ts', text: `import type { A } from '../ports/a.ts';` },
    ],
  },
  'sibling folders do not import each other in a circle': {
    breaches: [
      [
        { path: 'core/licensing/a.ts', text: `import '../events/a.ts';` },
        { path: 'core/events/b.ts', text: `import type { B } from '../licensing/b.ts';` },
      ],
      [
        { path: 'adapters/sql/stores/a.ts', text: `import '../archive/a.ts';` },
        { path: 'adapters/sql/archive/b.ts', text: `import '../postgres/deep/b.ts';` },
        { path: 'adapters/sql/postgres/deep/c.ts', text: `const x = await import('../../stores/c.ts');` },
      ],
    ],
    sound: [
      { path: 'core/licensing/a.ts', text: `import '../events/a.ts'; import '../ports/a.ts'; import '../refusal.ts';` },
      { path: 'core/marketplace/a.ts', text: `import '../licensing/a.ts'; import '../events/a.ts';` },
      { path: 'core/ports/a.ts', text: `import '../licensing/b.ts'; import '../marketplace/b.ts';` },
      { path: 'adapters/sql/database.ts', text: `import './postgres/a.ts';` },
      { path: 'adapters/sql/postgres/a.ts', text: `import '../database.ts'; import './deep/b.ts';` },
    ],
  },
  'only apps/wiring/config.ts reads process.env, and that of the published program': {
    breaches: [
      { path: 'apps/server.ts', text: 'const port = process.env.PORT;' },
      { path: 'apps/cli/connection.ts', text: 'const key = process.env.KEY;' },
      { path: 'apps/admin/config.ts', text: `const port = process.env['PORT'];` },
      { path: 'adapters/http/a.ts', text: 'const all = globalThis.process?.env;' },
      { path: 'adapters/http/a.ts', text: 'const all = process\n  .env;' },
      { path: 'adapters/http/a.ts', text: `const all = process['env'];` },
      { path: 'adapters/http/a.ts', text: 'const { pid, env } = process;' },
      { path: 'adapters/http/a.ts', text: `import { env as all } from 'node:process';` },
      { path: 'adapters/http/a.ts', text: `export { env as all } from 'node:process';` },
      { path: 'adapters/http/a.ts', text: 'const all = (process as object as Settings).env;' },
      { path: 'adapters/http/a.ts', text: 'let env; ({ env } = process);' },
      { path: 'adapters/http/a.ts', text: `import process, { env } from 'process';` },
      { path: 'adapters/http/a.ts', text: `const line = \`at \${process.env.PORT}\`;` },
    ],
    sound: [
      { path: 'apps/wiring/config.ts', text: 'const port = process.env.PORT;' },
      { path: 'apps/cli/environment.ts', text: 'const all = process.env;' },
      { path: 'apps/server.ts', text: `// process.env is read in config.ts\nconst hint = 'set process.env';` },
      {
        path: 'apps/server.ts',
        text: `process.on('SIGTERM', stop); const x = process['exitCode']; const { env } = config;`,
      },
      {
        path: 'apps/server.ts',
        text: `import { argv } from 'node:process'; const environment = process.environment;`,
      },
    ],
  },
  'only adapters/node/clock.ts reads the time of day, and the published SDK': {
    breaches: [
      { path: 'adapters/sql/clock.ts', text: 'const now = Date.now();' },
      { path: 'apps/a.ts', text: 'const clock = { now: Date.now };' },
      { path: 'core/a.ts', text: 'const now = new Date();' },
      { path: 'core/a.ts', text: 'const now = new Date( /* now */ ).getTime();' },
      { path: 'core/a.ts', text: 'const now = +new Date;' },
      { path: 'core/a.ts', text: 'const now = Date();' },
      { path: 'core/a.ts', text: `const now = Date('1970-01-01');` },
      { path: 'core/a.ts', text: `const now = Date['now']();` },
      { path: 'adapters/http/a.ts', text: `const line = \`at \${new Date().toISOString()}\`;` },
      { path: 'core/a.ts', text: 'const start = performance.now();' },
    ],
    sound: [
      { path: 'adapters/node/clock.ts', text: 'export const clock = { now: () => Date.now() };' },
      { path: 'apps/sdk/platform.ts', text: 'const now = Date.now();' },
      {
        path: 'adapters/http/a.ts',
        text: 'const text = new Date(instant).toISOString(); const at = new Date(\n  row.at,\n);',
      },
      {
        path: 'apps/a.ts',
        text: 'const start = performance.now(); const day = toDate(); const known = Date.parse(text);',
      },
      { path: 'core/a.ts', text: `// never Date.now()\nconst hint = 'not new Date()';` },
    ],
  },
  'no signal is made by AbortSignal.any': {
    breaches: [
      { path: 'apps/cli/a.ts', text: 'await fetch(url, { signal: AbortSignal.any([stop]) });' },
      { path: 'adapters/a.ts', text: 'const any = globalThis.AbortSignal.any;' },
    ],
    sound: [{ path: 'core/a.ts', text: '// never AbortSignal.any\nconst limit = AbortSignal.timeout(5);' }],
  },
  'lengths of time come from core/time.ts': {
    breaches: [
      { path: 'core/a.ts', text: 'const day = 86_400;' },
      { path: 'adapters/a.ts', text: 'const hour = 60 * 60;' },
    ],
    sound: [
      { path: 'core/a.ts', text: 'const day = dayOf(now);' },
      { path: 'apps/cli/a.ts', text: 'const minute = 60_000;' },
    ],
  },
  'files and folders are named in kebab-case': {
    breaches: [
      'core/licenseKey.ts',
      'core/License.ts',
      'adapters/sql/license_store.ts',
      'apps/Admin/a.ts',
      'core/a.tsx',
      'apps/a.tsx',
      'adapters/http/a.js',
      'adapters/http/ui/assets/a.ts',
      'adapters/http/ui/LayOut.tsx',
      'core/a.b.ts',
      'apps/-a.ts',
    ].map((path) => ({ path, text: '' })),
    sound: [
      'core/licensing/license-key.ts',
      'adapters/s3/a.ts',
      'adapters/http/ui/empty-state.tsx',
      'adapters/http/ui/assets/local-times.js',
      'adapters/node/a-thread.js',
      'adapters/sql/migrations/001-first.ts',
      'apps/a.d.ts',
    ].map((path) => ({ path, text: '' })),
  },
  'a file has at most 300 lines': {
    breaches: [{ path: 'core/a.ts', text: '//\n'.repeat(301) }],
    sound: [{ path: 'core/a.ts', text: '//\n'.repeat(300) }],
  },
};
