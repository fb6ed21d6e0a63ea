import type { VNode } from 'preact';

/** The facts of a page that search engines and other sites show. */
interface Shared {
  readonly site: string;
  /** The address of the page. */
  readonly url: string;
  readonly title: string;
  /** Empty: none. */
  readonly description: string;
  /** The address of the picture that other sites show. */
  readonly image: string;
  readonly type?: 'website' | 'product';
  /** Search engines follow the links, but do not keep the page. */
  readonly isUnlisted?: boolean;
  /** Facts in the words of schema.org. */
  readonly data?: readonly object[];
}

/** The picture that other sites show with a link to a page without one of its own. */
export function sitePicture(url: string): string {
  return `${url}/share/site.jpg`;
}

/** The page for other sites and search engines: its own address, OpenGraph and structured data. */
export function ShareHead({
  site,
  url,
  title,
  description,
  image,
  type = 'website',
  isUnlisted = false,
  data = [],
}: Shared): VNode {
  const shown: [string, string][] = [['title', title]];
  if (description !== '') shown.push(['description', description]);
  shown.push(['image', image], ['image:alt', title]);
  const size = [
    ['image:width', '1200'],
    ['image:height', '630'],
  ] as const;
  const openGraph = [['type', type], ['site_name', site], ['url', url], ...shown, ...size] as const;
  const twitter = [['card', 'summary_large_image'], ...shown] as const;
  return (
    <>
      {isUnlisted && <meta name="robots" content="noindex, follow" />}
      <link rel="canonical" href={url} />
      {openGraph.map(([name, content]) => (
        <meta key={name} property={`og:${name}`} content={content} />
      ))}
      {twitter.map(([name, content]) => (
        <meta key={name} name={`twitter:${name}`} content={content} />
      ))}
      {data.map((facts) => (
        // The policy concerns only scripts that run. This one is data.
        <script
          key={Object.entries(facts).flat().join()}
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: inScript({ '@context': 'https://schema.org', ...facts }) }}
        />
      ))}
    </>
  );
}

/** The way to a page in the words of schema.org. */
export function breadcrumbData(way: readonly { readonly name: string; readonly url: string }[]): object {
  const itemListElement = way.map(({ name, url: item }, at) => ({ '@type': 'ListItem', position: at + 1, name, item }));
  return { '@type': 'BreadcrumbList', itemListElement };
}

/** Writes JSON so that nothing in it can end the script, and so that it is JavaScript, too. */
function inScript(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
