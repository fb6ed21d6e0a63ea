import type { ComponentChildren, VNode } from 'preact';
import { isPublic, type Product } from '../../../core/marketplace/product.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Description } from '../ui/description.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout } from '../ui/layout.tsx';
import { priceOf } from '../ui/prices.ts';
import type { Described } from '../ui/seller-markdown.ts';
import { texts } from '../ui/texts.ts';
import { Time } from '../ui/time.tsx';
import { type ProductCard, ProductHead } from './product-head.tsx';

/** The page of a product for buyers. */
export function ProductPage({
  frame,
  product,
  described,
  image,
  card,
}: {
  readonly frame: Frame;
  readonly product: Product;
  /** The rendered description. */
  readonly described: Described;
  /** The address of the thumbnail. */
  readonly image: string | null;
  /** Absent in previews, which other sites and search engines should not show. */
  readonly card?: ProductCard;
}): VNode {
  const { title, tagline, price, status } = product;
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${title} · ${frame.site}`}
      scripts={['local-times.js']}
      head={card ? <ProductHead card={card} /> : <meta name="robots" content="noindex" />}
    >
      <main id="content" class="product">
        <Breadcrumbs above={[{ href: frame.root, title: texts.products.title }]} title={title} />
        {!isPublic(product) && <p class="note">{texts.product.preview(status)}</p>}
        <div class="head">
          <h1 dir="auto">{title}</h1>
          {tagline !== '' && (
            <p class="tagline" dir="auto">
              {tagline}
            </p>
          )}
          <p class="price">{priceOf(price)}</p>
        </div>
        <div class="overview">
          {image !== null && <img src={image} alt="" />}
          <Description described={described} />
        </div>
        <Details product={product} />
      </main>
    </Layout>
  );
}

function Details({ product }: { readonly product: Product }): VNode {
  const { module, variant, category, subcategory, blockchains, tags, isSupported, updatedAt, sellerName, terms } =
    product;
  const { product: names } = texts;
  const facts: [string, ComponentChildren][] = [
    [names.seller, sellerName ?? ''],
    [names.domains, names.domainsOf(terms.maxDomains)],
    [names.duration, names.durationOf(terms.duration)],
    [names.type, [module, variant].filter(Boolean).join(' / ')],
    [names.category, [category, subcategory].filter(Boolean).join(' / ')],
    [names.blockchains, blockchains.join(', ')],
    [names.tags, tags.join(', ')],
    [names.support, isSupported ? names.isSupported : names.isNotSupported],
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
