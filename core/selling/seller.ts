import type { KeyMode } from '../accounts/api-key.ts';
import { type Action, type Actor, may } from '../accounts/role.ts';
import type { UserId } from '../id.ts';
import { findProduct, unknownProduct } from '../marketplace/find-product.ts';
import type { Product } from '../marketplace/product.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { providers } from '../purchases/order.ts';
import { type Refused, refuse } from '../refusal.ts';

/** Somebody who works with products and licenses: with all live ones or with all test ones, never with both. */
export interface Seller {
  readonly actor: Actor;
  readonly mode: KeyMode;
}

/** The products and licenses that lists and searches of a seller are limited to. */
export interface Reachable {
  readonly isLive: boolean;
  /** `undefined` means those of all owners. */
  readonly ownerId: UserId | undefined;
}

/** Returns the products and licenses that the seller may use this right on, or `undefined` if there are none. */
export function reachableBy({ actor, mode }: Seller, action: Action): Reachable | undefined {
  const isLive = mode === 'live';
  if (may(actor, action)) return { isLive, ownerId: undefined };
  if (actor.kind === 'user' && may(actor, action, actor.user.id)) return { isLive, ownerId: actor.user.id };
  return undefined;
}

/**
 * Returns what a list is limited to that is asked for the products of one seller, or of all (`sellerId` is absent). `undefined`: there is nothing
 * to see, because somebody asks for those of somebody else.
 */
export function narrowedTo(
  sellerId: UserId | undefined,
  seller: Seller,
  action: Action,
): Reachable | undefined | Refused<'forbidden'> {
  const reach = reachableBy(seller, action);
  if (reach === undefined) return refuse('forbidden', `This needs the right ${action}.`);
  const isOfOther = sellerId !== undefined && reach.ownerId !== undefined && sellerId !== reach.ownerId;
  return isOfOther ? undefined : { ...reach, ownerId: reach.ownerId ?? sellerId };
}

/** Whether the seller may use this right on a product with this owner and mode, or on its licenses. */
export function reaches(
  { actor, mode }: Seller,
  action: Action,
  { ownerId, isLive }: { readonly ownerId: UserId | null; readonly isLive: boolean },
): boolean {
  return isLive === (mode === 'live') && may(actor, action, ownerId ?? undefined);
}

/** Finds a product as `findProduct` does. A product on which the seller does not have this right is unknown. */
export async function findProductOf(
  products: Pick<ProductStore, 'findById' | 'findBySlug'>,
  idOrSlug: string,
  seller: Seller,
  action: Action,
): Promise<Product | Refused<'product_not_found'>> {
  const product = await findProduct(products, idOrSlug);
  return product && reaches(seller, action, product) ? product : unknownProduct(idOrSlug);
}

/** Actors that are no people. */
const machines: readonly string[] = ['license-api', 'server', ...providers];

/** Sellers learn nothing about the people who administer the service, and of buyers only what their orders say. */
export function shownActor(actor: string, { actor: reader }: Seller, known: readonly string[] = []): string {
  if (reader.kind !== 'user' || may(reader, 'audit:read')) return actor;
  return actor === reader.user.email || machines.includes(actor) || known.includes(actor) ? actor : 'administrator';
}
