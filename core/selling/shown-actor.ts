import { may } from '../accounts/role.ts';
import { providers } from '../purchases/order.ts';
import type { Seller } from './seller.ts';

/** Actors that are no people. */
const machines: readonly string[] = ['license-api', ...providers];

/** Sellers learn nothing about the people who administer the service, and of buyers only what their orders say. */
export function shownActor(actor: string, { actor: reader }: Seller, known: readonly string[] = []): string {
  if (reader.kind !== 'user' || may(reader, 'audit:read')) return actor;
  return actor === reader.user.email || machines.includes(actor) || known.includes(actor) ? actor : 'administrator';
}
