import type { ComponentChildren, VNode } from 'preact';
import type { ProductVersion } from '../../../core/marketplace/product-version.ts';
import { readableBytes } from '../../../core/marketplace/storage-quota.ts';
import { Time } from '../ui/time.tsx';

/** A version of a product, in a list of versions. `children` are what can be done with it. */
export function VersionRow({
  version: { notes, size, createdAt },
  name,
  tags,
  children,
}: {
  readonly version: Pick<ProductVersion, 'notes' | 'size' | 'createdAt'>;
  readonly name: string;
  readonly tags: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <li class="row">
      <div class="about">
        <h3>
          <span class="breakable">{name}</span> {tags}
        </h3>
        {notes !== '' && (
          <p class="lines" dir="auto">
            {notes}
          </p>
        )}
        <ul class="details">
          <li>
            <Time at={createdAt} />
          </li>
          {size !== null && <li>{readableBytes(size)}</li>}
        </ul>
      </div>
      {children}
    </li>
  );
}
