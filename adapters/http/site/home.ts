import { type ProductId, parseId, toProductId } from '../../../core/id.ts';
import type { Marketplace } from '../../../core/marketplace/marketplace.ts';
import type { PublicPlace } from '../../../core/ports/product-store.ts';
import type { Addresses } from '../addresses.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { renderPage } from '../ui/layout.tsx';
import { pagePolicy } from '../ui/policy.ts';
import { prefersPage, sendPage, sendText } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { HomePage } from './home-page.tsx';

/** The dependencies of the first page. */
export interface Home {
  readonly marketplace: Pick<Marketplace, 'published'>;
  readonly addresses: Addresses;
  /** The name of the site. */
  readonly site: string;
  readonly frameOf: FrameOf;
  readonly version: string;
  /** The public address of the site. */
  readonly url: string;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
}

const perPage = 12;

/** `GET /` is a page for browsers, and a small index for programs. */
export function homeEndpoint({ marketplace, addresses, site, frameOf, version, url, origin = '' }: Home): Endpoint {
  const policy = pagePolicy("style-src 'self'", `img-src 'self' ${origin}`.trim());
  const index = JSON.stringify({
    name: site,
    version,
    documentation: `${url}/docs`,
    openapi: `${url}/openapi.json`,
  });
  return {
    id: 'home',
    method: 'get',
    paths: ['/'],
    async respond(ctx) {
      ctx.vary('Accept');
      if (!prefersPage(ctx)) {
        ctx.set('Access-Control-Allow-Origin', '*');
        ctx.type = 'application/json; charset=utf-8';
        return sendText(ctx, index);
      }
      const place = placeIn(ctx.query);
      const { items, newer, older } = await marketplace.published(place, perPage);
      const cards = await Promise.all(
        items.map(async (product) => ({
          product,
          image: product.thumbnail && (await addresses.image(product.thumbnail)),
        })),
      );
      const page = HomePage({
        frame: await frameOf(ctx),
        cards,
        isFirst: place === undefined,
        newer: newer && queryOf(newer),
        older: older && queryOf(older),
      });
      sendPage(ctx, policy, renderPage(page));
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
