import { event } from '../../core/events/event.ts';
import { createCheckout } from '../../core/purchases/checkout.ts';
import type { Order } from '../../core/purchases/order.ts';
import type { PaymentFacts } from '../../core/purchases/payment.ts';
import { createLearn, createSettleOrder } from '../../core/purchases/settle.ts';
import { createSubscribing } from '../../core/purchases/subscribing.ts';
import { day } from '../../core/time.ts';
import { done } from '../samples/sample.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { people } from './people.ts';
import type { offers } from './shop.ts';
import { type Client, json, type Try } from './try.ts';

type Slug = (typeof offers)[number]['slug'];

/** The changes of a payment, oldest first. Empty: the buyer has not paid yet. */
type Story = readonly Partial<PaymentFacts>[];
const paid: Story = [{ status: 'paid' }];

/** Orders of the last weeks: how many days ago, who bought what, and how it went. Oldest first. */
const sales: readonly (readonly [daysAgo: number, slug: Slug, buyer: string, story: Story])[] = [
  [58, 'swap-kit', 'linus@example.org', paid],
  [51, 'mint-page', 'margaret@example.org', paid],
  [48, 'launch-pad', people.buyer.email, paid],
  [44, 'arena', 'edsger@example.org', [...paid, { refunded: 9_900 }]],
  [33, 'vesting-board', 'barbara@example.org', paid],
  [27, 'launch-pad', 'donald@example.org', paid],
  [24, 'swap-kit', 'frances@example.org', [...paid, { refunded: 5_000 }]],
  [21, 'mint-page', 'ken@example.org', paid],
  [17, 'faucet', 'dennis@example.org', []],
  [16, 'vesting-board', 'adele@example.org', paid],
  [14, 'arena', 'radia@example.org', paid],
  [12, 'launch-pad', 'niklaus@example.org', [...paid, { dispute: 'open' }]],
  [9, 'swap-kit', 'shafi@example.org', paid],
  [6, 'vesting-board', people.buyer.email, paid],
  [5, 'mint-page', 'john@example.org', [{ status: 'paid', subtotal: 790, total: 790 }]],
  [3, 'swap-kit', people.buyer.email, paid],
  [0.2, 'arena', 'vint@example.org', []],
];

/** What some of these buyers say, days later. */
const said: Readonly<Record<string, readonly [slug: Slug, stars: number, name: string | null, text: string]>> = {
  'linus@example.org': [
    'swap-kit',
    5,
    'Linus',
    'Our exchange was online on the same evening.\nThe theme is one file, and easy to change.',
  ],
  'frances@example.org': ['swap-kit', 4, 'Frances', 'Good code. I had to ask how to add a second fee.'],
  'shafi@example.org': ['swap-kit', 5, null, ''],
  'barbara@example.org': [
    'vesting-board',
    3,
    'Barbara',
    'Does what it says, but the table is slow with a thousand grants.',
  ],
};

/** Orders with the addresses of those that show something. */
export interface Sold {
  readonly disputed: Order;
  readonly held: Order;
  /** The newest order of the buyer. */
  readonly bought: Order;
}

/** Makes the orders, each at its own time. */
export async function addOrders(parts: Parts): Promise<Sold> {
  const [ports, products, settings, accounts, limiter, clock, ratings, coupons, usdc] = [
    await parts.get(t.orderPorts),
    await parts.get(t.productStore),
    await parts.get(t.paymentSettings),
    await parts.get(t.accounts),
    await parts.get(t.rateLimiter),
    await parts.get(t.clock),
    await parts.get(t.ratingStore),
    await parts.get(t.couponStore),
    await parts.get(t.usdcPaying),
  ];
  const member = done(await accounts.find(people.buyer.email));
  const found: Partial<Record<keyof Sold, Order>> = {};
  for (const [daysAgo, product, email, story] of sales) {
    const at = Math.round(clock.now() - daysAgo * day);
    const then = { ...ports, clock: { now: () => at } };
    const isMember = email === member.email;
    const checkout = createCheckout({
      ...{ ...then, products, coupons, settings, limiter },
      settle: createSettleOrder(then),
      usdc,
    });
    const addresses = () => ({ done: '', cancelled: '' });
    const wish = { product, email, name: isMember ? people.buyer.name : null, client: email };
    const visitor = isMember ? ({ kind: 'user', user: member } as const) : undefined;
    const begun = done(await checkout.begin(wish, visitor, addresses));
    const learn = createLearn(then);
    let order: Order = begun.order;
    for (const facts of story) {
      const known = ({ payment }: Order) => ({ payment: { ...payment, ...facts } });
      order = done(await learn(order.id, known, { actor: order.provider })) ?? order;
    }
    const [rated, stars = 0, name = null, text = ''] = said[email] ?? [];
    if (rated === product) {
      const changedAt = at + 2 * day;
      const told = event('rating.written', product, { actor: email }, changedAt, { stars });
      const rating = { productId: order.productId, orderId: order.id, buyerEmail: email, stars, name, text } as const;
      const answer = email.startsWith('frances')
        ? { reply: 'Thank you! The guide now has a page about fees.', repliedAt: changedAt + day }
        : { reply: null, repliedAt: null };
      await ratings.add(
        { ...rating, ...answer, state: 'shown', report: null, createdAt: changedAt, changedAt },
        told,
        {},
      );
    }
    if (email.startsWith('adele'))
      await createSubscribing({ ...then, settle: createSettleOrder(then), limiter }).cancel(order, { actor: email });
    if (order.state === 'disputed') found.disputed = order;
    if (order.state === 'held') found.held = order;
    if (isMember) found.bought = order;
  }
  const { disputed, held, bought } = found;
  if (!disputed || !held || !bought) throw new Error('An order of the demo is missing.');
  return { disputed, held, bought };
}

/** A tour of orders over the account API. */
export function orderTries({ curl }: Client, { bought, disputed }: Sold, key: string): Try[] {
  const as = ` -H 'X-API-Key: ${key}'`;
  const post = (path: string, body: object) => curl(path, `${as}${json} -d '${JSON.stringify(body)}'`);
  return [
    ['orders: those that are paid', '200 success', curl('/api/orders?status=paid', as)],
    ['one order', '200 success', curl(`/api/orders/${bought.id}`, as)],
    ['refund a part of it', '200 success', post(`/api/orders/${bought.id}/refund`, { amount: 1_000 })],
    ['refund a disputed order', '409 CONFLICT', post(`/api/orders/${disputed.id}/refund`, {})],
  ];
}
