import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { Facts } from '../../ui/facts.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { page } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import type { Visit } from '../visit.ts';
import { type BuyingTools, orderIn, pathOf } from './buying-tools.ts';
import { OrderFrame } from './order-frame.tsx';
import { isPlay } from './state-tag.tsx';

const { receipt: words } = texts.buying;

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
        <OrderFrame visit={visit} order={order} title={words.number(number)}>
          <Receipt visit={visit} order={order} />
          <p class="choices screen">
            <a class="button" href={`${visit.frame.root}${pathOf(order)}`}>
              {words.back}
            </a>
            <span class="faint">{words.print}</span>
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
    subtotal !== total && [words.price, money(subtotal)],
    subtotal !== total && [words.tax, money(total - subtotal)],
    [words.total, money(total)],
    refunded > 0 && [words.refunded, `−${money(refunded)}`],
    refunded > 0 && [words.left, money(total - refunded)],
  ];
  return (
    <section class="panel receipt" aria-label={words.title}>
      {isPlay(order) && <p class="note">{words.test}</p>}
      <Facts
        facts={[
          [
            words.from,
            <span key="from" dir="auto">
              {agreed.sellerName ?? frame.site}
            </span>,
          ],
          [
            words.to,
            <span key="to">
              {buyer.name !== null && (
                <span class="whole-line" dir="auto">
                  {buyer.name}
                </span>
              )}
              {buyer.email}
            </span>,
          ],
          [words.date, <Time key="date" at={paidAt ?? createdAt} />],
          [words.order, String(id)],
          [words.paidBy, words.by[provider]],
        ]}
      />
      <table class="list">
        <caption class="unseen">{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.item}</th>
            <th scope="col" class="number">
              {words.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <span dir="auto">{agreed.title}</span>
              {licenseKey !== null && <span class="under">{words.license(licenseKey)}</span>}
            </td>
            <td class="number">{money(subtotal)}</td>
          </tr>
        </tbody>
        <tfoot>
          {sums
            .filter((sum) => sum !== false)
            .map(([name, amount]) => (
              <tr key={name} class={name === words.total ? 'total' : undefined}>
                <th scope="row">{name}</th>
                <td class="number">{amount}</td>
              </tr>
            ))}
        </tfoot>
      </table>
      {dispute === 'lost' && <p>{words.takenBack}</p>}
    </section>
  );
}
