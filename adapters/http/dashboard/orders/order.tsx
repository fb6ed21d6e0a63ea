import type { ComponentChildren, VNode } from 'preact';
import type { Event } from '../../../../core/events/event.ts';
import { invoiceNumberOf } from '../../../../core/invoices/invoice.ts';
import { listPriceOf } from '../../../../core/purchases/discounted.ts';
import {
  effectOf,
  isAnyTakenBack,
  isBundle,
  licenseOf,
  type Order,
  orderStates,
  titleOf,
} from '../../../../core/purchases/order.ts';
import { disputeStates, refundable, refundedByHandOf } from '../../../../core/purchases/payment.ts';
import { referenceOf } from '../../../../core/purchases/reference.ts';
import type { Endpoint } from '../../surface.ts';
import { placePath } from '../../ui/area-page.tsx';
import { CouponText } from '../../ui/coupon-text.tsx';
import { type Fact, Facts } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { Details, History } from '../kit/history.tsx';
import type { DashboardTools } from '../kit/page.ts';
import { ownerLink, ownersOf } from '../kit/people.tsx';
import { sellerIn } from '../kit/selling.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { ActButtons } from './act-buttons.tsx';
import { orderActPages } from './acts.tsx';
import { AgreedPart } from './agreed-part.tsx';
import { claimPages } from './claims.tsx';
import { CustomerLink, customerLists } from './customer-list.tsx';
import { HeldPart } from './held-part.tsx';
import { sellerInvoicePages } from './invoice.tsx';
import { orderLists } from './list.tsx';
import { PartsPart } from './parts-part.tsx';
import { revenuePage } from './revenue.tsx';
import { OrderTag, type OrderTools, orderSubject } from './subject.tsx';
import { subscriptionLists } from './subscription-list.tsx';
import { SubscriptionPart, subscriptionActs, subscriptionDetails } from './subscription-part.tsx';
import { UsdcPart } from './usdc-part.tsx';
import { words } from './words.ts';

/** The pages about orders, for sellers and administrators. If two paths match a request, the first one answers it. */
export function orderPages(tools: DashboardTools, own: OrderTools): Endpoint[] {
  const order = orderSubject(own);
  return [
    ...orderLists(tools, own),
    ...subscriptionLists(tools, own),
    ...customerLists(tools, own.customers),
    ...claimPages(tools, own),
    revenuePage(tools, own),
    orderPage(tools, order, own),
    ...orderActPages(tools, order, own),
    ...sellerInvoicePages(tools, order, own.print),
    ...subscriptionActs(tools, order, own),
  ];
}

const { history: names } = words;

/** One order, with everything that a seller or an administrator sees and does. */
function orderPage(tools: DashboardTools, order: Subject<Order>, own: OrderTools): Endpoint {
  return subjectPage(tools, order, {
    id: 'selling-order',
    async show({ one, visit, root, address }) {
      const [history, payments, parts, usdc, { acts, isLeftToOthers }] = await Promise.all([
        own.list.history(one, sellerIn(visit)),
        one.subscription === null ? [] : own.subscriptions.payments(one),
        own.list.partsOf([one]),
        own.usdc.show(one),
        own.orders.possible(one, sellerIn(visit)),
      ]);
      const { sellerId } = one;
      const isOwn = sellerId === visit.me.login.id;
      const seller = isOwn ? undefined : ownerLink(root, sellerId, await ownersOf(own.accounts, [sellerId]));
      return {
        scripts: ['copy.js'],
        tags: <OrderTag order={one} />,
        actions: (
          // If nothing has come, there is nothing to send back.
          <ActButtons
            order={one}
            acts={acts.filter((act) => act !== 'return' || usdc?.transfers.length !== 0)}
            address={address}
          />
        ),
        children: (
          <>
            <p class="intro" dir="auto">
              {inShort(one)}
            </p>
            <State order={one} parts={parts} isLeftToOthers={isLeftToOthers} />
            {one.state === 'held' && <HeldPart order={one} isDecided={acts.includes('accept')} />}
            <SubscriptionPart order={one} payments={payments} root={root} address={address} />
            <PartsPart parts={parts} root={root} />
            <div class="boards">
              <PaymentFacts order={one} address={address} />
              <SaleFacts order={one} root={root} seller={seller} />
            </div>
            {usdc && <UsdcPart usdc={usdc} order={one} root={root} address={address} />}
            <AgreedPart order={one} parts={parts} root={root} />
            {history.length > 0 && (
              <section id="history">
                <PartHead title={names.title} />
                <History words={names} entries={history} me={visit.me.login.email} details={detailsOf} />
              </section>
            )}
          </>
        ),
      };
    },
  });
}

/** What was sold to whom, and for how much. */
function inShort({ agreed, payment: { total, currency }, buyer }: Order): string {
  return [total === 0 ? words.free : moneyOf(total, currency), titleOf(agreed), buyer.name ?? buyer.email].join(' · ');
}

function State({
  order,
  parts,
  isLeftToOthers,
}: {
  readonly order: Order;
  readonly parts: readonly Order[];
  readonly isLeftToOthers: boolean;
}): VNode {
  const { state } = order;
  const effect = effectOf(order);
  const isClear = state === 'paid' || state === 'partly_refunded';
  return (
    <section class="panel state">
      <p>
        {/* The licenses of a bundle can do different things. Their rows say it. */}
        {isAnyTakenBack(order, parts) ? words.takenBack : words.meaning[state]}{' '}
        {!isClear && !isBundle(order) && words.effects[effect]}
      </p>
      {isLeftToOthers && <p>{words.leftToOthers}</p>}
      {state === 'disputed' && <p>{words.answerDispute}</p>}
    </section>
  );
}

/** How the order was after the change. Facts that it does not have are left out. */
function detailsOf({ data, reason }: Event): VNode {
  const currency = String(data.currency ?? 'usd');
  const money = (value: Event['data'][string] | undefined) =>
    typeof value === 'number' && value > 0 ? moneyOf(value, currency) : undefined;
  const state = orderStates.find((one) => one === data.state);
  const dispute = disputeStates.find((one) => one === data.dispute);
  const facts = [
    [names.state, state && words.states[state]],
    [names.total, money(data.total)],
    [names.refunded, money(data.refunded)],
    [names.amount, money(data.amount)],
    [names.usdc, data.usdc === undefined ? undefined : String(data.usdc)],
    [names.dispute, dispute && words.disputes[dispute]],
    ...subscriptionDetails(data),
    [names.reason, reason ?? undefined],
  ] as const;
  return <Details facts={facts} />;
}

/** How the order is paid. */
function PaymentFacts({ order, address }: { readonly order: Order; readonly address: string }): VNode {
  const { payment, agreed, provider, paymentId, number, createdAt, paidAt } = order;
  const { payment: names } = words;
  const money = (amount: number) => moneyOf(amount, payment.currency);
  const left = refundable(payment);
  const isPaid = payment.status === 'paid';
  const byHand = refundedByHandOf(payment);
  const facts: (Fact | false)[] = [
    agreed.suggested !== undefined && [names.suggested, moneyOf(agreed.suggested, agreed.currency)],
    agreed.discount !== undefined && [names.listPrice, moneyOf(listPriceOf(agreed), agreed.currency)],
    agreed.discount !== undefined && [
      names.coupon,
      <CouponText key="coupon" discount={agreed.discount} currency={agreed.currency} />,
    ],
    [names.price, agreed.price === 0 ? words.free : moneyOf(agreed.price, agreed.currency)],
    payment.total > 0 && [isPaid ? names.total : names.toPay, money(payment.total)],
    payment.refunded > 0 && [names.refunded, money(payment.refunded)],
    provider === 'usdc' && byHand > 0 && [names.byHand, money(byHand)],
    payment.refundsPending > 0 && [names.pending, money(payment.refundsPending)],
    left > 0 && [names.left, money(left)],
    payment.dispute !== null && [names.dispute, words.disputes[payment.dispute]],
    [names.provider, words.providers[provider]],
    paymentId !== null && [names.id, <CopiedText key="payment" id="payment" text={paymentId} />],
    number !== null && [
      names.receiptNumber,
      <a key="invoice" href={`${address}/invoice`}>
        {invoiceNumberOf(order)}
      </a>,
    ],
    provider === 'manual' && [names.reference, <CopiedText key="reference" id="reference" text={referenceOf(order)} />],
    [names.made, <Time key="made" at={createdAt} />],
    paidAt !== null && [names.at, <Time key="paid" at={paidAt} />],
  ];
  return (
    <section class="panel">
      <h2>{names.title}</h2>
      <Facts facts={facts} />
    </section>
  );
}

/** Who bought it, and the license. */
function SaleFacts({
  order,
  root,
  seller,
}: {
  readonly order: Order;
  readonly root: string;
  /** The seller, if it is not the reader. */
  readonly seller: ComponentChildren;
}): VNode {
  const { sale: names } = words;
  const { buyer, renews, isLive } = order;
  const key = licenseOf(order);
  const licenses = `${root}${placePath({ area: 'selling', at: 'licenses' }, isLive ? 'live' : 'test')}`;
  return (
    <section class="panel">
      <h2>{names.title}</h2>
      <Facts
        facts={[
          [
            names.buyer,
            <span key="buyer" class="breakable holder">
              {buyer.name !== null && <span dir="auto">{buyer.name}</span>}
              <a href={`mailto:${buyer.email}`} class={buyer.name === null ? undefined : 'under'}>
                {buyer.email}
              </a>
            </span>,
          ],
          [names.customer, <CustomerLink key="customer" order={order} root={root} isOwn={seller === undefined} />],
          [names.account, buyer.userId === null ? names.guest : names.member],
          !isBundle(order) && [
            renews === null ? names.license : names.renews,
            key === null ? (
              names.noLicense
            ) : (
              <CopiedText key="license" id="license" text={key} href={`${licenses}/${key}`} />
            ),
          ],
          seller !== undefined && [names.seller, seller],
        ]}
      />
    </section>
  );
}
