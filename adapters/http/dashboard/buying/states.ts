import type { OrderState } from '../../../../core/purchases/order.ts';

type Tone = 'good' | 'busy' | 'bad' | 'plain';

/** The name of each state for buyers, and what it means for them. */
export const states = {
  open: { name: 'Not paid yet', tone: 'busy', means: 'You get your license key as soon as you have paid.' },
  processing: {
    name: 'Payment on its way',
    tone: 'busy',
    means:
      'Your bank is sending the money, which can take some days. Your license key appears on this page when it has arrived. You can close the page and come back.',
  },
  soft: {
    name: 'Payment arrived',
    tone: 'busy',
    means:
      'Your payment has arrived, and your license works already. The order is paid when the chain cannot take the payment back any more, which takes some minutes.',
  },
  failed: { name: 'Payment failed', tone: 'bad', means: 'The payment was declined. Nothing was paid.' },
  expired: { name: 'Expired', tone: 'plain', means: 'Nobody paid this order in time. Nothing was paid.' },
  cancelled: { name: 'Cancelled', tone: 'plain', means: 'This order was cancelled. You owe nothing.' },
  held: {
    name: 'Being checked',
    tone: 'busy',
    means:
      'The amount paid is not the price of the order. The people who run this site will check it, and accept the payment or refund it.',
  },
  paid: { name: 'Paid', tone: 'good', means: 'Thank you! Everything that you bought is on this page.' },
  partly_refunded: { name: 'Partly refunded', tone: 'good', means: 'A part of what you paid was refunded.' },
  refunding: { name: 'Refund on its way', tone: 'busy', means: 'What you paid is on its way back to you.' },
  refunded: {
    name: 'Refunded',
    tone: 'plain',
    means: 'What you paid was refunded. It can take some days until your bank shows it.',
  },
  disputed: {
    name: 'Disputed',
    tone: 'bad',
    means: 'The payment is disputed at the bank. The bank decides who gets the money.',
  },
  charged_back: { name: 'Taken back', tone: 'plain', means: 'The bank has taken the payment back.' },
} as const satisfies Record<OrderState, { readonly name: string; readonly tone: Tone; readonly means: string }>;
