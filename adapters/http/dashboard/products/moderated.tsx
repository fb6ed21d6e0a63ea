import type { VNode } from 'preact';
import type { User } from '../../../../core/accounts/user.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { productTransitions } from '../../../../core/marketplace/product-transitions.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { ZipListing } from '../../../../core/ports/zip-contents.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Template } from '../../../../core/templates/template.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Description, describe } from '../../ui/description.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { Facts, List, typed } from '../../ui/list.tsx';
import { offerSentence } from '../../ui/offer-words.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { Picture } from '../../ui/picture.tsx';
import { shownPrice } from '../../ui/prices.ts';
import type { Described } from '../../ui/seller-markdown.ts';
import { Time } from '../../ui/time.tsx';
import { actorOf, admit, type DashboardTools, orFail } from '../kit/page.ts';
import { ownersOf } from '../kit/people.tsx';
import { addressWith } from '../kit/query.ts';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { bundledIds, ContentsPart } from './bundle-part.tsx';
import { offerWords } from './offer-words.ts';
import { detailFacts, type ModerationTools, moderatedPath, OwnerLink, StateTag, templateFact } from './subject.tsx';
import { termWords } from './term-words.ts';
import { termFacts } from './terms.tsx';
import { moderation, words } from './words.ts';

const { one: names } = moderation;
/** The newest other products of a seller that are listed. */
const mostOthers = 5;

/** One product, with everything that a moderator needs to decide. */
export function moderatedProductPage(tools: DashboardTools, subject: Subject<Product>, own: ModerationTools): Endpoint {
  return subjectPage(tools, subject, {
    id: 'admin-product',
    async show({ one: product, visit, root, address }) {
      const { ownerId, thumbnail } = product;
      const actor = actorOf(visit);
      const isBundle = product.bundle !== null;
      const seller = { actor, mode: product.isLive ? 'live' : 'test' } as const;
      const [contents, owners, image, described, ofOwner, template, inside] = await Promise.all([
        own.contents(String(product.id), actor),
        ownersOf(own.accounts, [ownerId]),
        thumbnail === null ? undefined : own.addresses.image(thumbnail),
        describe(product.description, own.baseUrl, 3),
        ownerId === null ? undefined : own.administration.list({ ownerId }, 1, mostOthers + 1, actor),
        own.templates.of(product),
        isBundle ? own.products.named(bundledIds(product), seller) : [],
      ]);
      const found = ofOwner && orFail(ofOwner);
      const others = found && {
        products: found.items.filter(({ id }) => id !== product.id).slice(0, mostOthers),
        count: Math.max(0, found.total - 1),
      };
      const owner = ownerId === null ? undefined : owners.get(ownerId);
      return {
        actions: <Decisions product={product} address={address} />,
        children: (
          <>
            <AsBuyersSee
              product={product}
              described={described}
              image={image}
              page={own.addresses.product(product)}
              template={template}
              address={address}
            />
            {isBundle ? (
              <ContentsPart bundle={product} products={inside} addressOf={(one) => `${root}${moderatedPath(one)}`} />
            ) : (
              <ZipPart product={product} contents={orFail(contents)} address={address} />
            )}
            {owner && others && sellerPart(owner, others, root)}
          </>
        ),
      };
    },
  });
}

/** Leads to the newest zip of a product. */
export function moderatorDownload(
  tools: DashboardTools,
  { path, find }: Subject<Product>,
  { products }: ModerationTools,
): Endpoint {
  return {
    id: 'admin-product-download',
    method: 'get',
    paths: [`${path}/download`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'products:moderate');
      if (!visit) return;
      const { id, isLive } = await find(visit);
      const seller = { actor: actorOf(visit), mode: isLive ? 'live' : 'test' } as const;
      const link = orFail(await products.download(String(id), undefined, seller));
      if (isRefused(link)) throw new Failure('not_found');
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(link.url);
    },
  };
}

function Decisions({ product, address }: { readonly product: Product; readonly address: string }): VNode | null {
  const { status, archivedAt, updatedAt } = product;
  if (archivedAt !== null) return null;
  return (
    <div class="choices">
      {productTransitions.approve[status] !== undefined && (
        <ButtonForm action={`${address}/approve?seen=${updatedAt}`} label={names.approve} look="primary" />
      )}
      {productTransitions.reject[status] !== undefined && (
        <ButtonLink href={`${address}/reject`} text={names.reject} look="danger" />
      )}
    </div>
  );
}

function AsBuyersSee({
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
  const { title, tagline, offers, rejectionReason, bundle } = product;
  return (
    <section>
      <div class="part first">
        <h2>
          {names.asBuyers} <StateTag product={product} />
        </h2>
        <ButtonLink href={buyersPage} text={names.openPage} look="small" />
      </div>
      {rejectionReason !== null && (
        <blockquote class="lines" dir="auto">
          {rejectionReason}
        </blockquote>
      )}
      <div class="panel listing">
        {image !== undefined && <Picture class="wide-picture" src={image} sizes="(max-width: 40rem) 100vw, 30rem" />}
        <h3 dir="auto">{title}</h3>
        <p class="tagline" dir="auto">
          {tagline}
        </p>
        <p class="price">{shownPrice(product)}</p>
        {described.html === '' ? <p class="lead">{names.noDescription}</p> : <Description described={described} />}
      </div>
      <div class="boards uneven">
        <div class="panel">
          <h3>{words.facts}</h3>
          <Facts facts={[...detailFacts(product), ...templateFact(template)]} />
          <p class="choices">
            <ButtonLink href={`${address}/template`} text={moderation.template.title} look="small" />
          </p>
        </div>
        {(bundle === null || offers.length > 0) && (
          <div class="panel">
            {bundle === null && (
              <>
                <h3>{termWords.title}</h3>
                <Facts facts={termFacts(product.terms)} />
              </>
            )}
            {offers.length > 0 && (
              <>
                <h3>{offerWords.title}</h3>
                <ul>
                  {offers.map((offer) => (
                    <li key={offer.slug} class="breakable">
                      <strong dir="auto">{offer.name}</strong>: {offerSentence(offer, bundle === null)}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </div>
        )}
      </div>
    </section>
  );
}

/** The files in the newest zip of a product. */
function ZipPart({
  product: { zip },
  contents,
  address,
}: {
  readonly product: Product;
  readonly contents: ZipListing | null;
  /** The address of the product's page. */
  readonly address: string;
}): VNode {
  const rows = contents?.files.map((file, n) => ({ ...file, n })) ?? [];
  return (
    <section>
      <PartHead
        title={names.contents}
        lead={
          zip === null
            ? names.noZip
            : contents === null
              ? names.unreadable
              : names.contentsLead(contents.count, readableBytes(contents.size))
        }
      >
        {zip !== null && <ButtonLink href={`${address}/download`} text={names.download} />}
      </PartHead>
      {rows.length > 0 && (
        <div class="tall">
          <List
            label={names.contents}
            columns={[
              { title: names.file, cell: ({ path }) => <bdi class="path">{path}</bdi> },
              { title: names.size, isNumber: true, cell: ({ size }) => readableBytes(size) },
            ]}
            rows={rows}
          />
        </div>
      )}
      {contents !== null && contents.count > contents.files.length && (
        <p class="lead">{names.onlyFirst(contents.files.length)}</p>
      )}
    </section>
  );
}

/** Who sells a product, and what else this seller has. */
function sellerPart(
  owner: User,
  { products, count }: { readonly products: readonly Product[]; readonly count: number },
  root: string,
): VNode {
  return (
    <section class="panel">
      <h2>{names.seller}</h2>
      <Facts
        facts={[
          [names.email, <OwnerLink key="owner" owner={owner} root={root} />],
          [names.name, typed(owner.name)],
          [names.since, <Time key="since" at={owner.createdAt} />],
        ]}
      />
      <h3>{names.others(count)}</h3>
      {products.length > 0 && (
        <>
          <ul class="plain">
            {products.map((product) => (
              <li key={product.id}>
                <a href={`${root}${moderatedPath(product)}`} dir="auto" class="breakable">
                  {product.title}
                </a>{' '}
                <StateTag product={product} />
              </li>
            ))}
          </ul>
          <p>
            <ButtonLink
              href={addressWith(`${root}${areas.admin.products}`, { owner: owner.email })}
              text={names.allOthers}
              look="small"
            />
          </p>
        </>
      )}
    </section>
  );
}
