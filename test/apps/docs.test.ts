import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import { createGuideSearch } from '../../adapters/http/site/guide-search.ts';
import { readGuides } from '../../adapters/http/site/guides.ts';
import { renderMarkdown } from '../../adapters/http/site/markdown.ts';
import { assetAddress } from '../../adapters/http/ui/assets.ts';
import { type AccountService, startAccountService } from '../adapters/http/account/account-service.ts';
import { itLong } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = join(root, 'apps/docs');
const texts = readdirSync(docs).filter((name) => name.endsWith('.md'));
const guides = texts.filter((name) => name !== 'README.md').map((name) => name.replace('.md', ''));

/** Returns the links and the anchors of a file in Markdown. */
function contentsOf(path: string): { links: string[]; anchors: Set<string> } {
  const slugger = new GithubSlugger();
  const links: string[] = [];
  const anchors = new Set<string>();
  const tokens = new MarkdownIt({ html: true }).parse(readFileSync(path, 'utf8'), {});
  for (const [at, { type, children }] of tokens.entries()) {
    for (const child of children ?? []) if (child.type === 'link_open') links.push(String(child.attrGet('href')));
    const title = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    if (type === 'heading_open') anchors.add(slugger.slug(title));
  }
  return { links, anchors };
}

describe('the files in Markdown', () => {
  const files = ['README.md', 'CHANGELOG.md', ...texts.map((name) => `apps/docs/${name}`)];

  itLong('link only to files and anchors that exist', () => {
    const dead = files.flatMap((file) =>
      contentsOf(join(root, file))
        .links.filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [path = '', anchor] = link.split('#');
          const target = path === '' ? join(root, file) : join(root, dirname(file), path);
          return !existsSync(target) || (anchor !== undefined && !contentsOf(target).anchors.has(anchor));
        })
        .map((link) => `${file}: ${link}`),
    );
    expect(dead).to.deep.equal([]);
  });

  it('name every guide, in the README and on the first page of the guides', () => {
    for (const [file, prefix] of [
      ['README.md', 'apps/docs/'],
      ['apps/docs/README.md', ''],
    ] as const) {
      const { links } = contentsOf(join(root, file));
      expect(links).to.include.members(guides.map((name) => `${prefix}${name}.md`));
    }
  });
});

describe('the guides at /docs', () => {
  let service: AccountService;
  before(async () => {
    service = await startAccountService();
  });
  after(() => service.close());

  for (const name of ['', ...guides]) {
    it(`/docs${name && `/${name}`}: 200 with its title, its headings in order and scripts of this server only`, async () => {
      const { status, headers, text } = await service.send(name === '' ? '/docs' : `/docs/${name}`);
      expect(status).to.equal(200);
      expect(headers.get('Content-Type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('Content-Security-Policy')).to.equal(
        `default-src 'none'; font-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      );
      const [, heading = ''] = /^# (.+)\n/.exec(readFileSync(join(docs, `${name || 'README'}.md`), 'utf8')) ?? [];
      expect(text)
        .to.include(`<title>${heading}${name && ' · Latchkey'}</title>`)
        .and.to.include('<html lang="en">');
      expect(text).not.to.match(/<style|\bon\w+=|\bstyle=/);
      const root = name ? '../' : './';
      const scripts = Array.from(text.matchAll(/<script[^>]*? src="([^"]+)"><\/script>/g), ([, address]) => address);
      expect(scripts).to.deep.equal([
        ...(name ? [] : ['docs/assets/bookmarks.js']),
        ...(['copy.js', 'guide-search.js'] as const).map((asset) => root + assetAddress(asset)),
      ]);
      // Breadcrumbs for search engines are data in a script.
      const data = text.match(/<script type="application\/ld\+json">/g) ?? [];
      expect(text.match(/<script/g)).to.have.length(scripts.length + data.length);
      const levels = Array.from(text.matchAll(/<h([1-6])/g), ([, level]) => Number(level));
      expect(levels.filter((level) => level === 1)).to.have.length(1);
      levels.reduce((last, level) => {
        expect(level).to.be.at.most(last + 1);
        return level;
      });
      if (name) expect(text.match(/aria-current="page"/g), 'the list marks the current page').to.have.length(1);
    });
  }

  itLong('link only to pages and anchors of the site that exist', async () => {
    const pages = new Map<string, string>();
    const load = async (path: string) => {
      const known = pages.get(path);
      if (known !== undefined) return known;
      const { status, text } = await service.send(path, { headers: { Accept: 'text/html' } });
      const page = status === 200 ? text : '';
      pages.set(path, page);
      return page;
    };
    const dead: string[] = [];
    for (const path of ['/', '/docs', '/docs/reference', '/docs/nothing', ...guides.map((name) => `/docs/${name}`)]) {
      const { text } = await service.send(path, { headers: { Accept: 'text/html' } });
      for (const [, address = ''] of text.matchAll(/ (?:href|src)="([^"]+)"/g)) {
        const target = new URL(address, `${service.url}${path}`);
        if (target.origin !== service.url) continue;
        const page = target.pathname === path ? text : await load(target.pathname);
        const isThere = target.hash === '' ? page !== '' : page.includes(` id="${target.hash.slice(1)}"`);
        if (!isThere) dead.push(`${path}: ${address}`);
      }
    }
    expect(dead).to.deep.equal([]);
    expect(pages.size).to.be.above(guides.length);
  });

  it('work under any prefix, as all addresses are relative', async () => {
    for (const path of ['/docs', '/docs/operating', '/docs/nothing']) {
      const { text } = await service.send(path);
      for (const [, address = ''] of text
        .replace(/<link rel="canonical"[^>]*>/, '')
        .matchAll(/ (?:href|src)="([^"]+)"/g)) {
        expect(new URL(address, `http://a/b${path}`).pathname).to.match(/^\/b\//);
      }
    }
  });

  it('redirect an address with a slash at its end to the address without it', async () => {
    for (const path of ['/docs', '/docs/operating', '/docs/reference']) {
      const { status, headers } = await fetch(`${service.url}${path}/`, { redirect: 'manual' });
      expect([status, new URL(headers.get('Location') ?? '', `${service.url}${path}/`).pathname]).to.deep.equal([
        302,
        path,
      ]);
    }
  });

  it('redirect from the earlier name of a guide', async () => {
    for (const path of ['/docs/operators', '/docs/operators/', '/docs/Operators']) {
      const { status, headers } = await fetch(`${service.url}${path}`, { redirect: 'manual' });
      const target = new URL(headers.get('Location') ?? '', `${service.url}${path}`);
      expect([status, target.pathname], path).to.deep.equal([302, '/docs/operating']);
    }
  });

  it('return 304 to a browser that has the page', async () => {
    const { headers } = await service.send('/docs/operating');
    // Without Cache-Control, `fetch` adds `no-cache`, which asks for the page in any case.
    const known = { 'If-None-Match': headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' };
    expect((await service.send('/docs/operating', { headers: known })).status).to.equal(304);
    expect((await service.send('/docs/deploying', { headers: known })).status).to.equal(200);
  });

  it('return 404 if there is no such guide: as a page to a browser, as JSON to a program', async () => {
    for (const name of ['nothing', 'nothing/', 'README', 'nothing.md', '..%2fconfig', '%00']) {
      const { status, headers, text } = await service.send(`/docs/${name}`, { headers: { Accept: 'text/html' } });
      expect([status, headers.get('Content-Type')], name).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(text).to.include('<h1>Not found</h1>').and.to.include('href="./operating"');
      expect((await service.send(`/docs/${name}`)).body.error.code, name).to.equal('NOT_FOUND');
    }
  });
});

describe('a folder of guides', () => {
  it('serves each guide that its first page links to, also one with a digit in its name', async () => {
    const folder = await makeTemporaryFolder();
    await writeFile(folder.file('README.md'), '# Guides\n\n[Files in S3](s3-files.md), [Gone](gone.md)\n');
    await writeFile(folder.file('s3-files.md'), '# S3\n\n[Back](README.md), [a flow](flow.json), [none](none.json)\n');
    await writeFile(folder.file('flow.json'), '{}');
    const { list, index, find } = readGuides(pathToFileURL(`${folder.path}/`));
    expect(list).to.deep.equal([{ name: 's3-files', title: 'Files in S3', group: '' }]);
    expect(index.html).to.include('<a href="docs/s3-files">Files in S3</a>, Gone');
    expect(find('s3-files')?.html).to.include('<a href="../docs">Back</a>, <a href="flow.json">a flow</a>, none');
    await folder.remove();
  });
});

describe('a guide made from Markdown', () => {
  const render = (text: string) => renderMarkdown(text, (path) => (path === 'other.md' ? './other' : undefined)).html;

  it('shows escaped HTML as text, and refuses real HTML', () => {
    expect(render('`<b>` & \\<i>')).to.equal('<p><code>&lt;b&gt;</code> &amp; &lt;i&gt;</p>\n');
    expect(render('```html\n<script>\n```'))
      .to.match(/&lt;.*script.*&gt;/)
      .and.to.not.include('<script');
    expect(render('a\n\n<!-- nobody sees this -->\n\nb')).to.equal('<p>a</p>\n<p>b</p>\n');
    for (const html of ['<script>x</script>', 'a <b>c</b>', '<img src="x">', '<!-- a --><script>']) {
      expect(() => render(html), html).to.throw('A guide may contain no HTML except comments');
    }
  });

  it('links only to pages and to other sites; a link to any other file becomes plain text', () => {
    expect(render('[a](other.md)')).to.include('<a href="./other">a</a>');
    expect(render('[a](https://example.com/?a=1&b)')).to.include('<a href="https://example.com/?a=1&amp;b">a</a>');
    expect(render('[`a/b.ts`](../a/b.ts)')).to.equal('<p><code>a/b.ts</code></p>\n');
    expect(render('[a](javascript:alert(1))')).to.equal('<p>a</p>\n');
  });

  it('has the same anchors as on GitHub, and returns its title and sections', () => {
    const text = '# A & "b"\n## `c` d\n## `c` \\<d>\n### e\n';
    const { html, title, sections } = renderMarkdown(text, () => undefined);
    expect(title).to.equal('A & "b"');
    expect(sections).to.deep.equal([
      { id: 'c-d', title: 'c d' },
      { id: 'c-d-1', title: 'c <d>' },
    ]);
    expect(html).to.include('<h3 id="e">e</h3>');
  });

  it('has the colors of its language, and can be copied if that is wanted', () => {
    expect(render('```sh\nA="<b>" # c\n```')).to.include('<span class="hljs-string">&quot;&lt;b&gt;&quot;</span>');
    expect(render('```other\n<b>\n```')).to.equal('<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>\n');
    const { html } = renderMarkdown('a\n\n```\nb\n```\n\n```\nc\n```\n', () => undefined, { canCopy: true });
    const ids = Array.from(html.matchAll(/<pre tabindex="0" id="([^"]+)">/g), ([, id]) => id);
    expect(ids).to.have.length(2);
    expect(Array.from(html.matchAll(/aria-controls="([^"]+)"/g), ([, id]) => id)).to.deep.equal(ids);
  });
});

describe('the search of the guides', () => {
  const { parts, find } = readGuides(pathToFileURL(`${docs}/`));
  let all: Awaited<ReturnType<typeof parts>>;
  let search: Awaited<ReturnType<typeof createGuideSearch>>;
  before(async () => {
    all = await parts();
    search = await createGuideSearch(all);
  });

  itLong('has every heading of every guide, with the address where it stands', () => {
    for (const { id, title } of all) {
      const [name = '', anchor] = id.split('#');
      expect(title, id).to.not.equal('');
      if (anchor !== undefined) expect(find(name)?.html, id).to.include(` id="${anchor}"`);
    }
    expect(all.length).to.be.above(150);
  });

  it('finds a part by its title, by its text, by beginnings of words, and with a typo', () => {
    for (const asked of ['delete versions', 'delete vers', 'dilete versions', 'Delete VERSIONS']) {
      expect(search(asked)[0], asked).to.include({ id: 'selling#delete-versions', guide: 'Selling' });
    }
    expect(search('whsec_').map(({ id }) => id)).to.include('webhooks#check-the-signature');
  });

  it('finds parts with some of the words if no part has all of them, and nothing for other words', () => {
    expect(search('refund qqqqqqqq')[0]?.title).to.match(/refund/i);
    expect(search('qqqqqqqq')).to.deep.equal([]);
  });

  it('shows the text around a word that was found, which is marked', async () => {
    const find = await createGuideSearch([
      { id: 'a', title: 'A', guide: 'A', text: `${'before '.repeat(60)}The Refund (all) ends.${' after'.repeat(60)}` },
    ]);
    const [found] = find('refund');
    expect(found?.excerpt[1]).to.equal('Refund');
    expect(found?.excerpt[0]).to.match(/^… before .* The $/);
    expect(found?.excerpt[2]).to.match(/^ \(all\) ends\. .*after …$/);
  });

  it('shows a word in a sample that is long and has no blank', async () => {
    const text = `A sample: ${'x'.repeat(600)}-needle-${'y'.repeat(600)}`;
    const find = await createGuideSearch([{ id: 'a', title: 'A', guide: 'A', text }]);
    const [found] = find('needle');
    expect(found?.excerpt[1]).to.equal('needle');
    expect(found?.excerpt.join('').length).to.be.below(400);
  });

  itLong('answers every query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (query) => {
        for (const { excerpt } of search(query)) expect(excerpt.join('').length).to.be.below(400);
      }),
    );
  });
});
