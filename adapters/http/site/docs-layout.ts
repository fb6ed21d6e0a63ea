import escapeHtml from 'escape-html';
import type { Guides } from './guides.ts';
import { htmlDocument } from './html-document.ts';
import type { Written } from './markdown.ts';

/** The place of a page. `docs` is the relative address of the folder of guides, such as `docs/`. */
export interface Place {
  readonly docs: string;
  /** The last part of the page's address. Empty for the first page. */
  readonly name: string;
}

/** Renders a guide and the list of all guides. Its addresses are relative, so that it works behind any path prefix. */
export function guidePage({ title, html, sections }: Written, place: Place, { list }: Guides): string {
  const isFirst = place.name === '';
  const own = sections.length < 2 ? '' : `<ul class="sections">${sections.map(sectionLink).join('')}</ul>`;
  const items = list.map(({ name, title }) =>
    name === place.name
      ? `<li><a href="${place.docs}${name}" aria-current="page">${escapeHtml(title)}</a>${own}</li>`
      : `<li><a href="${place.docs}${name}">${escapeHtml(title)}</a></li>`,
  );
  return document({
    title: isFirst ? title : `${title} · Latchkey`,
    place,
    head: isFirst ? `<script src="${place.docs}assets/bookmarks.js"></script>` : '',
    links: `<a class="to-guides" href="#guides">Guides</a>`,
    content: `<div class="columns">
<main id="content" class="guide${isFirst ? ' index' : ''}">
${html}${isFirst ? referenceCard : ''}</main>
<nav id="guides" class="guides" aria-label="Guides">
<p>Guides</p>
<ul>
${items.join('\n')}
</ul>
</nav>
</div>`,
  });
}

/** The first page also links to the reference, which is not in the Markdown files. */
const referenceCard = `<h2 id="reference">Reference</h2>
<ul>
<li><a href="docs/reference">API reference</a><br>All fields and status codes, with a form to try each request</li>
<li><a href="openapi.json">OpenAPI document</a><br>The same as JSON, for programs</li>
</ul>
`;

/** Renders the page of the API reference. Swagger UI fills it, and adds the `main` element. */
export function referencePage(place: Place): string {
  return document({
    title: 'API reference · Latchkey',
    place,
    head: `<link rel="stylesheet" href="${place.docs}assets/swagger-ui.css">`,
    links: '',
    content: `<section id="content" class="reference" aria-labelledby="title">
<h1 id="title">API reference</h1>
<noscript><p>The reference needs JavaScript. Without it, read the guides, or <a href="../openapi.json">openapi.json</a>.</p></noscript>
</section>
<div id="reference"></div>
<script src="${place.docs}assets/swagger-ui-bundle.js"></script>
<script src="${place.docs}assets/start.js"></script>`,
  });
}

function sectionLink({ id, title }: Written['sections'][number]): string {
  return `<li><a href="#${id}">${escapeHtml(title)}</a></li>`;
}

interface Document {
  readonly title: string;
  readonly place: Place;
  readonly head?: string;
  readonly links: string;
  readonly content: string;
}

function document({ title, place: { docs, name }, head = '', links, content }: Document): string {
  const current = name === 'reference' ? ' aria-current="page"' : '';
  return htmlDocument({
    title,
    icon: `${docs}assets/icon.svg`,
    head: `${head}<link rel="stylesheet" href="${docs}assets/docs.css">`,
    body: `<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${docs}../docs">Latchkey</a>
<nav aria-label="Documentation">${links}<a href="${docs}reference"${current}>API reference</a></nav>
</header>
${content}`,
  });
}
