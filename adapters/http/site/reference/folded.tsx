import type { ComponentChildren, VNode } from 'preact';

interface Shown {
  /** Its address on the page. */
  readonly id: string;
  readonly title: ComponentChildren;
  /** One line beside the title. */
  readonly summary?: string;
  readonly children: ComponentChildren;
}

/** A part of the reference that is folded at first. */
export function Folded({ id, title, summary, children }: Shown): VNode {
  return (
    <details id={id} class="operation">
      <summary class="operation-head">
        <h3>{title}</h3>
        {summary !== undefined && <span class="summary">{summary}</span>}
      </summary>
      <div class="operation-body">{children}</div>
    </details>
  );
}
