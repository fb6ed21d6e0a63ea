import type { ComponentChildren, VNode } from 'preact';
import type { Frame } from '../ui/frame.ts';
import { Layout } from '../ui/layout.tsx';
import { Marked } from '../ui/marked.tsx';
import { frameWords } from '../ui/words.ts';
import { DocsHead, type DocsPage, type PublicPage } from './docs-head.tsx';
import type { FoundPart } from './guide-search.ts';
import type { Guides } from './guides.ts';
import type { Written } from './markdown.ts';
import type { Part } from './reference/reference-content.tsx';
import { words } from './words.ts';

/** The guides that buyers need. Readers who do not sell see only these beside them. */
const forBuyers: readonly string[] = ['buying', 'account'];

/** A guide and the list of all guides. Its addresses are relative, so that it works behind any path prefix. */
export function GuidePage({
  frame,
  place,
  url,
  guide: { title, html, summary, sections },
  guides: { list },
}: DocsPage & {
  /** The public address of the site. Absent for a page that does not exist. */
  readonly url: string | undefined;
  readonly guide: Written;
  readonly guides: Guides;
}): VNode {
  const isFirst = place.name === '';
  return (
    <GuideLayout
      frame={frame}
      place={place}
      list={list}
      sections={sections}
      title={isFirst ? title : `${title} · ${frame.site}`}
      description={summary || undefined}
      isUnlisted={url === undefined}
      head={
        <>
          {url !== undefined && <DocsHead frame={frame} place={place} url={url} title={title} description={summary} />}
          {isFirst && <script src={`${place.docs}assets/bookmarks.js`} />}
        </>
      }
    >
      {/* `renderMarkdown` escapes all text and refuses HTML. */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
      {isFirst && <ReferenceLinks root={frame.root} />}
    </GuideLayout>
  );
}

/** The parts of guides in which words were found. */
export function FoundPage({
  frame,
  guides: { list },
  asked,
  found,
}: {
  readonly frame: Frame;
  readonly guides: Guides;
  readonly asked: string;
  readonly found: readonly FoundPart[];
}): VNode {
  const { results, none, advice } = words.guides;
  const title = results(asked);
  return (
    <GuideLayout
      frame={frame}
      place={{ docs: 'docs/', name: '' }}
      list={list}
      title={`${title} · ${frame.site}`}
      isUnlisted
      asked={asked}
    >
      <h1 dir="auto">{title}</h1>
      {found.length === 0 && (
        <p>
          {none} {advice}
        </p>
      )}
      <ul class="found">
        {found.map(({ id, title, guide, excerpt }) => (
          <li key={id}>
            <a href={`docs/${id}`}>{title}</a> {guide !== title && <span class="faint">{guide}</span>}
            <p>
              <Marked pieces={excerpt} />
            </p>
          </li>
        ))}
      </ul>
    </GuideLayout>
  );
}

interface GuideLayoutProps extends DocsPage {
  readonly list: Guides['list'];
  /** The sections of the guide, for the list beside it. */
  readonly sections?: Written['sections'];
  readonly title: string;
  readonly description?: string | undefined;
  readonly isUnlisted?: boolean;
  readonly head?: ComponentChildren;
  /** The words in the field for the search. */
  readonly asked?: string;
  readonly children: ComponentChildren;
}

/** A page with the search and the list of guides beside it. On a phone, the search comes first and the list last. */
function GuideLayout({
  frame,
  place,
  list,
  sections = [],
  title,
  description,
  isUnlisted = false,
  head,
  asked,
  children,
}: GuideLayoutProps): VNode {
  const isFirst = place.name === '';
  const shown =
    !frame.person?.sells && forBuyers.includes(place.name) ? list.filter(({ name }) => forBuyers.includes(name)) : list;
  return (
    <Layout
      frame={{ ...frame, part: 'guides' }}
      title={title}
      description={description}
      isEntry={isFirst && asked === undefined}
      scripts={['copy.js', 'guide-search.js']}
      isUnlisted={isUnlisted}
      head={head}
    >
      <div class="columns with-search">
        <Search root={frame.root} docs={place.docs} asked={asked} />
        <main id="content" class={`guide${isFirst ? ' index' : ''}`}>
          <a class="to-guides" href="#guides">
            {words.guides.jump}
          </a>
          {children}
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

/** The field that searches the guides. With the script `guide-search.js`, it answers while somebody types. */
function Search({
  root,
  docs,
  asked = '',
}: {
  readonly root: string;
  readonly docs: string;
  readonly asked?: string | undefined;
}): VNode {
  const { search, none } = words.guides;
  return (
    <search class="guide-finder">
      <form class="guide-search" action={`${root}docs`} data-docs={docs} data-none={none}>
        <input type="search" name="q" value={asked} placeholder={search} aria-label={search} maxLength={100} required />
      </form>
    </search>
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

interface Referenced extends PublicPage {
  /** The content as HTML. Everybody gets the same. */
  readonly html: string;
  readonly parts: readonly Part[];
}

/** The page of the API reference. Its script only unfolds the part that its address names. */
export function ReferencePage({ frame, place, url, html, parts }: Referenced): VNode {
  const { docs } = place;
  const title = frameWords.navigation.reference;
  const { lead, guides, navigation } = words.reference;
  return (
    <Layout
      frame={{ ...frame, part: 'reference' }}
      title={`${title} · ${frame.site}`}
      isEntry
      head={<DocsHead frame={frame} place={place} url={url} title={title} />}
    >
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
