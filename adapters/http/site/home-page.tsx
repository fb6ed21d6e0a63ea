import type { VNode } from 'preact';
import type { ProductSummary } from '../../../core/marketplace/product.ts';
import { Drawing } from '../ui/drawing.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout } from '../ui/layout.tsx';
import { Paging } from '../ui/paging.tsx';
import { priceOf } from '../ui/prices.ts';
import { texts } from '../ui/texts.ts';

/** A product with the address of its thumbnail. */
export interface Card {
  readonly product: ProductSummary;
  readonly image: string | null;
}

interface Home {
  readonly frame: Frame;
  readonly cards: readonly Card[];
  /** Whether this is the first page of the list. */
  readonly isFirst: boolean;
  /** The queries of the pages beside this one. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/** The first page of the site: its products, and the way to the APIs. */
export function HomePage({ frame, cards, isFirst, newer, older }: Home): VNode {
  const { products } = texts;
  const link = (query: string | undefined, title: string) =>
    query === undefined ? undefined : { href: `${frame.root}${query}`, title };
  return (
    <Layout frame={frame} title={frame.site}>
      <main id="content" class="home">
        <div class="hero">
          <h1 dir="auto">{frame.site}</h1>
          <p>{products.lead}</p>
          <p>
            <a class="button primary" href={`${frame.root}marketplace`}>
              {texts.marketplace.seeAll}
            </a>
          </p>
        </div>
        <section aria-labelledby="products">
          <h2 id="products">{products.title}</h2>
          {cards.length > 0 ? (
            <ul class="cards">
              {cards.map((card) => (
                <ProductCard key={card.product.id} {...card} root={frame.root} />
              ))}
            </ul>
          ) : isFirst ? (
            <NoProducts root={frame.root} />
          ) : (
            <EmptyState title={products.noneHere}>
              <p>
                <a class="button" href={frame.root}>
                  {products.newest}
                </a>
              </p>
            </EmptyState>
          )}
          <Paging label={products.pages} back={link(newer, products.newer)} on={link(older, products.older)} />
        </section>
        <Developers root={frame.root} />
      </main>
    </Layout>
  );
}

function ProductCard({ product, image, root }: Card & { readonly root: string }): VNode {
  const { slug, title, tagline, price, module, variant } = product;
  return (
    <li class="card">
      {image === null ? (
        <Drawing name={slug} title={title} />
      ) : (
        <img class="picture" src={image} alt="" loading="lazy" decoding="async" />
      )}
      <h3 dir="auto">
        <a href={`${root}marketplace/${slug}`}>{title}</a>
      </h3>
      <p dir="auto">{tagline}</p>
      <p class="facts">
        <strong>{priceOf(price)}</strong>
        <span dir="auto">{[module, variant].filter(Boolean).join(' / ')}</span>
      </p>
    </li>
  );
}

function NoProducts({ root }: { readonly root: string }): VNode {
  const { products } = texts;
  return (
    <EmptyState title={products.none}>
      <p>{products.whenThere}</p>
      <p class="actions">
        <a class="button primary" href={`${root}docs/account-api#products`}>
          {products.howToPublish}
        </a>
        <a class="button" href={`${root}docs/administration#products-templates-and-purchases`}>
          {products.howToApprove}
        </a>
      </p>
    </EmptyState>
  );
}

function Developers({ root }: { readonly root: string }): VNode {
  const { developers } = texts;
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
