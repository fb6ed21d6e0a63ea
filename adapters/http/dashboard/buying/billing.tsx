import { z } from 'zod';
import { correctableUntil } from '../../../../core/purchases/billing.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Form } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../kit/answer.ts';
import { BillingFields, billingFields, billingRefusals, billingValues, typedBilling } from '../kit/billing-fields.tsx';
import { form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';

/** The words about the company that buys. */
export const billingWords = {
  question: 'Buying for a company?',
  lead: 'Its name, address and tax ID are on the invoice. You can also add them later, on the page of your order.',
  title: 'Details on the invoice',
  add: 'Add your company to the invoice',
  change: 'Change the details',
  until: 'You can change them until',
  afterwards: 'The invoice keeps its number, and says when it was corrected.',
  save: 'Save',
  late: 'The details cannot be changed any more. Ask the seller.',
} as const;
const names = billingWords;

/** The form on which the buyer of an order adds or corrects who is named on the invoice. */
export function billingPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return form(tools, {
    id: 'order-billing',
    path: '/orders/:token/billing',
    audience: 'anybody',
    fields: z.object(billingFields),
    async initial(visit) {
      return billingValues((await orderIn(own, visit)).billing);
    },
    async render(visit, state) {
      const order = await orderIn(own, visit);
      const until = correctableUntil(order, tools.clock.now());
      if (until === undefined) throw new Failure('not_found');
      return (
        <OrderFrame visit={visit} order={order} title={names.title}>
          {until !== 'until_paid' && (
            <p class="intro">
              {names.until} <Time at={until} />. {names.afterwards}
            </p>
          )}
          <Form state={state} submit={names.save} cancel={`${visit.frame.root}${pathOf(order)}`}>
            <BillingFields />
          </Form>
        </OrderFrame>
      );
    },
    async act(visit, typed) {
      const order = await orderIn(own, visit);
      const details = typedBilling(typed);
      if (details === undefined) return refuse('name_missing');
      const after = await own.billing.correct(order, details);
      if (isRefused(after)) return after;
      const isInvoiced = after.number !== null;
      return goTo(isInvoiced ? `${pathOf(after)}/invoice` : pathOf(after), { notice: 'billing_saved' });
    },
    refusals: {
      ...billingRefusals,
      not_correctable: { text: names.late },
      order_not_found: { text: names.late },
    },
  });
}
