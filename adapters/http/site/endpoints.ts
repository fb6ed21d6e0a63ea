import type { Marketplace } from '../../../core/marketplace/marketplace.ts';
import { isPublic } from '../../../core/marketplace/product.ts';
import type { Addresses } from '../addresses.ts';
import { Failure } from '../failures.ts';
import { isWithoutNul } from '../fields.ts';
import { type Located, sendFile } from '../send-file.ts';
import type { Endpoint } from '../surface.ts';
import { notFoundPage, pagePolicy, previewEndedPage, productPage } from './product-page.ts';

/** The dependencies of the product pages and file downloads. */
export interface Site {
  readonly marketplace: Marketplace;
  readonly addresses: Addresses;
  /** Finds a public file. Its key cannot be guessed. */
  locate(key: string): Promise<Located | undefined>;
  /** The origin that serves the files, if it is not this server. */
  readonly origin?: string;
  /** Finds the file of a signed link. Absent if links lead to another server. */
  locateLinked?(
    key: string,
    query: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly path: string; readonly filename: string } | 'expired' | undefined>;
}

/** The endpoints for product pages and file downloads. */
export function siteEndpoints({ marketplace, addresses, locate, locateLinked, origin }: Site): Endpoint[] {
  return [
    {
      id: 'product-page',
      method: 'get',
      paths: ['/marketplace/:slug'],
      async respond(ctx) {
        const { slug = '' } = ctx.params;
        const product = isWithoutNul(slug) ? await marketplace.findBySlug(slug) : undefined;
        const preview = typeof ctx.query.preview === 'string' ? ctx.query.preview : '';
        const verdict = product && (isPublic(product) ? 'good' : addresses.judgePreview(product, preview));
        ctx.set('Content-Security-Policy', pagePolicy(origin));
        ctx.set('Cache-Control', 'no-cache');
        ctx.type = 'html';
        if (product && verdict === 'good') {
          ctx.status = 200;
          ctx.body = productPage(product, product.thumbnail && (await addresses.image(product.thumbnail)));
        } else if (verdict === 'ended') {
          ctx.state.refused = 'link_expired';
          ctx.status = 403;
          ctx.body = previewEndedPage();
        } else {
          ctx.status = 404;
          ctx.body = notFoundPage();
        }
      },
    },
    {
      id: 'media',
      method: 'get',
      paths: ['/media/:name'],
      async respond(ctx) {
        const found = await locate(`media/${ctx.params.name}`);
        if (found === undefined) throw new Failure('not_found');
        await sendFile(ctx, found, { cacheControl: 'public, max-age=31536000, immutable' });
      },
    },
    {
      id: 'file',
      method: 'get',
      paths: ['/files/:folder/:name'],
      async respond(ctx) {
        const key = `${ctx.params.folder}/${ctx.params.name}`;
        const found = await locateLinked?.(key, ctx.query);
        if (found === 'expired') throw new Failure('link_expired');
        if (found === undefined) throw new Failure('not_found');
        await sendFile(ctx, found, { cacheControl: 'private, no-store', filename: found.filename });
      },
    },
  ];
}
