import { iso } from '../../../core/iso.ts';
import type { Storefront } from '../../../core/marketplace/storefront.ts';
import type { SellerPages } from '../../../core/sellers/seller-pages.ts';
import type { SiteText } from '../../../core/site/setting.ts';
import { Failure } from '../failures.ts';
import type { Context } from '../state.ts';
import type { Endpoint } from '../surface.ts';
import { sendText, textOf } from '../ui/send-page.ts';

/** What is made in some milliseconds. */
const mostSellers = 5_000;

/** The dependencies of what search engines read. */
export interface SitemapTools {
  readonly sellers: Pick<SellerPages, 'listed'>;
  readonly storefront: Pick<Storefront, 'countSiteParts' | 'sitePart'>;
  /** The texts of the owner that have a page. */
  texts(): readonly SiteText[];
  /** The public address of the site. */
  readonly url: string;
}

/** `robots.txt`, and the list of all public pages: `sitemap.xml` names its parts, because there can be many products. */
export function sitemapEndpoints({ storefront, sellers, texts, url }: SitemapTools): Endpoint[] {
  const pagesOfSite = () => ['', 'marketplace', ...texts()].map((path) => entry('url', `${url}/${path}`));
  const pagesOfSellers = async () =>
    (await sellers.listed(mostSellers)).map(({ slug, updatedAt }) =>
      entry('url', `${url}/sellers/${slug}`, iso(updatedAt)),
    );
  const send = (ctx: Context, type: string, text: string) => {
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = type;
    sendText(ctx, textOf(text, 'all'));
  };
  return [
    {
      id: 'robots',
      method: 'get',
      paths: ['/robots.txt'],
      respond(ctx) {
        // Forbids nothing: a crawler that may not fetch a page never reads that the page must not be listed.
        send(ctx, 'text/plain', ['User-agent: *', 'Disallow:', '', `Sitemap: ${url}/sitemap.xml`, ''].join('\n'));
      },
    },
    {
      id: 'sitemap',
      method: 'get',
      paths: ['/sitemap.xml'],
      async respond(ctx) {
        const parts = Array.from({ length: await storefront.countSiteParts() }, (_, part) => part);
        send(
          ctx,
          'application/xml',
          document(
            'sitemapindex',
            parts.map((part) => entry('sitemap', `${url}/sitemap/${part}.xml`)),
          ),
        );
      },
    },
    {
      id: 'sitemap-part',
      method: 'get',
      paths: ['/sitemap/:part.xml'],
      async respond(ctx) {
        const { part = '' } = ctx.params;
        if (!/^\d{1,6}$/.test(part)) throw new Failure('not_found');
        const products = await storefront.sitePart(Number(part));
        const entries = products.map(({ slug, updatedAt }) =>
          entry('url', `${url}/marketplace/${slug}`, iso(updatedAt)),
        );
        const others = Number(part) === 0 ? [...pagesOfSite(), ...(await pagesOfSellers())] : [];
        send(ctx, 'application/xml', document('urlset', [...others, ...entries]));
      },
    },
  ];
}

function document(name: string, entries: readonly string[]): string {
  const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${schema}">\n${entries.join('')}</${name}>\n`;
}

function entry(name: 'url' | 'sitemap', address: string, changed?: string): string {
  const changedAt = changed === undefined ? '' : `<lastmod>${changed}</lastmod>`;
  return `<${name}><loc>${address.replaceAll('&', '&amp;')}</loc>${changedAt}</${name}>\n`;
}
