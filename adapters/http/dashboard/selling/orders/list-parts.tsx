import type { ComponentChildren, VNode } from 'preact';
import type { OrderPage } from '../../../../../core/purchases/buying.ts';
import { Filter, FilterDate, FilterSelect, FilterText } from '../../../ui/filter.tsx';
import type { Options } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { FilteredPaging, NoRows, withAll } from '../../filtered-list.tsx';
import { isAny } from '../../query.ts';
import type { OrderChoices } from './order-query.ts';

const { sellingOrders: words } = texts;

/** The fields that filter orders. Without `products`, the product is typed. */
export function OrderFilter({
  address,
  choices,
  products,
  children,
}: {
  readonly address: string;
  readonly choices: OrderChoices;
  readonly products?: Options | undefined;
  /** More fields. */
  readonly children?: ComponentChildren;
}): VNode {
  const { q, product, state, from, to } = choices;
  return (
    <Filter isActive={isAny(choices)} clear={address}>
      <FilterText name="q" label={words.search} value={q} />
      <FilterSelect name="state" label={words.state} value={state} options={withAll(words.states)} />
      <ProductFilter product={product} products={products} />
      <FilterDate name="from" label={words.from} value={from} />
      <FilterDate name="to" label={words.to} value={to} />
      {children}
    </Filter>
  );
}

export function ProductFilter({
  product,
  products,
}: {
  readonly product: string;
  readonly products: Options | undefined;
}): VNode {
  return products ? (
    <FilterSelect name="product" label={words.product} value={product} options={products} />
  ) : (
    <FilterText name="product" label={words.productSlug} value={product} />
  );
}

/** The part below the filters: the rows, or why the list is empty, and links to the other pages. */
export function OrderRows({
  address,
  choices,
  isFirst,
  found: { orders, next },
  none,
  children,
}: {
  readonly address: string;
  readonly choices: OrderChoices;
  readonly isFirst: boolean;
  readonly found: OrderPage;
  /** Stands here if there is no order at all. */
  readonly none: VNode;
  readonly children: ComponentChildren;
}): VNode {
  const isFiltered = !isFirst || isAny(choices);
  return (
    <>
      {orders.length > 0 ? (
        children
      ) : isFiltered ? (
        <NoRows title={texts.list.none} advice={words.noneFoundAdvice} href={address} />
      ) : (
        none
      )}
      <FilteredPaging
        label={texts.list.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={next === null ? undefined : { after: next }}
      />
    </>
  );
}
