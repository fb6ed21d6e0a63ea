import { posix } from 'node:path';
import { parse } from '@babel/parser';
import { isIdentifier, isStringLiteral, isTemplateLiteral, type Node, traverseFast } from '@babel/types';

/** A source file: its path from the root of the repository, with `/` between folders, and what is in it. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A source file as the rules read it. */
export interface Module extends Source {
  /** Every node of its syntax tree. */
  readonly nodes: readonly Node[];
  /** What it imports, by name or by relative path; `undefined` is an `import()` of something worked out at run time. */
  readonly imports: readonly (string | undefined)[];
}

export function moduleOf(source: Source): Module {
  const nodes: Node[] = [];
  const file = parse(source.text, { sourceType: 'module', plugins: ['typescript'], createImportExpressions: true });
  traverseFast(file, (node) => {
    nodes.push(node);
  });
  return { ...source, nodes, imports: nodes.flatMap(importedBy) };
}

/** All ways to import: `import` and `export … from`, `import()` in code and in types, `import x = require()`, `require()`. */
function importedBy(node: Node): (string | undefined)[] {
  if ('source' in node) return node.source ? [textOf(node.source)] : [];
  if (node.type === 'TSImportType') return [textOf(node.argument)];
  if (node.type === 'TSExternalModuleReference') return [textOf(node.expression)];
  if (node.type === 'CallExpression' && lastName(node.callee) === 'require') return [textOf(node.arguments[0])];
  return [];
}

/** The text that a node is, if that stands in the code. */
export function textOf(node: Node | undefined): string | undefined {
  if (isStringLiteral(node)) return node.value;
  return isTemplateLiteral(node) && node.expressions.length === 0 ? node.quasis[0]?.value.raw : undefined;
}

/** The last name of an expression: `env` of `env`, `process.env` and `process['env']`. */
export function lastName(node: Node | null | undefined): string | undefined {
  if (isIdentifier(node)) return node.name;
  if (node?.type === 'TSNonNullExpression' || node?.type === 'TSAsExpression') return lastName(node.expression);
  if (node?.type !== 'MemberExpression' && node?.type !== 'OptionalMemberExpression') return undefined;
  return node.computed ? textOf(node.property) : lastName(node.property);
}

/** Whether a node is `object.name`, written in any way, and after whatever stands before the object. */
export function isMember(node: Node, object: string, name: string): boolean {
  const hasObject = node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression';
  return hasObject && lastName(node) === name && lastName(node.object) === object;
}

/** The nodes that a rule is about, as they stand in the code. */
export function quoted({ text, nodes }: Module, isFound: (node: Node) => boolean): string[] {
  return nodes.filter(isFound).map(({ start, end }) => text.slice(start ?? 0, end ?? 0));
}

export function isRelative(name: string): boolean {
  return /^\.\.?(?:\/|$)/.test(name);
}

/** The path that a relative import leads to. */
export function pathOf({ path }: Source, name: string): string {
  return posix.join(posix.dirname(path), name);
}

/** The paths that its relative imports lead to. */
export function reachedBy(module: Module): string[] {
  return module.imports.flatMap((name) => (name !== undefined && isRelative(name) ? [pathOf(module, name)] : []));
}
