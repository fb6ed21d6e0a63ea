import { accountOf, byOf, needing } from '../accounts/role.ts';
import type { Session } from '../accounts/session.ts';
import { needsConfirmation } from '../accounts/signed-in.ts';
import { type Event, event } from '../events/event.ts';
import { toWebhookId, type UserId } from '../id.ts';
import { pageOf, parseIdPlace } from '../place.ts';
import type { Clock } from '../ports/clock.ts';
import type { LongWork } from '../ports/long-work.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { CheckWebhookUrl } from '../ports/webhook-sender.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { auditName, type Endpoint, healthy, type Subscription, sortedEvents } from '../webhooks/endpoint.ts';
import { mintWebhookSecret, rotate } from '../webhooks/secret.ts';
import { createFindWebhook, type ShownWebhook, unknownWebhook } from './find-webhook.ts';
import { reachableBy, reaches, type Seller } from './seller.ts';
import { createWebhookDeliveries, type WebhookDeliveries } from './webhook-deliveries.ts';
import { editWebhook, isSameEdit, type WebhookPatch } from './webhook-edit.ts';

/** What a seller says about a new endpoint. */
export interface WebhookTerms {
  /** `null` adds a listener, which has no address. */
  readonly url: string | null;
  readonly events: Subscription;
  /** The id or slug of one of the seller's products. `null` means all of them. */
  readonly product: string | null;
  readonly description: string;
}

/** An endpoint with its new secret, which is shown only here and by `revealSecret`. */
export interface WebhookWithSecret extends ShownWebhook {
  readonly plainSecret: string;
}

export interface WebhookQuery {
  /** Can only narrow: a plain user never sees the endpoints of others. */
  readonly ownerId?: UserId | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of a list. */
export interface WebhookPage {
  readonly webhooks: readonly ShownWebhook[];
  /** The place of the next page. `null` after the last page. */
  readonly next: string | null;
}

type Unknown = 'webhook_not_found';
/** Why the terms of an endpoint are refused. `product_not_found`: the product is not one of the owner's. */
type BadTerms = 'url_not_allowed' | 'product_not_found';

/**
 * What sellers do with their endpoints, and administrators with all. Each needs `webhooks:manage`, and works only with
 * endpoints of the seller's mode. Endpoints of others are unknown. An id is in digits.
 */
export interface Webhooks extends WebhookDeliveries {
  /** Newest first. */
  list(query: WebhookQuery, seller: Seller): Promise<WebhookPage | Refused<'forbidden' | 'unknown_place'>>;
  show(id: string, seller: Seller): Promise<ShownWebhook | Refused<Unknown>>;
  create(
    terms: WebhookTerms,
    seller: Seller,
  ): Promise<WebhookWithSecret | Refused<'forbidden' | 'too_many_webhooks' | BadTerms>>;
  /** Changes what is given. Switching on forgets former failures. Without a difference, nothing is written. */
  change(id: string, patch: WebhookPatch, seller: Seller): Promise<ShownWebhook | Refused<Unknown | BadTerms>>;
  /** As `change`, but refuses if what a patch can change is not as it was seen. */
  changeSeen(
    id: string,
    patch: WebhookPatch,
    seller: Seller,
    seen: Endpoint,
  ): Promise<ShownWebhook | Refused<Unknown | BadTerms | 'changed_meanwhile'>>;
  /** Removes an endpoint with its deliveries. */
  remove(id: string, seller: Seller): Promise<undefined | Refused<Unknown>>;
  /** Makes a new secret. The old one still signs for 24 hours. */
  rotateSecret(id: string, seller: Seller): Promise<WebhookWithSecret | Refused<Unknown>>;
  /** As `rotateSecret`, but refuses if the secret is not the one that was seen: nobody replaces one that was just made. */
  rotateSeenSecret(
    id: string,
    seller: Seller,
    seen: Pick<Endpoint, 'secret'>,
  ): Promise<WebhookWithSecret | Refused<Unknown | 'changed_meanwhile'>>;
  /** Returns the secret to a person who entered the password a short time ago. */
  revealSecret(
    id: string,
    seller: Seller,
    me: { readonly session: Pick<Session, 'confirmedAt'> },
  ): Promise<string | Refused<Unknown | 'confirmation_needed'>>;
}

/** What the use cases need. */
export interface WebhookPorts {
  readonly store: WebhookStore;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug' | 'findAll' | 'search'>;
  readonly checkUrl: CheckWebhookUrl;
  readonly box: SecretBox;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly longWork: LongWork;
}

export function createWebhooks(ports: WebhookPorts): Webhooks {
  const { store, checkUrl, box, secrets, clock, longWork } = ports;
  const { find, withProduct, productOf } = createFindWebhook(ports);

  function badUrl(url: string): undefined | Refused<'url_not_allowed'> {
    const why = checkUrl(url);
    return why === undefined ? undefined : refuse('url_not_allowed', why);
  }

  /** Changes an endpoint that the seller reaches. `decide` returns no event if nothing differs. */
  async function change<R extends string = never>(
    id: string,
    seller: Seller,
    decide: (before: Endpoint) => { readonly after: Endpoint; readonly event?: Event } | Refused<R>,
  ): Promise<ShownWebhook | Refused<Unknown | R>> {
    const found = await find(id, seller);
    if (isRefused(found)) return found;
    const changed = await store.change<Unknown | R>(found.endpoint.id, (before) =>
      reaches(seller, 'webhooks:manage', before) ? decide(before) : unknownWebhook(id),
    );
    if (changed === undefined) return unknownWebhook(id);
    return isRefused(changed) ? changed : await withProduct(changed);
  }

  /** Applies a patch to an endpoint, unless `refusing` refuses what is stored. */
  async function edit<R extends string>(
    id: string,
    { product, ...patch }: WebhookPatch,
    seller: Seller,
    refusing: (before: Endpoint) => Refused<R> | undefined,
  ): Promise<ShownWebhook | Refused<Unknown | BadTerms | R>> {
    const found = await find(id, seller);
    if (isRefused(found)) return found;
    const { url } = found.endpoint;
    if (patch.url !== undefined && url === null) {
      return refuse('url_not_allowed', 'This webhook has no address and cannot get one. Add another webhook.');
    }
    const refused = patch.url === undefined || patch.url === url ? undefined : badUrl(patch.url);
    if (refused) return refused;
    const productId = product === undefined ? undefined : await productOf(product, found.endpoint);
    if (isRefused(productId)) return productId;
    return await change(id, seller, (before) => {
      const refused = refusing(before);
      if (refused) return refused;
      const now = clock.now();
      const { after, fields } = editWebhook(before, { ...patch, productId }, now);
      if (fields.length === 0) return { after: before };
      const data = { id: before.id, fields: fields.join(', ') };
      return { after, event: event('webhook.changed', auditName(before.url), byOf(seller.actor), now, data) };
    });
  }

  /** Makes a new secret, unless `refusing` refuses what is stored. */
  async function renewSecret<R extends string = never>(
    id: string,
    seller: Seller,
    refusing: (before: Endpoint) => Refused<R> | undefined,
  ): Promise<WebhookWithSecret | Refused<Unknown | R>> {
    const plainSecret = mintWebhookSecret(secrets);
    const changed = await change<R>(id, seller, (before) => {
      const refused = refusing(before);
      if (refused) return refused;
      const now = clock.now();
      const after = rotate(before, plainSecret, box, now);
      const data = { id: before.id, ends_at: after.oldSecret?.until ?? null };
      return { after, event: event('webhook.secret_rotated', auditName(before.url), byOf(seller.actor), now, data) };
    });
    return isRefused(changed) ? changed : { ...changed, plainSecret };
  }

  return {
    ...createWebhookDeliveries(ports, find),
    show: find,

    async list({ ownerId, after, limit }, seller) {
      const reachable = reachableBy(seller, 'webhooks:manage');
      if (reachable === undefined) return refuse('forbidden', 'This needs the right webhooks:manage.');
      const before = parseIdPlace(after, toWebhookId);
      if (isRefused(before)) return before;
      const { isLive, ownerId: reached = ownerId } = reachable;
      const found = await store.list({ isLive, ownerId: reached, before, limit: limit + 1 });
      const { items, next } = pageOf(found, limit);
      return { webhooks: await Promise.all(items.map(withProduct)), next };
    },

    async create({ url, events, product, description }, seller) {
      const { actor, mode } = seller;
      if (actor.kind === 'operator') return refuse('forbidden', 'This needs an account.');
      const ownerId = actor.user.id;
      const isLive = mode === 'live';
      const refused = needing(actor, 'webhooks:manage', ownerId) ?? (url === null ? undefined : badUrl(url));
      if (refused) return refused;
      const productId = await productOf(product, { ownerId, isLive });
      if (isRefused(productId)) return productId;
      const now = clock.now();
      const plainSecret = mintWebhookSecret(secrets);
      const endpoint = {
        ownerId,
        isLive,
        url,
        description,
        events: sortedEvents(events),
        productId,
        secret: box.seal(plainSecret),
        oldSecret: null,
        off: null,
        health: healthy,
        createdAt: now,
        updatedAt: now,
      };
      const data = { mode, events: namesOf(events), product_id: productId };
      const added = await store.add(endpoint, event('webhook.added', auditName(url), byOf(actor), now, data));
      return isRefused(added) ? added : { ...(await withProduct(added)), plainSecret };
    },

    change: (id, patch, seller) => edit(id, patch, seller, () => undefined),
    changeSeen: (id, patch, seller, seen) =>
      edit(id, patch, seller, (before) => (isSameEdit(before, seen) ? undefined : refuse('changed_meanwhile'))),

    async remove(id, seller) {
      const found = await find(id, seller);
      if (isRefused(found)) return found;
      const { endpoint } = found;
      const told = event('webhook.removed', auditName(endpoint.url), byOf(seller.actor), clock.now(), {
        id: endpoint.id,
      });
      const isRemoved = await longWork(accountOf(seller.actor), () => store.remove(endpoint.id, told));
      return isRemoved ? undefined : unknownWebhook(id);
    },

    rotateSecret: (id, seller) => renewSecret(id, seller, () => undefined),
    rotateSeenSecret: (id, seller, { secret }) =>
      renewSecret(id, seller, (before) => (before.secret === secret ? undefined : refuse('changed_meanwhile'))),

    async revealSecret(id, seller, { session }) {
      const refused = needsConfirmation(session, clock.now());
      if (refused) return refused;
      const shown = await change(id, seller, (before) => {
        const data = { id: before.id };
        const told = event('webhook.secret_shown', auditName(before.url), byOf(seller.actor), clock.now(), data);
        return { after: before, event: told };
      });
      return isRefused(shown) ? shown : box.open(shown.endpoint.secret);
    },
  };
}

function namesOf(events: Subscription): string {
  return events === '*' ? events : events.join(', ');
}
