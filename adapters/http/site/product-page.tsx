import type { ComponentChildren, VNode } from 'preact';
import { baseCurrency } from '../../../core/currency.ts';
import type { OfferedAs } from '../../../core/marketplace/offers.ts';
import { isPublic, type Product } from '../../../core/marketplace/product.ts';
import type { ProductVersion } from '../../../core/marketplace/product-version.ts';
import type { SellerPage } from '../../../core/sellers/seller-page.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Description } from '../ui/description.tsx';
import { Drawing } from '../ui/drawing.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout } from '../ui/layout.tsx';
import { nameOf, namesOf } from '../ui/names.ts';
import { Picture, wide } from '../ui/picture.tsx';
import { product as productWords } from '../ui/product-words.ts';
import { RatingLine } from '../ui/rating.tsx';
import type { Described } from '../ui/seller-markdown.ts';
import { Time } from '../ui/time.tsx';
import { BuyBox } from './buy-box.tsx';
import { type CardFacts, CardRow, Chains } from './card.tsx';
import { Gallery, Links } from './gallery.tsx';
import { type ProductCard, ProductHead } from './product-head.tsx';
import { RatingsPart, type ShownRatings } from './ratings-part.tsx';
import { words } from './words.ts';

/** The page of a product for buyers. */
export function ProductPage({
  frame,
  product,
  contents,
  canBeBought,
  currency = baseCurrency,
  versions,
  notes,
  described,
  image,
  ratings,
  related = [],
  seller,
  gallery = [],
  canAsk = false,
  card,
}: {
  readonly frame: Frame;
  readonly product: Product;
  /** Whether there is a way to pay for it. */
  readonly canBeBought: boolean;
  /** The currency in which its prices are shown, where there are prices in it. */
  readonly currency?: string;
  /** The newest ones, newest first. */
  readonly versions: readonly ProductVersion[];
  /** What is new in each, by ordinal. */
  readonly notes: ReadonlyMap<number, Described>;
  /** The rendered description. */
  readonly described: Described;
  /** The address of the thumbnail. */
  readonly image: string | null;
  /** Absent in previews. */
  readonly ratings?: ShownRatings;
  /** Other products. */
  readonly related?: readonly CardFacts[];
  /** The page of its seller. */
  readonly seller?: SellerPage | undefined;
  /** The addresses of its other pictures. */
  readonly gallery?: readonly string[];
  /** Whether visitors can ask the seller. */
  readonly canAsk?: boolean;
  /** The products in a bundle. Absent if one of them cannot be sold. */
  readonly contents?: readonly OfferedAs<Product>[] | undefined;
  /** Absent in previews, which other sites and search engines should not show. */
  readonly card?: ProductCard;
}): VNode {
  const { title, tagline, slug, status, sellerName } = product;
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${title} · ${frame.site}`}
      scripts={['local-times.js']}
      description={card?.summary || undefined}
      isUnlisted={card === undefined}
      head={card && <ProductHead card={card} canBeBought={canBeBought} currency={currency} rating={ratings?.sum} />}
    >
      <main id="content" class="product">
        <Breadcrumbs above={[{ href: `${frame.root}marketplace`, title: words.marketplace.title }]} title={title} />
        {!isPublic(product) && <p class="note">{productWords.preview(status)}</p>}
        <div class="head">
          <h1 dir="auto">{title}</h1>
          {tagline !== '' && (
            <p class="tagline" dir="auto">
              {tagline}
            </p>
          )}
          {sellerName !== null && (
            <p class="seller">
              {words.marketplace.by}{' '}
              {seller ? <a href={`${frame.root}sellers/${seller.slug}`}>{sellerName}</a> : <bdi>{sellerName}</bdi>}
            </p>
          )}
          {ratings !== undefined && ratings.sum.count > 0 && (
            <p class="score">
              <a href="#reviews" class="score-link">
                <RatingLine sum={ratings.sum} />
              </a>
            </p>
          )}
        </div>
        <div class="overview">
          {image !== null ? (
            <Picture class="main-picture" src={image} sizes="(max-width: 60rem) 100vw, 50rem" room={wide} isFirst />
          ) : (
            <Drawing name={slug} title={title} />
          )}
          <Gallery product={product} images={gallery} cover={image} />
          <Links product={product} hasVideoAbove={image !== null} />
          <Description described={described} />
          <Versions versions={versions} notes={notes} />
          {ratings && <RatingsPart ratings={ratings} address={`./${slug}`} />}
        </div>
        <div class="side">
          <BuyBox product={product} canBeBought={canBeBought} contents={contents} currency={currency} frame={frame} />
          <Details product={product} root={frame.root} />
          <SellerCard seller={seller} slug={canAsk ? slug : undefined} root={frame.root} />
        </div>
        <CardRow id="related" title={words.marketplace.related} cards={related} root={frame.root} />
      </main>
    </Layout>
  );
}

function Versions({
  versions,
  notes: rendered,
}: {
  readonly versions: readonly ProductVersion[];
  readonly notes: ReadonlyMap<number, Described>;
}): VNode | null {
  if (versions.length === 0) return null;
  const { marketplace } = words;
  return (
    <section class="versions" aria-labelledby="versions">
      <h2 id="versions">{marketplace.versions}</h2>
      <ol>
        {versions.map(({ ordinal, number, createdAt }, index) => (
          <li key={ordinal}>
            <p class="version">
              <strong>{number}</strong>
              {index === 0 && <span class="tag good">{marketplace.newestVersion}</span>}
              <Time at={createdAt} />
            </p>
            <Description described={rendered.get(ordinal)} />
          </li>
        ))}
      </ol>
      {(versions.at(-1)?.ordinal ?? 1) > 1 && <p class="faint">{marketplace.olderVersions}</p>}
    </section>
  );
}

/** The way to the page of the seller, and to a question. `slug`: that of the product, if visitors can ask about it. */
function SellerCard({
  seller,
  slug,
  root,
}: {
  readonly seller: SellerPage | undefined;
  readonly slug: string | undefined;
  readonly root: string;
}): VNode | null {
  const names = words.seller;
  if (seller === undefined && slug === undefined) return null;
  return (
    <aside aria-labelledby="seller">
      <h2 id="seller">{names.title}</h2>
      {seller && (
        <>
          <p dir="auto">{seller.name}</p>
          <p>
            <a href={`${root}sellers/${seller.slug}`}>{names.all}</a>
          </p>
        </>
      )}
      {slug !== undefined && (
        <p>
          <a href={`./${slug}/ask`}>{names.ask}</a>
        </p>
      )}
    </aside>
  );
}

function Details({ product, root }: { readonly product: Product; readonly root: string }): VNode {
  const { module, variant, category, subcategory, blockchains, tags, isSupported, updatedAt, version } = product;
  const names = productWords;
  const link = (name: string, value: string, text = value) => (
    <a href={`${root}marketplace?${new URLSearchParams({ [name]: value })}`}>{text}</a>
  );
  const facts: [string, ComponentChildren][] = [
    [names.version, version ?? ''],
    [names.type, namesOf(module, variant)],
    [
      names.category,
      category === null ? (
        nameOf(subcategory ?? '')
      ) : (
        <>
          {link('category', category, nameOf(category))}
          {subcategory !== null && ` / ${nameOf(subcategory)}`}
        </>
      ),
    ],
    [names.blockchains, blockchains.length > 0 ? <Chains key="chains" chains={blockchains} isWhole /> : ''],
    [
      names.tags,
      tags.length > 0 ? (
        <ul key="tags" class="links">
          {tags.map((tag) => (
            <li key={tag}>{link('q', tag)}</li>
          ))}
        </ul>
      ) : (
        ''
      ),
    ],
    // Nobody advertises what is missing.
    [names.support, isSupported ? names.isSupported : ''],
    [names.updated, <Time key="updated" at={updatedAt} />],
  ];
  return (
    <aside aria-labelledby="details">
      <h2 id="details">{names.details}</h2>
      <dl>
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
    </aside>
  );
}
