import { createHash } from 'node:crypto';
import escapeHtml from 'escape-html';
import { iso } from '../../../core/iso.ts';
import { formatPrice, isPublic, type Product } from '../../../core/marketplace/product.ts';
import { previewDays } from '../addresses.ts';
import { htmlDocument } from './html-document.ts';

const style = `
body{margin:0;font:16px/1.6 system-ui,sans-serif;color:#1b1f24;background:#f6f7f9}
main{max-width:44rem;margin:2rem auto;padding:2rem;background:#fff;border:1px solid #dfe3e8;border-radius:12px}
img{display:block;width:100%;max-height:24rem;object-fit:contain;background:#eef0f3;border-radius:8px}
h1{margin:1.2rem 0 0;font-size:1.8rem;line-height:1.25;overflow-wrap:anywhere}
.tagline{margin:.2rem 0 1rem;color:#57606a;overflow-wrap:anywhere}
.price{font-size:1.4rem;font-weight:600}
.note{padding:.6rem 1rem;background:#fff4d6;border-radius:8px}
.description{white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.5rem}
dt{color:#57606a}dd{margin:0;overflow-wrap:anywhere}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Allows no scripts, and loads nothing except the thumbnail, which may be on another origin. */
export function pagePolicy(origin = ''): string {
  return [
    "default-src 'none'",
    `img-src 'self' ${origin}`.trim(),
    `style-src 'sha256-${styleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Renders the page of a product for buyers. `image` is the address of the thumbnail. */
export function productPage(product: Product, image: string | null): string {
  const facts: [string, string][] = [
    ['Type', [product.module, product.variant].filter(Boolean).join(' / ')],
    ['Category', [product.category, product.subcategory].filter(Boolean).join(' / ')],
    ['Blockchains', product.blockchains.join(', ')],
    ['Tags', product.tags.join(', ')],
    ['Support', product.isSupported ? 'The seller provides support.' : 'The seller does not provide support.'],
    ['Updated', iso(product.updatedAt).slice(0, 10)],
  ];
  return page(
    product.title,
    `${isPublic(product) ? '' : `<p class="note">This is a preview. The product is ${product.status} and not public.</p>`}
${image === null ? '' : `<img src="${escapeHtml(image)}" alt="">`}
<h1>${escapeHtml(product.title)}</h1>
<p class="tagline">${escapeHtml(product.tagline)}</p>
<p class="price">${product.price === 0 ? 'Free' : `$${formatPrice(product.price)}`}</p>
<p class="description">${escapeHtml(product.description)}</p>
<dl>${facts
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`)
      .join('')}</dl>`,
  );
}

export function notFoundPage(): string {
  return page('Not found', '<h1>Not found</h1><p>There is no product at this address.</p>');
}

export function previewEndedPage(): string {
  return page(
    'Preview ended',
    `<h1>This preview has ended</h1><p>Links to previews are good for ${previewDays} days. Ask the seller for a new one.</p>`,
  );
}

function page(title: string, content: string): string {
  return htmlDocument({
    title,
    icon: '../docs/assets/icon.svg',
    head: `<style>${style}</style>`,
    body: `<main>\n${content}\n</main>`,
  });
}
