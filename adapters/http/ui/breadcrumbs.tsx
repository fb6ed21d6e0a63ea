import type { VNode } from 'preact';
import { frameWords } from './words.ts';

/** The way to a page: the pages above it, then its own title. */
export function Breadcrumbs({
  above,
  title,
}: {
  readonly above: readonly { readonly href: string; readonly title: string }[];
  readonly title: string;
}): VNode {
  return (
    <nav class="breadcrumbs" aria-label={frameWords.breadcrumbs}>
      <ol>
        {above.map((page) => (
          <li key={page.href}>
            <a href={page.href}>{page.title}</a>
          </li>
        ))}
        <li aria-current="page">
          <span dir="auto">{title}</span>
        </li>
      </ol>
    </nav>
  );
}
