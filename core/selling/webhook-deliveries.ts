import type { Abort } from '../abort.ts';
import { accountOf, byOf } from '../accounts/role.ts';
import { type EventType, event } from '../events/event.ts';
import { type DeliveryId, parseId, toDeliveryId } from '../id.ts';
import { sellableIn } from '../marketplace/bundle.ts';
import type { OfferedAs } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LongWork } from '../ports/long-work.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { HourOfAttempts, WebhookStore } from '../ports/webhook-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import {
  type Delivery,
  type DeliveryEntry,
  type DeliveryState,
  type Fault,
  isWornOut,
  keptFor,
  mostAttempts,
  type WaitingDelivery,
} from '../webhooks/delivery.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import { auditName } from '../webhooks/endpoint.ts';
import { sampleOf } from '../webhooks/sample.ts';
import type { WebhookEventType } from '../webhooks/webhook-event.ts';
import type { FindWebhook } from './find-webhook.ts';
import type { Seller } from './seller.ts';

export interface DeliveryQuery {
  readonly state?: DeliveryState | undefined;
  readonly type?: WebhookEventType | undefined;
  /** The start of the period in which it was created, included. */
  readonly from?: Instant | undefined;
  /** The end of the period, not included. */
  readonly to?: Instant | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of a list. */
export interface DeliveryPage {
  readonly deliveries: readonly DeliveryEntry[];
  /** The place of the next page. `null` after the last page. */
  readonly next: string | null;
}

/** What happened to the requests to one endpoint. */
export interface WebhookFigures {
  /** The hours in which there were attempts, oldest first. */
  readonly hours: readonly HourOfAttempts[];
  /** Why deliveries failed for good, most frequent first. */
  readonly faults: readonly { readonly fault: Fault; readonly count: number }[];
}

type Unknown = 'webhook_not_found';
type UnknownDelivery = Unknown | 'delivery_not_found';
/** Nothing is sent to an endpoint that is off. */
type Unsendable = Unknown | 'webhook_off';

/** What was sent to an endpoint in the last 14 days, and sending it again. */
export interface WebhookDeliveries {
  /** Queues a sample of an event, whatever the endpoint subscribes to. */
  sendSample(
    id: string,
    type: WebhookEventType,
    seller: Seller,
  ): Promise<Delivery | Refused<UnknownDelivery | Unsendable>>;
  /** Newest first. */
  deliveries(
    id: string,
    query: DeliveryQuery,
    seller: Seller,
  ): Promise<DeliveryPage | Refused<Unknown | 'unknown_place'>>;
  /** `deliveryId` is in digits. */
  delivery(id: string, deliveryId: string, seller: Seller): Promise<Delivery | Refused<UnknownDelivery>>;
  /** Queues a delivery again, with all its attempts. One that waits already stays as it is. */
  redeliver(
    id: string,
    deliveryId: string,
    seller: Seller,
  ): Promise<Delivery | Refused<UnknownDelivery | Unsendable | 'sent_too_often'>>;
  /** Queues all deliveries again that were created since then, do not wait, and can be sent again. Returns how many. */
  replay(
    id: string,
    since: Instant,
    seller: Seller,
    stop?: Abort,
  ): Promise<number | Refused<Unsendable | 'invalid_since'>>;
  /**
   * Returns the deliveries of a listener that wait, oldest first, but not those in `done`, which the caller has got by an
   * earlier call.
   */
  fetch(
    id: string,
    fetching: { readonly done: readonly DeliveryId[]; readonly limit: number },
    seller: Seller,
  ): Promise<readonly WaitingDelivery[] | Refused<Unsendable | 'has_address'>>;
  figures(id: string, since: Instant, seller: Seller): Promise<WebhookFigures | Refused<Unknown>>;
}

/** What the use cases need. */
export interface DeliveryPorts {
  readonly store: WebhookStore;
  readonly products: Pick<ProductStore, 'findById' | 'findAll' | 'search'>;
  readonly clock: Clock;
  readonly longWork: LongWork;
}

export function createWebhookDeliveries(
  { store, products, clock, longWork }: DeliveryPorts,
  find: FindWebhook,
): WebhookDeliveries {
  async function findOn(id: string, seller: Seller): Promise<Endpoint | Refused<Unsendable>> {
    const found = await find(id, seller);
    if (isRefused(found)) return found;
    const { off } = found.endpoint;
    return off === null ? found.endpoint : refuse('webhook_off', 'The webhook is off. Switch it on first.');
  }

  async function findDelivery(
    id: string,
    deliveryId: string,
    seller: Seller,
  ): Promise<{ readonly endpoint: Endpoint; readonly delivery: Delivery } | Refused<UnknownDelivery>> {
    const found = await find(id, seller);
    if (isRefused(found)) return found;
    const number = parseId(deliveryId, toDeliveryId);
    const delivery = number === undefined ? undefined : await store.findDelivery(number);
    if (delivery?.endpointId !== found.endpoint.id) {
      return refuse('delivery_not_found', `The webhook has no delivery with the id ${deliveryId}.`);
    }
    return { endpoint: found.endpoint, delivery };
  }

  /** The product that a sample tells about: that of the endpoint, or the owner's newest one. */
  async function sampleProduct({ productId, ownerId, isLive }: Endpoint): Promise<Product | undefined> {
    if (productId !== null) return await products.findById(productId);
    return (await products.search({ ownerId, isLive, limit: 1 })).items[0];
  }

  async function contentsOf(product: Product): Promise<readonly OfferedAs<Product>[]> {
    const { bundle } = product;
    return bundle === null ? [] : sellableIn(product, await products.findAll(bundle.map(({ productId }) => productId)));
  }

  const told = (type: EventType, { id, url }: Endpoint, seller: Seller, data: Record<string, string | number>) =>
    event(type, auditName(url), byOf(seller.actor), clock.now(), { id, ...data });

  return {
    async sendSample(id, type, seller) {
      const endpoint = await findOn(id, seller);
      if (isRefused(endpoint)) return endpoint;
      const { ownerId, isLive } = endpoint;
      const product = await sampleProduct(endpoint);
      const contents = product === undefined ? [] : await contentsOf(product);
      const sample = sampleOf({ type, ownerId, isLive, product, contents, at: clock.now() });
      const made = await store.addSample(
        endpoint.id,
        sample,
        told('webhook.tested', endpoint, seller, { event: type }),
      );
      const added = await findDelivery(id, String(made), seller);
      return isRefused(added) ? added : added.delivery;
    },

    async deliveries(id, { after, limit, ...query }, seller) {
      const found = await find(id, seller);
      if (isRefused(found)) return found;
      const before = parseIdPlace(after, toDeliveryId);
      if (isRefused(before)) return before;
      const filter = { ...query, endpointId: found.endpoint.id, before, limit: limit + 1 };
      const { items: deliveries, next } = pageOf(await store.listDeliveries(filter), limit);
      return { deliveries, next };
    },

    async delivery(id, deliveryId, seller) {
      const found = await findDelivery(id, deliveryId, seller);
      return isRefused(found) ? found : found.delivery;
    },

    async redeliver(id, deliveryId, seller) {
      const found = await findDelivery(id, deliveryId, seller);
      if (isRefused(found)) return found;
      const endpoint = await findOn(id, seller);
      if (isRefused(endpoint)) return endpoint;
      const { delivery } = found;
      if (delivery.state !== 'waiting' && isWornOut(delivery)) {
        return refuse('sent_too_often', `It was sent ${mostAttempts} times already, and cannot be sent again.`);
      }
      const data = { delivery: delivery.id, event: delivery.type };
      await store.redeliver(delivery.id, told('webhook.redelivered', endpoint, seller, data));
      const after = await findDelivery(id, deliveryId, seller);
      return isRefused(after) ? after : after.delivery;
    },

    async replay(id, since, seller, stop) {
      const endpoint = await findOn(id, seller);
      if (isRefused(endpoint)) return endpoint;
      const now = clock.now();
      if (since > now) return refuse('invalid_since', 'It must be a time in the past.');
      if (since < now - keptFor) return refuse('invalid_since', 'It must be in the last 14 days.');
      const replayed = told('webhook.replayed', endpoint, seller, { since });
      return await longWork(accountOf(seller.actor), () => store.replay(endpoint.id, since, replayed), stop);
    },

    async fetch(id, { done, limit }, seller) {
      const endpoint = await findOn(id, seller);
      if (isRefused(endpoint)) return endpoint;
      if (endpoint.url !== null) {
        return refuse('has_address', 'The events of this webhook are sent to its address. They cannot be fetched.');
      }
      return await store.fetch(endpoint.id, { done, limit, now: clock.now() });
    },

    async figures(id, since, seller) {
      const found = await find(id, seller);
      if (isRefused(found)) return found;
      const [hours, faults] = await Promise.all([
        store.attemptsByHour(found.endpoint.id, since),
        store.faultsSince(found.endpoint.id, since),
      ]);
      return { hours, faults };
    },
  };
}
