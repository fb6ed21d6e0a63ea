import type { ComponentChildren, VNode } from 'preact';
import { isPublic, type Product } from '../../../core/marketplace/product.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout } from '../ui/layout.tsx';
import { texts } from '../ui/texts.ts';
import { Time } from '../ui/time.tsx';
import { priceOf } from './home-page.tsx';

/** The page of a product for buyers. `image` is the address of the thumbnail. */
export function ProductPage({
  frame,
  product,
  image,
}: {
  readonly frame: Frame;
  readonly product: Product;
  readonly image: string | null;
}): VNode {
  const { title, tagline, price, description, status } = product;
  return (
    <Layout frame={{ ...frame, part: 'products' }} title={`${title} · ${frame.site}`} scripts={['local-times.js']}>
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
        {(image !== null || description !== '') && (
          <div>
            {image !== null && <img src={image} alt="" />}
            <p class="description" dir="auto">
              {description}
            </p>
          </div>
        )}
        <Details product={product} />
      </main>
    </Layout>
  );
}

function Details({ product }: { readonly product: Product }): VNode {
  const { module, variant, category, subcategory, blockchains, tags, isSupported, updatedAt } = product;
  const { product: names } = texts;
  const facts: [string, ComponentChildren][] = [
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
