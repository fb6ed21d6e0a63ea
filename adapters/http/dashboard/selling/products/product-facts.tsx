import type { VNode } from 'preact';
import type { Product } from '../../../../../core/marketplace/product.ts';
import type { Template } from '../../../../../core/templates/template.ts';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { priceOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { templateFact } from './template-fact.tsx';

const { sellingProducts: words } = texts;

interface Props {
  readonly product: Product;
  /** The address of the product's page. */
  readonly address: string;
}

/** The facts of the product that buyers see. */
export function ProductFacts({
  product,
  image,
  template,
  address,
}: Props & { readonly image: string | undefined; readonly template: Template | undefined }): VNode {
  return (
    <section class="panel">
      <h2>{words.facts}</h2>
      {image !== undefined && <img class="wide-picture" src={image} alt="" />}
      <Facts facts={[...listingFacts(product), ...templateFact(template)]} />
      {product.archivedAt === null && (
        <p class="choices">
          <a class="button small" href={`${address}/thumbnail`}>
            {words.changeThumbnail}
          </a>
        </p>
      )}
    </section>
  );
}

/** The facts of a listing. Those that the seller has left out are missing. */
export function listingFacts(product: Product): Fact[] {
  const { tagline, price, module, variant, category, subcategory, blockchains, tags, sellerName } = product;
  const facts: (readonly [string, string])[] = [
    [words.tagline, tagline],
    [words.priceFact, priceOf(price)],
    [words.type, [module, variant].filter(Boolean).join(' / ')],
    [words.category, [category, subcategory].filter(Boolean).join(' / ')],
    [words.blockchains, blockchains.join(', ')],
    [words.tags, tags.join(', ')],
    [words.sellerName, sellerName ?? ''],
    [words.support, product.isSupported ? texts.product.isSupported : texts.product.isNotSupported],
  ];
  return [
    ...facts
      .filter(([, text]) => text !== '')
      .map(
        ([name, text]): Fact => [
          name,
          <span key={name} dir="auto">
            {text}
          </span>,
        ],
      ),
    [words.address, <code key="slug">{product.slug}</code>],
    [words.added, <Time key="added" at={product.createdAt} />],
    [words.updated, <Time key="updated" at={product.updatedAt} />],
  ];
}

/** The terms of the product's licenses. */
export function TermFacts({ product: { terms, archivedAt }, address }: Props): VNode {
  return (
    <section class="panel">
      <h2>{words.terms}</h2>
      <Facts facts={termFacts(terms)} />
      {archivedAt === null && (
        <p class="choices">
          <a class="button small" href={`${address}/edit#max_domains`}>
            {words.changeTerms}
          </a>
        </p>
      )}
    </section>
  );
}

export function termFacts({ maxDomains, duration, hosts, movesPerMonth, onRefund }: Product['terms']): Fact[] {
  const yes = (isOn: boolean) => (isOn ? words.on : words.off);
  return [
    [words.maxDomains, words.domainsOf(maxDomains)],
    [words.duration, words.durationOf(duration)],
    [words.localHosts, yes(hosts.localHostsAreFree)],
    [
      words.previewHosts,
      hosts.previewHosts.length === 0 ? words.noPatterns : <code key="hosts">{hosts.previewHosts.join(' ')}</code>,
    ],
    [words.wwwIsApex, yes(hosts.wwwIsApex)],
    [words.moves, String(movesPerMonth)],
    [words.onRefund, words.refundRules[onRefund]],
  ];
}
