import type { ComponentChildren, VNode } from 'preact';

/** Stands in the place of an empty list. The children say what to do next. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  );
}
