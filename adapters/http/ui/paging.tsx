import type { VNode } from 'preact';

interface Link {
  readonly href: string;
  readonly title: string;
}

/** Links to the previous and the next page of a list. Renders nothing if there are no other pages. */
export function Paging({
  label,
  back,
  on,
}: {
  readonly label: string;
  readonly back: Link | undefined;
  readonly on: Link | undefined;
}): VNode | null {
  if (back === undefined && on === undefined) return null;
  return (
    <nav class="paging" aria-label={label}>
      {back && (
        <a class="button" rel="prev" href={back.href}>
          {back.title}
        </a>
      )}
      {on && (
        <a class="button on" rel="next" href={on.href}>
          {on.title}
        </a>
      )}
    </nav>
  );
}
