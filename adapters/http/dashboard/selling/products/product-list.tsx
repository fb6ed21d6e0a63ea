import type { VNode } from 'preact';
import { type Product, productStatuses } from '../../../../../core/marketplace/product.ts';
import type { OwnProducts } from '../../../../../core/selling/products.ts';
import type { Endpoint } from '../../../surface.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Filter, FilterSelect, FilterText } from '../../../ui/filter.tsx';
import { type Column, List } from '../../../ui/list.tsx';
import { priceOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { shown } from '../../answer.ts';
import { FilteredPaging, NoRows, withAll } from '../../filtered-list.tsx';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import { type Choices, choicesIn, chosen, isAny } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { modeIn, SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { imagesOf } from './images.ts';
import { Picture, StateTag } from './product-tags.tsx';
import { base, type ProductTools } from './product-tools.ts';

const { sellingProducts: words } = texts;
const perPage = 25;
export const productStates = [...productStatuses, 'archived'] as const;

/** The products of the person who is signed in, also of administrators. */
export function productListPage(tools: DashboardTools, { products, addresses }: ProductTools): Endpoint {
  return page(tools, {
    id: 'selling-products',
    path: base,
    audience: 'user',
    async show(visit) {
      const choices = choicesIn(visit, 'q', 'state');
      const { after = '' } = visit.query;
      const filter = {
        ownerId: visit.me.login.id,
        search: choices.q || undefined,
        state: chosen(choices.state, productStates),
        after: after || undefined,
        limit: perPage,
      };
      const found = orFail(await products.list(filter, sellerIn(visit)));
      const images = await imagesOf(found.products, addresses);
      return shown(
        <ProductList visit={visit} choices={choices} found={found} images={images} isFirst={after === ''} />,
      );
    },
  });
}

/** The columns that lists of products share. */
export function productColumns(
  images: ReadonlyMap<number, string>,
  addressOf: (product: Product) => string,
): readonly Column<Product>[] {
  const { columns } = words;
  return [
    {
      title: columns.product,
      cell: (product) => (
        <span class="with-picture">
          <Picture product={product} image={images.get(product.id)} />
          <span>
            <a href={addressOf(product)} dir="auto" class="breakable">
              {product.title}
            </a>
            <small>{words.inShort(product)}</small>
          </span>
        </span>
      ),
    },
    { title: columns.state, cell: (product) => <StateTag product={product} /> },
    { title: columns.price, isNumber: true, cell: ({ price }) => priceOf(price) },
    { title: columns.updated, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}

function ProductList({
  visit,
  choices,
  found: { products, next },
  images,
  isFirst,
}: {
  readonly visit: SignedInVisit;
  readonly choices: Choices;
  readonly found: OwnProducts;
  readonly images: ReadonlyMap<number, string>;
  readonly isFirst: boolean;
}): VNode {
  const { root } = visit.frame;
  const address = `${root}${sellingPath(visit, 'products')}`;
  const { q = '', state = '' } = choices;
  const isEmpty = products.length === 0 && !isAny(choices) && isFirst;
  const add = (text: string) => (
    <a class="button primary" href={`${address}/new`}>
      {text}
    </a>
  );
  return (
    <SellingPage visit={visit} at="products" title={words.title} actions={!isEmpty && add(words.add)}>
      {isEmpty ? (
        <EmptyState heading="h2" title={words.noneTitle}>
          <p>{modeIn(visit) === 'live' ? words.none : words.noneTest}</p>
          <p class="actions">
            {add(words.first)}
            <a class="button" href={`${address}?state=archived`}>
              {words.seeArchived}
            </a>
          </p>
        </EmptyState>
      ) : (
        <>
          <Filter isActive={isAny(choices)} clear={address}>
            <FilterText name="q" label={words.search} value={q} />
            <FilterSelect name="state" label={words.state} value={state} options={withAll(words.states)} />
          </Filter>
          {products.length === 0 ? (
            <NoRows title={texts.list.none} advice={texts.list.noneAdvice} href={address} />
          ) : (
            <List
              label={words.list}
              columns={productColumns(images, ({ id }) => `${address}/${id}`)}
              rows={products}
              keyOf={({ id }) => id}
            />
          )}
        </>
      )}
      <FilteredPaging
        label={words.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={next === null ? undefined : { after: next }}
      />
    </SellingPage>
  );
}
