import { posix } from 'node:path';
import { type ParserPlugin, parse } from '@babel/parser';
import { isIdentifier, isStringLiteral, isTemplateLiteral, type Node, traverseFast } from '@babel/types';

/** A source file: its path from the root of the repository, with `/` between folders, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A parsed source file, for the rules. */
export interface Module extends Source {
  /** All nodes of its syntax tree. */
  readonly nodes: readonly Node[];
  /** Its imports: names of packages or relative paths. `undefined` is an `import()` with a computed name. */
  readonly imports: readonly (string | undefined)[];
}

export function moduleOf(source: Source): Module {
  const nodes: Node[] = [];
  const plugins: ParserPlugin[] = source.path.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'];
  const file = parse(source.text, {
    sourceType: 'module',
    plugins,
    createImportExpressions: true,
    attachComment: false,
  });
  traverseFast(file, (node) => {
    nodes.push(node);
  });
  return { ...source, nodes, imports: nodes.flatMap(importedBy) };
}

/**
 * All forms of import: `import` and `export … from`, `import()` in code and in types, `import x = require()`,
 * `require()`.
 */
function importedBy(node: Node): (string | undefined)[] {
  if ('source' in node) return node.source ? [textOf(node.source)] : [];
  if (node.type === 'TSImportType') return [textOf(node.argument)];
  if (node.type === 'TSExternalModuleReference') return [textOf(node.expression)];
  if (node.type === 'CallExpression' && lastName(node.callee) === 'require') return [textOf(node.arguments[0])];
  return [];
}

/** Returns the text of a string literal, or of a template without expressions. */
export function textOf(node: Node | undefined): string | undefined {
  if (isStringLiteral(node)) return node.value;
  return isTemplateLiteral(node) && node.expressions.length === 0 ? node.quasis[0]?.value.raw : undefined;
}

/** Returns the last name of an expression: `env` for `env`, `process.env` and `process['env']`. */
export function lastName(node: Node | null | undefined): string | undefined {
  if (isIdentifier(node)) return node.name;
  if (node?.type === 'TSNonNullExpression' || node?.type === 'TSAsExpression') return lastName(node.expression);
  if (node?.type !== 'MemberExpression' && node?.type !== 'OptionalMemberExpression') return undefined;
  return node.computed ? textOf(node.property) : lastName(node.property);
}

/** Whether a node is `object.name` in any notation. The object may itself be a property. */
export function isMember(node: Node, object: string, name: string): boolean {
  const hasObject = node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression';
  return hasObject && lastName(node) === name && lastName(node.object) === object;
}

/** Returns the source text of the nodes that were found. */
export function quoted({ text, nodes }: Module, isFound: (node: Node) => boolean): string[] {
  return nodes.filter(isFound).map(({ start, end }) => text.slice(start ?? 0, end ?? 0));
}

export function isRelative(name: string): boolean {
  return /^\.\.?(?:\/|$)/.test(name);
}

/** Returns the path to which a relative import leads. */
export function pathOf({ path }: Source, name: string): string {
  return posix.join(posix.dirname(path), name);
}

/** Returns the paths to which the module's relative imports lead. */
export function reachedBy(module: Module): string[] {
  return module.imports.flatMap((name) => (name !== undefined && isRelative(name) ? [pathOf(module, name)] : []));
}
