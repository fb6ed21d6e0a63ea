import type { ComponentChildren, VNode } from 'preact';

/** Stands in the place of an empty list. The children say what to do next. */
export function EmptyState({
  title,
  heading: Heading = 'h3',
  children,
}: {
  readonly title: string;
  /** `h2` directly below the title of the page. */
  readonly heading?: 'h2' | 'h3';
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}
