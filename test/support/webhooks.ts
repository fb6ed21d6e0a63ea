import { event } from '../../core/events/event.ts';
import { type ProductId, toProductId, type UserId, type WebhookId } from '../../core/id.ts';
import type { DueDelivery, SettledDelivery, Turn, TurnResult } from '../../core/ports/webhook-queue.ts';
import { isRefused } from '../../core/refusal.ts';
import type { Attempted, Delivery, Next } from '../../core/webhooks/delivery.ts';
import { type Endpoint, healthy, type SealedSecret } from '../../core/webhooks/endpoint.ts';
import type { Happening } from '../../core/webhooks/webhook-event.ts';
import type { Stores } from './backends.ts';
import { by } from './by.ts';
import { keyNumber, must, newProduct, issuedAt as now } from './license-acts.ts';

/** The audit event of changes whose event does not matter. */
export const noted = (at = now) => event('mail.tested', 'webhook', by, at);

/** Returns a new endpoint. All its fields have different values, so that mixed-up fields are noticed. */
export function newEndpoint(ownerId: UserId, fields: Partial<Endpoint> = {}): Omit<Endpoint, 'id'> {
  return {
    ownerId,
    isLive: false,
    url: 'https://hooks.example.com/ä?b=c',
    description: 'Our "shop"',
    events: '*',
    productId: null,
    secret: 'sealed-1' as SealedSecret,
    oldSecret: { secret: 'sealed-0' as SealedSecret, until: now + 9 },
    off: null,
    health: healthy,
    createdAt: now - 2,
    updatedAt: now - 1,
    ...fields,
  };
}

export async function addEndpoint(
  { webhooks }: Pick<Stores, 'webhooks'>,
  ownerId: UserId,
  fields: Partial<Endpoint> = {},
): Promise<Endpoint> {
  const added = await webhooks.add(newEndpoint(ownerId, fields), noted());
  if (isRefused(added)) throw new Error(added.detail);
  return added;
}

/** An event that is sent as a sample. */
export function sampleEvent(ownerId: UserId, at = now): Happening {
  return {
    type: 'license.suspended',
    at,
    ownerId,
    isLive: false,
    product: { id: toProductId(7), title: 'Tip Jar', slug: 'tip-jar' },
    license: {
      ...{ key: keyNumber(5), status: 'suspended', domainsUsed: 1, maxDomains: 2, expiresAt: null },
      ...{ updatesUntil: null, entitlements: [] },
    },
    reason: 'Unpaid',
  };
}

/** Adds samples, due at this time, one after the other. */
export async function addSamples(
  { webhooks }: Pick<Stores, 'webhooks'>,
  { id, ownerId }: Pick<Endpoint, 'id' | 'ownerId'>,
  count: number,
  at = now,
): Promise<Delivery[]> {
  const added: Delivery[] = [];
  for (let n = 0; n < count; n++) {
    const delivery = await webhooks.addSample(id, sampleEvent(ownerId, at), noted(at));
    added.push(must(await webhooks.findDelivery(delivery)));
  }
  return added;
}

export function attempted(fields: Partial<Attempted> = {}): Attempted {
  return {
    request: { url: 'https://hooks.example.com/', headers: { 'content-type': 'application/json' } },
    answer: { status: 204, headers: { server: 'ä' }, body: '' },
    fault: null,
    detail: '',
    duration: 12,
    retryAfter: null,
    ...fields,
  };
}

export const refusedAttempt = attempted({ answer: null, fault: 'refused', detail: 'Nobody listens.' });

export function settled(
  delivery: DueDelivery,
  how: Attempted = attempted(),
  next: Next = { state: 'delivered' },
  at = now,
): SettledDelivery {
  return { delivery, attempted: how, at, next };
}

export function turnResult(fields: Partial<TurnResult> = {}): TurnResult {
  return { settled: [], health: healthy, isOff: false, news: {}, ...fields };
}

export const idsOf = (turns: readonly Turn[]): WebhookId[] => turns.map(({ endpoint }) => endpoint.id);

/** Adds a test product of this owner. */
export async function addProductOf(
  { products }: Pick<Stores, 'products'>,
  ownerId: UserId | null,
  slug = 'tip-jar',
): Promise<ProductId> {
  const product = newProduct({ ownerId, slug, archivedAt: null });
  return (await products.add(product, (given) => event('product.added', given, by, now))).id;
}

/** The content of a body, as receivers parse it. */
export interface Received {
  readonly id: string;
  readonly event: string;
  readonly timestamp: string;
  readonly livemode: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns what an endpoint got, in the order in which it was added. */
export async function receivedBy(
  { webhooks }: Pick<Stores, 'webhooks'>,
  { id: endpointId }: Pick<Endpoint, 'id'>,
): Promise<Received[]> {
  const found: Received[] = [];
  for (const { id } of await webhooks.listDeliveries({ endpointId, limit: 9_999 })) {
    found.push(JSON.parse(must(await webhooks.findDelivery(id)).body));
  }
  return found.reverse();
}
