import type { Letter, LetterOf } from '../mail/letter.ts';
import { aboutOrder, type Order, type OrderState } from './order.ts';

type OnEntering = (before: Order, after: Order) => Letter | undefined;

/** Another mail says it, or the buyer does it on a page that says it. */
const none: OnEntering = () => undefined;

const unpaid =
  (why: LetterOf<'order-unpaid'>['why'], isTold: (before: Order) => boolean): OnEntering =>
  (before, after) =>
    isTold(before) ? { kind: 'order-unpaid', ...aboutOrder(after), why } : undefined;

/** A provider outside shows a payment that is declined at once on its own page. */
const wasOnItsWay = ({ state }: Order) => state === 'processing' || state === 'soft';
/** Whoever wanted to pay by hand has a mail that tells how. Another checkout that nobody paid ends in silence. */
const hasInstructions = ({ state, provider }: Order) => state === 'open' && provider === 'manual';

const takenBack = unpaid('taken_back', ({ state }) => state === 'soft');
const unpaidInTime = unpaid('expired', (before) => wasOnItsWay(before) || hasInstructions(before));

/** The mail to the buyer of an order that gets into a state. */
const onEntering = {
  open: takenBack,
  // A payment in USDC takes minutes, and the page shows them.
  processing: (_, after) =>
    after.provider === 'usdc' ? undefined : { kind: 'order-processing', ...aboutOrder(after) },
  failed: unpaid('failed', wasOnItsWay),
  expired: (before, after) => takenBack(before, after) ?? unpaidInTime(before, after),
  cancelled: unpaid('cancelled', (before) => wasOnItsWay(before) || hasInstructions(before)),
  held: (_, after) => ({ kind: 'order-held', ...aboutOrder(after) }),
  // The page has the key. The mail with it comes when the order is paid.
  soft: none,
  // The mails about payments, refunds and disputes.
  paid: none,
  partly_refunded: none,
  refunding: none,
  refunded: none,
  disputed: none,
  charged_back: none,
} as const satisfies Record<OrderState, OnEntering>;

/**
 * Returns the mail about a new state that no other mail tells. A later payment of a subscription has its own mails, except if
 * it is held.
 */
export function letterOnEntering(before: Order, after: Order): Letter | undefined {
  if (after.state === before.state || (after.cycleOf !== null && after.state !== 'held')) return undefined;
  return onEntering[after.state](before, after);
}

/** Whether a change sends a mail that a stranger can cause, unless the buyer has proved the address: nothing was paid yet. */
export function isMailToStranger(before: Order, after: Order): boolean {
  return after.payment.status !== 'paid' && letterOnEntering(before, after) !== undefined;
}
