import type { VNode } from 'preact';
import { excerptFor, foundIn } from '../../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { CatalogueItem } from '../../../core/ports/catalogue.ts';
import { type RatingSum, sumOf } from '../../../core/ratings/rating.ts';
import type { Ratings } from '../../../core/ratings/ratings.ts';
import type { Addresses } from '../addresses.ts';
import { ChainIcon } from '../ui/chain-icon.tsx';
import { Drawing } from '../ui/drawing.tsx';
import { Marked } from '../ui/marked.tsx';
import { nameOf } from '../ui/names.ts';
import { Picture, wide } from '../ui/picture.tsx';
import { shownPrice } from '../ui/prices.ts';
import { RatingLine } from '../ui/rating.tsx';
import { words } from './words.ts';

const shownChains = 3;

/** The facts on the card of a product. */
type Item = Pick<
  Product,
  | 'id'
  | 'slug'
  | 'title'
  | 'tagline'
  | 'price'
  | 'prices'
  | 'leastPrices'
  | 'terms'
  | 'offers'
  | 'sellerName'
  | 'isSupported'
  | 'blockchains'
  | 'thumbnail'
> &
  Pick<CatalogueItem, 'description'>;

/** A product with the address of its thumbnail. */
export interface CardFacts {
  readonly item: Item;
  readonly image: string | null;
  readonly rating: RatingSum;
}

/** Adds to products what their cards show. */
export async function cardsOf(
  items: readonly Item[],
  { addresses, ratings }: { readonly addresses: Pick<Addresses, 'image'>; readonly ratings: Pick<Ratings, 'counts'> },
): Promise<CardFacts[]> {
  const counts = await ratings.counts(items.map(({ id }) => id));
  return await Promise.all(
    items.map(async (item) => ({
      item,
      image: item.thumbnail && (await addresses.image(item.thumbnail)),
      rating: sumOf(counts.get(item.id) ?? []),
    })),
  );
}

/** Some products with a title above them. Shows nothing if there are none. */
export function CardRow({
  id,
  title,
  cards,
  root,
}: {
  readonly id: string;
  readonly title: string;
  readonly cards: readonly CardFacts[];
  readonly root: string;
}): VNode | null {
  if (cards.length === 0) return null;
  return (
    <section class="card-row" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="cards">
        {cards.map((card, at) => (
          <Card key={card.item.id} {...card} root={root} at={at + 1} />
        ))}
      </ul>
    </section>
  );
}

export function Card({
  item,
  image,
  rating,
  root,
  at,
  search = '',
}: CardFacts & {
  readonly root: string;
  /** How many cards are before this one. */
  readonly at: number;
  /** What was searched for. */
  readonly search?: string;
}): VNode {
  const { title, tagline, sellerName, isSupported, description = '' } = item;
  const { marketplace } = words;
  const excerpt = excerptFor(search, [title, tagline, sellerName ?? ''], description);
  return (
    <li class="card offer">
      <CardHead product={item} image={image} root={root} at={at} search={search} />
      {sellerName !== null && (
        <p class="seller">
          {marketplace.by}{' '}
          <bdi>
            <Marked pieces={foundIn(sellerName, search)} />
          </bdi>
        </p>
      )}
      {rating.count > 0 && (
        <p class="score">
          <RatingLine sum={rating} />
        </p>
      )}
      {tagline !== '' && (
        <p class="about-offer" dir="auto">
          <Marked pieces={foundIn(tagline, search)} />
        </p>
      )}
      {excerpt !== undefined && (
        <p class="excerpt" dir="auto">
          <Marked pieces={foundIn(excerpt, search)} />
        </p>
      )}
      <Chains chains={item.blockchains} />
      <p class="facts">
        <strong>{shownPrice(item)}</strong>
        {isSupported && <span class="tag good">{marketplace.supported}</span>}
      </p>
    </li>
  );
}

/** The cards that are seen before anybody scrolls. */
const seenAtOnce = 4;

/** The picture of a product, and its title as a link. */
function CardHead({
  product: { slug, title },
  image,
  root,
  at,
  search = '',
}: {
  readonly product: Pick<Product, 'slug' | 'title'>;
  readonly image: string | null;
  readonly root: string;
  /** How many cards are before this one. */
  readonly at: number;
  readonly search?: string;
}): VNode {
  return (
    <>
      {image === null ? (
        <Drawing name={slug} title={title} />
      ) : (
        <Picture
          class="picture"
          src={image}
          sizes="(max-width: 40rem) 100vw, 24rem"
          room={wide}
          isFirst={at === 0}
          isLazy={at >= seenAtOnce}
        />
      )}
      <h3 dir="auto">
        <a href={`${root}marketplace/${slug}`}>
          <Marked pieces={foundIn(title, search)} />
        </a>
      </h3>
    </>
  );
}

/** The blockchains of a product, as badges. `isWhole`: all of them, with their marks. Otherwise only the first ones. */
export function Chains({
  chains,
  isWhole = false,
}: {
  readonly chains: readonly string[];
  readonly isWhole?: boolean;
}): VNode | null {
  if (chains.length === 0) return null;
  const { marketplace } = words;
  const shown = isWhole ? chains : chains.slice(0, shownChains);
  const hidden = chains.length - shown.length;
  return (
    <ul class="chains" aria-label={marketplace.chains}>
      {shown.map((chain) => (
        <li key={chain} class="chain" dir="auto">
          {isWhole && <ChainIcon chain={chain} />}
          {nameOf(chain)}
        </li>
      ))}
      {hidden > 0 && <li class="chain more-chains">{marketplace.moreChains(hidden)}</li>}
    </ul>
  );
}
