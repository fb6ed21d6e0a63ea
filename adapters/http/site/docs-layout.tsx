import type { VNode } from 'preact';
import type { Frame } from '../ui/frame.ts';
import { Layout } from '../ui/layout.tsx';
import { frameWords } from '../ui/words.ts';
import type { Guides } from './guides.ts';
import type { Written } from './markdown.ts';
import type { Part } from './reference/reference-content.tsx';
import { words } from './words.ts';

/** The place of a page. `docs` is the relative address of the folder of guides, such as `docs/`. */
export interface DocsPlace {
  readonly docs: string;
  /** The last part of the page's address. Empty for the first page. */
  readonly name: string;
}

interface DocsPage {
  readonly frame: Frame;
  readonly place: DocsPlace;
}

/** The guides that buyers need. Readers who do not sell see only these beside them. */
const forBuyers: readonly string[] = ['buying', 'account'];

/** A guide and the list of all guides. Its addresses are relative, so that it works behind any path prefix. */
export function GuidePage({
  frame,
  place,
  guide: { title, html, summary, sections },
  guides: { list },
}: DocsPage & { readonly guide: Written; readonly guides: Guides }): VNode {
  const isFirst = place.name === '';
  const shown =
    !frame.person?.sells && forBuyers.includes(place.name) ? list.filter(({ name }) => forBuyers.includes(name)) : list;
  return (
    <Layout
      frame={{ ...frame, part: 'guides' }}
      title={isFirst ? title : `${title} · ${frame.site}`}
      description={summary || undefined}
      isEntry={isFirst}
      head={isFirst && <script src={`${place.docs}assets/bookmarks.js`} />}
    >
      <div class="columns">
        <main id="content" class={`guide${isFirst ? ' index' : ''}`}>
          <a class="to-guides" href="#guides">
            {words.guides.jump}
          </a>
          {/* `renderMarkdown` escapes all text and refuses HTML. */}
          <div dangerouslySetInnerHTML={{ __html: html }} />
          {isFirst && <ReferenceLinks root={frame.root} />}
        </main>
        <nav id="guides" class="guides" aria-label={words.guides.navigation}>
          {[...new Set(shown.map(({ group }) => group))].map((group) => (
            <section key={group} class="guide-group">
              {group !== '' && <p>{group}</p>}
              <ul>
                {shown
                  .filter((one) => one.group === group)
                  .map(({ name, title }) => (
                    <li key={name}>
                      <a href={`${place.docs}${name}`} aria-current={name === place.name ? 'page' : undefined}>
                        {title}
                      </a>
                      {name === place.name && <Sections sections={sections} />}
                    </li>
                  ))}
              </ul>
            </section>
          ))}
          {shown.length < list.length && (
            <p>
              <a href={`${frame.root}docs`}>{words.guides.jump}</a>
            </p>
          )}
        </nav>
      </div>
    </Layout>
  );
}

function Sections({ sections }: Pick<Written, 'sections'>): VNode | null {
  if (sections.length < 2) return null;
  return (
    <ul class="sections">
      {sections.map(({ id, title }) => (
        <li key={id}>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  );
}

/** The first page also links to the reference, which is not in the Markdown files. */
function ReferenceLinks({ root }: Pick<Frame, 'root'>): VNode {
  const { reference, aboutReference, document, aboutDocument } = words.developers;
  return (
    <>
      <h2 id="reference">{words.guides.referenceTitle}</h2>
      <ul>
        <li>
          <a href={`${root}docs/reference`}>{reference}</a>
          <br />
          {aboutReference}
        </li>
        <li>
          <a href={`${root}openapi.json`}>{document}</a>
          <br />
          {aboutDocument}
        </li>
      </ul>
    </>
  );
}

interface Referenced extends DocsPage {
  /** The content as HTML. Everybody gets the same. */
  readonly html: string;
  readonly parts: readonly Part[];
}

/** The page of the API reference. Its script only unfolds the part that its address names. */
export function ReferencePage({ frame, place: { docs }, html, parts }: Referenced): VNode {
  const title = frameWords.navigation.reference;
  const { lead, guides, navigation } = words.reference;
  return (
    <Layout frame={{ ...frame, part: 'reference' }} title={`${title} · ${frame.site}`} isEntry>
      <div class="columns">
        <main id="content" class="guide reference">
          <h1>{title}</h1>
          <p>
            {lead} <a href={`${frame.root}openapi.json`}>openapi.json</a>. {guides}{' '}
            <a href={`${docs}license-api`}>License API</a>, <a href={`${docs}account-api`}>Account API</a>,{' '}
            <a href={`${docs}webhooks`}>Webhooks</a>.
          </p>
          {/* `renderReference` rendered it before. */}
          <div dangerouslySetInnerHTML={{ __html: html }} />
        </main>
        <nav class="guides" aria-label={navigation}>
          <p>{navigation}</p>
          <ul>
            {parts.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <script src={`${docs}assets/reference.js`} />
    </Layout>
  );
}
