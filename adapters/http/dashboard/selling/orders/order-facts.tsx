import type { ComponentChildren, VNode } from 'preact';
import type { Order } from '../../../../../core/purchases/order.ts';
import { refundable } from '../../../../../core/purchases/payment.ts';
import { areas } from '../../../ui/area-page.tsx';
import { CopiedText } from '../../../ui/copied-text.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { List } from '../../../ui/list.tsx';
import { moneyOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { termFacts } from '../products/product-facts.tsx';

const { sellingOrders: words } = texts;

/** How the order is paid. */
export function PaymentFacts({ order }: { readonly order: Order }): VNode {
  const { payment, agreed, provider, paymentId, number, createdAt, paidAt } = order;
  const { payment: names } = words;
  const money = (amount: number) => moneyOf(amount, payment.currency);
  const left = refundable(payment);
  const isPaid = payment.status === 'paid';
  const facts: (readonly [string, ComponentChildren, boolean])[] = [
    [names.price, agreed.price === 0 ? words.free : moneyOf(agreed.price, agreed.currency), true],
    [isPaid ? names.total : names.toPay, money(payment.total), payment.total > 0],
    [names.refunded, money(payment.refunded), payment.refunded > 0],
    [names.pending, money(payment.refundsPending), payment.refundsPending > 0],
    [names.left, money(left), left > 0],
    [names.dispute, payment.dispute && words.disputes[payment.dispute], payment.dispute !== null],
    [names.provider, words.providers[provider], true],
    [names.id, paymentId && <CopiedText key="payment" id="payment" text={paymentId} />, paymentId !== null],
    [names.invoice, number, number !== null],
    [names.made, <Time key="made" at={createdAt} />, true],
    [names.at, paidAt !== null && <Time key="paid" at={paidAt} />, paidAt !== null],
  ];
  return (
    <section class="panel">
      <h2>{names.title}</h2>
      <Facts facts={facts.flatMap(([name, value, isKnown]): Fact[] => (isKnown ? [[name, value]] : []))} />
    </section>
  );
}

/** Who bought it, and the license. */
export function SaleFacts({
  order: { buyer, licenseKey, isLive },
  root,
  seller,
}: {
  readonly order: Order;
  readonly root: string;
  /** The seller, if it is not the reader. */
  readonly seller: ComponentChildren;
}): VNode {
  const { sale: names } = words;
  const licenses = `${root}${areas.selling.licenses.replace(':mode', isLive ? 'live' : 'test')}`;
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
          [names.account, buyer.userId === null ? names.guest : names.member],
          [
            names.license,
            licenseKey === null ? (
              names.noLicense
            ) : (
              <CopiedText key="license" id="license" text={licenseKey} href={`${licenses}/${licenseKey}`} />
            ),
          ],
          ...(seller === undefined ? [] : [[names.seller, seller] as const]),
        ]}
      />
    </section>
  );
}

/** The product as it was when it was ordered. */
export function AgreedFacts({
  order: { agreed, productId, isLive },
  root,
}: {
  readonly order: Order;
  readonly root: string;
}): VNode {
  const { agreed: names } = words;
  const products = `${root}${areas.selling.products.replace(':mode', isLive ? 'live' : 'test')}`;
  const facts: Fact[] = [
    [
      names.product,
      <a key="product" href={`${products}/${productId}`} dir="auto" class="breakable">
        {agreed.title}
      </a>,
    ],
    [names.version, agreed.version ?? names.noVersion],
    ...(agreed.templateId === null ? [] : [[names.template, names.withTemplate] as const]),
    ...(agreed.sellerName === null
      ? []
      : [
          [
            names.sellerName,
            <span key="seller" dir="auto">
              {agreed.sellerName}
            </span>,
          ] as const,
        ]),
  ];
  return (
    <section class="panel">
      <h2>{names.title}</h2>
      <p class="lead">{names.lead}</p>
      <Facts facts={[...facts, ...termFacts(agreed.terms)]} />
    </section>
  );
}

interface Compared {
  readonly name: string;
  readonly agreed: string;
  readonly paid: string;
}

/** Compares the agreed price with the payment, for an order that is held because they differ. */
export function HeldPart({
  order: { agreed, payment },
  isDecided,
}: {
  readonly order: Order;
  /** Whether the reader can decide. */
  readonly isDecided: boolean;
}): VNode {
  const { held: names } = words;
  const rows: readonly Compared[] = [
    {
      name: names.price,
      agreed: moneyOf(agreed.price, agreed.currency),
      paid: moneyOf(payment.subtotal, payment.currency),
    },
    { name: names.total, agreed: names.asPrice, paid: moneyOf(payment.total, payment.currency) },
    { name: names.currency, agreed: agreed.currency.toUpperCase(), paid: payment.currency.toUpperCase() },
  ];
  return (
    <section>
      <div class="part first">
        <div>
          <h2>{names.title}</h2>
          <p class="lead">{isDecided ? names.lead : names.ofAdministrator}</p>
        </div>
      </div>
      <List
        label={names.title}
        columns={[
          { title: names.what, isTitleUnseen: true, cell: ({ name }) => name },
          { title: names.agreed, cell: ({ agreed }) => agreed },
          { title: names.paid, cell: ({ paid }) => <strong>{paid}</strong> },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </section>
  );
}
