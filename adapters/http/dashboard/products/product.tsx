import type { ComponentChildren, VNode } from 'preact';
import { may } from '../../../../core/accounts/role.ts';
import { isInCatalogue } from '../../../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { productTransitions } from '../../../../core/marketplace/product-transitions.ts';
import type { NoSale } from '../../../../core/purchases/obstacle.ts';
import { overviewDays } from '../../../../core/selling/overview.ts';
import { galleryOf } from '../../addresses.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { describeNotes } from '../../ui/description.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { Money, paidIn } from '../kit/money.tsx';
import { actorOf, admit, type DashboardTools, orFail } from '../kit/page.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import { ProductStrays } from '../kit/strays.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { UsageSection, usageIn } from '../kit/usage.tsx';
import { moderationActs, ownProductActs } from './acts.tsx';
import { AdapterFacts, adapterActs } from './adapters.tsx';
import { bundleActs, newBundlePages } from './bundle.tsx';
import { BundlePart, bundledIds } from './bundle-part.tsx';
import { CodeLink, type CodeTools, codePages } from './codes.tsx';
import { editProductPages, newProductPages, previewEndpoint } from './edit.tsx';
import { EmbedPart } from './embed-part.tsx';
import { allProductList, ownProductList, queuePage } from './lists.tsx';
import { moderatedProductPage, moderatorDownload } from './moderated.tsx';
import { moderatedRatingPages } from './moderated-reviews.tsx';
import { OfferPart } from './offer-list.tsx';
import { offerActs } from './offers.tsx';
import { PicturePart, pictureActs } from './pictures.tsx';
import { sellerRatingPages } from './reviews.tsx';
import { sellerPageForm } from './seller-page.tsx';
import {
  type ModerationTools,
  moderatedProduct,
  ownProduct,
  ProductFacts,
  type ProductTools,
  StateTag,
  stateOf,
} from './subject.tsx';
import { TermFacts } from './terms.tsx';
import { VersionPart, versionActs, versionsOnPage } from './versions.tsx';
import { words } from './words.ts';

/** The pages of sellers about their products. If two paths match a request, the first one answers it. */
export function sellerProductPages(tools: DashboardTools, own: ProductTools & CodeTools): Endpoint[] {
  const product = ownProduct(own);
  return [
    ...ownProductList(tools, own),
    ...newProductPages(tools, own),
    ...newBundlePages(tools, own),
    ...sellerPageForm(tools, own),
    previewEndpoint(tools, own),
    productPage(tools, product, own),
    downloadEndpoint(tools, own),
    ...editProductPages(tools, product, own),
    ...versionActs(tools, product, own),
    ...ownProductActs(tools, product, own),
    ...pictureActs(tools, product, own),
    ...offerActs(tools, product, own),
    ...bundleActs(tools, product, own),
    ...adapterActs(tools, product, own),
    ...codePages(tools, product, own),
    ...sellerRatingPages(tools, product, own),
  ];
}

/** The pages of administrators about the products of all sellers. */
export function moderationPages(tools: DashboardTools, own: ModerationTools): Endpoint[] {
  const product = moderatedProduct(own);
  return [
    queuePage(tools, own),
    ...allProductList(tools, own),
    moderatedProductPage(tools, product, own),
    moderatorDownload(tools, product, own),
    ...moderationActs(tools, product, own),
    ...moderatedRatingPages(tools, own),
  ];
}

/** One product, with everything that its seller sees and does. */
function productPage(tools: DashboardTools, subject: Subject<Product>, own: ProductTools): Endpoint {
  return subjectPage(tools, subject, {
    id: 'selling-product',
    async show({ one: product, visit, root, address }) {
      const { after = '' } = visit.query;
      const wanted = { after: after || undefined, limit: versionsOnPage };
      const id = String(product.id);
      // A bundle has no files, no licenses and no clients of its own.
      const isBundle = product.bundle !== null;
      const versions = isBundle ? undefined : orFail(await own.products.versions(id, wanted, sellerIn(visit)));
      const notes = await describeNotes(versions?.versions ?? [], own.baseUrl, 3);
      const used = isBundle ? undefined : await usageIn({ ...own, clock: tools.clock }, visit, { product: id });
      const strays = isBundle ? undefined : orFail(await own.strays.ofProduct(id, sellerIn(visit)));
      const inside = isBundle ? await own.products.named(bundledIds(product), sellerIn(visit)) : [];
      const wish = { now: tools.clock.now(), days: overviewDays, product: id };
      const paid = await paidIn(own.orders, wish, sellerIn(visit));
      const image = product.thumbnail === null ? undefined : await own.addresses.image(product.thumbnail);
      const gallery = await galleryOf(product, own.addresses);
      const template = await own.templates.of(product);
      const approvesAlone = product.status === 'pending' && (await own.reviewers.isAlone(actorOf(visit)));
      const obstacle = isInCatalogue(product) ? await own.checkout.obstacle(product) : undefined;
      const pathTo = (rest: string) => `${root}${sellingPath(visit, rest)}`;
      const bought = `product=${encodeURIComponent(product.slug)}`;
      const links = { revenue: pathTo(`orders/revenue?${bought}`), orders: pathTo(`orders?state=paid&${bought}`) };
      const page = own.addresses.publicPage(product.slug);
      const offers = <OfferPart product={product} address={address} page={page} />;
      const addressOf = (one: Product) => pathTo(`products/${one.id}`);
      const bundlePart = <BundlePart product={product} products={inside} address={address} addressOf={addressOf} />;
      return {
        scripts: ['copy.js'],
        tags: <StateTag product={product} />,
        actions: <Acts product={product} address={address} />,
        children: (
          <>
            <State product={product} address={address} approvesAlone={approvesAlone} obstacle={obstacle}>
              {product.archivedAt === null && (
                <ButtonLink
                  href={own.addresses.product(product)}
                  text={product.status === 'published' && product.isLive ? words.seePublic : words.seePreview}
                  look="small"
                />
              )}
              {obstacle === 'site' && may(actorOf(visit), 'settings:manage') && (
                <ButtonLink href={`${root}${areas.admin.settings}/payments`} text={words.setUpPayments} look="small" />
              )}
              {visit.query.approved !== undefined && (visit.frame.person?.waitingProducts ?? 0) > 0 && (
                <ButtonLink href={`${root}${areas.admin.moderation}`} text={words.nextWaiting} look="small" />
              )}
              {!isBundle && <ButtonLink href={pathTo(`licenses?product=${id}`)} text={words.licenses} look="small" />}
              <CodeLink product={product} address={address} />
              {product.isLive && <ButtonLink href={`${address}/reviews`} text={words.reviews} look="small" />}
            </State>
            {[...paid.shown, ...paid.before].length > 0 && (
              <Money root={root} paid={paid} currency="usd" links={links} />
            )}
            {isBundle && bundlePart}
            {used && <UsageSection root={root} address={address} used={used} />}
            {strays && <ProductStrays root={root} report={strays} addressOf={(key) => pathTo(`licenses/${key}`)} />}
            <div class="boards uneven">
              <ProductFacts product={product} image={image} address={address} template={template} />
              <div class="stacked">
                {!isBundle && <TermFacts product={product} address={address} />}
                {!isBundle && <AdapterFacts product={product} address={address} />}
                {product.offers.length === 0 && offers}
              </div>
            </div>
            {product.offers.length > 0 && offers}
            {!isBundle && bundlePart}
            {versions && (
              <VersionPart product={product} found={versions} notes={notes} address={address} isFirst={after === ''} />
            )}
            <PicturePart product={product} images={gallery} address={address} />
            <EmbedPart product={product} baseUrl={own.baseUrl} />
          </>
        ),
      };
    },
  });
}

/** Leads to the zip of a version. The address of the zip expires, so each click makes a new one. */
function downloadEndpoint(tools: DashboardTools, { products }: ProductTools): Endpoint {
  return {
    id: 'download-own-product',
    method: 'get',
    paths: [`/${areas.selling.products}/:id/download`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const { version } = visit.query;
      const link = orFail(await products.download(visit.params.id ?? '', version, sellerIn(visit)));
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
      <ButtonLink href={`${address}/edit`} text={words.edit} />
      {(['unlist', 'relist'] as const).filter(can).map((transition) => (
        <ButtonForm key={transition} action={`${address}/${transition}`} label={words.acts[transition]} look="" />
      ))}
      <ButtonLink href={`${address}/archive`} text={words.acts.archive} look="danger" />
    </div>
  );
}

/** The state of the product, and what happens next. */
function State({
  product,
  address,
  approvesAlone,
  obstacle,
  children,
}: {
  readonly product: Product;
  readonly address: string;
  /** Whether the reader is the only one who can approve the product. */
  readonly approvesAlone: boolean;
  readonly obstacle: NoSale | undefined;
  readonly children: ComponentChildren;
}): VNode {
  const { isLive, rejectionReason } = product;
  const state = stateOf(product);
  const { next } = words;
  const ofTest = state === 'pending' || state === 'published' ? (`${state}Test` as const) : state;
  const name = approvesAlone ? 'pendingAlone' : isLive ? state : ofTest;
  const isRejected = state === 'rejected';
  return (
    <section class="panel state">
      <p>{obstacle ? words.unsold[obstacle] : next[name]}</p>
      {isRejected && rejectionReason !== null && rejectionReason !== '' && (
        <blockquote class="lines" dir="auto">
          {rejectionReason}
        </blockquote>
      )}
      <div class="choices">
        {approvesAlone && (
          <ButtonForm
            action={`${address}/approve?seen=${product.updatedAt}`}
            label={words.acts.approve}
            look="primary"
          />
        )}
        {isRejected && (
          <>
            <ButtonLink href={`${address}/edit`} text={words.change} look="small" />
            <ButtonForm action={`${address}/resubmit`} label={words.acts.resubmit} />
          </>
        )}
        {children}
      </div>
    </section>
  );
}
