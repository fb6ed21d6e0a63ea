import { createHmac } from 'node:crypto';
import type { WebhookMessage } from '../../core/ports/webhook-sender.ts';
import { secretPrefix } from '../../core/webhooks/secret.ts';

/**
 * Signs a message in both ways: `X-Service-Signature` covers the body, with the secret as it is shown as the key.
 * `webhook-signature` of Standard Webhooks covers id, time and body, with the bytes of the secret as the key, and has a
 * signature of every secret.
 */
export function signed({ id, at, secrets, body }: Omit<WebhookMessage, 'url'>): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
  return {
    'x-service-signature': `sha256=${createHmac('sha256', secrets[0]).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret)}`).join(' '),
  };
}
