import { existsSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GuidePart } from './guide-search.ts';
import { renderMarkdown, type Written } from './markdown.ts';

/** A page of the documentation: `name` is the last part of its address. */
export interface Guide extends Written {
  readonly name: string;
}

/** A guide in the list of all. `group` is the heading above its link on the first page. */
export interface ListedGuide {
  readonly name: string;
  readonly title: string;
  readonly group: string;
}

/** The documentation: its first page, and the guides in the order of the links on that page. */
export interface Guides {
  readonly index: Written;
  readonly list: readonly ListedGuide[];
  /** Returns `undefined` if the guide does not exist. */
  find(name: string): Guide | undefined;
  /** Returns the Markdown of a guide, or that of the first page for `readme`. */
  source(name: string): string | undefined;
  /** Returns the text of a JSON file in the folder of the guides. */
  file(name: string): string | undefined;
  /** Returns all parts of all guides, in their order. Other requests go on meanwhile: all guides at once would delay them. */
  parts(): Promise<GuidePart[]>;
}

/** The name of a guide's file, without `.md`. */
const name = '[a-z0-9-]+';
const link = new RegExp(String.raw`\[([^\]]+)\]\((${name})\.md\)`, 'g');
const linkPath = new RegExp(String.raw`^(README|${name})\.md(#.*)?$`);

const filePath = new RegExp(String.raw`^${name}\.json$`);

/** Reads guides from Markdown files. `README.md` links to all others. Renders each guide at its first use. */
export function readGuides(folder: URL): Guides {
  const read = (name: string) => readFileSync(new URL(`${name}.md`, folder), 'utf8');
  const first = read('README');
  const [before = '', ...groups] = first.split(/^## /m);
  const list = [`\n${before}`, ...groups].flatMap((part) => {
    const [group = ''] = part.split('\n');
    const links = Array.from(part.matchAll(link), ([, title = '', name = '']) => ({ name, title, group }));
    return links.filter(({ name }) => existsSync(new URL(`${name}.md`, folder)));
  });
  const names = new Set(list.map(({ name }) => name));
  const rendered = new Map<string, Guide>();
  const hasFile = (path: string) => filePath.test(path) && existsSync(new URL(path, folder));
  /** Returns the relative address on the site for a link to a file, or `undefined` if the file is not served. */
  function addressOf(path: string, base: string): string | undefined {
    if (hasFile(path)) return `${base}${path}`;
    const [, name = '', anchor = ''] = linkPath.exec(path) ?? [];
    if (name === 'README') return `../docs${anchor}`;
    return names.has(name) ? `${base}${name}${anchor}` : undefined;
  }
  const find = (name: string) => {
    if (!names.has(name)) return undefined;
    const render = () => renderMarkdown(read(name), (path) => addressOf(path, ''), { canCopy: true });
    const guide = rendered.get(name) ?? { name, ...render() };
    rendered.set(name, guide);
    return guide;
  };
  return {
    index: renderMarkdown(first, (path) => addressOf(path, 'docs/'), { canCopy: true }),
    list,
    find,
    source: (name) => (name === 'readme' ? first : names.has(name) ? read(name) : undefined),
    file: (name) => (hasFile(name) ? readFileSync(new URL(name, folder), 'utf8') : undefined),
    async parts() {
      const all: GuidePart[] = [];
      for (const name of names) {
        const { title: guide = '', parts = [] } = find(name) ?? {};
        all.push(
          ...parts.map(({ id, title, text }) => ({ id: id === '' ? name : `${name}#${id}`, title, guide, text })),
        );
        await nextTurn();
      }
      return all;
    },
  };
}
