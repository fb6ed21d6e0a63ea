import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { longestReason } from '../../../../../core/licensing/transitions.ts';
import type { Order } from '../../../../../core/purchases/order.ts';
import { isRefused, type Refused } from '../../../../../core/refusal.ts';
import type { Seller } from '../../../../../core/selling/seller.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form, TextField } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { moneyOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { optional } from '../../fields.ts';
import { click, form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import { actorOf } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { orderPath } from '../order-link.tsx';
import { sellerIn } from '../selling-page.tsx';
import { isPossible, type OrderAct } from './acts-of.ts';
import { OrderFrame } from './order-frame.tsx';
import { base, type OrderTools, orderIn } from './order-tools.ts';

const { sellingOrders: words } = texts;

export const reason = optional(longestReason);

/** The acts on an order that have a page of their own, except refunds. Each asks for the reason. */
export function orderActPages(tools: DashboardTools, own: OrderTools): Endpoint[] {
  const { orders } = own;
  const pages = (act: Exclude<OrderAct, 'refund'>, lead: (order: Order) => string, work: Work) =>
    form(tools, {
      id: `selling-order-${act}`,
      path: `${base}/:id/${act}`,
      audience: 'user',
      fields: z.object({ reason }),
      async render(visit, state) {
        const order = await orderIn(own, visit);
        return (
          <ActFrame visit={visit} order={order} act={act}>
            <p class="intro">{lead(order)}</p>
            <Form
              state={state}
              submit={words[act].submit}
              cancel={`${visit.frame.root}${orderPath(order)}`}
              isDangerous={act === 'cancel'}
            >
              <ReasonField state={state} />
            </Form>
          </ActFrame>
        );
      },
      async act(visit, { reason }) {
        const order = orFail(await work(visit.params.id ?? '', sellerIn(visit, reason)));
        return isRefused(order) ? order : goTo(orderPath(order), { notice: `order_${act}` });
      },
      refusals: {
        payment_act_not_allowed: { text: words.changedMeanwhile },
        refund_not_possible: { text: words.changedMeanwhile },
        order_changed: { text: words.changedMeanwhile },
        not_held: { text: words.changedMeanwhile },
      },
    });
  const total = ({ payment }: Order) => moneyOf(payment.total, payment.currency);
  return [
    ...pages(
      'paid',
      (order) => words.paid.lead(total(order)),
      (id, seller) => orders.record(id, { kind: 'pay' }, seller),
    ),
    ...pages(
      'cancel',
      () => words.cancel.lead,
      (id, seller) => orders.record(id, { kind: 'cancel' }, seller),
    ),
    ...pages(
      'accept',
      (order) => words.accept.lead(total(order), moneyOf(order.agreed.price, order.agreed.currency)),
      (id, seller) => orders.accept(id, seller),
    ),
    click(tools, {
      id: 'selling-order-look',
      path: `${base}/:id/look`,
      audience: 'user',
      async act(visit) {
        const order = orFail(await orders.look(visit.params.id ?? '', sellerIn(visit)));
        return goTo(orderPath(order), { notice: 'order_look' });
      },
      refusals: {},
    }),
  ];
}

type Work = (
  id: string,
  seller: Seller,
) => Promise<
  | Order
  | Refused<
      'order_not_found' | 'forbidden' | 'payment_act_not_allowed' | 'refund_not_possible' | 'order_changed' | 'not_held'
    >
>;

/** The page of an act. If the act is not possible now, it says so, and shows no form. */
export function ActFrame({
  visit,
  order,
  act,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly order: Order;
  readonly act: OrderAct;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <OrderFrame visit={visit} of={order} title={words[act].title}>
      {isPossible(act, order, actorOf(visit)) ? (
        children
      ) : (
        <>
          <p class="note">{words.notNow(words.states[order.state])}</p>
          <p class="choices">
            <a class="button" href={`${visit.frame.root}${orderPath(order)}`}>
              {words.toOrder}
            </a>
          </p>
        </>
      )}
    </OrderFrame>
  );
}

export function ReasonField({ state }: { readonly state: FormState }): VNode {
  return <TextField state={state} name="reason" label={words.refund.reason} hint={words.refund.reasonHint} />;
}
