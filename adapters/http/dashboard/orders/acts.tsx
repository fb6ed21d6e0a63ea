import { z } from 'zod';
import { parseId, toOrderId } from '../../../../core/id.ts';
import { isBundle, type Order, titleOf } from '../../../../core/purchases/order.ts';
import { type PlainOrderAct, plainOrderActs } from '../../../../core/purchases/order-acts.ts';
import { isRefunding } from '../../../../core/purchases/parts.ts';
import { refundable } from '../../../../core/purchases/payment.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, HiddenField, TextField } from '../../ui/form.tsx';
import type { NoticeName } from '../../ui/notices.ts';
import { moneyOf, parseMoney } from '../../ui/prices.ts';
import { type Asked, act, actAtOnce } from '../kit/act.tsx';
import { formId, oneOf, optional, reason, textsOf } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject, SubjectVisit } from '../kit/subject-page.tsx';
import { actPages } from './act-buttons.tsx';
import { askIfPossible, payingBack, ReasonField, workOnce } from './asking.tsx';
import { returnActs } from './return-acts.tsx';
import type { OrderTools } from './subject.tsx';
import { words } from './words.ts';

const { refund, parts: names } = words;
const changed = { text: words.changedMeanwhile };
const refusals = {
  payment_act_not_allowed: changed,
  refund_not_possible: changed,
  order_changed: changed,
  not_held: changed,
  not_recorder: { text: words.leftToOthers },
};

/** The question before each act that needs only the order. */
const leads = {
  pay: (one) => words.pay.lead(totalOf(one)),
  cancel: () => words.cancel.lead,
  accept: (one) => words.accept.lead(totalOf(one), moneyOf(one.agreed.price, one.agreed.currency)),
} as const satisfies Record<PlainOrderAct, (order: Order) => string>;

/** The acts on an order: accept or record its payment, refund it, cancel it, and ask the provider again. */
export function orderActPages(tools: DashboardTools, order: Subject<Order>, own: OrderTools): Endpoint[] {
  const { orders } = own;
  return [
    ...act(tools, order, {
      id: 'selling-order-refund',
      name: 'refund',
      // The money is then gone.
      ...payingBack,
      fields: z.object({ once: formId, how: oneOf(['full', 'part'], refund.choose), amount: optional(20), reason }),
      initial: () => ({ ...payingBack.initial(), how: 'full' }),
      ask: (at) => askIfPossible(own, 'refund', at, () => askRefund(at)),
      async work(sent) {
        const { how, amount: typed } = sent.fields;
        const amount = how === 'full' ? undefined : amountIn(typed, sent.one);
        if (isRefused(amount)) return amount;
        return await workOnce(own, 'refund', sent, (id, seller) => orders.refund(id, amount, seller));
      },
      notice: refundNotice,
      refusals: {
        ...refusals,
        wrong_amount: { field: 'amount', text: refund.wrongAmount },
        refund_not_possible: { field: 'how', text: refund.tooMuch },
      },
    }),
    ...returnActs(tools, order, own),
    ...act(tools, order, {
      id: 'selling-order-refund-products',
      name: 'refund-products',
      ...payingBack,
      fields: z.object({ once: formId, parts: textsOf(names.choose), reason }),
      async ask(at) {
        const parts = await own.list.partsOf([at.one]);
        return await askIfPossible(own, 'refund', at, () => askRefundOfParts(at.one, parts));
      },
      work: (sent) =>
        workOnce(own, 'refund', sent, (id, seller) => {
          const parts = sent.fields.parts.flatMap((text) => parseId(text, toOrderId) ?? []);
          return orders.refundParts(id, parts, seller);
        }),
      notice: refundNotice,
      refusals: {
        ...refusals,
        part_not_found: { field: 'parts', text: names.choose },
        refund_not_possible: { field: 'parts', text: ({ detail }) => detail ?? words.changedMeanwhile },
      },
    }),
    ...plainOrderActs.flatMap((name) =>
      act(tools, order, {
        id: `selling-order-${actPages[name].path}`,
        name: actPages[name].path,
        fields: z.object({ reason }),
        ask: (at) =>
          askIfPossible(own, name, at, () => ({
            lead: leads[name](at.one),
            fields: <ReasonField />,
            submit: words[name].submit,
            isDangerous: name === 'cancel',
          })),
        work: ({ one, visit, fields: { reason } }) => orders[name](String(one.id), sellerIn(visit, reason)),
        notice: `order_${actPages[name].path}`,
        refusals,
      }),
    ),
    actAtOnce(tools, order, {
      id: 'selling-order-look',
      name: 'look',
      work: ({ one, visit }) => orders.look(String(one.id), sellerIn(visit)),
      notice: 'order_look',
      refusals: {},
    }),
  ];
}

function refundNotice(done: object | 'already_sent'): NoticeName {
  return done === 'already_sent' ? 'order_sent_before' : 'order_refund';
}

function askRefund({ one }: SubjectVisit<Order>): Asked {
  const { provider, agreed, payment, licenseKey, renews } = one;
  const effect = isBundle(one) ? refund.bundle : licenseKey === null ? '' : refund.license[agreed.terms.onRefund];
  const left = moneyOf(refundable(payment), payment.currency);
  return {
    title: provider === 'usdc' ? refund.byHand : refund.title,
    lead: `${refund.lead[provider]} ${renews === null || agreed.terms.onRefund === 'keep' ? effect : refund.renewal}`,
    fields: (
      <>
        <HiddenField name="once" />
        <ChoiceField
          name="how"
          type="radio"
          label={refund.how}
          options={[
            ['full', refund.full(left)],
            ['part', refund.part],
          ]}
        />
        {/* The style sheet hides it while it is not needed. */}
        <div class="if-part">
          <TextField
            name="amount"
            label={refund.amount(payment.currency.toUpperCase())}
            hint={refund.amountHint(left)}
            inputmode="decimal"
          />
        </div>
        <ReasonField />
      </>
    ),
    submit: provider === 'usdc' ? refund.record : refund.submit,
    isDangerous: true,
  };
}

/** Asks which products of a bundle to refund: those of which something is left. */
function askRefundOfParts(one: Order, parts: readonly Order[]): Asked {
  const open = parts.filter((part) => !isRefunding(one.payment, part.productId) && refundable(part.payment) > 0);
  return {
    title: names.refundTitle,
    lead: `${refund.lead[one.provider]} ${names.refundLead}`,
    fields: (
      <>
        <HiddenField name="once" />
        <ChoiceField
          name="parts"
          type="checkbox"
          label={names.which}
          options={open.map((part) => [
            String(part.id),
            names.option(titleOf(part.agreed), moneyOf(refundable(part.payment), part.payment.currency)),
          ])}
        />
        <ReasonField />
      </>
    ),
    submit: refund.submit,
    isDangerous: true,
  };
}

function amountIn(typed: string, { payment }: Order) {
  const amount = parseMoney(typed, payment.currency);
  return amount === undefined || amount === 0 ? refuse('wrong_amount') : amount;
}

function totalOf({ payment }: Order): string {
  return moneyOf(payment.total, payment.currency);
}
