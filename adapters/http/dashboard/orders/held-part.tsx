import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { List } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { words } from './words.ts';

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
      <PartHead title={names.title} lead={isDecided ? names.lead : names.ofAdministrator} isFirst />
      <List
        label={names.title}
        columns={[
          { title: names.what, cell: ({ name }) => name },
          { title: names.agreed, cell: ({ agreed }) => agreed },
          { title: names.paid, cell: ({ paid }) => <strong>{paid}</strong> },
        ]}
        rows={rows}
      />
    </section>
  );
}
