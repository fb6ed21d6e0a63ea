import type { VNode } from 'preact';
import { z } from 'zod';
import { parseId, toOrderId } from '../../../../core/id.ts';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import { isBundle, type Order, titleOf } from '../../../../core/purchases/order.ts';
import { isRefunding } from '../../../../core/purchases/parts.ts';
import { refundable } from '../../../../core/purchases/payment.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { Orders } from '../../../../core/selling/orders.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, HiddenField, TextField } from '../../ui/form.tsx';
import { moneyOf, parseMoney } from '../../ui/prices.ts';
import { type Asked, act, actAtOnce } from '../kit/act.tsx';
import { formId, oneOf, optional, textsOf } from '../kit/fields.ts';
import { newFormId } from '../kit/once.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { NotNow, type Subject, type SubjectVisit } from '../kit/subject-page.tsx';
import { returnActs } from './return-acts.tsx';
import { isLeftToOthers, isPossible, type OrderAct, type OrderTools, readerOf } from './subject.tsx';
import { words } from './words.ts';

const { refund, parts: names } = words;
const reason = optional(longestReason);
const changed = { text: words.changedMeanwhile };
const refusals = {
  payment_act_not_allowed: changed,
  refund_not_possible: changed,
  order_changed: changed,
  not_held: changed,
  not_recorder: { text: words.leftToOthers },
};

/** The acts on an order: accept or record its payment, refund it, cancel it, and ask the provider again. */
export function orderActs(tools: DashboardTools, order: Subject<Order>, own: OrderTools): Endpoint[] {
  const { orders } = own;

  /** What a page asks, or why the act is not possible now. */
  async function question(
    act: OrderAct,
    { one, visit, address }: SubjectVisit<Order>,
    ask: () => Asked,
  ): Promise<Asked> {
    const reader = await readerOf(own, visit, one);
    if (isPossible(act, one, reader)) return ask();
    const why = isLeftToOthers(one, reader) ? words.leftToOthers : words.notNow(words.states[one.state]);
    return { title: words[act].title, instead: <NotNow why={why} back={address} name={words.toOrder} /> };
  }

  const simple = (
    name: Exclude<OrderAct, 'refund' | 'return'>,
    lead: (order: Order) => string,
    work: (id: string, seller: Seller) => ReturnType<Orders['record' | 'accept']>,
  ) =>
    act(tools, order, {
      id: `selling-order-${name}`,
      name,
      fields: z.object({ reason }),
      ask: (at) =>
        question(name, at, () => ({
          title: words[name].title,
          lead: lead(at.one),
          fields: <ReasonField />,
          submit: words[name].submit,
          isDangerous: name === 'cancel',
        })),
      work: ({ one, visit, fields: { reason } }) => work(String(one.id), sellerIn(visit, reason)),
      notice: `order_${name}`,
      refusals,
    });

  const total = ({ payment }: Order) => moneyOf(payment.total, payment.currency);
  return [
    ...act(tools, order, {
      id: 'selling-order-refund',
      name: 'refund',
      // The money is then gone.
      isSensitive: true,
      fields: z.object({ once: formId, how: oneOf(['full', 'part'], refund.choose), amount: optional(20), reason }),
      initial: () => ({ how: 'full', once: newFormId() }),
      ask: (at) => question('refund', at, () => askRefund(at)),
      async work({ one, visit, fields: { once: id, how, amount: typed, reason } }) {
        const amount = how === 'full' ? undefined : amountIn(typed, one);
        if (isRefused(amount)) return amount;
        return await own.once(`${visit.me.login.id}:refund:${one.id}`, id, async (request) =>
          orFail(await orders.refund(String(one.id), amount, sellerIn(visit, reason, request))),
        );
      },
      notice: (done) => (done === 'already_sent' ? 'order_sent_before' : 'order_refund'),
      refusals: {
        ...refusals,
        wrong_amount: { field: 'amount', text: refund.wrongAmount },
        refund_not_possible: { field: 'how', text: refund.tooMuch },
      },
    }),
    ...returnActs(tools, order, own, question),
    ...act(tools, order, {
      id: 'selling-order-refund-products',
      name: 'refund-products',
      isSensitive: true,
      fields: z.object({ once: formId, parts: textsOf(names.choose), reason }),
      initial: () => ({ once: newFormId() }),
      async ask(at) {
        const parts = await own.list.partsOf([at.one]);
        return await question('refund', at, () => askRefundOfParts(at.one, parts));
      },
      async work({ one, visit, fields: { once: id, parts, reason } }) {
        const ids = parts.flatMap((text) => parseId(text, toOrderId) ?? []);
        return await own.once(`${visit.me.login.id}:refund:${one.id}`, id, async (request) =>
          orFail(await orders.refundParts(String(one.id), ids, sellerIn(visit, reason, request))),
        );
      },
      notice: (done) => (done === 'already_sent' ? 'order_sent_before' : 'order_refund'),
      refusals: {
        ...refusals,
        part_not_found: { field: 'parts', text: names.choose },
        refund_not_possible: { field: 'parts', text: ({ detail }) => detail ?? words.changedMeanwhile },
      },
    }),
    ...simple(
      'paid',
      (one) => words.paid.lead(total(one)),
      (id, seller) => orders.record(id, { kind: 'pay' }, seller),
    ),
    ...simple(
      'cancel',
      () => words.cancel.lead,
      (id, seller) => orders.record(id, { kind: 'cancel' }, seller),
    ),
    ...simple(
      'accept',
      (one) => words.accept.lead(total(one), moneyOf(one.agreed.price, one.agreed.currency)),
      (id, seller) => orders.accept(id, seller),
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

function ReasonField(): VNode {
  return <TextField name="reason" label={refund.reason} hint={refund.reasonHint} />;
}
