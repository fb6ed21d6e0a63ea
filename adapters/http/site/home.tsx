import type { VNode } from 'preact';
import { type ProductId, parseId, toProductId } from '../../../core/id.ts';
import type { Marketplace } from '../../../core/marketplace/marketplace.ts';
import type { ProductSummary } from '../../../core/marketplace/product.ts';
import type { SellingPolicy } from '../../../core/marketplace/selling-policy.ts';
import type { Storefront } from '../../../core/marketplace/storefront.ts';
import type { PublicPlace } from '../../../core/ports/product-store.ts';
import type { Ratings } from '../../../core/ratings/ratings.ts';
import type { Addresses } from '../addresses.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout, renderPage } from '../ui/layout.tsx';
import { nameOf, namesOf } from '../ui/names.ts';
import { Paging } from '../ui/paging.tsx';
import { priceOf } from '../ui/prices.ts';
import { ownRequests, pagePolicy, prefersPage, sendPage, sendText, textOf } from '../ui/send-page.ts';
import { frameWords } from '../ui/words.ts';
import type { FrameOf, FrameTools } from '../visitor/frame-of.ts';
import { CardHead, type Offer, OfferRow, offersOf } from './offer-card.tsx';
import { ShareHead } from './share-head.tsx';
import { words } from './words.ts';

/** The dependencies of the first page. */
export interface HomeTools {
  readonly marketplace: Pick<Marketplace, 'published'>;
  readonly storefront: Pick<Storefront, 'bestSellers' | 'values'>;
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

const perPage = 12;
/** The products that are sold most. */
const mostSold = 4;

/** `GET /` is a page for browsers, and a small index for programs. */
export function homeEndpoint({
  marketplace,
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
  const policy = pagePolicy(ownRequests, "style-src 'self'", `img-src 'self' ${origin}`.trim());
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
      const place = placeIn(ctx.query);
      const { items, newer, older } = await marketplace.published(place, perPage);
      const cards = await Promise.all(
        items.map(async (product) => ({
          product,
          image: product.thumbnail && (await addresses.image(product.thumbnail)),
        })),
      );
      const isFirst = newer === undefined && items.length > 0;
      // What is sold most stands out only among many.
      const [sold, values] =
        isFirst && items.length > mostSold
          ? await Promise.all([storefront.bestSellers(mostSold), storefront.values()])
          : [[], undefined];
      const page = HomePage({
        frame: await frameOf(ctx),
        best: await offersOf(sold, { addresses, ratings }),
        categories: values?.category.map(({ label }) => label) ?? [],
        asksToSell: isFirst && sellingPolicy() === 'everybody',
        url,
        cards,
        isFirst: place === undefined,
        newer: newer && queryOf(newer),
        older: older && queryOf(older),
      });
      sendPage(ctx, policy, textOf(renderPage(page), 'all'));
    },
  };
}

/** Reads the place in the list from the address. An address with an invalid place shows the first page. */
function placeIn(query: Context['query']): PublicPlace | undefined {
  const [before, after] = [idIn(query.before), idIn(query.after)];
  if (before !== undefined) return { olderThan: before };
  return after === undefined ? undefined : { newerThan: after };
}

function idIn(text: unknown): ProductId | undefined {
  return typeof text === 'string' ? parseId(text, toProductId) : undefined;
}

function queryOf(place: PublicPlace): string {
  return 'olderThan' in place ? `?before=${place.olderThan}` : `?after=${place.newerThan}`;
}

/** A product with the address of its thumbnail. */
export interface Card {
  readonly product: ProductSummary;
  readonly image: string | null;
}

interface Home {
  readonly frame: Frame;
  /** The public address of the site. */
  readonly url: string;
  readonly cards: readonly Card[];
  /** What is sold most. */
  readonly best: readonly Offer[];
  readonly categories: readonly string[];
  /** Whether it asks visitors to sell here too. */
  readonly asksToSell: boolean;
  /** Whether this is the first page of the list. */
  readonly isFirst: boolean;
  /** The queries of the pages beside this one. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/** The first page of the site: its products, and the way to the APIs. */
function HomePage({ frame, url, cards, best, categories, asksToSell, isFirst, newer, older }: Home): VNode {
  const { products } = words;
  const description = frame.look?.description;
  const link = (query: string | undefined, title: string) =>
    query === undefined ? undefined : { href: `${frame.root}${query}`, title };
  return (
    <Layout
      frame={frame}
      title={frame.site}
      head={
        <ShareHead
          site={frame.site}
          url={`${url}/`}
          title={frame.site}
          description={description || frameWords.lead}
          isUnlisted={newer !== undefined}
          data={[{ '@type': 'WebSite', name: frame.site, url: `${url}/` }]}
        />
      }
    >
      <main id="content" class="home">
        <div class="hero">
          <h1 dir="auto">{frame.site}</h1>
          {description ? <p dir="auto">{description}</p> : <p>{frameWords.lead}</p>}
          <p>
            <ButtonLink href={`${frame.root}marketplace`} text={words.marketplace.seeAll} look="primary" />
          </p>
        </div>
        <OfferRow id="best" title={products.best} offers={best} root={frame.root} />
        {categories.length > 1 && (
          <nav class="categories" aria-label={products.categories}>
            <ul class="choices">
              {categories.map((category) => (
                <li key={category}>
                  <ButtonLink
                    href={`${frame.root}marketplace?${new URLSearchParams({ category })}`}
                    text={nameOf(category)}
                    look="small"
                  />
                </li>
              ))}
            </ul>
          </nav>
        )}
        <section aria-labelledby="products">
          <h2 id="products">{best.length > 0 ? products.newestTitle : products.title}</h2>
          {cards.length > 0 ? (
            <ul class="cards">
              {cards.map((card, at) => (
                <ProductCard key={card.product.id} {...card} root={frame.root} at={at} />
              ))}
            </ul>
          ) : isFirst ? (
            <NoProducts root={frame.root} />
          ) : (
            <EmptyState title={products.noneHere}>
              <p>
                <ButtonLink href={frame.root} text={products.newest} />
              </p>
            </EmptyState>
          )}
          <Paging label={products.pages} back={link(newer, products.newer)} on={link(older, products.older)} />
        </section>
        {asksToSell && <SellHere root={frame.root} />}
        {(cards.length === 0 || frame.person?.sells) && <Developers root={frame.root} />}
      </main>
    </Layout>
  );
}

function ProductCard({ product, image, root, at }: Card & { readonly root: string; readonly at: number }): VNode {
  const { tagline, price, module, variant } = product;
  return (
    <li class="card">
      <CardHead product={product} image={image} root={root} at={at} />
      <p dir="auto">{tagline}</p>
      <p class="facts">
        <strong>{priceOf(price)}</strong>
        <span dir="auto">{namesOf(module, variant)}</span>
      </p>
    </li>
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
    <EmptyState title={products.none}>
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
