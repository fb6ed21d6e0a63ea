import type { OrderState, Provider } from '../../../../core/purchases/order.ts';

/** What happens next with an order. `mail`: what the buyer gets a mail about. `again`: whether to offer another order. */
interface NextStep {
  readonly next: string;
  readonly mail?: string;
  readonly again?: true;
}

const byBank =
  'A bank debit usually takes 3 to 7 working days, and a transfer up to 14 days. You do not need to do anything.';
const onArrival = 'when the payment has arrived';

/** Says how a refund reaches the buyer. A refund in USDC does not go through a bank. */
function refunded(more: { readonly mail?: string }): Record<Provider, NextStep> {
  const next = 'It usually takes 5 to 10 working days until your bank shows the refund.';
  const byBank = { next, ...more };
  const inUsdc = { next: 'What the seller sends back in USDC is listed on this page, with its transaction.', ...more };
  return { free: byBank, manual: byBank, test: byBank, stripe: byBank, usdc: inUsdc };
}

/** What happens next in each state. Some states depend on the way of paying. */
const nextSteps = {
  open: {
    free: { next: 'There is nothing to pay. It is ready in a moment.' },
    manual: {
      next: 'Send the amount with the reference. A transfer usually takes 1 to 3 working days.',
      mail: onArrival,
    },
    test: { next: 'Play the payment on the test page. No money moves.' },
    stripe: { next: 'Go on to the payment. You can do so until the order expires.', mail: onArrival },
    usdc: { next: 'Keep the link to this page.', mail: onArrival },
  },
  processing: {
    free: { next: byBank },
    manual: { next: byBank },
    test: { next: 'Play the rest of the payment on the test page.' },
    stripe: { next: byBank, mail: 'when the money has arrived, and also if the payment fails' },
    usdc: { next: 'You do not need to do anything.', mail: onArrival },
  },
  soft: { next: 'You do not need to do anything.', mail: 'when the order is paid' },
  failed: {
    free: { next: '', again: true },
    manual: { next: 'If you still want it, order again.', again: true },
    test: { next: 'Try the payment again on the test page.' },
    stripe: { next: 'If you still want it, order again. You can pay in another way.', again: true },
    usdc: { next: 'If you still want it, order again.', again: true },
  },
  expired: { next: 'If you still want it, order again. Do not pay this order any more.', again: true },
  cancelled: { next: 'If you still want it, order again. Do not pay this order any more.', again: true },
  held: { next: 'You do not need to do anything, and you do not need to pay again.', mail: 'when it is decided' },
  paid: { next: '' },
  partly_refunded: refunded({}),
  refunding: refunded({ mail: 'when the refund is complete' }),
  refunded: { next: 'If you want it again, order it again.', again: true },
  disputed: {
    next: 'A bank can take up to three months. If you did not want the dispute, ask your bank to withdraw it.',
    mail: 'when the bank has decided',
  },
  charged_back: { next: 'If you want it again, order it again.', again: true },
} as const satisfies Record<OrderState, NextStep | Record<Provider, NextStep>>;

export function nextStepOf({ state, provider }: { readonly state: OrderState; readonly provider: Provider }): NextStep {
  const step: NextStep | Record<Provider, NextStep> = nextSteps[state];
  return 'next' in step ? step : step[provider];
}
