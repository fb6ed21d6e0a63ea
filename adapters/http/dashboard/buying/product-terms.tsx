import type { VNode } from 'preact';
import type { Product } from '../../../../core/marketplace/product.ts';
import { texts } from '../../ui/texts.ts';

const { buy: words } = texts.buying;

/** The terms of the license in words. */
export function ProductTermsList({
  product: { terms, version, templateId },
}: {
  readonly product: Pick<Product, 'terms' | 'version' | 'templateId'>;
}): VNode {
  const { maxDomains, duration, hosts, movesPerMonth } = terms;
  const lines = [
    words.worksOn(maxDomains),
    words.lasts(duration),
    movesPerMonth > 0 && words.moves(movesPerMonth),
    hosts.localHostsAreFree && words.localHosts,
    hosts.previewHosts.length > 0 && words.previews,
    hosts.wwwIsApex && words.www,
    version !== null && words.files,
    templateId !== null && words.template,
  ].filter((line) => line !== false);
  return (
    <ul class="contents">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
