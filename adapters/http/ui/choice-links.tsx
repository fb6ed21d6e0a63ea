import type { VNode } from 'preact';

/** Links to the same page with other data, of which one is chosen. */
export function ChoiceLinks<Value extends string>({
  label,
  names,
  values,
  chosen,
  hrefOf,
}: {
  readonly label: string;
  readonly names: Readonly<Record<Value, string>>;
  readonly values: readonly Value[];
  readonly chosen: Value;
  hrefOf(value: Value): string;
}): VNode {
  return (
    <ul class="modes" aria-label={label}>
      {values.map((one) => (
        <li key={one}>
          <a href={hrefOf(one)} aria-current={one === chosen ? 'true' : undefined}>
            {names[one]}
          </a>
        </li>
      ))}
    </ul>
  );
}
