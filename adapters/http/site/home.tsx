import type { VNode } from 'preact';
import type { SellingPolicy } from '../../../core/marketplace/selling-policy.ts';
import type { Storefront } from '../../../core/marketplace/storefront.ts';
import type { Ratings } from '../../../core/ratings/ratings.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { Addresses } from '../addresses.ts';
import type { Endpoint } from '../surface.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout, renderPage } from '../ui/layout.tsx';
import { nameOf } from '../ui/names.ts';
import { formPolicy, prefersPage, sendPage, sendText, textOf } from '../ui/send-page.ts';
import { frameWords, sandboxWords } from '../ui/words.ts';
import type { FrameOf, FrameTools } from '../visitor/frame-of.ts';
import { type CardFacts, CardRow, cardsOf } from './card.tsx';
import { SearchField } from './marketplace-filters.tsx';
import { ShareHead, sitePicture } from './share-head.tsx';
import { words } from './words.ts';

/** The dependencies of the first page. */
export interface HomeTools {
  readonly storefront: Pick<Storefront, 'bestSellers' | 'list' | 'values'>;
  readonly ratings: Pick<Ratings, 'counts'>;
  /** Who may sell here. */
  readonly sellingPolicy: () => SellingPolicy;
  readonly addresses: Addresses;
  readonly site: FrameTools['site'];
  readonly frameOf: FrameOf;
  readonly version: string;
  /** The public address of the site. */
  readonly url: string;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
}

/** The newest products: full rows of two and of three cards. */
const newest = 12;
/** The products that are sold most. */
const mostSold = 4;

/** `GET /` is a page for browsers, and a small index for programs. */
export function homeEndpoint({
  storefront,
  ratings,
  sellingPolicy,
  addresses,
  site,
  frameOf,
  version,
  url,
  origin = '',
}: HomeTools): Endpoint {
  const policy = formPolicy(origin);
  const index = () =>
    textOf(
      JSON.stringify({
        name: site().site,
        version,
        documentation: `${url}/docs`,
        openapi: `${url}/openapi.json`,
      }),
    );
  return {
    id: 'home',
    method: 'get',
    paths: ['/'],
    async respond(ctx) {
      ctx.vary('Accept');
      if (!prefersPage(ctx)) {
        ctx.set('Access-Control-Allow-Origin', '*');
        ctx.type = 'application/json; charset=utf-8';
        return sendText(ctx, index());
      }
      const found = await storefront.list({ order: 'newest', limit: newest });
      if (isRefused(found)) throw new Error(found.reason);
      const { items, next } = found;
      // What is sold most stands out only among many.
      const [best, values] =
        items.length > mostSold
          ? await Promise.all([storefront.bestSellers(mostSold), storefront.values()])
          : [[], undefined];
      const shown = new Set(best.map(({ id }) => id));
      const others = items.filter(({ id }) => !shown.has(id));
      const page = HomePage({
        frame: await frameOf(ctx),
        best: await cardsOf(best, { addresses, ratings }),
        cards: await cardsOf(others, { addresses, ratings }),
        hasMore: next !== null,
        categories: values?.category.map(({ label }) => label) ?? [],
        asksToSell: items.length > 0 && sellingPolicy() === 'everybody',
        url,
      });
      sendPage(ctx, policy, textOf(renderPage(page), 'all'));
    },
  };
}

interface Home {
  readonly frame: Frame;
  /** The public address of the site. */
  readonly url: string;
  /** What is sold most. */
  readonly best: readonly CardFacts[];
  /** The newest other products. */
  readonly cards: readonly CardFacts[];
  /** Whether there are more products than these. */
  readonly hasMore: boolean;
  readonly categories: readonly string[];
  /** Whether it asks visitors to sell here too. */
  readonly asksToSell: boolean;
}

/** The first page of the site: its products, and the way to the APIs. */
function HomePage({ frame, url, best, cards, hasMore, categories, asksToSell }: Home): VNode {
  const { products, marketplace } = words;
  const description = frame.look?.description;
  const address = `${frame.root}marketplace`;
  const isEmpty = best.length === 0 && cards.length === 0;
  return (
    <Layout
      frame={frame}
      title={frame.site}
      head={
        <ShareHead
          site={frame.site}
          url={`${url}/`}
          image={sitePicture(url)}
          title={frame.site}
          description={description || frameWords.lead}
          data={[{ '@type': 'WebSite', name: frame.site, url: `${url}/` }]}
        />
      }
    >
      <main id="content" class="home">
        <div class="hero">
          <h1 dir="auto">{frame.site}</h1>
          {description ? <p dir="auto">{description}</p> : <p>{frameWords.lead}</p>}
          {frame.look?.isSandbox && <Sandbox frame={frame} />}
          {!isEmpty && (
            <form method="get" action={address}>
              <SearchField />
            </form>
          )}
          {categories.length > 1 && (
            <nav class="categories" aria-label={products.categories}>
              <ul class="choices">
                {categories.map((category) => (
                  <li key={category}>
                    <ButtonLink
                      href={`${address}?${new URLSearchParams({ category })}`}
                      text={nameOf(category)}
                      look="small"
                    />
                  </li>
                ))}
              </ul>
            </nav>
          )}
        </div>
        {isEmpty && !frame.look?.isSandbox && <NoProducts root={frame.root} />}
        <CardRow id="best" title={products.best} cards={best} root={frame.root} />
        <CardRow
          id="products"
          title={best.length > 0 ? products.newestTitle : products.title}
          cards={cards}
          root={frame.root}
        />
        {(hasMore || best.length > 0) && (
          <p class="see-all">
            <ButtonLink href={address} text={marketplace.seeAll} look="primary" />
          </p>
        )}
        {asksToSell && <SellHere root={frame.root} />}
        {(isEmpty || frame.person?.sells) && <Developers root={frame.root} />}
      </main>
    </Layout>
  );
}

/** The way to an account of the sandbox. */
function Sandbox({ frame: { root, person } }: Pick<Home, 'frame'>): VNode {
  const { sandbox } = words;
  return (
    <>
      {person === undefined && <p>{sandbox.lead}</p>}
      <p class="choices">
        {person === undefined ? (
          <ButtonLink href={`${root}sandbox`} text={sandboxWords.open} look="primary" />
        ) : (
          <ButtonLink href={`${root}selling/test`} text={sandbox.on} look="primary" />
        )}
      </p>
    </>
  );
}

/** Asks visitors to sell here too. */
function SellHere({ root }: { readonly root: string }): VNode {
  const { sell } = words;
  return (
    <section class="panel sell-here" aria-labelledby="sell">
      <div>
        <h2 id="sell">{sell.title}</h2>
        <p class="lead">{sell.lead}</p>
      </div>
      <ButtonLink href={`${root}selling`} text={sell.start} />
    </section>
  );
}

function NoProducts({ root }: { readonly root: string }): VNode {
  const { products } = words;
  return (
    <EmptyState heading="h2" title={products.none}>
      <p>{products.whenThere}</p>
      <p class="actions">
        <ButtonLink href={`${root}docs/account-api#products`} text={products.howToPublish} look="primary" />
        <ButtonLink href={`${root}docs/administration#products-templates-and-purchases`} text={products.howToApprove} />
      </p>
    </EmptyState>
  );
}

function Developers({ root }: { readonly root: string }): VNode {
  const { developers } = words;
  const ways = [
    ['docs', developers.guides, developers.aboutGuides],
    ['docs/reference', developers.reference, developers.aboutReference],
    ['openapi.json', developers.document, developers.aboutDocument],
  ] as const;
  return (
    <section aria-labelledby="developers">
      <h2 id="developers">{developers.title}</h2>
      <ul class="ways">
        {ways.map(([path, title, about]) => (
          <li key={path}>
            <a href={`${root}${path}`}>{title}</a>
            <br />
            {about}
          </li>
        ))}
      </ul>
    </section>
  );
}
