import type { VNode } from 'preact';
import type { User } from '../../../../core/accounts/user.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { productTransitions } from '../../../../core/marketplace/product-transitions.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Template } from '../../../../core/templates/template.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { Description, describe } from '../../ui/description.tsx';
import { Facts } from '../../ui/facts.tsx';
import { priceOf } from '../../ui/prices.ts';
import type { Described } from '../../ui/seller-markdown.ts';
import { texts } from '../../ui/texts.ts';
import { shown } from '../answer.ts';
import { orFail } from '../or-fail.ts';
import { actorOf, admit, page } from '../page.ts';
import { listingFacts, termFacts } from '../selling/products/product-facts.tsx';
import { StateTag } from '../selling/products/product-tags.tsx';
import { templateFact } from '../selling/products/template-fact.tsx';
import type { DashboardTools } from '../tools.ts';
import type { SignedInVisit } from '../visit.ts';
import { allProducts, type ModerationTools, ownersOf, pathOf, productIn, queue } from './moderation-tools.ts';
import { SellerPart } from './seller-part.tsx';
import { ZipPart } from './zip-part.tsx';

const { one: words } = texts.moderation;
/** The newest other products of a seller that are listed. */
const mostOthers = 5;

/** One product, with everything that a moderator needs to decide. */
export function moderatedProductPage(tools: DashboardTools, own: ModerationTools): Endpoint {
  return page(tools, {
    id: 'admin-product',
    path: `/${allProducts}/:id`,
    audience: 'products:moderate',
    async show(visit) {
      const product = await productIn(own, visit);
      const { ownerId, thumbnail } = product;
      const actor = actorOf(visit);
      const [contents, owners, image, described, ofOwner, template] = await Promise.all([
        own.contents(String(product.id), actor),
        ownersOf([product], own),
        thumbnail === null ? undefined : own.addresses.image(thumbnail),
        describe(product.description, own.baseUrl, 3),
        ownerId === null ? undefined : own.administration.list({ ownerId }, 1, mostOthers + 1, actor),
        own.templates.of(product),
      ]);
      const found = ofOwner && orFail(ofOwner);
      const others = found && {
        products: found.items.filter(({ id }) => id !== product.id).slice(0, mostOthers),
        count: Math.max(0, found.total - 1),
      };
      const owner: User | undefined = ownerId === null ? undefined : owners.get(ownerId);
      const { root } = visit.frame;
      const address = `${root}${pathOf(product)}`;
      return shown(
        <ModerationFrame visit={visit} product={product} actions={<Decisions product={product} address={address} />}>
          <Listing
            product={product}
            described={described}
            image={image}
            page={own.addresses.product(product)}
            template={template}
            address={address}
          />
          <ZipPart product={product} contents={orFail(contents)} address={address} />
          {owner && others && <SellerPart owner={owner} others={others} root={root} />}
        </ModerationFrame>,
      );
    },
  });
}

/** Leads to the newest zip of a product. */
export function moderatorDownload(tools: DashboardTools, own: ModerationTools): Endpoint {
  return {
    id: 'admin-product-download',
    method: 'get',
    paths: [`/${allProducts}/:id/download`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'products:moderate');
      if (!visit) return;
      const { id, isLive } = await productIn(own, visit);
      const seller = { actor: actorOf(visit), mode: isLive ? 'live' : 'test' } as const;
      const link = orFail(await own.products.download(String(id), undefined, seller));
      if (isRefused(link)) throw new Failure('not_found');
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(link.url);
    },
  };
}

/** A page about a product: below the queue while it waits, else below the list of all products. */
export function ModerationFrame({
  visit: { frame },
  product,
  title,
  actions,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly product: Product;
  /** The title of a page below the product's own. */
  readonly title?: string;
  readonly actions?: VNode | null;
  readonly children: VNode | (VNode | undefined | null | false)[];
}): VNode {
  const isWaiting = product.status === 'pending' && product.archivedAt === null;
  const { queue: queueWords, all } = texts.moderation;
  const list = isWaiting
    ? { href: `${frame.root}${queue}`, title: queueWords.title }
    : { href: `${frame.root}${allProducts}`, title: all.title };
  const itself = { href: `${frame.root}${pathOf(product)}`, title: product.title };
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'admin', at: isWaiting ? 'moderation' : 'products' }}
      title={title ?? product.title}
      above={title === undefined ? [list] : [list, itself]}
      actions={actions}
    >
      {children}
    </AreaPage>
  );
}

function Decisions({ product, address }: { readonly product: Product; readonly address: string }): VNode | null {
  const { status, archivedAt, updatedAt } = product;
  if (archivedAt !== null) return null;
  return (
    <div class="choices">
      {productTransitions.approve[status] !== undefined && (
        <form method="post" action={`${address}/approve?seen=${updatedAt}`} class="inline">
          <button type="submit" class="button primary">
            {words.approve}
          </button>
        </form>
      )}
      {productTransitions.reject[status] !== undefined && (
        <a class="button danger" href={`${address}/reject`}>
          {words.reject}
        </a>
      )}
    </div>
  );
}

function Listing({
  product,
  described,
  image,
  page: buyersPage,
  template,
  address,
}: {
  readonly product: Product;
  readonly described: Described;
  readonly image: string | undefined;
  readonly page: string;
  readonly template: Template | undefined;
  /** The address of the product's page. */
  readonly address: string;
}): VNode {
  const { title, tagline, price, rejectionReason } = product;
  return (
    <section>
      <div class="part first">
        <h2>
          {words.asBuyers} <StateTag product={product} />
        </h2>
        <a class="button small" href={buyersPage}>
          {words.openPage}
        </a>
      </div>
      {rejectionReason !== null && (
        <blockquote class="lines" dir="auto">
          {rejectionReason}
        </blockquote>
      )}
      <div class="panel listing">
        {image !== undefined && <img class="wide-picture" src={image} alt="" />}
        <h3 dir="auto">{title}</h3>
        <p class="tagline" dir="auto">
          {tagline}
        </p>
        <p class="price">{priceOf(price)}</p>
        {described.html === '' ? <p class="lead">{words.noDescription}</p> : <Description described={described} />}
      </div>
      <div class="boards uneven">
        <div class="panel">
          <h3>{texts.sellingProducts.facts}</h3>
          <Facts facts={[...listingFacts(product).slice(2), ...templateFact(template)]} />
          <p class="choices">
            <a class="button small" href={`${address}/template`}>
              {texts.moderation.template.title}
            </a>
          </p>
        </div>
        <div class="panel">
          <h3>{texts.sellingProducts.terms}</h3>
          <Facts facts={termFacts(product.terms)} />
        </div>
      </div>
    </section>
  );
}
