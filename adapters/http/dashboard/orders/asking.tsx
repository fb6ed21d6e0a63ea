import type { VNode } from 'preact';
import { isBundle, isOutside, type Order } from '../../../../core/purchases/order.ts';
import type { OrderAct } from '../../../../core/purchases/order-acts.ts';
import type { Refused } from '../../../../core/refusal.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm, TextField } from '../../ui/form.tsx';
import type { Asked } from '../kit/act.tsx';
import { newFormId } from '../kit/once.ts';
import { orFail } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { NotNow, type SubjectVisit } from '../kit/subject-page.tsx';
import type { OrderTools } from './subject.tsx';
import { words } from './words.ts';

/** Each act on pages: the end of its path, and its button. */
export const actPages = {
  accept: { path: 'accept', look: 'primary' },
  pay: { path: 'paid', look: 'primary' },
  return: { path: 'return', look: 'danger' },
  refund: { path: 'refund', look: 'danger' },
  cancel: { path: 'cancel', look: 'danger' },
} as const satisfies Record<OrderAct, { readonly path: string; readonly look: 'primary' | 'danger' }>;

/** The buttons of an order, which lead to its acts. */
export function ActButtons({
  order,
  acts,
  address,
}: {
  readonly order: Order;
  /** Those that are possible. */
  readonly acts: readonly OrderAct[];
  /** The address of the order. */
  readonly address: string;
}): VNode {
  return (
    <div class="choices">
      {acts.map((act) => (
        <ButtonLink
          key={act}
          href={`${address}/${actPages[act].path}`}
          text={act === 'refund' && order.provider === 'usdc' ? words.refund.byHand : words[act].name}
          look={actPages[act].look}
        />
      ))}
      {isBundle(order) && acts.includes('refund') && (
        <ButtonLink href={`${address}/refund-products`} text={words.parts.refund} look="danger" />
      )}
      {isOutside(order.provider) && order.paymentId !== null && (
        <ButtonForm action={`${address}/look`} label={words.look} look="" />
      )}
    </div>
  );
}

/** What the page of an act asks, or why the act is not possible now. */
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

/** What the acts have in common that pay money back. Their forms have `once` as a hidden field. */
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
