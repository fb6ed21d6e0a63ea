import type { ComponentChildren, VNode } from 'preact';

/** The head of a part of a page: its title, a line about it, and its buttons. */
export function PartHead({
  title,
  lead,
  isFirst = false,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Whether nothing stands above it. */
  readonly isFirst?: boolean;
  readonly children?: ComponentChildren;
}): VNode {
  const name = <h2>{title}</h2>;
  return (
    <div class={isFirst ? 'part first' : 'part'}>
      {lead === undefined ? (
        name
      ) : (
        <div>
          {name}
          <p class="lead">{lead}</p>
        </div>
      )}
      {children}
    </div>
  );
}
