import type { VNode } from 'preact';
import { type SiteText, siteTexts } from '../../../core/site/setting.ts';
import { Failure } from '../failures.ts';
import type { Endpoint } from '../surface.ts';
import { Description, describe } from '../ui/description.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout, renderPage } from '../ui/layout.tsx';
import type { Described } from '../ui/seller-markdown.ts';
import { pagePolicy, prefersPage, sendPage, textOf } from '../ui/send-page.ts';
import { frameWords } from '../ui/words.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { sendNoPage } from './not-found.ts';
import { breadcrumbData, ShareHead, sitePicture } from './share-head.tsx';

/** The dependencies of the pages with texts of the owner. */
export interface TextTools {
  /** Returns the Markdown of the text. Empty: there is no such page. */
  read(text: SiteText): string;
  readonly frameOf: FrameOf;
  /** The public address of the site. */
  readonly url: string;
}

/** The pages with texts of the owner: terms, privacy, imprint and refund policy. */
export function textEndpoints({ read, frameOf, url }: TextTools): Endpoint[] {
  const policy = pagePolicy("style-src 'self'", "img-src 'self'");
  return siteTexts.map((text) => ({
    id: text,
    method: 'get',
    paths: [`/${text}`],
    async respond(ctx) {
      const markdown = read(text);
      if (markdown === '') {
        if (!prefersPage(ctx)) throw new Failure('not_found');
        return await sendNoPage(ctx, frameOf);
      }
      const frame = await frameOf(ctx);
      const described = await describe(markdown, url);
      sendPage(ctx, policy, textOf(renderPage(TextPage({ frame, url, text, described }))));
    },
  }));
}

function TextPage({
  frame,
  url,
  text,
  described,
}: {
  readonly frame: Frame;
  readonly url: string;
  readonly text: SiteText;
  readonly described: Described;
}): VNode {
  const title = frameWords.texts[text];
  return (
    <Layout
      frame={frame}
      title={`${title} · ${frame.site}`}
      description={described.summary}
      head={
        <ShareHead
          site={frame.site}
          image={sitePicture(url)}
          url={`${url}/${text}`}
          title={title}
          description={described.summary}
          data={[
            breadcrumbData([
              { name: frame.site, url: `${url}/` },
              { name: title, url: `${url}/${text}` },
            ]),
          ]}
        />
      }
    >
      <main id="content" class="home">
        <h1>{title}</h1>
        <Description described={described} />
      </main>
    </Layout>
  );
}
