import { t } from '../../../../apps/wiring/tokens.ts';
import type { KeyMode } from '../../../../core/accounts/api-key.ts';
import type { WebhookTerms, WebhookWithSecret } from '../../../../core/selling/webhooks.ts';
import type { Attempted, Delivery } from '../../../../core/webhooks/delivery.ts';
import type { WebhookEventType } from '../../../../core/webhooks/webhook-event.ts';
import { good } from '../../../support/good.ts';
import { attemptAll } from '../../../support/webhook-attempts.ts';
import type { Person } from '../dashboard/dashboard-service.ts';
import { type SellingService, startSellingService } from './selling-service.ts';

/** A service in memory with sellers and their webhooks. Nothing is sent by itself. */
export interface WebhookService extends SellingService {
  webhook(owner: Person, more?: Partial<WebhookTerms>, mode?: KeyMode): Promise<WebhookWithSecret>;
  /** Queues a sample for a live webhook. */
  sample(owner: Person, webhook: WebhookWithSecret, type?: WebhookEventType): Promise<Delivery>;
  /** Ends one attempt of everything that is due. */
  attempt(attempted: Attempted): Promise<number>;
}

export async function startWebhookService(
  settings: Parameters<typeof startSellingService>[0] = {},
): Promise<WebhookService> {
  const service = await startSellingService(settings);
  const webhooks = await service.parts.get(t.webhooks);
  const sellerOf = async (owner: Person, mode: KeyMode) =>
    ({ actor: { kind: 'user', user: (await owner.me()).login }, mode }) as const;
  return {
    ...service,
    async webhook(owner, more = {}, mode = 'live') {
      const usual = { url: 'https://hooks.example.com/in', events: '*', product: null, description: '' } as const;
      return good(await webhooks.create({ ...usual, ...more }, await sellerOf(owner, mode)));
    },
    sample: async (owner, { endpoint }, type = 'license.activated') =>
      good(await webhooks.sendSample(String(endpoint.id), type, await sellerOf(owner, 'live'))),
    attempt: (attempted) => attemptAll(service.parts, attempted),
  };
}
