import { z } from 'zod';
import type { Order } from '../../../../../core/purchases/order.ts';
import { refundable } from '../../../../../core/purchases/payment.ts';
import { isRefused, refuse } from '../../../../../core/refusal.ts';
import type { Endpoint } from '../../../surface.ts';
import { ChoiceField, Form, HiddenField, TextField } from '../../../ui/form.tsx';
import { textOf } from '../../../ui/form-state.ts';
import { moneyOf, parseMoney } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { formId, oneOf, optional } from '../../fields.ts';
import { form } from '../../form.ts';
import { newFormId } from '../../once.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { orderPath } from '../order-link.tsx';
import { sellerIn } from '../selling-page.tsx';
import { ActFrame, ReasonField, reason } from './acts.tsx';
import { base, type OrderTools, orderIn } from './order-tools.ts';

const { sellingOrders: all } = texts;
const { refund: words } = all;

const fields = z.object({
  once: formId,
  how: oneOf(['full', 'part'], words.choose),
  amount: optional(20),
  reason,
});

/** Refunding an order, in full or in part. Asks for the password again, because the money is then gone. */
export function refundPages(tools: DashboardTools, own: OrderTools): Endpoint[] {
  return form(tools, {
    id: 'selling-order-refund',
    path: `${base}/:id/refund`,
    audience: 'user',
    isSensitive: true,
    fields,
    initial: () => ({ how: 'full', once: newFormId() }),
    async render(visit, state) {
      const order = await orderIn(own, visit);
      const { provider, agreed, payment } = order;
      const left = moneyOf(refundable(payment), payment.currency);
      return (
        <ActFrame visit={visit} order={order} act="refund">
          <p class="intro">
            {words.lead[provider]} {order.licenseKey !== null && words.license[agreed.terms.onRefund]}
          </p>
          <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${orderPath(order)}`} isDangerous>
            <HiddenField name="once" value={textOf(state, 'once')} />
            <ChoiceField
              state={state}
              name="how"
              type="radio"
              label={words.how}
              options={[
                ['full', words.full(left)],
                ['part', words.part],
              ]}
            />
            {/* The style sheet hides it while it is not needed. */}
            <div class="if-part">
              <TextField
                state={state}
                name="amount"
                label={words.amount(payment.currency.toUpperCase())}
                hint={words.amountHint(left)}
                inputmode="decimal"
              />
            </div>
            <ReasonField state={state} />
          </Form>
        </ActFrame>
      );
    },
    async act(visit, { once: id, how, amount: typed, reason }) {
      const order = await orderIn(own, visit);
      const amount = how === 'full' ? undefined : amountIn(typed, order);
      if (isRefused(amount)) return amount;
      const done = await own.once(`${visit.me.login.id}:refund:${order.id}`, id, async () =>
        orFail(await own.orders.refund(String(order.id), amount, sellerIn(visit, reason))),
      );
      if (done === 'already_sent') return goTo(orderPath(order), { notice: 'order_sent_before' });
      return isRefused(done) ? done : goTo(orderPath(order), { notice: 'order_refund' });
    },
    refusals: {
      wrong_amount: { field: 'amount', text: words.wrongAmount },
      refund_not_possible: { field: 'how', text: words.tooMuch },
      payment_act_not_allowed: { text: all.changedMeanwhile },
      order_changed: { text: all.changedMeanwhile },
    },
  });
}

function amountIn(typed: string, { payment }: Order) {
  const amount = parseMoney(typed, payment.currency);
  return amount === undefined || amount === 0 ? refuse('wrong_amount') : amount;
}
