import type { VNode } from 'preact';
import { z } from 'zod';
import type { Order } from '../../../../core/purchases/order.ts';
import { refundable } from '../../../../core/purchases/payment.ts';
import type { RecordedAct } from '../../../../core/purchases/recorded.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink, type Look } from '../../ui/button-link.tsx';
import { ButtonForm, Form, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import type { NoticeName } from '../../ui/notices.ts';
import { moneyOf, parseMoney } from '../../ui/prices.ts';
import { goTo } from '../kit/answer.ts';
import { required } from '../kit/fields.ts';
import { click, form } from '../kit/form.ts';
import { type DashboardTools, orFail, type Visit } from '../kit/page.ts';
import { type BuyingTools, OrderFrame, orderIn, pathOf, StateTag } from './frame.tsx';
import { words } from './words.ts';

const { testPay: names } = words;

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
  payment_act_not_allowed: names.changed,
  order_changed: names.changed,
  refund_not_possible: names.tooMuch,
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
        amount: required(20, names.noAmount),
      }),
      async render(visit, state) {
        return testPayment(visit, await testOrderIn(own, visit), state);
      },
      async act(visit, { amount }) {
        const order = await testOrderIn(own, visit);
        const sum = parseMoney(amount, order.payment.currency);
        if (sum === undefined || sum === 0) return refuse('no_amount');
        const played = orFail(await own.purchases.play(order.token, { kind: 'refund', amount: sum }));
        return isRefused(played) ? played : goTo(pathOf(order), { notice: 'test_refunded' });
      },
      refusals: {
        no_amount: { field: 'amount', text: names.noAmount },
        payment_act_not_allowed: { text: names.changed },
        order_changed: { text: names.changed },
        refund_not_possible: { field: 'amount', text: names.tooMuch },
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

function testPayment(visit: Visit, order: Order, state: FormState): VNode {
  const { root } = visit.frame;
  const { payment } = order;
  const { status, dispute, total, currency } = payment;
  const address = `${root}${pathOf(order)}`;
  const left = refundable(payment);
  const isPaid = status === 'paid';
  return (
    <OrderFrame visit={visit} order={order} title={names.title}>
      <p class="note">{names.warning}</p>
      <section class="panel">
        <p class="pay-sum">
          <strong dir="auto">{order.agreed.title}</strong> <StateTag order={order} />
        </p>
        <p class="price">{moneyOf(total, currency)}</p>
        {!isPaid && (
          <div class="choices">
            <Play address={address} act="pay" label={names.pay(moneyOf(total, currency))} look="primary" />
            <Play address={address} act="decline" label={names.decline} />
          </div>
        )}
        {isPaid && (
          <div class="choices">
            {left > 0 && (
              <Play address={address} act="refund" label={names.refundAll(moneyOf(left, currency))} look="danger" />
            )}
            {dispute === null && <Play address={address} act="dispute" label={names.dispute} look="danger" />}
            {dispute === 'open' && (
              <>
                <Play address={address} act="win" label={names.win} />
                <Play address={address} act="lose" label={names.lose} look="danger" />
              </>
            )}
            {left === 0 && dispute !== null && dispute !== 'open' && <p class="faint">{names.nothing}</p>}
          </div>
        )}
      </section>
      {isPaid && left > 0 && (
        <section class="panel">
          <h2>{names.refundTitle}</h2>
          <Form state={state} submit={names.refundPart}>
            <TextField name="amount" label={names.refundAmount} inputmode="decimal" />
          </Form>
        </section>
      )}
      <p class="choices">
        <ButtonLink href={address} text={names.back} />
      </p>
    </OrderFrame>
  );
}

/** A button with which one plays the bank. */
interface Played {
  readonly address: string;
  readonly act: Act | 'refund';
  readonly label: string;
  readonly look?: Look;
}

function Play({ address, act, ...more }: Played): VNode {
  return <ButtonForm look="" {...more} action={`${address}/pay/${act}`} />;
}
