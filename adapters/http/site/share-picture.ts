import type { Marketplace } from '../../../core/marketplace/marketplace.ts';
import { isPublic } from '../../../core/marketplace/product.ts';
import type { SellerPages } from '../../../core/sellers/seller-pages.ts';
import type { Pictures, ShareCard } from '../../contracts/pictures.ts';
import type { Addresses } from '../addresses.ts';
import type { ClientAddress } from '../client-address.ts';
import { Failure } from '../failures.ts';
import { isWithoutNul } from '../fields.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { usualAccent } from '../ui/accent.ts';
import { shownPrice } from '../ui/prices.ts';
import { frameWords } from '../ui/words.ts';
import type { FrameTools } from '../visitor/frame-of.ts';
import { words } from './words.ts';

/** The dependencies of the pictures that other sites show with a link. */
export interface SharePictures {
  readonly marketplace: Pick<Marketplace, 'findBySlug'>;
  readonly sellers: Pick<SellerPages, 'show'>;
  readonly addresses: Pick<Addresses, 'media'>;
  readonly pictures: Pick<Pictures, 'shared'>;
  readonly clientAddress: ClientAddress;
  readonly site: FrameTools['site'];
}

/** What a picture shows. `picture` is the key of a stored one. */
interface Shown extends Pick<ShareCard, 'title' | 'line' | 'price'> {
  readonly picture?: string | null;
}

const cacheFor = (seconds: number) => `public, max-age=${seconds}`;

/**
 * The pictures that other sites show with a link to the site, a product or a seller. If one cannot be drawn, they get the
 * picture of the product.
 */
export function shareEndpoints(tools: SharePictures): Endpoint[] {
  const { marketplace, sellers, addresses, pictures, clientAddress, site } = tools;

  async function send(ctx: Context, { picture = null, ...texts }: Shown): Promise<void> {
    const { site: name, look } = site();
    const card = { ...texts, site: name === texts.title ? '' : name, accent: look?.accent ?? usualAccent };
    const drawn = await pictures.shared(card, picture ?? undefined, clientAddress(ctx.req));
    if (typeof drawn === 'object') {
      ctx.set('Cache-Control', cacheFor(3_600));
      ctx.type = 'image/jpeg';
      ctx.body = drawn;
      return;
    }
    if (picture === null) {
      if (drawn !== undefined) throw new Failure('not_found');
      // It may be drawn the next time: others should not remember that there is none.
      throw new Failure('service_unavailable', { headers: { 'Retry-After': '5' } });
    }
    ctx.set('Cache-Control', cacheFor(60));
    ctx.redirect(await addresses.media(picture));
  }

  return [
    {
      id: 'share-site',
      method: 'get',
      paths: ['/share/site.jpg'],
      async respond(ctx) {
        const { site: title, look } = site();
        await send(ctx, { title, line: look?.description || frameWords.lead, price: '' });
      },
    },
    {
      id: 'share-product',
      method: 'get',
      paths: ['/share/products/:slug.jpg'],
      async respond(ctx) {
        const { slug = '' } = ctx.params;
        const product = isWithoutNul(slug) ? await marketplace.findBySlug(slug) : undefined;
        if (product === undefined || !isPublic(product)) throw new Failure('not_found');
        const { title, tagline: line, thumbnail } = product;
        await send(ctx, { title, line, price: shownPrice(product), picture: thumbnail });
      },
    },
    {
      id: 'share-seller',
      method: 'get',
      paths: ['/share/sellers/:slug.jpg'],
      async respond(ctx) {
        const { slug = '' } = ctx.params;
        const shown = isWithoutNul(slug) ? await sellers.show(slug, 1, 1) : undefined;
        if (shown === undefined) throw new Failure('not_found');
        const { name } = shown.page;
        await send(ctx, { title: name, line: words.seller.about(name), price: '' });
      },
    },
  ];
}
