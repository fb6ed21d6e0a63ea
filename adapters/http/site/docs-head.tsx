import type { VNode } from 'preact';
import type { Frame } from '../ui/frame.ts';
import { frameWords } from '../ui/words.ts';
import { breadcrumbData, ShareHead, sitePicture } from './share-head.tsx';

/** The place of a page. `docs` is the relative address of the folder of guides, such as `docs/`. */
export interface DocsPlace {
  readonly docs: string;
  /** The last part of the page's address. Empty for the first page. */
  readonly name: string;
}

export interface DocsPage {
  readonly frame: Frame;
  readonly place: DocsPlace;
}

/** A page that search engines keep and other sites link to. */
export interface PublicPage extends DocsPage {
  /** The public address of the site. */
  readonly url: string;
}

/** The metadata of a guide for search engines and other sites. */
export function DocsHead({
  frame,
  place: { name },
  url,
  title,
  description = '',
}: PublicPage & { readonly title: string; readonly description?: string }): VNode {
  const first = { name: frameWords.navigation.guides, url: `${url}/docs` };
  const page = { name: title, url: `${url}/docs/${name}` };
  return (
    <ShareHead
      site={frame.site}
      url={name === '' ? first.url : page.url}
      title={title}
      description={description}
      image={sitePicture(url)}
      data={name === '' ? [] : [breadcrumbData([first, page])]}
    />
  );
}
