import Router from '@koa/router';
import type Koa from 'koa';
import compose from 'koa-compose';
import type { Marketplace } from '../../core/marketplace/marketplace.ts';
import { isPublic } from '../../core/marketplace/product.ts';
import type { Addresses } from './addresses.ts';
import { Failure } from './failures.ts';
import { notFoundPage, pagePolicy, productPage } from './pages/product-page.ts';
import { pageHeaders } from './security-headers.ts';
import { type Located, sendFile } from './send-file.ts';
import type { Context, Middleware, State } from './state.ts';

/** What the public sees beside the APIs: product pages, and files. */
export interface Site {
  readonly marketplace: Marketplace;
  readonly addresses: Addresses;
  /** Where a file lies that is public by its unguessable key. */
  locate(key: string): Promise<Located | undefined>;
  /** Where files are had that do not lie on this machine. */
  readonly origin?: string;
  /** Where a file lies that a signed link is for; absent where links lead elsewhere. */
  locateLinked?(
    key: string,
    query: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly path: string; readonly filename: string } | 'expired' | undefined>;
  /** More pages, by their paths. */
  readonly pages: Readonly<Record<string, Middleware>>;
}

export function createSite({ marketplace, addresses, locate, locateLinked, origin, pages }: Site): Middleware {
  const router = new Router<State>();

  router.get('/marketplace/:slug', async (ctx) => {
    ctx.state.route = '/marketplace/:slug';
    const product = await marketplace.findBySlug(ctx.params.slug ?? '');
    const preview = typeof ctx.query.preview === 'string' ? ctx.query.preview : '';
    const isShown = product && (isPublic(product) || addresses.isPreview(product, preview));
    ctx.set('Content-Security-Policy', pagePolicy(origin));
    ctx.set('Cache-Control', 'no-cache');
    ctx.status = isShown ? 200 : 404;
    ctx.type = 'html';
    ctx.body = isShown ? productPage(product, addresses) : notFoundPage();
  });

  router.get('/media/:name', async (ctx) => {
    ctx.state.route = '/media/:name';
    const found = await locate(`media/${ctx.params.name}`);
    if (found === undefined) throw new Failure('not_found');
    await sendFile(ctx as Context, found, { cacheControl: 'public, max-age=31536000, immutable' });
  });

  router.get('/files/:folder/:name', async (ctx) => {
    ctx.state.route = '/files/:folder/:name';
    const key = `${ctx.params.folder}/${ctx.params.name}`;
    const found = await locateLinked?.(key, ctx.query);
    if (found === 'expired') throw new Failure('link_expired');
    if (found === undefined) throw new Failure('not_found');
    await sendFile(ctx as Context, found, { cacheControl: 'private, no-store', filename: found.filename });
  });

  for (const [path, middleware] of Object.entries(pages)) {
    router.get(path, (ctx, next) => {
      ctx.state.route = path;
      return middleware(ctx as Context, next);
    });
  }

  return compose<Koa.ParameterizedContext<State>>([
    (ctx, next) => {
      ctx.state.envelope = 'account';
      ctx.set(pageHeaders);
      return next();
    },
    router.routes() as Middleware,
    (ctx) => {
      const matched: { methods: string[] }[] = ctx.matched ?? [];
      if (matched.length === 0) throw new Failure('not_found');
      throw new Failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    },
  ]);
}
