import type { VNode } from 'preact';
import { EmptyState } from '../ui/empty-state.tsx';
import { Paging } from '../ui/paging.tsx';
import { texts } from '../ui/texts.ts';
import { addressWith, type Choices } from './query.ts';

/** The options of a filter that may also choose nothing. */
export function withAll(labels: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return [['', texts.admin.all], ...Object.entries(labels)];
}

/** Stands in the place of a list without rows. Its button leads to the list without filters, unless it says otherwise. */
export function NoRows({
  title,
  advice,
  href,
  action = texts.list.clear,
}: {
  readonly title: string;
  readonly advice: string;
  readonly href: string;
  readonly action?: string;
}): VNode {
  return (
    <EmptyState heading="h2" title={title}>
      <p>{advice}</p>
      <p class="actions">
        <a class="button" href={href}>
          {action}
        </a>
      </p>
    </EmptyState>
  );
}

/** Links to the first and to the next page of a list. They keep its filters. */
export function FilteredPaging({
  label,
  address,
  choices,
  isFirst,
  next,
}: {
  readonly label: string;
  /** The address of the list. */
  readonly address: string;
  readonly choices: Choices;
  readonly isFirst: boolean;
  /** The place of the next page in the address, if there is one. */
  readonly next: Choices | undefined;
}): VNode {
  const { first, more } = texts.list;
  return (
    <Paging
      label={label}
      back={isFirst ? undefined : { href: addressWith(address, choices), title: first }}
      on={next && { href: addressWith(address, { ...choices, ...next }), title: more }}
    />
  );
}
