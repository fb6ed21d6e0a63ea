import type { VNode } from 'preact';
import type { BoughtLicense } from '../../../../core/purchases/bought-license.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { pathOf } from './buying-tools.ts';

const { order: words } = texts.buying;

/** The order in short, with its receipt. */
export function OrderFacts({
  order,
  license,
  root,
}: {
  readonly order: Order;
  readonly license: BoughtLicense | undefined;
  readonly root: string;
}): VNode {
  const { id, number, createdAt, paidAt, agreed, payment, buyer } = order;
  const { total, refunded, currency } = payment;
  const facts: (Fact | false)[] = [
    [words.number, String(id)],
    number !== null && [words.invoice, String(number)],
    [words.price, total === 0 ? priceOf(0) : moneyOf(total, currency)],
    refunded > 0 && [words.refunded, moneyOf(refunded, currency)],
    [words.date, <Time key="date" at={createdAt} />],
    paidAt !== null && total > 0 && [words.paidAt, <Time key="paid" at={paidAt} />],
    agreed.sellerName !== null && [
      words.seller,
      <span key="seller" dir="auto">
        {agreed.sellerName}
      </span>,
    ],
    [
      words.buyer,
      <span key="buyer">
        {buyer.name !== null && <bdi>{buyer.name}, </bdi>}
        {buyer.email}
      </span>,
    ],
    license !== undefined && [words.status, texts.buying.statuses[license.status]],
    license !== undefined && [words.expires, endOf(license)],
  ];
  return (
    <aside aria-labelledby="facts">
      <h2 id="facts">{words.facts}</h2>
      <Facts facts={facts.filter((fact) => fact !== false)} />
      {number !== null && (
        <p class="choices">
          <a class="button small" href={`${root}${pathOf(order)}/receipt`}>
            {words.receipt}
          </a>
        </p>
      )}
    </aside>
  );
}

function endOf({ license: { expiresAt, daysFromActivation } }: BoughtLicense) {
  if (expiresAt !== null) return <Time at={expiresAt} />;
  return daysFromActivation === null ? words.never : words.fromActivation(daysFromActivation);
}
