import escapeHtml from 'escape-html';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';

/** A rendered Markdown text. */
export interface Written {
  readonly title: string;
  readonly html: string;
  /** Its second-level headings. `id` is the anchor. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

/**
 * Renders Markdown as HTML. Headings get the same anchors as on GitHub. `addressOf` returns the address for a link to a
 * file. If it returns `undefined`, the text of the link is rendered without a link. Throws if the Markdown contains
 * HTML other than comments.
 */
export function renderMarkdown(text: string, addressOf: (path: string) => string | undefined): Written {
  const slugger = new GithubSlugger();
  const headings: { readonly depth: number; readonly id: string; readonly title: string }[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = slugger.slug(plain(title));
        headings.push({ depth, id, title: plain(title) });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const address = /^(?:#|https?:\/\/)/.test(href) ? href : addressOf(href);
        return address === undefined ? label : `<a href="${escapeHtml(address)}">${label}</a>`;
      },
      // Wide code and tables scroll. `tabindex` makes them scroll by keyboard, too.
      code: ({ text, lang = '' }) =>
        `<pre tabindex="0"><code${lang && ` class="language-${escapeHtml(lang)}"`}>${escapeHtml(text)}\n</code></pre>\n`,
      table({ header, rows }) {
        const cells = (row: typeof header) => row.map((cell) => this.tablecell(cell)).join('');
        const body = rows.map((row) => this.tablerow({ text: cells(row) })).join('');
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead>${this.tablerow({ text: cells(header) })}</thead>
<tbody>${body}</tbody>
</table></div>\n`;
      },
      html({ text: html }) {
        if (/^<!--[\s\S]*?-->\s*$/.test(html)) return '';
        throw new Error(`A guide may contain no HTML except comments: ${html.trim()}`);
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return {
    title: headings[0]?.title ?? '',
    html,
    sections: headings.filter(({ depth }) => depth === 2).map(({ id, title }) => ({ id, title })),
  };
}

/** Undoes the HTML escaping of the text renderer. */
function plain(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
