import { type Actor, may } from '../accounts/role.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { Order } from '../purchases/order.ts';
import { type Refused, refuse } from '../refusal.ts';

/**
 * Who may record payments by hand, besides administrators. With `seller if alone`: a seller, until a second account
 * sells.
 */
export type ManualRecorder = 'operator' | 'seller' | 'seller if alone';

/** Whether the actor, who may manage the order, may also record its payment and its refunds. */
export type MayRecord = (order: Pick<Order, 'provider'>, actor: Actor) => Promise<boolean>;

export function createMayRecord(by: ManualRecorder, { othersSell }: Pick<OrderStore, 'othersSell'>): MayRecord {
  return async ({ provider }, actor) => {
    if (provider !== 'manual' || actor.kind === 'operator' || may(actor, 'purchases:manage')) return true;
    return by === 'seller if alone' ? !(await othersSell(actor.user.id)) : by === 'seller';
  };
}

export const leftToAdministrators =
  'On this site, only administrators record payments by hand, and their refunds. Ask one of them to do it.';

export function notRecorder(): Refused<'not_recorder'> {
  return refuse('not_recorder', leftToAdministrators);
}
