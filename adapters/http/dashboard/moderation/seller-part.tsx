import type { VNode } from 'preact';
import type { User } from '../../../../core/accounts/user.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { Facts } from '../../ui/facts.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { addressWith } from '../query.ts';
import { StateTag } from '../selling/products/product-tags.tsx';
import { allProducts, pathOf } from './moderation-tools.ts';
import { OwnerLink } from './owner-link.tsx';

const { one: words } = texts.moderation;

/** Who sells a product, and what else this seller has. */
export function SellerPart({
  owner,
  others: { products, count },
  root,
}: {
  readonly owner: User;
  readonly others: { readonly products: readonly Product[]; readonly count: number };
  readonly root: string;
}): VNode {
  return (
    <section class="panel">
      <h2>{words.seller}</h2>
      <Facts
        facts={[
          [words.email, <OwnerLink key="owner" owner={owner} root={root} />],
          [
            words.name,
            <span key="name" dir="auto">
              {owner.name}
            </span>,
          ],
          [words.since, <Time key="since" at={owner.createdAt} />],
        ]}
      />
      <h3>{words.others(count)}</h3>
      {products.length > 0 && (
        <>
          <ul class="plain">
            {products.map((product) => (
              <li key={product.id}>
                <a href={`${root}${pathOf(product)}`} dir="auto" class="breakable">
                  {product.title}
                </a>{' '}
                <StateTag product={product} />
              </li>
            ))}
          </ul>
          <p>
            <a class="button small" href={addressWith(`${root}${allProducts}`, { owner: owner.email })}>
              {words.allOthers}
            </a>
          </p>
        </>
      )}
    </section>
  );
}
