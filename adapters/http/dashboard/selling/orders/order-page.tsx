import type { VNode } from 'preact';
import { effectOf, isOutside, type Order } from '../../../../../core/purchases/order.ts';
import type { Endpoint } from '../../../surface.ts';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { actorOf, page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { ownerLink, ownersOf } from '../licenses/owner-link.tsx';
import { OrderTag, orderPath } from '../order-link.tsx';
import { sellerIn } from '../selling-page.tsx';
import { isPossible, type OrderAct, orderActs } from './acts-of.ts';
import { History } from './history-part.tsx';
import { AgreedFacts, HeldPart, PaymentFacts, SaleFacts } from './order-facts.tsx';
import { OrderFrame } from './order-frame.tsx';
import { base, type OrderTools, orderIn } from './order-tools.ts';

const { sellingOrders: words } = texts;

/** One order, with everything that a seller or an administrator sees and does. */
export function orderPage(tools: DashboardTools, own: OrderTools): Endpoint {
  return page(tools, {
    id: 'selling-order',
    path: `${base}/:id`,
    audience: 'user',
    async show(visit) {
      const order = await orderIn(own, visit);
      const history = await own.list.history(order, sellerIn(visit));
      const { root } = visit.frame;
      const isOwn = order.sellerId === visit.me.login.id;
      const seller = isOwn
        ? undefined
        : ownerLink(root, order.sellerId, await ownersOf(own.accounts, [order.sellerId]));
      return shown(
        <OrderFrame visit={visit} of={order} scripts={['copy.js']} actions={<Acts visit={visit} order={order} />}>
          <State order={order} />
          {order.state === 'held' && <HeldPart order={order} isDecided={isPossible('accept', order, actorOf(visit))} />}
          <div class="boards">
            <PaymentFacts order={order} />
            <SaleFacts order={order} root={root} seller={seller} />
          </div>
          <AgreedFacts order={order} root={root} />
          <History entries={history} me={visit.me.login.email} />
        </OrderFrame>,
      );
    },
  });
}

const looks = {
  accept: 'button primary',
  paid: 'button primary',
  refund: 'button danger',
  cancel: 'button danger',
} as const satisfies Record<OrderAct, string>;

function Acts({ visit, order }: { readonly visit: SignedInVisit; readonly order: Order }): VNode {
  const address = `${visit.frame.root}${orderPath(order)}`;
  return (
    <div class="choices">
      {orderActs
        .filter((act) => isPossible(act, order, actorOf(visit)))
        .map((act) => (
          <a key={act} class={looks[act]} href={`${address}/${act}`}>
            {words[act].name}
          </a>
        ))}
      {isOutside(order.provider) && order.paymentId !== null && (
        <form method="post" action={`${address}/look`} class="inline">
          <button type="submit" class="button">
            {words.look}
          </button>
        </form>
      )}
    </div>
  );
}

function State({ order }: { readonly order: Order }): VNode {
  const { state } = order;
  const effect = effectOf(order);
  const isClear = state === 'paid' || state === 'partly_refunded';
  return (
    <section class="panel state">
      <p>
        <OrderTag order={order} /> {words.meaning[state]} {!isClear && words.effects[effect]}
      </p>
      {state === 'disputed' && <p>{words.answerDispute}</p>}
    </section>
  );
}
