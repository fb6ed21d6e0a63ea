import type { VNode } from 'preact';
import type { Product } from '../../../../core/marketplace/product.ts';
import { texts } from '../../ui/texts.ts';

const { buy: words } = texts.buying;

/** The terms of the license in words. */
export function ProductTermsList({
  product: { terms, price, version, templateId },
}: {
  readonly product: Pick<Product, 'terms' | 'price' | 'version' | 'templateId'>;
}): VNode {
  const { maxDomains, duration, hosts, movesPerMonth, onRefund } = terms;
  const lines = [
    words.worksOn(maxDomains),
    words.lasts(duration),
    words.moves(movesPerMonth),
    hosts.localHostsAreFree && words.localHosts,
    hosts.previewHosts.length > 0 && words.previews,
    hosts.wwwIsApex && words.www,
    version !== null && words.files,
    templateId !== null && words.template,
    price > 0 && words.refund[onRefund],
  ].filter((line) => line !== false);
  return (
    <ul class="contents">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
