import type { ComponentChildren, VNode } from 'preact';
import { NoRows } from '../../ui/empty-state.tsx';
import { Filter, FilterDate, FilterSelect, FilterText } from '../../ui/filter.tsx';
import type { Options } from '../../ui/form.tsx';
import { Paging } from '../../ui/paging.tsx';
import { listWords } from '../../ui/words.ts';
import { addressWith, type Choices, isAny } from './query.ts';

/** A field that filters or sorts the rows of a list. */
export interface FilterField<Found = unknown> {
  readonly label: string;
  readonly isDate?: boolean;
  /** The choices. Without them, a text is typed. */
  readonly options?: Options | ((found: Found) => Options | undefined);
  /** It is never folded away, because it says which rows are shown at all. */
  readonly isKept?: boolean;
  /** The label of the text field, if `options` returns none. */
  readonly typed?: string;
}

/** The fields of a list, by their names in the address. */
export type FilterFields<Name extends string = string, Found = unknown> = Readonly<Record<Name, FilterField<Found>>>;

/** The part of a list that is shown. */
export interface Part {
  /** The address of the list. */
  readonly address: string;
  /** The values of its filters. */
  readonly choices: Choices;
  /** The `next` of the page before. `undefined` on the first page. */
  readonly after: string | undefined;
  /** The name of `after` in the address. */
  readonly afterName: string;
}

/** The rows of a page, and the place where the next page begins: `null` after the last one. */
export interface Rows {
  readonly rows: readonly unknown[];
  readonly next: string | number | null;
}

/** The words in the place of a list in which nothing was found. */
export interface NoneWords {
  readonly title?: string;
  readonly advice: string;
  /** If a page can be empty because the search goes on with the next one. */
  readonly soFar?: { readonly title: string; readonly advice: string; readonly on: string };
}

export type NoneOf<Found> = NoneWords | ((found: Found) => NoneWords);

/** Whether this is the first page of the list without filters. */
export function isPlain({ choices, after }: Part): boolean {
  return after === undefined && !isAny(choices);
}

/** Whether the list without filters is empty. */
export function isBlank(part: Part, { rows }: Rows): boolean {
  return rows.length === 0 && isPlain(part);
}

/** The options of a filter that may also choose nothing. */
export function withAll(labels: Readonly<Record<string, string>>): Options {
  return [['', listWords.all], ...Object.entries(labels)];
}

/** With more fields than these, all but the first and those that are kept are folded away. */
const mostAtOnce = 2;

/** The filters of a list, its rows or why there are none, and links to other pages. */
export function Listing<Found extends Rows>({
  fields,
  found,
  part,
  none: noneOf,
  first,
  pages = listWords.pages,
  children,
}: {
  readonly fields: FilterFields<string, Found>;
  readonly found: Found;
  readonly part: Part;
  readonly none: NoneOf<Found>;
  /** Stands in the place of the rows if the list without filters is empty. */
  readonly first?: VNode | undefined;
  /** The name of the links to other pages, for screen readers. */
  readonly pages?: string | undefined;
  /** The rows. */
  readonly children: ComponentChildren;
}): VNode {
  const { address, choices, after, afterName } = part;
  const none = typeof noneOf === 'function' ? noneOf(found) : noneOf;
  const next = found.next === null ? undefined : addressWith(address, { ...choices, [afterName]: String(found.next) });
  const all = Object.entries(fields);
  const isAtOnce = (at: number, field: FilterField<Found>) =>
    all.length <= mostAtOnce || at === 0 || field.isKept === true;
  const inputs = (some: typeof all) =>
    some.map(([name, field]) => (
      <FilterInput key={name} name={name} value={choices[name] ?? ''} field={field} found={found} />
    ));
  const folded = all.filter(([, field], at) => !isAtOnce(at, field));
  return (
    <>
      {all.length > 0 && (
        <Filter
          isActive={isAny(choices)}
          clear={address}
          {...(folded.length > 0 && { more: inputs(folded), isOpen: folded.some(([name]) => choices[name]) })}
        >
          {inputs(all.filter(([, field], at) => isAtOnce(at, field)))}
        </Filter>
      )}
      {found.rows.length > 0 ? (
        children
      ) : none.soFar && next !== undefined ? (
        <NoRows title={none.soFar.title} advice={none.soFar.advice} href={next} action={none.soFar.on} isPrimary />
      ) : (
        (isBlank(part, found) && first) || (
          <NoRows title={none.title ?? listWords.none} advice={none.advice} href={address} />
        )
      )}
      <Paging
        label={pages}
        back={after === undefined ? undefined : { href: addressWith(address, choices), title: listWords.first }}
        on={next === undefined ? undefined : { href: next, title: listWords.more }}
      />
    </>
  );
}

/** The field of one filter. */
export function FilterInput<Found>({
  name,
  value,
  field: { label, isDate = false, options, typed = label },
  found,
}: {
  readonly name: string;
  readonly value: string;
  readonly field: FilterField<Found>;
  readonly found: Found;
}): VNode {
  const known = typeof options === 'function' ? options(found) : options;
  if (known) return <FilterSelect name={name} label={label} value={value} options={known} />;
  if (isDate) return <FilterDate name={name} label={label} value={value} />;
  return <FilterText name={name} label={typed} value={value} />;
}
