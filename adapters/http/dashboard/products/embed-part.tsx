import escapeHtml from 'escape-html';
import type { VNode } from 'preact';
import { isInCatalogue } from '../../../../core/marketplace/catalogue-terms.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { cardSize } from '../../site/embed.tsx';
import { Secret } from '../../ui/secret.tsx';

const names = {
  title: 'Sell it on your own site',
  lead: 'Paste one of these into a page. They always show the current title, price and picture. Buying opens a new tab.',
  link: 'Link',
  card: 'Card',
  button: 'Button',
  picture: 'Card without script',
  policy: (origin: string) =>
    `If your site has a content security policy, allow ${origin} in script-src (card, button) and img-src (pictures).`,
};

/** What a seller pastes into a page of another site, so that the product can be bought there. `null` if it is not for sale. */
export function EmbedPart({ product, baseUrl }: { readonly product: Product; readonly baseUrl: string }): VNode | null {
  if (!isInCatalogue(product)) return null;
  const page = `${baseUrl}/marketplace/${product.slug}`;
  const source = `${baseUrl}/embed/${product.slug}`;
  const { width, height } = cardSize;
  const picture = `<img src="${source}.svg" width="${width}" height="${height}" alt="${escapeHtml(product.title)}" loading="lazy">`;
  return (
    <details class="folded">
      <summary class="fold">{names.title}</summary>
      <p class="lead">{names.lead}</p>
      <Secret id="embed-link" label={names.link} value={page} />
      <Secret id="embed-card" label={names.card} value={`<script async src="${source}.js"></script>`} />
      <Secret
        id="embed-button"
        label={names.button}
        value={`<script async src="${source}.js" data-look="button"></script>`}
      />
      <Secret
        id="embed-picture"
        label={names.picture}
        value={`<a href="${page}" target="_blank" rel="noopener">${picture}</a>`}
      />
      <p class="faint">{names.policy(new URL(baseUrl).origin)}</p>
    </details>
  );
}
