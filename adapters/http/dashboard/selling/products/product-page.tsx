import type { ComponentChildren, VNode } from 'preact';
import type { Product } from '../../../../../core/marketplace/product.ts';
import { productTransitions } from '../../../../../core/marketplace/product-transitions.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import { Failure } from '../../../failures.ts';
import type { Endpoint } from '../../../surface.ts';
import { ButtonForm } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { orFail } from '../../or-fail.ts';
import { admit, page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn, sellingPath } from '../selling-page.tsx';
import { UsageSection, usageIn } from '../usage-section.tsx';
import { ProductFacts, TermFacts } from './product-facts.tsx';
import { ProductFrame } from './product-frame.tsx';
import { StateTag, stateOf } from './product-tags.tsx';
import { base, type ProductTools, pathOf, productIn } from './product-tools.ts';
import { VersionPart, versionsOnPage } from './versions.tsx';

const { sellingProducts: words } = texts;

/** One product, with everything that its seller sees and does. */
export function productPage(
  tools: DashboardTools,
  own: Pick<ProductTools, 'products' | 'usage' | 'addresses' | 'templates'>,
): Endpoint {
  return page(tools, {
    id: 'selling-product',
    path: `${base}/:id`,
    audience: 'user',
    async show(visit) {
      const product = await productIn(own, visit);
      const { after = '' } = visit.query;
      const wanted = { after: after || undefined, limit: versionsOnPage };
      const versions = orFail(await own.products.versions(String(product.id), wanted, sellerIn(visit)));
      const used = await usageIn({ ...own, clock: tools.clock }, visit, { product: String(product.id) });
      const image = product.thumbnail === null ? undefined : await own.addresses.image(product.thumbnail);
      const template = await own.templates.of(product);
      const { root } = visit.frame;
      const address = `${root}${pathOf(visit, product)}`;
      const licenses = `${root}${sellingPath(visit, `licenses?product=${product.id}`)}`;
      return shown(
        <ProductFrame visit={visit} title={product.title} actions={<Acts product={product} address={address} />}>
          <State product={product} address={address}>
            {product.archivedAt === null && (
              <a class="button small" href={own.addresses.product(product)}>
                {product.status === 'published' && product.isLive ? words.seePublic : words.seePreview}
              </a>
            )}
            <a class="button small" href={licenses}>
              {words.licenses}
            </a>
          </State>
          <div class="boards uneven">
            <ProductFacts product={product} image={image} address={address} template={template} />
            <TermFacts product={product} address={address} />
          </div>
          <UsageSection root={root} address={address} used={used} />
          <VersionPart product={product} found={versions} address={address} isFirst={after === ''} />
        </ProductFrame>,
      );
    },
  });
}

/** Leads to the zip of a version. The address of the zip expires, so each click makes a new one. */
export function downloadEndpoint(tools: DashboardTools, { products }: Pick<ProductTools, 'products'>): Endpoint {
  return {
    id: 'download-own-product',
    method: 'get',
    paths: [`${base}/:id/download`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const { version } = visit.query;
      const link = orFail(await products.download(visit.params.id ?? '', version, sellerIn(visit)));
      if (isRefused(link)) throw new Failure('not_found');
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(link.url);
    },
  };
}

function Acts({ product, address }: { readonly product: Product; readonly address: string }): VNode | null {
  if (product.archivedAt !== null) return null;
  const can = (transition: 'unlist' | 'relist') => productTransitions[transition][product.status] !== undefined;
  return (
    <div class="choices">
      <a class="button" href={`${address}/edit`}>
        {words.edit}
      </a>
      {(['unlist', 'relist'] as const).filter(can).map((transition) => (
        <form method="post" action={`${address}/${transition}`} class="inline" key={transition}>
          <button type="submit" class="button">
            {words.acts[transition]}
          </button>
        </form>
      ))}
      <a class="button danger" href={`${address}/archive`}>
        {words.acts.archive}
      </a>
    </div>
  );
}

/** The state of the product, and what happens next. */
function State({
  product,
  address,
  children,
}: {
  readonly product: Product;
  readonly address: string;
  readonly children: ComponentChildren;
}): VNode {
  const { isLive, rejectionReason } = product;
  const state = stateOf(product);
  const { next } = words;
  const isRejected = state === 'rejected';
  return (
    <section class="panel state">
      <p>
        <StateTag product={product} />{' '}
        {state === 'pending' && !isLive
          ? next.pendingTest
          : state === 'published' && !isLive
            ? next.publishedTest
            : next[state]}
      </p>
      {isRejected && rejectionReason !== null && rejectionReason !== '' && (
        <blockquote class="lines" dir="auto">
          {rejectionReason}
        </blockquote>
      )}
      <div class="choices">
        {isRejected && (
          <>
            <a class="button small" href={`${address}/edit`}>
              {words.change}
            </a>
            <ButtonForm action={`${address}/resubmit`} label={words.acts.resubmit} />
          </>
        )}
        {children}
      </div>
    </section>
  );
}
