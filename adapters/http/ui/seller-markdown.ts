import escapeHtml from 'escape-html';
import MarkdownIt, { type RendererRule, type StateCore, type Token } from 'markdown-it';
import { pictureAddress } from './picture.tsx';

/** The position of a text in its page. */
export interface TextPlace {
  /** The public address of this service. Only pictures of its `/media/` are shown. */
  readonly base: string;
  /** The level of the heading above the text: 1 if it is directly below the title of the page. */
  readonly above: 1 | 2 | 3;
}

/** A rendered text. */
export interface Described {
  /** Contains no element and no attribute except those of the rules in this file. */
  readonly html: string;
  /** The first words, without any formatting. */
  readonly summary: string;
}

/** More cells than this would make a page of megabytes from a short text. */
const mostCells = 10_000;
/** Longer addresses do not become links. In characters, as they are encoded. */
const longestAddress = 2048;
/** The most characters of HTML. A text that would become more is shown as it is written. */
const longestHtml = 400_000;
const summaryLength = 200;

/**
 * Indented lines are no code and underlined lines are no headings, because texts from before Markdown contain both. For
 * the same reason, every line break is kept. An address stands where it is used: a short text could use one long definition
 * thousands of times.
 */
const without = ['code', 'lheading', 'reference'];
const parser = new MarkdownIt({ html: false, breaks: true, maxNesting: 40 }).disable(without);
const withoutTables = new MarkdownIt({ html: false, breaks: true, maxNesting: 40 }).disable([...without, 'table']);

const rules: Record<string, RendererRule> = {
  // The text of a seller gives no rank to another site.
  link_open(tokens, at, _options, env = {}) {
    env.isInLink = true;
    return `<a href="${escapeHtml(attribute(tokens[at], 'href'))}" rel="nofollow ugc noopener">`;
  },
  link_close(_tokens, _at, _options, env = {}) {
    env.isInLink = false;
    return '</a>';
  },
  image(tokens, at, options, env = {}, renderer) {
    const token = tokens[at];
    const alt = escapeHtml(renderer.renderInlineAsText(token?.children ?? [], options, env));
    const address = attribute(token, 'src');
    const own = ownPicture(address, String(env.base));
    if (own !== undefined) return `<img src="${escapeHtml(own)}" alt="${alt}" loading="lazy">`;
    if (env.isInLink || !isLink(address)) return alt;
    return `<a href="${escapeHtml(address)}" rel="nofollow ugc noopener">${alt || escapeHtml(address)}</a>`;
  },
  // Wide code and tables scroll. `tabindex` makes them scroll by keyboard, too.
  fence: (tokens, at) => `<pre tabindex="0" dir="ltr"><code>${escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`,
  table_open: (tokens, at) =>
    `<div class="table" role="group" aria-label="Table" tabindex="0"><table${directionOf(tokens[at])}>\n`,
  table_close: () => '</table></div>\n',
  th_open: (tokens, at) => `<th${alignmentOf(tokens[at])}>`,
  td_open: (tokens, at) => `<td${alignmentOf(tokens[at])}>`,
  ordered_list_open: (tokens, at) => {
    const start = Number(attribute(tokens[at], 'start') || 1);
    return `<ol${directionOf(tokens[at])}${start === 1 ? '' : ` start="${start}"`}>\n`;
  },
};

for (const one of [parser, withoutTables]) {
  one.validateLink = (address) => address.length <= longestAddress && (isLink(address) || isPath(address));
  one.core.ruler.push('fit', fit);
  Object.assign(one.renderer.rules, rules);
}

/**
 * Renders the Markdown of a seller, in bounded time for any text of the allowed length. HTML in it is shown as text.
 * Links lead only to web pages and mail addresses. The pictures of other sites become links.
 */
export function renderSellerMarkdown(text: string, place: TextPlace): Described {
  const chosen = cellsIn(text) > mostCells ? withoutTables : parser;
  const env = { ...place };
  const tokens = chosen.parse(text, env);
  const html = chosen.renderer.render(tokens, chosen.options, env);
  return { html: html.length > longestHtml ? asWritten(text) : html, summary: summaryOf(tokens) };
}

function asWritten(text: string): string {
  return `<p dir="auto">${escapeHtml(text).replaceAll('\n', '<br>\n')}</p>\n`;
}

/** Sets the direction of each outer block, and the level of each heading: below `above`, and never two steps deeper. */
function fit({ tokens, env }: StateCore): void {
  let level = Number(env?.above);
  for (const token of tokens) {
    if (token.level === 0 && token.nesting === 1) token.attrSet('dir', 'auto');
    if (token.type === 'heading_open') {
      level = Math.min(Number(token.tag.slice(1)) + Number(env?.above), level + 1, 6);
      token.tag = `h${level}`;
    } else if (token.type === 'heading_close') token.tag = `h${level}`;
    else if (token.type === 'inline') dropPaths(token.children ?? []);
  }
}

/** Relative addresses are only for pictures. A link to one would lead to another page of this site than meant. */
function dropPaths(tokens: Token[]): void {
  let isDropped = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isDropped = !isLink(attribute(token, 'href'));
    if (isDropped && (token.type === 'link_open' || token.type === 'link_close')) {
      token.type = 'text';
      token.content = '';
    }
  }
}

function isLink(address: string): boolean {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  // `https://bank.example@other.example` looks like a link to the bank.
  return username === '' && password === '';
}

function isPath(address: string): boolean {
  return /^\/media\/[\w.-]+$/.test(address);
}

/** Returns the address of a picture on this service, relative to its origin, or `undefined` for all others. */
function ownPicture(address: string, base: string): string | undefined {
  const path = address.startsWith(`${base}/`) ? address.slice(base.length) : address;
  if (!isPath(path)) return undefined;
  return pictureAddress(new URL(base).pathname.replace(/\/$/, '') + path, { width: 1200, type: 'webp' });
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '');
}

function directionOf(token: Token | undefined): string {
  return attribute(token, 'dir') === 'auto' ? ' dir="auto"' : '';
}

/** The parser gives the alignment as a style, which the policy of the pages forbids. */
export function alignmentOf(token: Token | undefined): string {
  const [, side] = /^text-align:(left|center|right)$/.exec(attribute(token, 'style')) ?? [];
  return side === undefined ? '' : ` align="${side}"`;
}

/** Returns at least the number of cells that tables in the text can have: missing cells of short rows count, too. */
function cellsIn(text: string): number {
  const lines = text.split('\n');
  const isBelowHead = /^[\s|:>*+.\d-]*$/;
  const columns = lines.map((line) => (isBelowHead.test(line) ? line.split('|').length : 0));
  return columns.reduce((most, one) => Math.max(most, one), 0) * lines.length;
}

function summaryOf(tokens: readonly Token[]): string {
  let text = '';
  for (const { type, children } of tokens) {
    if (text.length > summaryLength) break;
    if (type !== 'inline') continue;
    for (const child of children ?? []) {
      text += child.type === 'softbreak' || child.type === 'hardbreak' ? ' ' : child.content;
    }
    text += ' ';
  }
  const words = text.replace(/\s+/g, ' ').trim();
  if (words.length <= summaryLength) return words;
  const cut = words.slice(0, summaryLength).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.lastIndexOf(' ');
  return `${space > summaryLength / 2 ? cut.slice(0, space) : cut}…`;
}
