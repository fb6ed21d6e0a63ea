import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import type { OrderAct } from '../../../../core/purchases/order-acts.ts';
import type { Refused } from '../../../../core/refusal.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { TextField } from '../../ui/form.tsx';
import type { Asked } from '../kit/act.tsx';
import { newFormId } from '../kit/once.ts';
import { orFail } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { NotNow, type SubjectVisit } from '../kit/subject-page.tsx';
import type { OrderTools } from './subject.tsx';
import { words } from './words.ts';

/** Returns the question of an act's page, or the reason why the act is not possible now. */
export async function askIfPossible(
  { orders }: Pick<OrderTools, 'orders'>,
  act: OrderAct,
  at: SubjectVisit<Order>,
  ask: () => Asked,
): Promise<Asked> {
  const { title } = words[act];
  const { acts, isLeftToOthers } = await orders.possible(at.one, sellerIn(at.visit));
  if (acts.includes(act)) return { title, ...ask() };
  return notNow(title, isLeftToOthers ? words.leftToOthers : words.notNow(words.states[at.one.state]), at);
}

/** Stands in the place of what an act would ask. */
export function notNow(title: string, why: string, { address }: SubjectVisit<Order>): Asked {
  return { title, instead: <NotNow why={why} back={address} name={words.toOrder} /> };
}

/** Settings of every act that pays money back. Each form has a hidden field `once`. */
export const payingBack = { isSensitive: true, initial: () => ({ once: newFormId() }) } as const;

/** Does the work of such a form once, however often it is sent. */
export async function workOnce<Reason extends string>(
  { once }: Pick<OrderTools, 'once'>,
  act: 'refund' | 'return',
  { one, visit, fields }: SubjectVisit<Order> & { readonly fields: { readonly once: string; readonly reason: string } },
  work: (id: string, seller: Seller) => Promise<Order | Refused<Reason>>,
) {
  return await once(`${visit.me.login.id}:${act}:${one.id}`, fields.once, async (request) =>
    orFail(await work(String(one.id), sellerIn(visit, fields.reason, request))),
  );
}

/** Asks for the reason of an act. */
export function ReasonField(): VNode {
  return <TextField name="reason" label={words.refund.reason} hint={words.refund.reasonHint} />;
}
