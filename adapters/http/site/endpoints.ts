import type { FindContents } from '../../../core/marketplace/bundles.ts';
import { isInCatalogue } from '../../../core/marketplace/catalogue-terms.ts';
import type { Marketplace } from '../../../core/marketplace/marketplace.ts';
import { currenciesFor, listedOffers } from '../../../core/marketplace/offers.ts';
import { isPublic, type Product } from '../../../core/marketplace/product.ts';
import type { Storefront } from '../../../core/marketplace/storefront.ts';
import type { Checkout } from '../../../core/purchases/checkout.ts';
import type { Ratings } from '../../../core/ratings/ratings.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { SellerPages } from '../../../core/sellers/seller-pages.ts';
import { type PictureForm, type Pictures, pictureTypes, pictureWidths } from '../../contracts/pictures.ts';
import { type Addresses, galleryOf, previewDays } from '../addresses.ts';
import type { ClientAddress } from '../client-address.ts';
import { Failure } from '../failures.ts';
import { isWithoutNul } from '../fields.ts';
import { type Located, sendFile } from '../send-file.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { currencyWanted } from '../ui/currency-choice.tsx';
import { describe, describeNotes } from '../ui/description.tsx';
import { MessagePage, renderPage } from '../ui/layout.tsx';
import { formPolicy, ownRequests, pagePolicy, prefersPage, sendPage, textOf } from '../ui/send-page.ts';
import type { FrameOf } from '../visitor/frame-of.ts';
import { cardsOf } from './card.tsx';
import { ProductPage } from './product-page.tsx';
import { shownRatings } from './ratings-part.tsx';
import { words } from './words.ts';

const forEver = 'public, max-age=31536000, immutable';

/** The other products on the page of a product: one row of cards. */
const shownRelated = 4;

/** The dependencies of the page of a product. */
export interface ProductSite {
  readonly marketplace: Pick<Marketplace, 'findBySlug'>;
  readonly storefront: Pick<Storefront, 'versionsOf' | 'related'>;
  readonly checkout: Pick<Checkout, 'obstacle'>;
  readonly contentsOf: FindContents;
  readonly ratings: Pick<Ratings, 'shown' | 'counts'>;
  readonly sellers: Pick<SellerPages, 'ofProduct'>;
  /** Whether the site sends mails now. */
  readonly sendsMail: () => boolean;
  readonly addresses: Addresses;
  readonly frameOf: FrameOf;
  /** The public address of the site. */
  readonly url: string;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
}

/** The dependencies of the downloads. */
export interface Downloads {
  readonly frameOf: FrameOf;
  readonly pictures: Pick<Pictures, 'sized'>;
  readonly clientAddress: ClientAddress;
  /** Finds a public file. Its key cannot be guessed. */
  locate(key: string): Promise<Located | undefined>;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
  /** Finds the file of a signed link. */
  locateLinked(
    key: string,
    query: Readonly<Record<string, unknown>>,
  ): Promise<(Located & { readonly filename: string }) | 'expired' | undefined>;
}

const policyWith = (origin = '') =>
  pagePolicy(ownRequests, "script-src 'self'", "style-src 'self'", `img-src 'self' ${origin}`.trim());

function sendMessage(ctx: Context, policy: string, message: Parameters<typeof MessagePage>[0], status: number): void {
  sendPage(ctx, policy, textOf(renderPage(MessagePage(message))), status);
}

/** The page of a product. */
export function productPageEndpoint(site: ProductSite): Endpoint {
  const {
    marketplace,
    storefront,
    checkout,
    contentsOf,
    ratings,
    sellers,
    sendsMail,
    addresses,
    frameOf,
    url,
    origin,
  } = site;
  const policy = policyWith(origin);
  return {
    id: 'product-page',
    method: 'get',
    paths: ['/marketplace/:slug'],
    async respond(ctx) {
      const { slug = '' } = ctx.params;
      const product = isWithoutNul(slug) ? await marketplace.findBySlug(slug) : undefined;
      const preview = typeof ctx.query.preview === 'string' ? ctx.query.preview : '';
      const verdict = product && (isPublic(product) ? 'good' : addresses.judgePreview(product, preview));
      const frame = await frameOf(ctx);
      if (product && verdict === 'good') {
        const { thumbnail, description, tagline } = product;
        const image = thumbnail && (await addresses.image(thumbnail));
        const described = await describe(description, url);
        const card = isPublic(product) && {
          product,
          site: frame.site,
          url: addresses.product(product),
          above: `${url}/marketplace`,
          images: await Promise.all(pictureKeys(product).map((key) => addresses.media(key))),
          // Other sites keep a picture by its address.
          share: `${url}/share/products/${product.slug}.jpg?v=${product.updatedAt.toString(36)}`,
          summary: tagline || described.summary,
        };
        const [versions, obstacle, rated, related, seller, contents] = await Promise.all([
          storefront.versionsOf(product),
          checkout.obstacle(product),
          isPublic(product) ? shownRatings(ratings, product, ctx.query.reviews) : undefined,
          isPublic(product) ? storefront.related(product, shownRelated) : [],
          sellers.ofProduct(product),
          contentsOf(product),
        ]);
        const currencies = currenciesFor(product);
        const notes = await describeNotes(versions, url, 2);
        const page = ProductPage({
          frame,
          product,
          canBeBought: isInCatalogue(product) && obstacle === undefined,
          currency: currencyWanted(ctx.query.currency, currencies),
          versions,
          notes,
          described,
          image,
          ...(contents && !isRefused(contents) && { contents }),
          ...(rated && { ratings: rated }),
          seller,
          // Nobody reads the mails of a suspended seller.
          canAsk: isInCatalogue(product) && sendsMail() && obstacle !== 'seller',
          gallery: await galleryOf(product, addresses),
          related: await cardsOf(related, { addresses, ratings }),
          ...(card && { card }),
        });
        const hasForm = listedOffers(product).length > 1 || currencies.length > 1;
        // The address of a preview is a secret.
        sendPage(
          ctx,
          hasForm ? formPolicy(origin) : policy,
          textOf(renderPage(page), isPublic(product) ? 'all' : 'one'),
        );
      } else if (verdict === 'ended') {
        ctx.state.refused = 'link_expired';
        const { title, advice } = words.previewEnded;
        sendMessage(ctx, policy, { frame, title, text: advice(previewDays) }, 403);
      } else {
        const { title, product: text } = words.notFound;
        sendMessage(ctx, policy, { frame, title, text }, 404);
      }
    },
  };
}

/** Pictures and files. */
export function downloadEndpoints(downloads: Downloads): Endpoint[] {
  const { frameOf, pictures, clientAddress, locate, origin, locateLinked } = downloads;
  const policy = policyWith(origin);
  return [
    {
      id: 'media',
      method: 'get',
      paths: ['/media/:name'],
      async respond(ctx) {
        const key = `media/${ctx.params.name}`;
        const found = await locate(key);
        if (found === undefined) throw new Failure('not_found');
        const form = pictureForm(ctx.query);
        const picture = form && (await pictures.sized(key, form, clientAddress(ctx.req)));
        if (form && typeof picture === 'object') {
          ctx.set('Cache-Control', forEver);
          ctx.type = `image/${form.type}`;
          ctx.body = picture;
          return;
        }
        // A picture that could not be drawn now may be drawn later.
        await sendFile(ctx, found, { cacheControl: picture === undefined && form ? 'public, max-age=60' : forEver });
      },
    },
    {
      id: 'file',
      method: 'get',
      paths: ['/files/:folder/:name'],
      async respond(ctx) {
        const key = `${ctx.params.folder}/${ctx.params.name}`;
        const found = await locateLinked(key, ctx.query);
        if (typeof found !== 'object') {
          const reason = found === 'expired' ? 'link_expired' : 'not_found';
          ctx.vary('Accept');
          if (!prefersPage(ctx)) throw new Failure(reason);
          ctx.state.refused = reason;
          const { advice: text, purchases, ...titles } = words.fileLink;
          const on = { href: 'account/purchases', text: purchases };
          const status = found === 'expired' ? 403 : 404;
          return sendMessage(ctx, policy, { frame: await frameOf(ctx), title: titles[reason], text, on }, status);
        }
        const cacheControl = 'private, no-store';
        ctx.set({ 'Cache-Control': cacheControl, 'X-Robots-Tag': 'noindex' });
        await sendFile(ctx, found, { cacheControl, filename: found.filename });
      },
    },
  ];
}

/** The storage keys of the pictures of a product, its thumbnail first. */
function pictureKeys({ thumbnail, pictures }: Product): string[] {
  return [...(thumbnail === null ? [] : [thumbnail]), ...pictures.map(({ key }) => key)];
}

/** Returns the form in which a picture is asked for, if it is one of those that exist. */
function pictureForm(query: Readonly<Record<string, unknown>>): PictureForm | undefined {
  const width = pictureWidths.find((one) => String(one) === query.width);
  const type = pictureTypes.find((one) => one === query.type);
  return width && type && { width, type };
}
