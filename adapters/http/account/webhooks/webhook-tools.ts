import type { z } from 'zod';
import type { SecretBox } from '../../../../core/ports/secret-box.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import type { Webhooks } from '../../../../core/selling/webhooks.ts';
import type { SealedSecret } from '../../../../core/webhooks/endpoint.ts';
import type { FailureReason } from '../../failures.ts';
import type { AccountTools } from '../../route.ts';
import { faultIn } from '../seller.ts';
import { type newWebhook, type oneWebhook, renderWebhook } from './webhook.ts';

/** The dependencies of the routes of webhooks. */
export interface WebhookTools {
  readonly tools: AccountTools;
  readonly webhooks: Webhooks;
  readonly box: Pick<SecretBox, 'open'>;
}

/** How each refusal is sent. */
const reasons = {
  webhook_not_found: 'not_found',
  delivery_not_found: 'not_found',
  webhook_off: 'conflict',
  sent_too_often: 'conflict',
  has_address: 'conflict',
  too_many_webhooks: 'conflict',
  forbidden: 'forbidden',
} as const satisfies Record<string, FailureReason>;
type Reasons = typeof reasons;

/** The fields that are wrong for each refusal of an input. */
const fields = {
  url_not_allowed: 'url',
  product_not_found: 'product',
  unknown_place: 'cursor',
  invalid_since: 'since',
} as const;

/** Returns a refusal as the API sends it. Throws those of an input. */
export function sent<Reason extends keyof Reasons>(
  refused: Refused<Reason | keyof typeof fields>,
): Refused<Reasons[Reason]> {
  const field = Object.entries(fields).find(([name]) => name === refused.reason)?.[1];
  if (field !== undefined) throw faultIn(field, refused);
  return refuse(reasons[refused.reason as Reason], refused.detail);
}

/** Returns the response body with the endpoint, or the refusal. */
export function answerWithWebhook<Reason extends keyof Reasons>(
  shown: ShownWebhook | Refused<Reason | keyof typeof fields>,
): z.output<typeof oneWebhook> | Refused<Reasons[Reason]> {
  return isRefused(shown) ? sent(shown) : { success: true, webhook: renderWebhook(shown) };
}

/** As `answerWithWebhook`, with the sealed secret, because the answer is stored for repeated requests. */
export function answerWithSealed<Reason extends keyof Reasons>(
  shown: ShownWebhook | Refused<Reason | keyof typeof fields>,
): z.output<typeof newWebhook> | Refused<Reasons[Reason]> {
  if (isRefused(shown)) return sent(shown);
  return { success: true, webhook: { ...renderWebhook(shown), secret: shown.endpoint.secret } };
}

/** Opens the secret of an answer. */
export function opened(
  { open }: WebhookTools['box'],
  { success, webhook }: z.output<typeof newWebhook>,
): z.output<typeof newWebhook> {
  return { success, webhook: { ...webhook, secret: open(webhook.secret as SealedSecret) } };
}
