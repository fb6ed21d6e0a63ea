import type { ComponentChildren, VNode } from 'preact';

/** How much of something is used, as a bar and in words. The bar changes its color when little is left. */
export function Meter({
  id,
  label,
  used,
  most,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly used: number;
  readonly most: number;
  /** The same in words. */
  readonly children: ComponentChildren;
}): VNode {
  // A meter needs a largest value above 0. If nothing is allowed, the meter is full.
  const max = Math.max(1, most);
  const value = most === 0 ? max : Math.min(used, max);
  return (
    <div class="meter">
      <label for={id}>{label}</label>
      <meter id={id} min={0} max={max} low={max * 0.8} high={max * 0.95} optimum={0} value={value} />
      <p>{children}</p>
    </div>
  );
}
