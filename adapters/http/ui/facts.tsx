import type { ComponentChildren, VNode } from 'preact';

/** A fact with its name. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Facts below each other, with their names beside them. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): VNode {
  return (
    <dl class="facts-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
