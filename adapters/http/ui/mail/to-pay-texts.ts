import { dayOf } from '../../../../core/day-text.ts';
import type { LetterOf } from '../../../../core/mail/letter.ts';
import { moneyOf } from '../prices.ts';
import { readableTime } from '../time.tsx';
import { type Draft, openOrder, type Paragraph } from './draft.ts';

type Kind = 'order-instructions' | 'order-usdc' | 'order-payment-due' | 'order-payment-claimed' | 'order-claim-decided';

/** The texts of the mails that ask buyers to pay, and of those about payments that fitted no order by themselves. */
export const toPayTexts: { readonly [K in Kind]: (letter: LetterOf<K>, site: string) => Draft } = {
  'order-instructions': ({ name, title, isBundle, amount, currency, instructions, reference, order, token }, site) => ({
    subject: `How to pay for order ${order} at ${site}`,
    name,
    happened: [ordered(title, isBundle), ...given(instructions)],
    facts: [
      ['Amount', moneyOf(amount, currency)],
      ['Write on the transfer', reference],
    ],
    link: openOrder(token),
    otherwise: notOrdered,
  }),
  'order-usdc': ({ name, title, isBundle, amount, currency, waitsUntil, order, token }, site) => ({
    subject: `How to pay for order ${order} at ${site}`,
    name,
    happened: [
      ordered(title, isBundle),
      [
        'The page of your order shows the address for USDC, the chain, and the exact amount: it differs for each order.',
      ],
    ],
    facts: [
      ['Price', moneyOf(amount, currency)],
      ['Pay until', readableTime(waitsUntil)],
    ],
    link: openOrder(token),
    otherwise: notOrdered,
  }),
  'order-payment-due': ({ name, title, amount, currency, paidTo, instructions, reference, order, token }, site) => ({
    subject: `The next payment of your subscription, order ${order} at ${site}`,
    name,
    happened: [
      [
        'Your subscription of “',
        { given: title },
        `” is paid until ${dayOf(paidTo)}. Pay until then, so that it goes on.`,
      ],
      ...given(instructions),
    ],
    facts: [
      ['Amount', moneyOf(amount, currency)],
      ...(instructions === '' ? [] : [['Write on the transfer', reference] as const]),
    ],
    link: openOrder(token),
    otherwise: ['If you no longer need it, you do not need to do anything. It ends without this payment.'],
  }),
  'order-payment-claimed': ({ name, title, usdc, amount, currency, claim, order, isLive }, site) => ({
    subject: `A payment for order ${order} at ${site} waits for your decision`,
    name,
    happened: [
      ['USDC have come to your address that fitted no order by themselves.'],
      [
        'The owner of the wallet has signed that they are the payment of “',
        { given: title },
        '”. Decide if you take them.',
      ],
    ],
    facts: [
      ['Sent', `${usdc} USDC`],
      ['Price', moneyOf(amount, currency)],
      ['Order', String(order)],
    ],
    link: { label: 'Decide', path: `/selling/${isLive ? 'live' : 'test'}/orders/claims/${claim}` },
    otherwise: ['Until you decide, nothing happens. The money is in your wallet already.'],
  }),
  'order-claim-decided': ({ name, title, usdc, reason, order, token }, site) => ({
    subject: `Your payment for order ${order} at ${site} was ${reason === null ? 'taken' : 'not taken'}`,
    name,
    happened: [
      reason === null
        ? [`The ${usdc} USDC that you have sent count for “`, { given: title }, '” now.']
        : [`The seller does not take the ${usdc} USDC that you have sent as the payment of “`, { given: title }, '”.'],
    ],
    facts: [['Order', String(order)], ...(reason === null ? [] : [['Reason', reason] as const])],
    link: openOrder(token),
    otherwise: [
      reason === null
        ? 'The page of your order says if something is missing.'
        : 'The money is with the seller. If it is yours, answer the seller, and ask to have it sent back.',
    ],
  }),
};

function ordered(title: string, isBundle: boolean): Paragraph {
  const keys = isBundle ? 'a license key for each product in it' : 'your license key';
  return ['You ordered “', { given: title }, `”. You get ${keys} when the payment has arrived.`];
}

const notOrdered = ['If you did not order this, you can ignore this e-mail. Without a payment, nothing happens.'];

/** A paragraph for each line that somebody has written. */
function given(text: string): Paragraph[] {
  return text.split('\n').flatMap((line): Paragraph[] => (line.trim() === '' ? [] : [[{ given: line.trim() }]]));
}
