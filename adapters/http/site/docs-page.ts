import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VNode } from 'preact';
import { onceMade } from '../../once-made.ts';
import { withEncodings } from '../encodings.ts';
import { Failure } from '../failures.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import type { Frame } from '../ui/frame.ts';
import { renderPage } from '../ui/layout.tsx';
import { formPolicy, pagePolicy, prefersPage, sendPage, sendText, type Text, textOf } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import type { DocsPlace } from './docs-head.tsx';
import { FoundPage, GuidePage, ReferencePage } from './docs-layout.tsx';
import { createGuideSearch, searchSettings } from './guide-search.ts';
import type { Guides } from './guides.ts';
import type { Written } from './markdown.ts';
import { readDocument } from './reference/read-document.ts';
import type { Part } from './reference/reference-content.tsx';
import { words } from './words.ts';

/** The dependencies of the documentation pages. */
export interface Documentation {
  /** The folder of the guides in Markdown. */
  readonly guides: URL;
  /** The new name of each guide that was renamed. Its earlier address redirects there. */
  readonly renamed: Readonly<Record<string, string>>;
  document(): OpenApiDocument | Promise<OpenApiDocument>;
  /** Returns the public address of the API that a path belongs to, for examples. */
  urlOf(path: string): string;
  /** The public address of the site. */
  readonly url: string;
  readonly frameOf: FrameOf;
}

/**
 * The script of `/docs`, which was the address of the API reference before. It sends old bookmarks such as
 * `/docs#/License/verify` to the new address. The script there finds the right part.
 */
const referenceBookmarks = `if (location.hash.startsWith('#/')) location.replace('docs/reference' + location.hash);
`;

/**
 * The script of the API reference. It unfolds the part that the address names. Old bookmarks such as
 * `#/License/verify`, and `#/License` for a group, lead to their parts.
 */
const referenceOpening = `const [, group = '', call] = /^#\\/([^/]+)(?:\\/([^/]+))?$/.exec(location.hash) ?? [];
if (group) location.replace('#' + (call ?? 'tag-' + decodeURIComponent(group).toLowerCase().replaceAll(' ', '-')));
const unfold = () => {
  const part = document.getElementById(location.hash.slice(1));
  if (!(part instanceof HTMLDetailsElement)) return;
  part.open = true;
  part.scrollIntoView();
};
addEventListener('hashchange', unfold);
unfold();
`;

/** Guides search and copy by script, and without script search by a form. */
const policy = formPolicy();
const referencePolicy = pagePolicy("script-src 'self'", "style-src 'self'", "img-src 'self'");

/**
 * `GET /docs` serves the guides, `GET /docs/reference` the API reference, and `GET /openapi.json` the OpenAPI document.
 * All assets come from this server. Everything is created at its first use.
 */
export function createDocs({
  guides: folder,
  renamed,
  document: make,
  urlOf,
  url,
  frameOf,
}: Documentation): Endpoint[] {
  const document = onceMade(async () => await make());
  /** Lets other requests run between its steps: all of them at once would delay verifications. */
  async function makeReference(): Promise<{ readonly html: string; readonly parts: readonly Part[] }> {
    const { partsOf, renderReference } = await import('./reference/reference-content.tsx'); // Also with the Markdown parser.
    const read = readDocument(await document());
    await nextTurn();
    return { html: await renderReference({ reference: read, urlOf }), parts: partsOf(read) };
  }
  const reference = onceMade(makeReference);
  const newNames = new Map(Object.entries(renamed));
  // Loads the Markdown parser, which servers of APIs never need.
  const guides = onceMade(async () => (await import('./guides.ts')).readGuides(folder));
  const search = onceMade(async () => await createGuideSearch(await (await guides()).parts()));
  const assets = new Map<string, Endpoint['respond']>([
    ['bookmarks.js', text('text/javascript', () => referenceBookmarks)],
    ['reference.js', text('text/javascript', () => referenceOpening)],
    [
      'search.json',
      text('application/json', async () =>
        JSON.stringify({ settings: searchSettings, parts: await (await guides()).parts() }),
      ),
    ],
  ]);
  const kept = new Map<string, Promise<Text>>();
  /** How the site looks on these pages. The owner can change it at any time. */
  let keptLook = '';
  /** Renders a page once for all visitors who are not signed in. */
  async function pageFor(ctx: Context, name: string, show: (frame: Frame) => VNode | Promise<VNode>): Promise<Text> {
    const frame = await frameOf(ctx);
    const render = async () => textOf(renderPage(await show(frame)), frame.person ? 'one' : 'kept');
    if (frame.person) return render();
    const look = JSON.stringify([frame.site, frame.look]);
    if (look !== keptLook) kept.clear();
    keptLook = look;
    const key = `${frame.root}${name}`;
    const page = kept.get(key) ?? render();
    kept.set(key, page);
    return await page.catch((error: unknown) => {
      kept.delete(key); // The next visitor tries again.
      throw error;
    });
  }
  const guidePage = (ctx: Context, guide: Written, place: DocsPlace, guides: Guides) =>
    pageFor(ctx, place.name, (frame) =>
      GuidePage({ frame, place, url: guide === noSuchPage ? undefined : url, guide, guides }),
    );
  const showReference = async (frame: Frame) =>
    ReferencePage({ frame, place: { docs: './', name: 'reference' }, url, ...(await reference()) });
  return withEncodings([
    {
      id: 'openapi',
      method: 'get',
      paths: ['/openapi.json'],
      respond: text('application/json', async () => JSON.stringify(await document()), {
        'Access-Control-Allow-Origin': '*',
      }),
    },
    {
      id: 'docs-for-programs',
      method: 'get',
      paths: ['/llms.txt'],
      respond: text('text/plain', async () => forPrograms((await guides()).source('readme') ?? '', url)),
    },
    {
      id: 'docs',
      method: 'get',
      paths: ['/docs'],
      async respond(ctx) {
        if (ctx.path.endsWith('/')) return ctx.redirect('../docs');
        const all = await guides();
        const asked = typeof ctx.query.q === 'string' ? ctx.query.q.trim() : '';
        if (asked !== '') {
          const found = (await search())(asked);
          const page = FoundPage({ frame: await frameOf(ctx), guides: all, asked, found });
          return sendPage(ctx, policy, textOf(renderPage(page), 'all'));
        }
        sendPage(ctx, policy, await guidePage(ctx, all.index, { docs: 'docs/', name: '' }, all));
      },
    },
    {
      id: 'docs-page',
      method: 'get',
      paths: ['/docs/:page'],
      async respond(ctx) {
        const name = (ctx.params.page ?? '').toLowerCase();
        const place: DocsPlace = { docs: './', name };
        const all = await guides();
        const source = name.endsWith('.md') ? all.source(name.slice(0, -3)) : undefined;
        if (source !== undefined) {
          ctx.type = 'text/markdown; charset=utf-8';
          return sendText(ctx, textOf(source, 'all'));
        }
        const file = all.file(name);
        if (file !== undefined) {
          ctx.type = 'application/json; charset=utf-8';
          return sendText(ctx, textOf(file, 'all'));
        }
        const guide = all.find(name);
        const newName = newNames.get(name);
        if (newName !== undefined) return ctx.redirect(ctx.path.endsWith('/') ? `../${newName}` : `./${newName}`);
        if (name !== 'reference' && guide === undefined) {
          // Programs get the error as JSON, as at every other address.
          if (!prefersPage(ctx)) throw new Failure('not_found');
          sendPage(ctx, policy, await guidePage(ctx, noSuchPage, { ...place, name: '404' }, all), 404);
        } else if (ctx.path.endsWith('/')) {
          ctx.redirect(`../${name}`);
        } else if (guide === undefined) {
          sendPage(ctx, referencePolicy, await pageFor(ctx, name, showReference));
        } else {
          sendPage(ctx, policy, await guidePage(ctx, guide, place, all));
        }
      },
    },
    {
      id: 'docs-asset',
      method: 'get',
      paths: ['/docs/assets/:name'],
      respond(ctx) {
        const respond = assets.get(ctx.params.name ?? '');
        if (respond === undefined) throw new Failure('not_found');
        return respond(ctx);
      },
    },
  ]);
}

/** The guides for programs that read them, see https://llmstxt.org: each with its address and what it is about. */
function forPrograms(index: string, url: string): string {
  const [head = '', ...groups] = index.split(/^(?=## )/m);
  const [, title = '', summary = ''] = /^# (.+)\n+([\s\S]+)/.exec(head) ?? [];
  const listed = groups
    .join('')
    .replaceAll(
      /\]\(([a-z0-9-]+\.md)(#[^)]*)?\)(?:\\\n +(.+))?/g,
      (_, file, anchor = '', about) => `](${url}/docs/${file}${anchor})${about ? `: ${about}` : ''}`,
    );
  const api = `## API\n\n- [OpenAPI](${url}/openapi.json): every call, field and status code, with examples\n`;
  return `# ${title}\n\n> ${summary.trim().replaceAll('\n', ' ')}\n\n${listed.trim()}\n\n${api}`;
}

const noSuchPage = {
  title: words.notFound.title,
  html: `<h1>${words.notFound.title}</h1>\n<p>${words.notFound.guide}</p>\n`,
  summary: '',
  sections: [],
  parts: [],
};

/** Sends a text that does not change while the process runs. */
function text(
  type: string,
  write: () => string | Promise<string>,
  headers: Record<string, string> = {},
): Endpoint['respond'] {
  const written = onceMade(async () => textOf(await write(), 'kept'));
  return async (ctx: Context) => {
    const known = await written();
    ctx.set(headers);
    ctx.type = `${type}; charset=utf-8`;
    sendText(ctx, known);
  };
}
