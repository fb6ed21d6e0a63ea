import type { Endpoint } from '../../surface.ts';
import type { DashboardTools } from '../tools.ts';
import { allProductsPage } from './all-products.tsx';
import { decisionPages } from './decide.tsx';
import type { ModerationTools } from './moderation-tools.ts';
import { moderatedProductPage, moderatorDownload } from './one-product.tsx';
import { queuePage } from './queue.tsx';
import { templatePages } from './template.tsx';

/** The pages of administrators about the products of all sellers. */
export function moderationPages(tools: DashboardTools, own: ModerationTools): Endpoint[] {
  return [
    queuePage(tools, own),
    allProductsPage(tools, own),
    moderatedProductPage(tools, own),
    moderatorDownload(tools, own),
    ...decisionPages(tools, own),
    ...templatePages(tools, own),
  ];
}
