import type { Endpoint } from '../../surface.ts';
import type { DashboardTools } from '../tools.ts';
import { buyPages } from './buy.tsx';
import type { BuyingTools } from './buying-tools.ts';
import { buyerDomainPages } from './domain-pages.tsx';
import { downloadEndpoints } from './downloads.tsx';
import { orderPages } from './order-page.tsx';
import { purchasesPage } from './purchases.tsx';
import { receiptPage } from './receipt.tsx';
import { testPaymentPages } from './test-payment.tsx';

/** The pages for buyers. */
export function buyingPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return [
    ...buyPages(tools, own),
    ...orderPages(tools, own),
    ...buyerDomainPages(tools, own),
    ...downloadEndpoints(tools, own),
    receiptPage(tools, own),
    ...testPaymentPages(tools, own),
    purchasesPage(tools, own),
  ];
}
