import type { Endpoint } from '../../../surface.ts';
import type { DashboardTools } from '../../tools.ts';
import { webhookActs } from './acts.tsx';
import { deliveryListPage } from './delivery-list.tsx';
import { deliveryPage } from './delivery-page.tsx';
import { webhookForms } from './edit-pages.tsx';
import { secretPages } from './secret-pages.tsx';
import { webhookListPage } from './webhook-list.tsx';
import { webhookPage } from './webhook-page.tsx';
import type { WebhookTools } from './webhook-tools.ts';

/** The pages of sellers about their webhooks. If two paths match a request, the first one answers it. */
export function webhookPages(tools: DashboardTools, own: WebhookTools): Endpoint[] {
  return [
    webhookListPage(tools, own),
    ...webhookForms(tools, own),
    webhookPage(tools, own),
    deliveryListPage(tools, own),
    deliveryPage(tools, own),
    ...secretPages(tools, own),
    ...webhookActs(tools, own),
  ];
}
