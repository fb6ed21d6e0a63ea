import type { VNode } from 'preact';
import type { Ratings } from '../../../core/ratings/ratings.ts';
import type { SellerPages, ShownSeller } from '../../../core/sellers/seller-pages.ts';
import type { Addresses } from '../addresses.ts';
import type { Endpoint } from '../surface.ts';
import { Description, describe } from '../ui/description.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout, MessagePage, renderPage } from '../ui/layout.tsx';
import { counted } from '../ui/numbers.ts';
import { Paging } from '../ui/paging.tsx';
import type { Described } from '../ui/seller-markdown.ts';
import { ownRequests, pagePolicy, sendPage, textOf } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { Card, type CardFacts, cardsOf } from './card.tsx';
import { breadcrumbData, ShareHead } from './share-head.tsx';
import { words } from './words.ts';

/** Full rows of two, three and four cards. */
const perPage = 24;
/** Nobody turns so many pages. */
const lastPage = 1_000;

/** The dependencies of the pages of sellers. */
export interface SellerSite {
  readonly sellers: Pick<SellerPages, 'show'>;
  readonly ratings: Pick<Ratings, 'counts'>;
  readonly addresses: Addresses;
  readonly frameOf: FrameOf;
  /** The public address of the site. */
  readonly url: string;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
}

/** `GET /sellers/:slug` is the page of a seller, with the seller's products. */
export function sellerEndpoint({ sellers, ratings, addresses, frameOf, url, origin = '' }: SellerSite): Endpoint {
  const policy = pagePolicy(ownRequests, "style-src 'self'", `img-src 'self' ${origin}`.trim());
  return {
    id: 'seller-page',
    method: 'get',
    paths: ['/sellers/:slug'],
    async respond(ctx) {
      const { slug = '' } = ctx.params;
      const { page: asked } = ctx.query;
      const number = typeof asked === 'string' && /^[1-9]\d{0,3}$/.test(asked) ? Math.min(Number(asked), lastPage) : 1;
      const [shown, frame] = await Promise.all([sellers.show(slug, number, perPage), frameOf(ctx)]);
      if (shown === undefined) {
        const { title, seller: text } = words.notFound;
        return sendPage(ctx, policy, textOf(renderPage(MessagePage({ frame, title, text }))), 404);
      }
      const described = await describe(shown.page.about, url);
      const cards = await cardsOf(shown.products, { addresses, ratings });
      const page = SellerSitePage({ frame, url, shown, described, cards, number });
      sendPage(ctx, policy, textOf(renderPage(page), 'all'));
    },
  };
}

function SellerSitePage({
  frame,
  url,
  shown: {
    page: { slug, name },
    total,
  },
  described,
  cards,
  number,
}: {
  readonly frame: Frame;
  readonly url: string;
  readonly shown: ShownSeller;
  /** What the seller says. */
  readonly described: Described;
  readonly cards: readonly CardFacts[];
  readonly number: number;
}): VNode {
  const names = words.seller;
  const address = `${url}/sellers/${slug}`;
  const at = (page: number) => ({
    href: `./${slug}${page === 1 ? '' : `?page=${page}`}`,
    title: page < number ? words.marketplace.previous : words.marketplace.next,
  });
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${name} · ${frame.site}`}
      description={described.summary || names.about(name)}
      head={
        <ShareHead
          site={frame.site}
          url={address}
          image={`${url}/share/sellers/${slug}.jpg`}
          title={name}
          description={described.summary || names.about(name)}
          isUnlisted={number > 1}
          data={[
            { '@type': 'ProfilePage', mainEntity: { '@type': 'Organization', name, url: address } },
            breadcrumbData([
              { name: words.marketplace.title, url: `${url}/marketplace` },
              { name, url: address },
            ]),
          ]}
        />
      }
    >
      <main id="content" class="home">
        <div class="hero">
          <h1 dir="auto">{name}</h1>
          <Description described={described} />
        </div>
        <section aria-labelledby="products">
          <h2 id="products">{counted(total, 'product')}</h2>
          {cards.length > 0 ? (
            <ul class="cards">
              {cards.map((card, n) => (
                <Card key={card.item.id} {...card} root={frame.root} at={n} />
              ))}
            </ul>
          ) : (
            <EmptyState title={names.none}>
              <p>
                <a href={`${frame.root}marketplace`}>{words.marketplace.seeAll}</a>
              </p>
            </EmptyState>
          )}
          <Paging
            label={words.marketplace.pages}
            back={number > 1 ? at(number - 1) : undefined}
            on={number * perPage < total ? at(number + 1) : undefined}
          />
        </section>
      </main>
    </Layout>
  );
}
