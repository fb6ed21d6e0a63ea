import { type Command, Option } from 'commander';
import { formatPrice, type Product, type ProductStatus, productStatuses } from '../../core/marketplace/product.ts';
import type { ProductTransition } from '../../core/marketplace/product-transitions.ts';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { type AnswerOptions, administer, answering, type ChangeOptions, changing, operator, reads } from './action.ts';
import { wholeNumber } from './fields.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

const transitions = {
  approve: 'Publish a pending or unlisted product',
  reject: 'Reject a pending product; the seller is told the --reason',
  unlist: 'Take a published product off the marketplace',
  relist: 'List an unlisted product again, without a review',
  resubmit: 'Submit a rejected product for approval again',
  archive: 'Take a product off the marketplace for good; its licenses still work',
} as const satisfies Record<ProductTransition, string>;

/** Adds the commands to review the products of sellers. */
export function addProductReviewCommands(product: Command, terminal: Terminal): void {
  answering(product.command('list'))
    .description('List products, newest first')
    .addOption(new Option('--status <status>', 'only products with this status').choices(productStatuses))
    .option('--page <n>', 'page number, from 1', reads(wholeNumber(1, 1_000_000)), 1)
    .option('--limit <n>', 'products on a page, 1 to 1000', reads(wholeNumber(1, 1_000)), 100)
    .action((options: AnswerOptions & { status?: ProductStatus; page: number; limit: number }) =>
      administer(terminal, options, async (parts) => {
        const products = await parts.get(t.products);
        const page = await products.list({ status: options.status }, options.page, options.limit, operator());
        if (isRefused(page)) return page;
        const { items, total } = page;
        const rows = items.map((one) => [
          String(one.id),
          one.slug,
          one.status,
          one.isLive ? 'live' : 'test',
          formatPrice(one.price),
          one.ownerId === null ? 'house' : `user ${one.ownerId}`,
        ]);
        const text = table([['ID', 'SLUG', 'STATUS', 'MODE', 'PRICE', 'OWNER'], ...rows]);
        return {
          json: { products: items.map(render), page: options.page, total },
          text: `${text}\n${items.length} of ${total}`,
        };
      }),
    );

  for (const [transition, description] of Object.entries(transitions)) {
    changing(product.command(transition))
      .description(description)
      .argument('<id or slug>')
      .action((idOrSlug: string, options: ChangeOptions) =>
        administer(terminal, options, async (parts) => {
          const products = await parts.get(t.products);
          const changed = await products.change(idOrSlug, transition as ProductTransition, operator(options));
          if (isRefused(changed)) return changed;
          return { json: { product: render(changed) }, text: `${changed.slug} is ${changed.status}` };
        }),
      );
  }
}

function render(product: Product) {
  return {
    id: product.id,
    slug: product.slug,
    title: product.title,
    tagline: product.tagline,
    status: product.status,
    price: formatPrice(product.price),
    ownerId: product.ownerId,
    livemode: product.isLive,
    createdAt: product.createdAt,
    updatedAt: product.updatedAt,
    rejectionReason: product.rejectionReason,
    archivedAt: product.archivedAt,
  };
}
