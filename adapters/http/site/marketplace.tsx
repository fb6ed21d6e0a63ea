import type { VNode } from 'preact';
import type { FacetValues, Storefront } from '../../../core/marketplace/storefront.ts';
import type { Ratings } from '../../../core/ratings/ratings.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { Addresses } from '../addresses.ts';
import type { Endpoint } from '../surface.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Frame } from '../ui/frame.ts';
import { Layout, renderPage } from '../ui/layout.tsx';
import { Paging } from '../ui/paging.tsx';
import { formPolicy, sendPage, textOf } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { Card, type CardFacts, CardRow, cardsOf } from './card.tsx';
import {
  ActiveFilters,
  type Chosen,
  chosenIn,
  FilterPanel,
  placeIn,
  queryOf,
  SearchBox,
  SortLinks,
  wishOf,
} from './marketplace-filters.tsx';
import { breadcrumbData, ShareHead, sitePicture } from './share-head.tsx';
import { words } from './words.ts';

/** The dependencies of the marketplace page. */
export interface MarketplaceSite {
  readonly storefront: Pick<Storefront, 'bestSellers' | 'list' | 'values'>;
  readonly ratings: Pick<Ratings, 'counts'>;
  /** The same, and what it returns may be some seconds old: for people who are signed in. The whole page is kept for visitors. */
  readonly listed: Pick<MarketplaceSite, 'storefront' | 'ratings'>;
  readonly addresses: Addresses;
  readonly frameOf: FrameOf;
  /** The public address of the site. */
  readonly url: string;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
}

/** Full rows of two and of three cards. */
const perPage = 24;
/** The products that are shown if nothing was found. */
const suggested = 3;

/** `GET /marketplace` shows all products for sale. */
export function marketplaceEndpoint({
  storefront: own,
  ratings: ownRatings,
  listed,
  addresses,
  frameOf,
  url,
  origin,
}: MarketplaceSite): Endpoint {
  const policy = formPolicy(origin);
  return {
    id: 'marketplace',
    method: 'get',
    paths: ['/marketplace'],
    async respond(ctx) {
      const frame = await frameOf(ctx);
      const { storefront, ratings } = frame.person ? listed : { storefront: own, ratings: ownRatings };
      const chosen = chosenIn(ctx.query);
      const wish = { ...wishOf(chosen), limit: perPage };
      const place = placeIn(ctx.query);
      const asked = await storefront.list({ ...wish, ...place });
      // An address with an invalid place shows the first page.
      const found = isRefused(asked) ? await storefront.list(wish) : asked;
      if (isRefused(found)) throw new Error(found.reason);
      const cards = await cardsOf(found.items, { addresses, ratings });
      const isEmpty = cards.length === 0 && found.next === null;
      const best = isEmpty ? await storefront.bestSellers(suggested) : [];
      const page = MarketplacePage({
        frame,
        url,
        chosen,
        values: await storefront.values(),
        cards,
        corrected: found.corrected,
        best: await cardsOf(best, { addresses, ratings }),
        next: found.next,
        previous: found.previous,
        isFirst: Object.keys(place).length === 0,
      });
      sendPage(ctx, policy, textOf(renderPage(page), 'all'));
    },
  };
}

export interface MarketplaceView {
  readonly frame: Frame;
  /** The public address of the site. */
  readonly url: string;
  readonly chosen: Chosen;
  readonly values: FacetValues;
  readonly cards: readonly CardFacts[];
  /** What was searched for instead, if the words had a typo. */
  readonly corrected: string | undefined;
  /** What is sold most, if nothing else is shown. */
  readonly best: readonly CardFacts[];
  /** The places of the pages beside this one. */
  readonly next: string | null;
  readonly previous: string | null;
  readonly isFirst: boolean;
}

/** All products for sale, with a search and filters. The address keeps what the visitor chose. */
function MarketplacePage(view: MarketplaceView): VNode {
  const { frame, chosen, values, cards, corrected, next, previous, isFirst } = view;
  const { marketplace } = words;
  const address = `${frame.root}marketplace`;
  const { q } = chosen.choices;
  const link = (place: Record<string, string>, title: string) => ({
    href: `${address}${queryOf(chosen, place)}`,
    title,
  });
  const back = previous === null ? undefined : link({ before: previous }, marketplace.previous);
  const isFiltered = Object.keys(chosen.choices).length > 0;
  return (
    <Layout
      frame={{ ...frame, part: 'products' }}
      title={`${q === undefined ? marketplace.title : marketplace.results(q)} · ${frame.site}`}
      isEntry
      canSend
      description={marketplace.lead}
      head={<MarketplaceHead {...view} />}
    >
      <main id="content" class="home market">
        <div class={isFiltered ? 'hero compact' : 'hero'}>
          <h1>{marketplace.title}</h1>
          <p>{marketplace.lead}</p>
          <SearchBox chosen={chosen} />
        </div>
        <div class="market-columns">
          <FilterPanel chosen={chosen} address={address} values={values} />
          <section class="offers" aria-labelledby="offers">
            <div class="offers-head">
              <h2 id="offers" dir="auto">
                {q !== undefined ? marketplace.results(q) : isFiltered ? marketplace.filtered : marketplace.all}
              </h2>
              <SortLinks chosen={chosen} address={address} />
            </div>
            <ActiveFilters chosen={chosen} address={address} />
            {q !== undefined && corrected !== undefined && (
              <p class="lead" dir="auto">
                {marketplace.corrected(q, corrected)}
              </p>
            )}
            {cards.length > 0 ? (
              <ul class="cards">
                {cards.map((card, at) => (
                  <Card key={card.item.id} {...card} root={frame.root} at={at} search={corrected ?? q ?? ''} />
                ))}
              </ul>
            ) : (
              <>
                <NoneFound view={view} isFiltered={isFiltered} address={address} />
                <CardRow id="best" title={words.products.best} cards={view.best} root={frame.root} />
              </>
            )}
            <Paging
              label={marketplace.pages}
              back={back ?? (isFirst ? undefined : link({}, marketplace.firstPage))}
              on={
                next === null
                  ? undefined
                  : link({ after: next }, cards.length > 0 ? marketplace.next : marketplace.lookOn)
              }
            />
          </section>
        </div>
      </main>
    </Layout>
  );
}

/** A page can be empty although others follow. */
function NoneFound({
  view: { next, chosen },
  isFiltered,
  address,
}: {
  readonly view: MarketplaceView;
  readonly isFiltered: boolean;
  readonly address: string;
}): VNode {
  const { marketplace } = words;
  if (next !== null) {
    return (
      <EmptyState title={marketplace.noneYet}>
        <p>{marketplace.noneYetAdvice}</p>
      </EmptyState>
    );
  }
  if (!isFiltered) {
    return (
      <EmptyState title={marketplace.empty}>
        <p>{marketplace.emptyAdvice}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={marketplace.none}>
      <p>{marketplace.noneAdvice}</p>
      <p class="actions">
        <a class="button" href={`${address}${queryOf({ choices: {}, order: chosen.order })}`}>
          {marketplace.clear}
        </a>
      </p>
    </EmptyState>
  );
}

/** The description for other sites and search engines. They need not keep each search. */
function MarketplaceHead({ url, chosen, frame: { site }, isFirst }: MarketplaceView): VNode {
  const { title, lead } = words.marketplace;
  const isUnlisted = chosen.choices.q !== undefined || !isFirst;
  return (
    <ShareHead
      site={site}
      url={`${url}/marketplace${queryOf(chosen)}`}
      image={sitePicture(url)}
      title={title}
      description={lead}
      isUnlisted={isUnlisted}
      data={[
        breadcrumbData([
          { name: site, url: `${url}/` },
          { name: title, url: `${url}/marketplace` },
        ]),
      ]}
    />
  );
}
