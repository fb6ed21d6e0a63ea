import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** A source file: its path from the root of the repository, with `/` between folders, and what is in it. */
interface Source {
  readonly path: string;
  readonly text: string;
}

/** A source file as the rules read it. */
interface Module {
  readonly path: string;
  /** The text without its comments, and with a number in place of what its quoted texts say. */
  readonly code: string;
  readonly quoted: readonly string[];
  /** What it imports, by name or by relative path; `undefined` is an `import()` of something worked out at run time. */
  readonly imports: readonly (string | undefined)[];
}

type Rule = (module: Module) => readonly string[];

const rules = {
  'core imports only core': ({ path, imports }) =>
    folderOf(path) === 'core' ? imports.filter((name) => !leadsInto('core/', path, name)).map(said) : [],

  'core takes nothing from its surroundings but URL, declared in domain-name.ts': ({ path, code }) => {
    if (folderOf(path) !== 'core') return [];
    return matches(
      code,
      /\bdeclare\s+(?:global\b|(?:const|let|var|function|class|namespace|module)\s+\w+\b)(?!\s*:\s*unique\s+symbol)/g,
    )
      .concat(matches(code, /\bglobalThis\b/g))
      .filter((found) => !(path === 'core/licensing/domain-name.ts' && /^declare\s+const\s+URL$/.test(found)));
  },

  'an adapter imports only core, its own folder, packages and what lies beside all adapters': ({ path, imports }) => {
    if (folderOf(path) !== 'adapters') return [];
    const own = `${path.split('/').slice(0, 2).join('/')}/`;
    const mayImport = (name: string | undefined) =>
      name !== undefined &&
      (isRelative(name)
        ? leadsInto('core/', path, name) || leadsInto(own, path, name) || isBesideAdapters(path, name)
        : isPackage(name));
    return imports.filter((name) => !mayImport(name)).map(said);
  },

  'only apps import inversify': ({ path, imports }) =>
    folderOf(path) === 'apps' ? [] : imports.filter((name) => /^@?inversify/.test(name ?? '')).map(said),

  'only apps/wiring/config.ts reads process.env': ({ path, code, quoted, imports }) => {
    if (path === 'apps/wiring/config.ts') return [];
    const bracketed = matches(code, /\bprocess\s*(?:\?\.)?\s*\[\s*['"]\d+['"]/g).filter(
      (found) => quoted[Number(/\d+/.exec(found)?.[0])] === 'env',
    );
    const imported = imports.some((name) => name === 'process' || name === 'node:process')
      ? matches(code, /\b(?:import|export)\s*(?:\w+\s*,\s*)?\{[^}]*\benv\b[^}]*\}\s*from\b/g)
      : [];
    return [
      ...matches(code, /\bprocess\s*(?:\?\.|!?\s*\.)\s*env\b/g),
      ...matches(code, /\{[^{}]*\benv\b[^{}]*\}\s*=\s*(?:globalThis\s*\.\s*)?process\b/g),
      ...bracketed,
      ...imported,
    ];
  },

  'only adapters/node/clock.ts reads the time of day': ({ path, code }) => {
    if (path === 'adapters/node/clock.ts') return [];
    return [
      ...matches(code, /\bDate\s*(?:\?\.|\.)\s*now\b/g),
      ...matches(code, /\bnew\s+Date\b(?!\s*\(\s*[^)\s])/g),
      ...matches(code, /(?<!\bnew\s+)\bDate\s*\(\s*\)/g),
      ...(folderOf(path) === 'core' ? matches(code, /\bperformance\s*\.\s*now\b/g) : []),
    ];
  },

  'files and folders are named in kebab-case': ({ path }) =>
    path.split('/').every((part) => /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d)?(?:\.ts)?$/.test(part)) ? [] : [path],
} satisfies Record<string, Rule>;

type RuleName = keyof typeof rules;

/** The breaches of a rule, each as `path: what was found there`. */
function breachesOf(rule: RuleName, sources: readonly Source[]): string[] {
  return sources.flatMap((source) => rules[rule](moduleOf(source)).map((found) => `${source.path}: ${found}`));
}

function moduleOf({ path, text }: Source): Module {
  const quoted: string[] = [];
  const code = text.replace(tokens, (token: string) => {
    if (token.startsWith('//') || token.startsWith('/*')) return ' ';
    if (token.startsWith('/')) return '/0/';
    if (token.startsWith('`')) return token;
    const mark = token.charAt(0);
    return `${mark}${quoted.push(token.slice(1, -1)) - 1}${mark}`;
  });
  const imports = importForms
    .flatMap((form) => Array.from(code.replace(importMethods, 'method').matchAll(form)))
    .map(([, index]) => (index === undefined ? undefined : quoted[Number(index)]));
  return { path, code, quoted, imports };
}

/** Comments, quoted texts, templates and regular expressions: where code that only looks like code may stand. */
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=(?:^|[(,=:[!&|?{};+>]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/g;

/** The ways to import: `import … from` and `export … from`, the bare `import`, and the call, of a plain text or not. */
const importForms = [
  /\b(?:import|export)\b[^;`()=]*?\bfrom\s*['"](\d+)['"]/g,
  /\bimport\s*['"](\d+)['"]/g,
  /(?<!\.\s*)\b(?:import|require)\s*\(\s*(?:['"](\d+)['"]\s*[,)])?/g,
];

/** A method may be called `import`, and its declaration looks like a call. */
const importMethods = /(?<=[{,;}]\s*(?:async\s+)?)\bimport(?=\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*[{:])/g;

function matches(code: string, pattern: RegExp): string[] {
  return Array.from(code.matchAll(pattern), ([found]) => found);
}

function said(name: string | undefined): string {
  return name ?? 'an import() of something worked out at run time';
}

function folderOf(path: string): string | undefined {
  return path.split('/')[0];
}

function isRelative(name: string): boolean {
  return /^\.\.?(?:\/|$)/.test(name);
}

/** A package from the registry or Node itself: no path, no alias, and not this very package. */
function isPackage(name: string): boolean {
  return /^(?:node:|@?[a-z0-9])/.test(name) && !/^(?:latchkey(?:\/|$)|[a-z]+:\/)/.test(name);
}

/** A file in `adapters/` itself belongs to no adapter, and serves all of them. */
function isBesideAdapters(path: string, name: string): boolean {
  return /^adapters\/[^/]+\.ts$/.test(posix.join(posix.dirname(path), name));
}

function leadsInto(folder: string, path: string, name: string | undefined): boolean {
  return name !== undefined && isRelative(name) && posix.join(posix.dirname(path), name).startsWith(folder);
}

function sourcesOfTheHouse(): Source[] {
  const root = fileURLToPath(new URL('..', import.meta.url));
  return ['core', 'adapters', 'apps'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') })),
  );
}

describe('architecture', () => {
  const sources = sourcesOfTheHouse();

  it('is checked on the sources of core, adapters and apps, and on the imports they really have', () => {
    expect(sources.map(({ path }) => path)).to.include.members([
      'core/licensing/domain-name.ts',
      'adapters/node/clock.ts',
      'apps/wiring/config.ts',
    ]);
    const licensing = sources.filter(({ path }) => path === 'core/licensing/licensing.ts').map(moduleOf);
    expect(licensing[0]?.imports).to.include.members(['../ports/clock.ts', './license.ts', './license-key.ts']);
    const names = sources.flatMap((source) => moduleOf(source).imports);
    expect(names, 'nothing imports inversify').to.include('inversify');
  });

  for (const rule of Object.keys(rules) as RuleName[]) {
    it(rule, () => {
      const found = breachesOf(rule, sources);
      expect(found, `\n  ${found.join('\n  ')}\n`).to.deep.equal([]);
    });
  }
});

describe('the architecture test', () => {
  /** Per rule: breaches, one line each, and what is none. */
  const planted: Record<RuleName, { breaches: readonly Source[]; sound: readonly Source[] }> = {
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
        { path: 'core/a.ts', text: `import { x } from '/work/core/b.ts';` },
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
        { path: 'core/a.ts', text: `return {\n  ...x,\n  async import(one, by) {\n    return one;\n  },\n};` },
        { path: 'core/a.ts', text: `issuing.import(licenses);` },
        { path: 'adapters/sql/a.ts', text: `import knex from 'knex';` },
      ],
    },
    'core takes nothing from its surroundings but URL, declared in domain-name.ts': {
      breaches: [
        { path: 'core/a.ts', text: 'declare const URL: unknown;' },
        { path: 'core/licensing/domain-name.ts', text: 'declare const process: unknown;' },
        { path: 'core/licensing/domain-name.ts', text: 'declare const URLSearchParams: unknown;' },
        { path: 'core/a.ts', text: 'declare function fetch(address: string): unknown;' },
        { path: 'core/a.ts', text: 'declare global { var x: number }' },
        { path: 'core/a.ts', text: 'const { process } = globalThis as never;' },
      ],
      sound: [
        { path: 'core/licensing/domain-name.ts', text: 'declare const URL: new (address: string) => object;' },
        { path: 'core/a.ts', text: 'declare const brand: unique symbol;' },
        { path: 'adapters/http/a.ts', text: 'declare const x: unknown;' },
      ],
    },
    'an adapter imports only core, its own folder, packages and what lies beside all adapters': {
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
        { path: 'adapters/http/a.ts', text: `import { x } from 'file:///work/apps/config.ts';` },
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
    'only apps/wiring/config.ts reads process.env': {
      breaches: [
        { path: 'apps/server.ts', text: 'const port = process.env.PORT;' },
        { path: 'apps/admin/config.ts', text: `const port = process.env['PORT'];` },
        { path: 'adapters/http/a.ts', text: 'const all = globalThis.process?.env;' },
        { path: 'adapters/http/a.ts', text: 'const all = process\n  .env;' },
        { path: 'adapters/http/a.ts', text: `const all = process['env'];` },
        { path: 'adapters/http/a.ts', text: 'const { pid, env } = process;' },
        { path: 'adapters/http/a.ts', text: `import { env as all } from 'node:process';` },
        { path: 'adapters/http/a.ts', text: `import process, { env } from 'process';` },
        { path: 'adapters/http/a.ts', text: `const line = \`at \${process.env.PORT}\`;` },
      ],
      sound: [
        { path: 'apps/wiring/config.ts', text: 'const port = process.env.PORT;' },
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
    'only adapters/node/clock.ts reads the time of day': {
      breaches: [
        { path: 'adapters/sql/clock.ts', text: 'const now = Date.now();' },
        { path: 'apps/a.ts', text: 'const clock = { now: Date.now };' },
        { path: 'core/a.ts', text: 'const now = new Date();' },
        { path: 'core/a.ts', text: 'const now = new Date( /* now */ ).getTime();' },
        { path: 'core/a.ts', text: 'const now = +new Date;' },
        { path: 'core/a.ts', text: 'const now = Date();' },
        { path: 'adapters/http/a.ts', text: `const line = \`at \${new Date().toISOString()}\`;` },
        { path: 'core/a.ts', text: 'const start = performance.now();' },
      ],
      sound: [
        { path: 'adapters/node/clock.ts', text: 'export const clock = { now: () => Date.now() };' },
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
    'files and folders are named in kebab-case': {
      breaches: [
        'core/licenseKey.ts',
        'core/License.ts',
        'adapters/sql/license_store.ts',
        'apps/Admin/a.ts',
        'core/a.tsx',
        'core/a.b.ts',
        'apps/-a.ts',
      ].map((path) => ({ path, text: '' })),
      sound: [
        'core/licensing/license-key.ts',
        'adapters/s3/a.ts',
        'adapters/sql/migrations/001-first.ts',
        'apps/a.d.ts',
      ].map((path) => ({ path, text: '' })),
    },
  };

  for (const rule of Object.keys(planted) as RuleName[]) {
    const { breaches, sound } = planted[rule];

    it(`finds each of ${breaches.length} planted breaches of “${rule}”`, () => {
      const missed = breaches.filter((source) => breachesOf(rule, [source]).length !== 1);
      expect(missed).to.deep.equal([]);
    });

    it(`finds none in ${sound.length} sound files, under “${rule}”`, () => {
      expect(breachesOf(rule, sound)).to.deep.equal([]);
    });
  }

  it('names the file and what it found there', () => {
    const source = { path: 'core/a.ts', text: `import zod from 'zod';` };
    expect(breachesOf('core imports only core', [source])).to.deep.equal(['core/a.ts: zod']);
  });
});
