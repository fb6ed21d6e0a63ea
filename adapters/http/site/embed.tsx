import { readFileSync } from 'node:fs';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { baseCurrency } from '../../../core/currency.ts';
import { isInCatalogue } from '../../../core/marketplace/catalogue-terms.ts';
import type { Marketplace } from '../../../core/marketplace/marketplace.ts';
import { listedOffers, priceRange } from '../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../core/marketplace/price-choice.ts';
import { isPublic, type Product } from '../../../core/marketplace/product.ts';
import type { Checkout } from '../../../core/purchases/checkout.ts';
import type { Pictures } from '../../contracts/pictures.ts';
import type { Addresses } from '../addresses.ts';
import type { ClientAddress } from '../client-address.ts';
import { Failure } from '../failures.ts';
import { isWithoutNul } from '../fields.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { usualAccent } from '../ui/accent.ts';
import { pictureAddress } from '../ui/picture.tsx';
import { moneyOf, priceOf, pricesShown } from '../ui/prices.ts';
import { sendText, textOf } from '../ui/send-page.ts';
import type { FrameTools } from '../visitor/frame-of.ts';
import { words } from './words.ts';

/*
 * A product on the pages of other sites: a script that shows a card or a button, and a picture of the card for pages that
 * load no scripts. Both always show the product as it is now. They lead to a new tab, because no page of this service can
 * be shown in a frame.
 */

/** The dependencies of products on other sites. */
export interface EmbedTools {
  readonly marketplace: Pick<Marketplace, 'findBySlug'>;
  readonly checkout: Pick<Checkout, 'obstacle'>;
  readonly addresses: Pick<Addresses, 'product' | 'media'>;
  readonly pictures: Pick<Pictures, 'sized'>;
  readonly clientAddress: ClientAddress;
  readonly site: FrameTools['site'];
}

/** `GET /embed/:slug.js` and `GET /embed/:slug.svg`. 404 unless everybody may see the product. */
export function embedEndpoints(tools: EmbedTools): Endpoint[] {
  const { marketplace, checkout, addresses, pictures, clientAddress, site } = tools;
  const script = readFileSync(new URL('../ui/assets/embed.js', import.meta.url), 'utf8');
  const find = async ({ params: { slug = '' } }: Context): Promise<Product> => {
    const product = isWithoutNul(slug) ? await marketplace.findBySlug(slug) : undefined;
    if (product === undefined || !isPublic(product)) throw new Failure('not_found');
    return product;
  };
  const accent = () => site().look?.accent ?? usualAccent;
  return [
    {
      id: 'embed-script',
      method: 'get',
      paths: ['/embed/:slug.js'],
      async respond(ctx) {
        const product = await find(ctx);
        const { title, thumbnail } = product;
        const page = addresses.product(product);
        const canBuy = await isForSale(product, checkout);
        const address = thumbnail && (await addresses.media(thumbnail));
        const facts = {
          page,
          // One of several offers is chosen on the page of the product.
          buy: canBuy ? (listedOffers(product).length > 1 ? page : `${page}/buy`) : '',
          title,
          price: priceIn(product, canBuy),
          picture: address === null ? '' : pictureAddress(address, { width: 640, type: 'webp' }),
          accent: accent(),
        };
        ctx.type = 'text/javascript; charset=utf-8';
        sendText(
          ctx,
          textOf(
            script.replace(/(['"])FACTS\1/, () => JSON.stringify(JSON.stringify(facts))),
            'all',
          ),
        );
      },
    },
    {
      id: 'embed-picture',
      method: 'get',
      paths: ['/embed/:slug.svg'],
      async respond(ctx) {
        const product = await find(ctx);
        const { thumbnail } = product;
        const [canBuy, drawn] = await Promise.all([
          isForSale(product, checkout),
          thumbnail && pictures.sized(thumbnail, { width: 640, type: 'webp' }, clientAddress(ctx.req)),
        ]);
        const picture = typeof drawn === 'object' && drawn !== null ? drawn : undefined;
        const { site: name } = site();
        const card = CardPicture({ product, picture, price: priceIn(product, canBuy), accent: accent(), site: name });
        ctx.set('Content-Security-Policy', "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox");
        ctx.type = 'image/svg+xml';
        sendText(ctx, textOf(asXml(renderToString(card)), 'all'));
      },
    },
  ];
}

/** Whether everybody can buy the product now. */
async function isForSale(product: Product, checkout: EmbedTools['checkout']): Promise<boolean> {
  return isInCatalogue(product) && (await checkout.obstacle(product)) === undefined;
}

/** The text of the button. */
function priceIn(product: Product, canBuy: boolean): string {
  if (!canBuy) return words.embed.see;
  const { lowest: price, highest } = priceRange(product);
  if (price === 0 && highest > 0 && pricesShown(product, baseCurrency).some(choiceOf))
    return words.marketplace.choosePrice;
  if (price !== highest) return words.marketplace.buyFrom(moneyOf(price, baseCurrency));
  return price === 0 ? words.marketplace.get : words.marketplace.buy(priceOf(price, baseCurrency));
}

/** The size of the picture of a card, in pixels. */
export const cardSize = { width: 320, height: 312 } as const;

const styles = `
  * { box-sizing: border-box; margin: 0 }
  div { width: 320px; height: 312px; display: grid; grid-template-rows: 180px 1fr auto; gap: 10px; padding-bottom: 14px;
    font: 16px/1.35 system-ui, sans-serif; background: #fff; color: #14181b; border: 1px solid #d5dad8; border-radius: 12px; overflow: hidden }
  img, b { display: block; width: 100%; height: 180px; object-fit: cover }
  b { font-size: 72px; line-height: 180px; text-align: center; background: #eff2f1 }
  p { padding: 0 14px; font-weight: 600; overflow: hidden; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical;
    max-height: 2.7em; overflow-wrap: anywhere }
  span { margin: 0 14px; padding: 8px 14px; border-radius: 8px; color: #fff; font-weight: 600; justify-self: start }
`;

/** The card as a picture. A picture loads nothing else, so the one of the product is inside. */
function CardPicture({
  product: { title },
  picture,
  price,
  accent,
  site,
}: {
  readonly product: Product;
  readonly picture: Buffer | undefined;
  readonly price: string;
  readonly accent: string;
  readonly site: string;
}): VNode {
  const { width, height } = cardSize;
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={width} height={height} role="img">
      <title>{`${title} · ${site}`}</title>
      <foreignObject width={width} height={height}>
        <div {...{ xmlns: 'http://www.w3.org/1999/xhtml' }}>
          <style>{styles}</style>
          {picture === undefined ? (
            <b style={{ color: accent }}>{Array.from(title)[0]}</b>
          ) : (
            <img src={`data:image/webp;base64,${picture.toString('base64')}`} alt={site} />
          )}
          <p dir="auto">{title}</p>
          <span style={{ background: accent }}>{price}</span>
        </div>
      </foreignObject>
    </svg>
  );
}

/** Makes rendered HTML well-formed XML: without the characters and the end of a section that XML cannot have in a text. */
function asXml(html: string): string {
  return html.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '').replaceAll(']]>', ']]&gt;');
}
