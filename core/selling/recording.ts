import { type Actor, may } from '../accounts/role.ts';
import { administratorsToTell } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { Order } from '../purchases/order.ts';
import type { OrderPorts } from '../purchases/settle.ts';
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

/** The administrators, and the seller if the seller may record the payment. */
export function createFindRecorders(
  mayRecord: MayRecord,
  accounts: Pick<AccountStore, 'list' | 'findById'>,
): OrderPorts['recorders'] {
  return async (order) => {
    const [people, seller] = await Promise.all([
      administratorsToTell(accounts),
      order.sellerId === null ? undefined : accounts.findById(order.sellerId),
    ]);
    if (seller === undefined || people.some(({ id }) => id === seller.id)) return people;
    return (await mayRecord(order, { kind: 'user', user: seller })) ? [...people, seller] : people;
  };
}

export const leftToAdministrators =
  'On this site, only administrators record payments by hand, and their refunds. Ask one of them to do it.';

export function notRecorder(): Refused<'not_recorder'> {
  return refuse('not_recorder', leftToAdministrators);
}
