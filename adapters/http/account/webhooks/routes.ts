import type { Route } from '../../route.ts';
import { getDelivery, listDeliveries, redeliver, replayWebhook, testWebhook } from './deliveries.ts';
import { fetchDeliveries } from './fetch-deliveries.ts';
import { changeWebhook, createWebhook, getWebhook, listWebhooks, removeWebhook, rotateSecret } from './one-webhook.ts';
import type { WebhookTools } from './webhook-tools.ts';

/** In the order of the API reference. */
const routes = [
  listWebhooks,
  createWebhook,
  getWebhook,
  changeWebhook,
  removeWebhook,
  rotateSecret,
  testWebhook,
  listDeliveries,
  getDelivery,
  redeliver,
  replayWebhook,
  fetchDeliveries,
];

export function webhookRoutes(tools: WebhookTools): Route[] {
  return routes.map((route) => route(tools));
}
