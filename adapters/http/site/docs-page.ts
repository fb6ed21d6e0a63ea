import { renderToString } from 'preact-render-to-string';
import { Failure } from '../failures.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { renderPage } from '../ui/layout.tsx';
import { pagePolicy } from '../ui/policy.ts';
import { prefersPage, sendPage, sendText, tagOf } from '../ui/send-page.ts';
import { texts } from '../ui/texts.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { GuidePage, type Place, ReferencePage } from './docs-layout.tsx';
import type { Guides } from './guides.ts';
import type { Written } from './markdown.ts';
import { referenceBookmarks, referenceOpening } from './reference/opening.ts';
import { readDocument } from './reference/read-document.ts';
import { type Part, partsOf, ReferenceContent } from './reference/reference-content.tsx';

/** The dependencies of the documentation pages. */
export interface Documentation {
  /** The folder of the guides in Markdown. */
  readonly guides: URL;
  /** The new name of each guide that was renamed. Its earlier address redirects there. */
  readonly renamed: Readonly<Record<string, string>>;
  document(): OpenApiDocument;
  /** Returns the public address of the API that a path belongs to, for examples. */
  urlOf(path: string): string;
  readonly frameOf: FrameOf;
}

const assets = new Map<string, Endpoint['respond']>([
  ['bookmarks.js', text('text/javascript', () => referenceBookmarks)],
  ['reference.js', text('text/javascript', () => referenceOpening)],
]);

/** Guides run no scripts. Their first page and the reference need one for bookmarks. */
const guideSources = ["style-src 'self'", "img-src 'self'"];
const guidePolicy = pagePolicy(...guideSources);
const policyWithScript = pagePolicy("script-src 'self'", ...guideSources);

/**
 * `GET /docs` serves the guides, `GET /docs/reference` the API reference, and `GET /openapi.json` the OpenAPI document.
 * All assets come from this server. Everything is created at its first use.
 */
export function docsEndpoints({ guides: folder, renamed, document, urlOf, frameOf }: Documentation): Endpoint[] {
  let content: { readonly html: string; readonly parts: readonly Part[] } | undefined;
  const reference = () => {
    if (content === undefined) {
      const read = readDocument(document());
      content = { html: renderToString(ReferenceContent({ reference: read, urlOf })), parts: partsOf(read) };
    }
    return content;
  };
  const newNames = new Map(Object.entries(renamed));
  let read: Guides | undefined;
  const guides = async () => {
    const { readGuides } = await import('./guides.ts'); // With the Markdown parser, which servers of APIs never need.
    read ??= readGuides(folder);
    return read;
  };
  async function sendGuide(
    ctx: Context,
    policy: string,
    guide: Written,
    place: Place,
    guides: Guides,
    status = 200,
  ): Promise<void> {
    const frame = await frameOf(ctx);
    sendPage(ctx, policy, renderPage(GuidePage({ frame, place, guide, guides })), status);
  }
  return [
    {
      id: 'openapi',
      method: 'get',
      paths: ['/openapi.json'],
      respond: text('application/json', () => JSON.stringify(document()), { 'Access-Control-Allow-Origin': '*' }),
    },
    {
      id: 'docs',
      method: 'get',
      paths: ['/docs'],
      async respond(ctx) {
        if (ctx.path.endsWith('/')) return ctx.redirect('../docs');
        const all = await guides();
        await sendGuide(ctx, policyWithScript, all.index, { docs: 'docs/', name: '' }, all);
      },
    },
    {
      id: 'docs-page',
      method: 'get',
      paths: ['/docs/:page'],
      async respond(ctx) {
        const name = (ctx.params.page ?? '').toLowerCase();
        const place: Place = { docs: './', name };
        const all = await guides();
        const guide = all.find(name);
        const newName = newNames.get(name);
        if (newName !== undefined) return ctx.redirect(ctx.path.endsWith('/') ? `../${newName}` : `./${newName}`);
        if (name !== 'reference' && guide === undefined) {
          // Programs get the error as JSON, as at every other address.
          if (!prefersPage(ctx)) throw new Failure('not_found');
          await sendGuide(ctx, guidePolicy, noSuchPage, place, all, 404);
        } else if (ctx.path.endsWith('/')) {
          ctx.redirect(`../${name}`);
        } else if (guide === undefined) {
          const frame = await frameOf(ctx);
          sendPage(ctx, policyWithScript, renderPage(ReferencePage({ frame, place, ...reference() })));
        } else {
          await sendGuide(ctx, guidePolicy, guide, place, all);
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
  ];
}

const noSuchPage = {
  title: texts.notFound.title,
  html: `<h1>${texts.notFound.title}</h1>\n<p>${texts.notFound.guide}</p>\n`,
  sections: [],
};

/** Sends a text that does not change while the process runs. */
function text(type: string, write: () => string, headers: Record<string, string> = {}): Endpoint['respond'] {
  let written: { readonly body: string; readonly etag: string } | undefined;
  return (ctx: Context) => {
    if (written === undefined) {
      const body = write();
      written = { body, etag: tagOf(body) };
    }
    ctx.set(headers);
    ctx.type = `${type}; charset=utf-8`;
    sendText(ctx, written.body, written.etag);
  };
}
