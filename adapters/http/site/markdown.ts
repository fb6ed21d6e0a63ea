import escapeHtml from 'escape-html';
import GithubSlugger from 'github-slugger';
import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { alignmentOf } from '../ui/seller-markdown.ts';
import { formWords } from '../ui/words.ts';
import { highlight } from './highlight.ts';

/** A rendered Markdown text. */
export interface Written {
  readonly title: string;
  readonly html: string;
  /** Its first paragraph. */
  readonly summary: string;
  /** Its second-level headings. `id` is the anchor. */
  readonly sections: readonly Section[];
  /** Its text, from each heading to the next. The `id` of the first part is empty. */
  readonly parts: readonly (Section & { readonly text: string })[];
}

interface Section {
  readonly id: string;
  readonly title: string;
}

/** Typed quotation marks and addresses stay as they are. HTML is found, so that it can be refused. */
const parser = new MarkdownIt({ html: true });
/** `addressOf` decides about links. */
parser.validateLink = () => true;

const rules: Record<string, RendererRule> = {
  text: (tokens, at) => escapeHtml(tokens[at]?.content ?? ''),
  code_inline: (tokens, at) => `<code>${escapeHtml(tokens[at]?.content ?? '')}</code>`,
  // Wide code and tables scroll. `tabindex` makes them scroll by keyboard, too.
  fence(tokens, at, _, env) {
    const { content = '', info = '' } = tokens[at] ?? {};
    const id = `code-${at}`;
    const code = `<code>${highlight(content, info)}</code></pre>`;
    if (!env?.canCopy) return `<pre tabindex="0">${code}\n`;
    const { copy, copied } = formWords;
    return `<div class="code-box"><pre tabindex="0" id="${id}">${code}<button type="button" class="button tiny" hidden aria-controls="${id}" aria-describedby="${id}" data-copied="${copied}">${copy}</button></div>\n`;
  },
  table_open: () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n',
  hardbreak: () => '<br>',
  thead_open: () => '<thead>',
  tbody_open: () => '<tbody>',
  table_close: () => '</table></div>\n',
  th_open: (tokens, at) => `<th${alignmentOf(tokens[at])}>`,
  td_open: (tokens, at) => `<td${alignmentOf(tokens[at])}>`,
  html_block: withoutComments,
  html_inline: withoutComments,
};
Object.assign(parser.renderer.rules, rules);

/**
 * Renders Markdown as HTML. Headings get the same anchors as on GitHub. `addressOf` returns the address for a link to a
 * file. If it returns `undefined`, the text of the link is rendered without a link. With `canCopy`, each piece of code has a
 * button for the script `copy.js`. Throws if the Markdown contains HTML other than comments.
 */
export function renderMarkdown(
  text: string,
  addressOf: (path: string) => string | undefined,
  { canCopy = false } = {},
): Written {
  const slugger = new GithubSlugger();
  const headings: (Section & { readonly depth: number })[] = [];
  const parts: { id: string; title: string; texts: string[] }[] = [];
  const tokens = parser.parse(text, {});
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = textOf(tokens[at + 1]?.children ?? []);
      const id = slugger.slug(title);
      token.attrSet('id', id);
      const depth = Number(token.tag.slice(1));
      headings.push({ depth, id, title });
      parts.push({ id: depth === 1 ? '' : id, title, texts: [] });
    } else if (tokens[at - 1]?.type !== 'heading_open') {
      const words = token.type === 'fence' ? token.content : textOf(token.children ?? []);
      if (words !== '') parts.at(-1)?.texts.push(words);
    }
    if (token.type === 'inline') token.children = withAddresses(token.children ?? [], addressOf);
  }
  return {
    title: headings[0]?.title ?? '',
    summary: textOf(tokens[tokens.findIndex(({ type }) => type === 'paragraph_open') + 1]?.children ?? []).slice(
      0,
      300,
    ),
    html: parser.renderer.render(tokens, parser.options, { canCopy }),
    sections: headings.filter(({ depth }) => depth === 2).map(({ id, title }) => ({ id, title })),
    parts: parts.map(({ id, title, texts }) => ({ id, title, text: texts.join(' ').replace(/\s+/g, ' ') })),
  };
}

/** Gives each link its address, or leaves only its text. */
function withAddresses(tokens: readonly Token[], addressOf: (path: string) => string | undefined): Token[] {
  let isLink = true;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href') ?? '');
      const address = /^(?:#|https?:\/\/)/.test(href) ? href : addressOf(href);
      isLink = address !== undefined;
      if (address !== undefined) token.attrSet('href', address);
    }
    return isLink || (token.type !== 'link_open' && token.type !== 'link_close');
  });
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content)).join('');
}

function withoutComments(tokens: Token[], at: number): string {
  const html = tokens[at]?.content ?? '';
  if (/^<!--[\s\S]*?-->\s*$/.test(html)) return '';
  throw new Error(`A guide may contain no HTML except comments: ${html.trim()}`);
}
