import { dayOf } from '../../../../core/day-text.ts';
import type { LetterOf } from '../../../../core/mail/letter.ts';
import { moneyOf } from '../prices.ts';
import { readableTime } from '../time.tsx';
import { type Draft, openOrder, type Paragraph } from './draft.ts';

type Kind = 'order-instructions' | 'order-usdc' | 'order-payment-due';

/** The texts of the mails that ask buyers to pay. */
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
