import type { ComponentChildren, VNode } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { listWords } from './words.ts';

/** Stands in the place of an empty list. The children say what to do next. */
export function EmptyState({
  title,
  heading: Heading = 'h3',
  icon = 'empty',
  children,
}: {
  readonly title: string;
  /** What the list would show. */
  readonly icon?: IconName;
  /** `h2` directly below the title of the page. */
  readonly heading?: 'h2' | 'h3';
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <span class="empty-mark">
        <Icon name={icon} />
      </span>
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

/** Stands in the place of a list without rows. Its button leads to the list without filters, unless it says otherwise. */
export function NoRows({
  title,
  advice,
  href,
  action = listWords.clear,
  isPrimary = false,
  icon = 'search',
}: {
  readonly title: string;
  readonly advice: string;
  readonly href: string;
  readonly action?: string;
  readonly isPrimary?: boolean;
  readonly icon?: IconName;
}): VNode {
  return (
    <EmptyState heading="h2" icon={icon} title={title}>
      <p>{advice}</p>
      <p class="actions">
        <a class={isPrimary ? 'button primary' : 'button'} href={href}>
          {action}
        </a>
      </p>
    </EmptyState>
  );
}
