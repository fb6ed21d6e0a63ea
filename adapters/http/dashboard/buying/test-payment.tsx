import type { VNode } from 'preact';
import { z } from 'zod';
import { parsePrice } from '../../../../core/marketplace/product.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { refundable } from '../../../../core/purchases/payment.ts';
import type { RecordedAct } from '../../../../core/purchases/recorded.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Form, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { moneyOf } from '../../ui/prices.ts';
import type { NoticeName } from '../../ui/texts/notices.ts';
import { texts } from '../../ui/texts.ts';
import { goTo } from '../answer.ts';
import { required } from '../fields.ts';
import { click, form } from '../form.ts';
import { orFail } from '../or-fail.ts';
import type { DashboardTools } from '../tools.ts';
import type { Visit } from '../visit.ts';
import { type BuyingTools, orderIn, pathOf } from './buying-tools.ts';
import { OrderFrame } from './order-frame.tsx';
import { StateTag } from './state-tag.tsx';

const { testPay: words } = texts.buying;

/** The acts of the bank that need no amount, with the messages after them. */
const acts = {
  pay: 'test_paid',
  decline: 'test_declined',
  dispute: 'test_disputed',
  win: 'test_won',
  lose: 'test_lost',
} as const satisfies Partial<Record<RecordedAct['kind'], NoticeName>>;
type Act = keyof typeof acts;

const notAllowed = {
  payment_act_not_allowed: words.changed,
  order_changed: words.changed,
  refund_not_possible: words.tooMuch,
} as const;

/** The page on which people play the bank for an order of the provider `test`. */
export function testPaymentPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const path = '/orders/:token/pay';
  return [
    ...form(tools, {
      id: 'test-payment',
      path,
      audience: 'anybody',
      fields: z.object({
        amount: required(20, words.noAmount).transform((text, context) => {
          const amount = parsePrice(text);
          if (amount !== undefined && amount > 0) return amount;
          context.addIssue(words.noAmount);
          return z.NEVER;
        }),
      }),
      async render(visit, state) {
        return <TestPayment visit={visit} order={await testOrderIn(own, visit)} state={state} />;
      },
      async act(visit, { amount }) {
        const order = await testOrderIn(own, visit);
        const played = orFail(await own.purchases.play(order.token, { kind: 'refund', amount }));
        return isRefused(played) ? played : goTo(pathOf(order), { notice: 'test_refunded' });
      },
      refusals: {
        payment_act_not_allowed: { text: words.changed },
        order_changed: { text: words.changed },
        refund_not_possible: { field: 'amount', text: words.tooMuch },
      },
    }),
    ...(Object.keys(acts) as Act[]).map((kind) =>
      click(tools, {
        id: `test-payment-${kind}`,
        path: `${path}/${kind}`,
        audience: 'anybody',
        async act(visit) {
          const order = await testOrderIn(own, visit);
          const played = orFail(await own.purchases.play(order.token, { kind }));
          if (isRefused(played)) return played;
          return goTo(kind === 'decline' ? `${pathOf(order)}/pay` : pathOf(order), { notice: acts[kind] });
        },
        refusals: notAllowed,
      }),
    ),
    click(tools, {
      id: 'test-payment-refund',
      path: `${path}/refund`,
      audience: 'anybody',
      async act(visit) {
        const order = await testOrderIn(own, visit);
        const amount = refundable(order.payment);
        const played = orFail(await own.purchases.play(order.token, { kind: 'refund', amount }));
        return isRefused(played) ? played : goTo(pathOf(order), { notice: 'test_refunded' });
      },
      refusals: notAllowed,
    }),
  ];
}

/** The order in the path, if it is paid with play money. Throws `not_found`. */
async function testOrderIn(own: BuyingTools, visit: Visit): Promise<Order> {
  const order = await orderIn(own, visit);
  if (order.provider !== 'test') throw new Failure('not_found');
  return order;
}

function TestPayment({
  visit,
  order,
  state,
}: {
  readonly visit: Visit;
  readonly order: Order;
  readonly state: FormState;
}): VNode {
  const { root } = visit.frame;
  const { payment } = order;
  const { status, dispute, total, currency } = payment;
  const address = `${root}${pathOf(order)}`;
  const left = refundable(payment);
  const isPaid = status === 'paid';
  return (
    <OrderFrame visit={visit} order={order} title={words.title}>
      <p class="note">{words.warning}</p>
      <section class="panel">
        <p class="pay-sum">
          <strong dir="auto">{order.agreed.title}</strong> <StateTag order={order} />
        </p>
        <p class="price">{moneyOf(total, currency)}</p>
        {!isPaid && (
          <div class="choices">
            <Play address={address} act="pay" label={words.pay(moneyOf(total, currency))} style="primary" />
            <Play address={address} act="decline" label={words.decline} />
          </div>
        )}
        {isPaid && (
          <div class="choices">
            {left > 0 && (
              <Play address={address} act="refund" label={words.refundAll(moneyOf(left, currency))} style="danger" />
            )}
            {dispute === null && <Play address={address} act="dispute" label={words.dispute} style="danger" />}
            {dispute === 'open' && (
              <>
                <Play address={address} act="win" label={words.win} />
                <Play address={address} act="lose" label={words.lose} style="danger" />
              </>
            )}
            {left === 0 && dispute !== null && dispute !== 'open' && <p class="faint">{words.nothing}</p>}
          </div>
        )}
      </section>
      {isPaid && left > 0 && (
        <section class="panel">
          <h2>{words.refundTitle}</h2>
          <Form state={state} submit={words.refundPart}>
            <TextField state={state} name="amount" label={words.refundAmount} inputmode="decimal" />
          </Form>
        </section>
      )}
      <p class="choices">
        <a class="button" href={address}>
          {words.back}
        </a>
      </p>
    </OrderFrame>
  );
}

/** A button with which one plays the bank. */
function Play({
  address,
  act,
  label,
  style,
}: {
  readonly address: string;
  readonly act: Act | 'refund';
  readonly label: string;
  readonly style?: 'primary' | 'danger';
}): VNode {
  return (
    <form method="post" action={`${address}/pay/${act}`} class="inline">
      <button type="submit" class={style === undefined ? 'button' : `button ${style}`}>
        {label}
      </button>
    </form>
  );
}
