import type { ComponentChildren, VNode } from 'preact';
import { baseCurrency } from '../../../../core/currency.ts';
import type { ProductId } from '../../../../core/id.ts';
import { type BundledProduct, contentOf, isSoldAlone, savingOf } from '../../../../core/marketplace/bundle.ts';
import { choicesIn, type OfferedAs } from '../../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../../core/marketplace/price-choice.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { givenInBundle, rulesOf } from '../../ui/license-terms.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf, priceOf, shownPrice } from '../../ui/prices.ts';
import { product as publicWords } from '../../ui/product-words.ts';
import { bundleWords as names } from './bundle-words.ts';

export function bundledIds({ bundle }: Pick<Product, 'bundle'>): readonly ProductId[] {
  return (bundle ?? []).map(({ productId }) => productId);
}

/** A product of a bundle, as the bundle sells it. */
interface Row {
  readonly item: BundledProduct;
  /** Absent if it does not exist any more. */
  readonly product: Product | undefined;
  readonly content: OfferedAs<Product> | Refused<'bundle_unavailable'>;
}

/**
 * The products in a bundle with their terms, their own prices and the sum of these, for sellers and moderators. `products` has
 * those that exist, and `addressOf` the page of each.
 */
export function ContentsPart({
  bundle,
  products,
  addressOf,
  children,
}: {
  readonly bundle: Product;
  readonly products: readonly Product[];
  readonly addressOf: (product: Product) => string;
  /** The buttons beside its title. */
  readonly children?: ComponentChildren;
}): VNode {
  const rows = (bundle.bundle ?? []).map(
    (item): Row => ({
      item,
      product: products.find(({ id }) => id === item.productId),
      content: contentOf(item, products),
    }),
  );
  const columns: readonly Column<Row>[] = [
    {
      title: names.product,
      cell: ({ item, product, content }) => (
        <>
          {product === undefined ? (
            names.gone(item.productId)
          ) : (
            <a href={addressOf(product)} dir="auto" class="breakable">
              {product.title}
            </a>
          )}
          {item.offer !== null && (
            <span class="under" dir="auto">
              {isRefused(content) ? item.offer : content.offer?.name}
            </span>
          )}
        </>
      ),
    },
    {
      title: names.terms,
      cell: ({ content }) =>
        isRefused(content) ? (
          <strong>{content.detail}</strong>
        ) : (
          <span class="breakable sentence">{sentencesOf(content).join(' · ')}</span>
        ),
    },
    {
      title: names.ownPrice,
      isNumber: true,
      cell: ({ content }) =>
        !isRefused(content) && (
          <>
            {priceOf(content.product.price, content.currency)}
            {!isSoldAlone(content) && <span class="under">{names.notAlone}</span>}
          </>
        ),
    },
  ];
  const contents = rows.flatMap(({ content }) => (isRefused(content) ? [] : [content]));
  const sum = contents.length === rows.length ? sumOf(bundle, contents) : names.unavailable;
  return (
    <section id="bundle">
      <PartHead title={names.title} lead={`${names.contains(rows.length)} ${sum}`}>
        {children}
      </PartHead>
      <List label={names.title} columns={columns} rows={rows} />
    </section>
  );
}

/** The way to make a product a bundle, or to change what a bundle contains. Products with files cannot be bundles. */
export function BundlePart({
  product,
  products,
  address,
  addressOf,
}: Omit<Parameters<typeof ContentsPart>[0], 'bundle' | 'children'> & {
  readonly product: Product;
  /** The address of its page. */
  readonly address: string;
}): VNode | null {
  const { bundle, zip, templateId, archivedAt } = product;
  const way = (text: string) => archivedAt === null && <ButtonLink href={`${address}/bundle`} text={text} />;
  if (bundle !== null) {
    return (
      <ContentsPart bundle={product} products={products} addressOf={addressOf}>
        {way(names.edit)}
      </ContentsPart>
    );
  }
  if (archivedAt !== null || zip !== null || templateId !== null) return null;
  return (
    <section id="bundle">
      <PartHead title={names.title} lead={names.none}>
        {way(names.make)}
      </PartHead>
    </section>
  );
}

function sentencesOf(content: OfferedAs<Product>): string[] {
  const { terms } = content.product;
  return [...givenInBundle(content), ...rulesOf(terms), publicWords.refund[terms.onRefund]];
}

/** What the products cost alone, what the bundle costs, and what buyers read about the difference. */
function sumOf(bundle: Product, contents: readonly OfferedAs<Product>[]): string {
  const sum = contents.reduce((total, { product }) => total + product.price, 0);
  const [sold, ...others] = choicesIn(bundle, baseCurrency);
  const isOnePrice = sold !== undefined && others.length === 0 && choiceOf(sold) === undefined;
  const saving = isOnePrice ? savingOf(contents, sold.product.price, baseCurrency) : undefined;
  return [
    `${names.together} ${moneyOf(sum, baseCurrency)}.`,
    names.price(shownPrice(bundle)),
    saving === undefined ? names.noSaving : names.saving(moneyOf(saving.saved, baseCurrency)),
  ].join(' ');
}
