import type { VNode } from 'preact';
import { type Order, titleOf } from '../../../../core/purchases/order.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Facts, typed } from '../../ui/list.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../kit/answer.ts';
import { type DashboardTools, page, type Visit } from '../kit/page.ts';
import { type BuyingTools, isPlay, OrderFrame, orderIn, pathOf } from './frame.tsx';
import { words } from './words.ts';

const { receipt: names } = words;

/** The receipt of an order that was paid, to print. */
export function receiptPage(tools: DashboardTools, own: BuyingTools): Endpoint {
  return page(tools, {
    id: 'order-receipt',
    path: '/orders/:token/receipt',
    audience: 'anybody',
    async show(visit) {
      const order = await orderIn(own, visit);
      const { number } = order;
      if (number === null) throw new Failure('not_found');
      return shown(
        <OrderFrame visit={visit} order={order} title={names.number(number)} scripts={['print.js']}>
          <Receipt visit={visit} order={order} />
          <p class="choices screen">
            <button type="button" class="button" hidden data-print>
              {names.print}
            </button>
            <ButtonLink href={`${visit.frame.root}${pathOf(order)}`} text={names.back} />
            <span class="faint">{names.keep}</span>
          </p>
        </OrderFrame>,
      );
    },
  });
}

function Receipt({ visit: { frame }, order }: { readonly visit: Visit; readonly order: Order }): VNode {
  const { id, agreed, buyer, paidAt, createdAt, payment, provider, licenseKey } = order;
  const { subtotal, total, refunded, currency, dispute } = payment;
  const money = (amount: number) => moneyOf(amount, currency);
  const sums: (readonly [string, string] | false)[] = [
    subtotal !== total && [names.price, money(subtotal)],
    subtotal !== total && [names.tax, money(total - subtotal)],
    [names.total, money(total)],
    refunded > 0 && [names.refunded, `−${money(refunded)}`],
    refunded > 0 && [names.left, money(total - refunded)],
  ];
  return (
    <section class="panel receipt" aria-label={names.title}>
      {isPlay(order) && <p class="note">{names.test}</p>}
      <Facts
        facts={[
          [names.from, typed(agreed.sellerName ?? frame.site)],
          [
            names.to,
            <span key="to">
              {buyer.name !== null && (
                <span class="whole-line" dir="auto">
                  {buyer.name}
                </span>
              )}
              {buyer.email}
            </span>,
          ],
          [names.date, <Time key="date" at={paidAt ?? createdAt} />],
          [names.order, String(id)],
          [names.paidBy, names.by[provider]],
        ]}
      />
      <table class="list">
        <caption class="unseen">{names.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{names.item}</th>
            <th scope="col" class="number">
              {names.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <span dir="auto">{titleOf(agreed)}</span>
              {licenseKey !== null && <span class="under">{names.license(licenseKey)}</span>}
            </td>
            <td class="number">{money(subtotal)}</td>
          </tr>
        </tbody>
        <tfoot>
          {sums
            .filter((sum) => sum !== false)
            .map(([name, amount]) => (
              <tr key={name} class={name === names.total ? 'total' : undefined}>
                <th scope="row">{name}</th>
                <td class="number">{amount}</td>
              </tr>
            ))}
        </tfoot>
      </table>
      {dispute === 'lost' && <p>{names.takenBack}</p>}
    </section>
  );
}
