import type { VNode } from 'preact';
import type { Product } from '../../../../core/marketplace/product.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { ZipListing } from '../../../../core/ports/zip-contents.ts';
import { List } from '../../ui/list.tsx';
import { texts } from '../../ui/texts.ts';

const { one: words } = texts.moderation;

/** The files in the newest zip of a product. */
export function ZipPart({
  product: { zip },
  contents,
  address,
}: {
  readonly product: Product;
  readonly contents: ZipListing | null;
  /** The address of the product's page. */
  readonly address: string;
}): VNode {
  const rows = contents?.files.map((file, n) => ({ ...file, n })) ?? [];
  return (
    <section>
      <div class="part">
        <div>
          <h2>{words.contents}</h2>
          <p class="lead">
            {zip === null
              ? words.noZip
              : contents === null
                ? words.unreadable
                : words.contentsLead(contents.count, readableBytes(contents.size))}
          </p>
        </div>
        {zip !== null && (
          <a class="button" href={`${address}/download`}>
            {words.download}
          </a>
        )}
      </div>
      {rows.length > 0 && (
        <div class="tall">
          <List
            label={words.contents}
            columns={[
              { title: words.file, cell: ({ path }) => <bdi class="path">{path}</bdi> },
              { title: words.size, isNumber: true, cell: ({ size }) => readableBytes(size) },
            ]}
            rows={rows}
            keyOf={({ n }) => n}
          />
        </div>
      )}
      {contents !== null && contents.count > contents.files.length && (
        <p class="lead">{words.onlyFirst(contents.files.length)}</p>
      )}
    </section>
  );
}
