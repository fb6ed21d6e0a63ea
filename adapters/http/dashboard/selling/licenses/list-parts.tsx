import type { ComponentChildren, VNode } from 'preact';
import type { LicensePage } from '../../../../../core/selling/finding.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Filter, FilterDate, FilterSelect, FilterText } from '../../../ui/filter.tsx';
import type { Options } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { FilteredPaging, NoRows, withAll } from '../../filtered-list.tsx';
import { addressWith, type Choices, isAny } from '../../query.ts';
import { type ListChoices, nextOf } from './list-query.ts';

const { sellingLicenses: words } = texts;

/** The fields that filter and sort licenses. Without `products`, the product is typed. */
export function LicenseFilter({
  address,
  choices,
  products,
  children,
}: {
  readonly address: string;
  readonly choices: ListChoices;
  readonly products?: Options | undefined;
  /** More fields. */
  readonly children?: ComponentChildren;
}): VNode {
  const { q, product, status, expires_before: expiresBefore, sort } = choices;
  return (
    <Filter isActive={isAny(choices)} clear={address}>
      <FilterText name="q" label={words.search} value={q} />
      {products ? (
        <FilterSelect name="product" label={words.product} value={product} options={products} />
      ) : (
        <FilterText name="product" label={words.productSlug} value={product} />
      )}
      <FilterSelect name="status" label={words.status} value={status} options={withAll(words.statuses)} />
      <FilterDate name="expires_before" label={words.expiresBefore} value={expiresBefore} />
      <FilterSelect name="sort" label={words.sort} value={sort} options={Object.entries(words.sorts)} />
      {children}
    </Filter>
  );
}

/** The part below the filters: the rows, or why the list is empty, and links to the other pages. */
export function LicenseRows({
  address,
  choices,
  isFirst,
  found: { licenses, next },
  none,
  children,
}: {
  readonly address: string;
  readonly choices: Choices;
  readonly isFirst: boolean;
  readonly found: LicensePage;
  /** Stands here if there is no license at all. */
  readonly none: VNode;
  readonly children: ComponentChildren;
}): VNode {
  const on = nextOf(next);
  return (
    <>
      {licenses.length > 0 ? children : <NoLicenses {...{ address, choices, isFirst, on, none }} />}
      <FilteredPaging label={texts.list.pages} address={address} choices={choices} isFirst={isFirst} next={on} />
    </>
  );
}

function NoLicenses({
  address,
  choices,
  isFirst,
  on,
  none,
}: {
  readonly address: string;
  readonly choices: Choices;
  readonly isFirst: boolean;
  readonly on: Choices | undefined;
  readonly none: VNode;
}): VNode {
  if (on !== undefined) {
    return (
      <EmptyState heading="h2" title={words.noneHere}>
        <p>{words.noneHereAdvice}</p>
        <p class="actions">
          <a class="button primary" href={addressWith(address, { ...choices, ...on })}>
            {words.searchOn}
          </a>
        </p>
      </EmptyState>
    );
  }
  if (isFirst && !isAny(choices)) return none;
  return <NoRows title={texts.list.none} advice={words.noneFoundAdvice} href={address} />;
}
