import { isIdentifier, isObjectPattern, type Node } from '@babel/types';
import { circlesOf } from './circles.ts';
import {
  isMember,
  isRelative,
  lastName,
  type Module,
  pathOf,
  quoted,
  reachedBy,
  type Source,
  textOf,
} from './module.ts';

/** Returns the breaches in one module. `house` contains all modules. */
type Rule = (module: Module, house: readonly Module[]) => readonly string[];

export const rules = {
  'core imports only core': (module) =>
    isIn('core', module) ? module.imports.filter((name) => !leadsInto('core/', module, name)).map(said) : [],

  'core uses no global object of the platform except URL, declared in domain-name.ts': (module) => {
    if (!isIn('core', module)) return [];
    const isUrl = (found: string) =>
      module.path === 'core/licensing/domain-name.ts' && /^declare const URL\b/.test(found);
    return [
      ...quoted(module, isDeclared).filter((found) => !isUrl(found)),
      ...quoted(module, (node) => isIdentifier(node, { name: 'globalThis' })),
    ];
  },

  'an adapter imports only core, its own folder, packages, adapters/contracts and files directly in adapters': (
    module,
  ) => {
    if (!isIn('adapters', module)) return [];
    const own = `${module.path.split('/').slice(0, 2).join('/')}/`;
    const mayImport = (name: string | undefined) =>
      name !== undefined &&
      (isRelative(name)
        ? leadsInto('core/', module, name) || leadsInto(own, module, name) || isBesideAdapters(module, name)
        : isPackage(name));
    return module.imports.filter((name) => !mayImport(name)).map(said);
  },

  'only apps import inversify': (module) =>
    isIn('apps', module) ? [] : module.imports.filter((name) => /^@?inversify/.test(name ?? '')).map(said),

  'apps/wiring imports nothing from apps/server or apps/commands, and apps/server nothing from apps/commands': (
    module,
  ) => [
    ...(isIn('apps/wiring', module) ? reaching(['apps/server/', 'apps/commands/'], module) : []),
    ...(isIn('apps/server', module) ? reaching(['apps/commands/'], module) : []),
  ],

  'apps/commands imports nothing from adapters/http': (module) =>
    isIn('apps/commands', module) ? reaching(['adapters/http/'], module) : [],

  // It is published apart. Its build runs here, and is not published.
  'apps/sdk imports only itself, the rules of domains and keys, and in one file a library': (module) => {
    if (!isIn('apps/sdk', module) || module.path === 'apps/sdk/build.ts') return [];
    const rules = ['core/licensing/domain-name.ts', 'core/licensing/license-key.ts'];
    // The guard loads this file only where WebCrypto does not know Ed25519.
    const isLibrary = (name: string) => module.path === 'apps/sdk/ed25519.ts' && name.startsWith('@noble/');
    const mayImport = (name: string | undefined) =>
      name !== undefined &&
      (isRelative(name)
        ? leadsInto('apps/sdk/', module, name) || rules.includes(pathOf(module, name) ?? '')
        : isLibrary(name));
    return module.imports.filter((name) => !mayImport(name)).map(said);
  },

  'nothing imports apps/sdk, except for apps/cli': (module) =>
    module.path === 'core/time.ts' || isIn('apps/sdk', module) || isIn('apps/cli', module)
      ? []
      : reaching(['apps/sdk/'], module),

  // It is published apart, with everything that it imports.
  'apps/cli imports only itself, packages, core, the account client, and what it shares with the server': (module) => {
    if (!isIn('apps/cli', module)) return [];
    const shared = [
      'apps/cli/',
      'apps/sdk/account/',
      'apps/sdk/vectors/',
      'core/',
      'adapters/files/inspection/',
      'adapters/node/',
      'adapters/webhooks/signatures.ts',
      'apps/export-options.ts',
    ];
    return reachedBy(module).filter((path) => !shared.some((one) => path.startsWith(one)));
  },

  'nothing imports apps/cli': (module) => (isIn('apps/cli', module) ? [] : reaching(['apps/cli/'], module)),

  'every port is imported by a core file outside core/ports': (module, house) => {
    if (!isIn('core/ports', module)) return [];
    const callers = house.filter((one) => isIn('core', one) && !isIn('core/ports', one));
    return callers.some((one) => reachedBy(one).includes(module.path)) ? [] : ['Core does not call it.'];
  },

  'sibling folders do not import each other in a circle': circlesOf,

  'only apps/wiring/config.ts reads process.env, and that of the published program': (module) =>
    ['apps/wiring/config.ts', 'apps/cli/environment.ts'].includes(module.path) ? [] : quoted(module, takesEnv),

  'only adapters/node/clock.ts reads the time of day, and the published SDK': (module) => {
    if (module.path === 'adapters/node/clock.ts' || isIn('apps/sdk', module)) return [];
    const alsoTold = (node: Node) => isIn('core', module) && isMember(node, 'performance', 'now');
    return quoted(module, (node) => tellsTime(node) || alsoTold(node));
  },

  // Node 20 collects such a signal as garbage, and then it never aborts. `apps/cli/within.ts` says what to do instead.
  'no signal is made by AbortSignal.any': (module) => quoted(module, (node) => isMember(node, 'AbortSignal', 'any')),

  // The same name in seconds and in milliseconds would be wrong by a thousand, and no type sees it.
  'lengths of time come from core/time.ts': (module) =>
    module.path === 'core/time.ts' ||
    isIn('apps/sdk', module) ||
    isIn('apps/cli', module) ||
    isIn('adapters/sql/migrations', module)
      ? []
      : quoted(module, isLengthOfTime),

  // Only pages are written in TSX, and only scripts for browsers, threads and processes in JavaScript.
  'files and folders are named in kebab-case': ({ path }) => {
    const endings = path.startsWith('adapters/http/') ? String.raw`\.tsx?` : String.raw`\.ts`;
    const ending = /^adapters\/(?:http\/ui\/assets\/[^/]+|.+-(?:thread|process)\.js)$/.test(path)
      ? String.raw`\.js`
      : endings;
    const isNamed = (part: string) => new RegExp(`^[a-z0-9]+(?:-[a-z0-9]+)*(?:\\.d)?(?:${ending})?$`).test(part);
    return path.split('/').every(isNamed) ? [] : [path];
  },

  'a file has at most 300 lines': ({ path, text }) => {
    // Written by a program.
    if (path === 'apps/sdk/account/api.ts') return [];
    const lines = text.trimEnd().split('\n').length;
    return lines > 300 ? [`${lines} lines`] : [];
  },
} satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

/** Returns the breaches of a rule, each as `path: source text`. */
export function breachesOf(rule: RuleName, house: readonly Module[]): string[] {
  return house.flatMap((module) => rules[rule](module, house).map((found) => `${module.path}: ${found}`));
}

function said(name: string | undefined): string {
  return name ?? 'an import() of something worked out at run time';
}

/** Whether a number gets the name of a length of time. */
function isLengthOfTime(node: Node): boolean {
  if (node.type !== 'VariableDeclarator' || !isIdentifier(node.id)) return false;
  const isNumber = node.init?.type === 'NumericLiteral' || node.init?.type === 'BinaryExpression';
  return isNumber && /^(?:second|minute|hour|day)$/.test(node.id.name);
}

function isIn(folder: string, { path }: Source): boolean {
  return path.startsWith(`${folder}/`);
}

/** Whether an import is a package from the registry or from Node: not a path, an alias or this package itself. */
function isPackage(name: string): boolean {
  return /^(?:node:|@?[a-z0-9])/.test(name) && !/^(?:latchkey(?:\/|$)|[a-z]+:\/)/.test(name);
}

/** A file directly in `adapters/` belongs to no adapter, and neither does what adapters promise each other. All may use it. */
function isBesideAdapters(module: Module, name: string): boolean {
  return /^adapters\/(?:contracts\/)?[^/]+\.ts$/.test(pathOf(module, name));
}

function leadsInto(folder: string, module: Module, name: string | undefined): boolean {
  return name !== undefined && isRelative(name) && pathOf(module, name).startsWith(folder);
}

function reaching(folders: readonly string[], module: Module): string[] {
  return reachedBy(module).filter((path) => folders.some((folder) => path.startsWith(folder)));
}

/** Whether a node declares something that exists at run time. */
function isDeclared(node: Node): boolean {
  if (!('declare' in node) || !node.declare) return false;
  if (node.type === 'VariableDeclaration') return !node.declarations.every(({ id }) => isBrand(id));
  return node.type !== 'TSInterfaceDeclaration' && node.type !== 'TSTypeAliasDeclaration';
}

/** `declare const brand: unique symbol` exists for types only. */
function isBrand(id: Node): boolean {
  const type = isIdentifier(id) && id.typeAnnotation?.type === 'TSTypeAnnotation' && id.typeAnnotation.typeAnnotation;
  return type && type.type === 'TSTypeOperator' && type.operator === 'unique';
}

/** Whether a node reads `env` of `process`: as a property, by destructuring or by an import. */
function takesEnv(node: Node): boolean {
  if (node.type === 'VariableDeclarator') return lastName(node.init) === 'process' && hasEnv(node.id);
  if (node.type === 'AssignmentExpression') return lastName(node.right) === 'process' && hasEnv(node.left);
  if (node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration') {
    const isProcess = /^(?:node:)?process$/.test(node.source?.value ?? '');
    return (
      isProcess &&
      node.specifiers.some((one) => isEnv('imported' in one ? one.imported : 'local' in one ? one.local : one))
    );
  }
  return isMember(node, 'process', 'env');
}

function hasEnv(pattern: Node): boolean {
  return isObjectPattern(pattern) && pattern.properties.some((one) => 'key' in one && isEnv(one.key));
}

function isEnv(name: Node): boolean {
  return isIdentifier(name, { name: 'env' }) || textOf(name) === 'env';
}

/** `Date.now`, `new Date()` and `Date()`. `new Date(instant)` is allowed, because it does not read the clock. */
function tellsTime(node: Node): boolean {
  if (node.type === 'NewExpression') return lastName(node.callee) === 'Date' && node.arguments.length === 0;
  if (node.type === 'CallExpression') return lastName(node.callee) === 'Date';
  return isMember(node, 'Date', 'now');
}
