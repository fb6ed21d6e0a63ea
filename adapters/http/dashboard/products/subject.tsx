import type { VNode } from 'preact';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { Marketplace } from '../../../../core/marketplace/marketplace.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { MarketplaceAdministration } from '../../../../core/marketplace/product-administration.ts';
import { linkKinds } from '../../../../core/marketplace/product-links.ts';
import type { ProductTemplates } from '../../../../core/marketplace/product-template.ts';
import type { Reviewers } from '../../../../core/marketplace/reviewers.ts';
import type { ShowContents } from '../../../../core/marketplace/show-contents.ts';
import type { Storefront } from '../../../../core/marketplace/storefront.ts';
import type { ProductState } from '../../../../core/ports/product-store.ts';
import type { Checkout } from '../../../../core/purchases/checkout.ts';
import type { SellerPages } from '../../../../core/sellers/seller-pages.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import type { SetAdapters } from '../../../../core/selling/product-adapters.ts';
import type { SetBundle } from '../../../../core/selling/product-bundles.ts';
import type { ProductOffers } from '../../../../core/selling/product-offers.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { SellerStrays } from '../../../../core/selling/strays.ts';
import type { SellingUsage } from '../../../../core/selling/usage.ts';
import type { Template } from '../../../../core/templates/template.ts';
import type { Addresses } from '../../addresses.ts';
import { areas, entryOf } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Fact, Facts } from '../../ui/list.tsx';
import { nameOf, namesOf } from '../../ui/names.ts';
import { priceForSeller } from '../../ui/offer-words.ts';
import { OutLink } from '../../ui/out-link.tsx';
import { Picture } from '../../ui/picture.tsx';
import { product as publicWords } from '../../ui/product-words.ts';
import { Time } from '../../ui/time.tsx';
import type { Once } from '../kit/once.ts';
import { actorOf, orFail } from '../kit/page.ts';
import { modeIn, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import type { ModeratedRatingTools } from './moderated-reviews.tsx';
import type { SellerRatingTools } from './reviews.tsx';
import { moderation, words } from './words.ts';

/** The dependencies of the pages about a seller's products. */
export interface ProductTools extends SellerRatingTools {
  readonly sellers: Pick<SellerPages, 'own' | 'save'>;
  readonly products: SellerProducts;
  readonly offers: ProductOffers;
  readonly setBundle: SetBundle;
  readonly setAdapters: SetAdapters;
  readonly usage: SellingUsage;
  readonly strays: Pick<SellerStrays, 'ofProduct'>;
  readonly marketplace: Pick<Marketplace, 'publishWith' | 'publishBundle' | 'mayPublish' | 'upload'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly templates: Pick<ProductTemplates, 'of'>;
  readonly reviewers: Pick<Reviewers, 'isAlone'>;
  readonly checkout: Pick<Checkout, 'obstacle'>;
  readonly orders: Pick<OrderList, 'revenue'>;
  readonly storefront: Pick<Storefront, 'values'>;
  readonly addresses: Addresses;
  readonly once: Once;
  /** The public address of the site. */
  readonly baseUrl: string;
}

/** The dependencies of the pages for moderators. */
export interface ModerationTools extends ModeratedRatingTools {
  readonly products: Pick<SellerProducts, 'list' | 'named' | 'download'>;
  readonly administration: Pick<MarketplaceAdministration, 'find' | 'list' | 'change'>;
  readonly contents: ShowContents;
  readonly templates: ProductTemplates;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly addresses: Addresses;
  /** The public address of the site. */
  readonly baseUrl: string;
}

/** A product, for its seller. */
export function ownProduct({ products }: ProductTools): Subject<Product> {
  return {
    path: `/${areas.selling.products}/:id`,
    audience: 'user',
    find: async (visit) => orFail(await products.show(visit.params.id ?? '', sellerIn(visit))),
    about: ({ id, title }, visit) => ({
      name: title,
      path: sellingPath(visit, `products/${id}`),
      place: { area: 'selling', at: 'products' },
      mode: modeIn(visit),
      above: [entryOf({ area: 'selling', at: 'products' }, modeIn(visit))],
    }),
  };
}

/** A product, for moderators: below the queue while it waits, else below the list of all products. */
export function moderatedProduct({ administration }: ModerationTools): Subject<Product> {
  return {
    path: `/${areas.admin.products}/:id`,
    audience: 'products:moderate',
    find: async (visit) => orFail(await administration.find(visit.params.id ?? '', actorOf(visit))),
    about(product) {
      const isWaiting = product.status === 'pending' && product.archivedAt === null;
      const place = { area: 'admin', at: isWaiting ? 'moderation' : 'products' } as const;
      return {
        name: product.title,
        path: moderatedPath(product),
        place,
        above: [entryOf(place)],
      };
    },
  };
}

/** The path of a product for moderators, from the site's first page. */
export function moderatedPath({ id }: Pick<Product, 'id'>): string {
  return `${areas.admin.products}/${id}`;
}

/** The addresses of the thumbnails of products, by id. */
export async function imagesOf(
  products: readonly Product[],
  addresses: Pick<Addresses, 'image'>,
): Promise<ReadonlyMap<number, string>> {
  const found = await Promise.all(
    products.flatMap(({ id, thumbnail }) =>
      thumbnail === null ? [] : [addresses.image(thumbnail).then((image) => [id, image] as const)],
    ),
  );
  return new Map(found);
}

interface Props {
  readonly product: Product;
  /** The address of the product's page. */
  readonly address: string;
}

/** The facts of the product that buyers see. */
export function ProductFacts({
  product,
  image,
  template,
  address,
}: Props & { readonly image: string | undefined; readonly template: Template | undefined }): VNode {
  return (
    <section class="panel">
      <h2>{words.facts}</h2>
      {image !== undefined && <Picture class="wide-picture" src={image} sizes="(max-width: 40rem) 100vw, 30rem" />}
      <Facts facts={[...listingFacts(product), ...templateFact(template)]} />
      {product.archivedAt === null && (
        <p class="choices">
          <ButtonLink href={`${address}/thumbnail`} text={words.changeThumbnail} look="small" />
        </p>
      )}
    </section>
  );
}

/** The facts of a listing. Those that the seller has left out are missing. */
function listingFacts(product: Product): Fact[] {
  const { tagline } = product;
  return [
    ...textFacts([
      [words.tagline, tagline],
      [words.priceFact, priceForSeller(product)],
    ]),
    ...detailFacts(product),
  ];
}

/** The facts that stand beside the texts and the price. */
export function detailFacts(product: Product): Fact[] {
  const { module, variant, category, subcategory, blockchains, tags, sellerName } = product;
  const facts: (readonly [string, string])[] = [
    [words.type, namesOf(module, variant)],
    [words.category, namesOf(category, subcategory)],
    [words.blockchains, blockchains.map(nameOf).join(', ')],
    [words.tags, tags.join(', ')],
    [words.sellerName, sellerName ?? ''],
    [words.support, product.isSupported ? publicWords.isSupported : publicWords.isNotSupported],
  ];
  return [
    ...textFacts(facts),
    ...linkKinds.flatMap((kind): Fact[] => {
      const href = product.links[kind];
      return href === null ? [] : [[words.links[kind], <OutLink key={kind} href={href} />]];
    }),
    [words.address, <code key="slug">{product.slug}</code>],
    [words.added, <Time key="added" at={product.createdAt} />],
    [words.updated, <Time key="updated" at={product.updatedAt} />],
  ];
}

/** The facts that are not empty. */
function textFacts(facts: readonly (readonly [string, string])[]): Fact[] {
  return facts
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [
      name,
      <span key={name} dir="auto">
        {text}
      </span>,
    ]);
}

/** The template whose download is sold with a product. Empty if the product has no template. */
export function templateFact(template: Template | undefined): Fact[] {
  if (template === undefined) return [];
  return [
    [
      words.template,
      <span key="template" class="breakable">
        <span dir="auto">{template.title}</span> <code>{template.slug}</code>
      </span>,
    ],
  ];
}

const looks = {
  pending: 'tag busy',
  published: 'tag good',
  rejected: 'tag bad',
  unlisted: 'tag',
  archived: 'tag',
} as const satisfies Record<ProductState, string>;

export function stateOf({ status, archivedAt }: Pick<Product, 'status' | 'archivedAt'>): ProductState {
  return archivedAt === null ? status : 'archived';
}

export function StateTag({ product }: { readonly product: Pick<Product, 'status' | 'archivedAt'> }): VNode {
  const state = stateOf(product);
  return <span class={looks[state]}>{words.states[state]}</span>;
}

/** A small picture of the product, or its first letter. `image` is the address of the thumbnail. */
export function SmallPicture({
  product: { title },
  image,
}: {
  readonly product: Pick<Product, 'title'>;
  readonly image: string | undefined;
}): VNode {
  if (image !== undefined)
    return <Picture class="small-picture" src={image} sizes="64px" room={{ width: 64, height: 40 }} isLazy />;
  return (
    <span class="small-picture" aria-hidden="true">
      {[...title][0]}
    </span>
  );
}

/** The e-mail address of a product's owner, with the way to their account. */
export function OwnerLink({ owner, root }: { readonly owner: User | undefined; readonly root: string }): VNode {
  if (owner === undefined) return <span>{moderation.all.noOwner}</span>;
  return (
    <a href={`${root}${areas.admin.users}/${owner.id}`} class="breakable">
      {owner.email}
    </a>
  );
}
