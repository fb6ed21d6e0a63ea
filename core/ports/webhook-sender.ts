import type { Abort } from '../abort.ts';
import type { Attempted } from '../webhooks/delivery.ts';
import type { Instant } from './clock.ts';

/** A message for an endpoint. */
export interface WebhookMessage {
  readonly url: string;
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`: the time of the attempt. */
  readonly at: Instant;
  /** The secrets that sign, `whsec_…`. The first one is the newest, and the one of `X-Service-Signature`. */
  readonly secrets: readonly [string, ...string[]];
  readonly body: string;
}

/**
 * Sends a message once and waits for the answer, 30 seconds at most. Follows no redirect. Sends nothing to an address
 * that is not allowed, in whatever form it is written. This also holds for the address of a name. Every failure of the
 * receiver is a result. Throws `Unavailable` if this machine cannot send at the moment, and the reason of `stop` if it
 * is aborted.
 */
export type SendWebhook = (message: WebhookMessage, stop: Abort) => Promise<Attempted>;

/** Says why webhooks cannot be sent to a URL: its scheme, port, user name, or literal address. `undefined` if they can. */
export type CheckWebhookUrl = (url: string) => string | undefined;
