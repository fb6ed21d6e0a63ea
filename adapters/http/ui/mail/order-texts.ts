import { dayOf } from '../../../../core/day-text.ts';
import type { OrderId } from '../../../../core/id.ts';
import type { LetterOf, MailKind, OrderDocument } from '../../../../core/mail/letter.ts';
import { counted } from '../numbers.ts';
import { moneyOf } from '../prices.ts';
import { readableTime } from '../time.tsx';
import { type Draft, openOrder, type Paragraph, pathOfOrder } from './draft.ts';
import { afterDispute, afterRefund, licensesNow } from './license-now.ts';
import { toPayTexts } from './to-pay-texts.ts';

/** The texts of the mails about orders. No subject has the title of a product, which anybody can write. */
export const orderTexts: {
  readonly [Kind in Extract<MailKind, `order-${string}`>]: (letter: LetterOf<Kind>, site: string) => Draft;
} = {
  ...toPayTexts,
  'order-paid': (letter, site) => ({
    ...delivered(letter, '”. Here is your license key.'),
    subject: `Your license key, order ${letter.order} at ${site}`,
  }),
  'order-bundle-paid': (letter, site) => ({
    ...delivered(letter, '”. Here is a license key for each product in it.'),
    subject: `Your license keys, order ${letter.order} at ${site}`,
  }),
  'order-renewed': (
    { name, title, licenseKey, token, invoice, expiresAt, updatesUntil, amount, currency, order },
    site,
  ) => ({
    subject: `Your license was changed, order ${order} at ${site}`,
    name,
    happened: [
      ['Thank you for paying for “', { given: title }, '”. Your license key and its domains stay as they are.'],
    ],
    facts: [
      ['License key', licenseKey],
      ['Valid until', expiresAt === null ? 'For ever' : dayOf(expiresAt)],
      ['Updates until', updatesUntil === null ? 'For ever' : dayOf(updatesUntil)],
      ['Order', String(order)],
      ...(invoice === null ? [] : [documentFact(invoice, token), ['Paid', moneyOf(amount, currency)] as const]),
    ],
    link: openOrder(token),
    otherwise: ['Keep this e-mail, and do not pass it on: whoever has the link can use your order.'],
  }),
  'order-payment-failed': ({ name, title, amount, currency, expiresAt, order, token }, site) => ({
    subject: `Your subscription waits for a payment, order ${order} at ${site}`,
    name,
    happened: [
      ['The payment for the next time of “', { given: title }, '” has not come in.'],
      [
        expiresAt === null
          ? 'Your license goes on, but it gets no updates until you pay.'
          : `Your license works until ${readableTime(expiresAt)}. Pay until then, or use another card, so that it goes on.`,
      ],
    ],
    facts: factsToPay(amount, currency, order),
    link: { label: 'Pay, or change the card', path: pathOfOrder(token) },
    otherwise: ['If you have paid in the meantime, you can ignore this e-mail.'],
  }),
  'order-subscription-cancelled': ({ name, title, expiresAt, order, token }, site) => ({
    subject: `Your subscription was cancelled, order ${order} at ${site}`,
    name,
    happened: [
      ['Your subscription of “', { given: title }, '” was cancelled. Nothing more is to be paid.'],
      [
        expiresAt === null
          ? 'Your license goes on, without new updates.'
          : `What is paid stays yours: your license works until ${readableTime(expiresAt)}.`,
      ],
    ],
    facts: [['Order', String(order)]],
    link: openOrder(token),
    otherwise: ['You can take that back on the page of your order, as long as the paid time lasts.'],
  }),
  'order-processing': ({ name, title, amount, currency, order, token }, site) => ({
    subject: `Your payment is on its way, order ${order} at ${site}`,
    name,
    happened: [
      ['Thank you for paying for “', { given: title }, '”. Your bank is sending the money now.'],
      [
        'A bank debit or transfer takes up to 14 days. We write to you again when the money has arrived, or if the payment fails.',
      ],
    ],
    facts: factsToPay(amount, currency, order),
    link: openOrder(token),
    otherwise: ['You do not need to do anything.'],
  }),
  'order-held': ({ name, title, order, token }, site) => ({
    subject: `Your payment is being checked, order ${order} at ${site}`,
    name,
    happened: [
      ['Your payment for “', { given: title }, '” has arrived. Its amount is not the price of the order.'],
      [
        `The people who run ${site} accept the payment, or pay it back to you. We write to you again when they have decided.`,
      ],
    ],
    facts: [['Order', String(order)]],
    link: openOrder(token),
    otherwise: ['You do not need to do anything.'],
  }),
  'order-unpaid': ({ name, title, amount, currency, why, order, token }, site) => ({
    subject: `${unpaidTexts[why][0]}, order ${order} at ${site}`,
    name,
    happened: [['Your order of “', { given: title }, `” ${unpaidTexts[why][1]}`], [unpaidTexts[why][2]]],
    facts: factsToPay(amount, currency, order),
    link: openOrder(token),
    otherwise: ['If you no longer need it, you do not need to do anything.'],
  }),
  'order-waits': ({ name, title, amount, currency, reference, order, isLive }, site) => ({
    subject: `Order ${order} at ${site} waits for its payment`,
    name,
    happened: [['“', { given: title }, '” was ordered. Mark the order as paid when the money is there.']],
    facts: [
      ['Amount', moneyOf(amount, currency)],
      ['Written on the transfer', reference],
    ],
    link: { label: 'See the order', path: `/selling/${isLive ? 'live' : 'test'}/orders/${order}` },
    otherwise: ['You get this e-mail because you can record payments. Others who can do it get it too.'],
  }),
  'order-refunded': ({ name, title, amount, currency, isFull, license, parts, notes, order, token }, site) => ({
    subject: `Your refund for order ${order} at ${site}`,
    name,
    happened: [
      [
        `${moneyOf(amount, currency)} of your payment for “`,
        { given: title },
        isFull ? '” was refunded. That is the rest of what you paid.' : '” was refunded.',
      ],
      ...licensesNow({ license, parts }, (now) => afterRefund[now]),
    ],
    facts: [['Order', String(order)], ...notes.map((note) => documentFact(note, token))],
    link: openOrder(token),
    otherwise: ['It can take some days until your bank shows the refund.'],
  }),
  'order-disputed': ({ name, title, dispute, license, parts, notes, order, token }, site) => ({
    subject: `${disputeTexts[dispute][0]}, order ${order} at ${site}`,
    name,
    happened: [
      ['The payment for “', { given: title }, `” ${disputeTexts[dispute][1]}`],
      ...licensesNow({ license, parts }, (now) => afterDispute(now, dispute)),
    ],
    facts: [['Order', String(order)], ...notes.map((note) => documentFact(note, token))],
    link: openOrder(token),
    otherwise: ['If you do not know about this, ask your bank.'],
  }),
  'order-license-ends': ({ name, title, licenseKey, expiresAt, days, sellerName, order, token }, site) => ({
    subject: `Your license ends in ${counted(days, 'day')}, order ${order} at ${site}`,
    name,
    happened: [
      ['Your license for “', { given: title }, `” ends on ${readableTime(expiresAt)}. It does not work after that.`],
      ['If you want to go on with it, do so before the end.', ...waysToGoOn],
    ],
    facts: factsOf(licenseKey, sellerName, order),
    link: openOrder(token),
    otherwise: ['If you no longer need it, you do not need to do anything.'],
  }),
  'order-license-ended': ({ name, title, licenseKey, expiresAt, sellerName, order, token }, site) => ({
    subject: `Your license has ended, order ${order} at ${site}`,
    name,
    happened: [
      ['Your license for “', { given: title }, `” ended on ${readableTime(expiresAt)}. It does not work any more.`],
      ['Your key and its domains are kept.', ...waysToGoOn],
    ],
    facts: factsOf(licenseKey, sellerName, order),
    link: openOrder(token),
    otherwise: ['If you no longer need it, you do not need to do anything.'],
  }),
};

/** The parts that all mails with license keys share. */
function delivered(
  letter: LetterOf<'order-paid'> | LetterOf<'order-bundle-paid'>,
  here: string,
): Omit<Draft, 'subject'> {
  const { name, title, token, invoice, hasDownload, sellerName, amount, currency, order } = letter;
  return {
    name,
    happened: [
      ['Thank you for choosing “', { given: title }, here],
      ...('keys' in letter ? letter.keys : []).map((one): Paragraph => [{ given: one.title }, `: ${one.licenseKey}`]),
      ...(hasDownload ? [['The page of your order has the files to download, too.']] : []),
    ],
    facts: [
      ...factsOf('keys' in letter ? undefined : letter.licenseKey, sellerName, order),
      ...(invoice === null ? [] : [documentFact(invoice, token), ['Paid', moneyOf(amount, currency)] as const]),
    ],
    link: openOrder(token),
    otherwise: ['Keep this e-mail, and do not pass it on: whoever has the link can use your order.'],
  };
}

/** No mail says that there is an offer: it may be gone until the mail is read. The page of the order knows. */
const waysToGoOn: Paragraph = [
  ' The page of your order has what renews or upgrades the license, if the seller offers it. Otherwise, ask the seller.',
];

function factsOf(
  licenseKey: string | undefined,
  sellerName: string | null,
  order: OrderId,
): NonNullable<Draft['facts']> {
  return [
    ...(licenseKey === undefined ? [] : [['License key', licenseKey] as const]),
    ...(sellerName === null ? [] : [['Seller', sellerName] as const]),
    ['Order', String(order)],
  ];
}

function factsToPay(amount: number, currency: string, order: OrderId): NonNullable<Draft['facts']> {
  return [['Amount', moneyOf(amount, currency)] as const, ['Order', String(order)] as const];
}

const unpaidTexts = {
  failed: [
    'Your payment has failed',
    'is not paid: your bank did not send the money. You paid nothing.',
    'The page of your order lets you order again, in the same way or in another one.',
  ],
  expired: [
    'Your order has expired',
    'was closed, because no payment for it has arrived.',
    'Please do not pay it any more: order again instead. If the money is on its way already, we take it as the payment.',
  ],
  cancelled: [
    'Your order was cancelled',
    'was cancelled. You owe nothing.',
    'Please do not pay it any more. If you have paid already, ask the seller to pay it back.',
  ],
  taken_back: [
    'Your payment was taken back',
    'is not paid any more: the blockchain has removed your payment, which it seldom does. Your license does not work now.',
    'Look in your wallet whether the money is there again. When a payment of your order arrives, the same license key works again: the page of the order says whether it still takes one.',
  ],
} as const satisfies Record<LetterOf<'order-unpaid'>['why'], readonly [string, string, string]>;

const disputeTexts = {
  open: ['Your payment is disputed', 'is disputed.'],
  won: ['The dispute of your payment is over', 'is no longer disputed.'],
  lost: ['The dispute of your payment is over', 'was taken back.'],
} as const satisfies Record<LetterOf<'order-disputed'>['dispute'], readonly [string, string]>;

const documentNames = {
  invoice: 'Invoice',
  receipt: 'Receipt',
  credit: 'Credit note',
  cancellation: 'Cancelled credit',
} as const satisfies Record<OrderDocument['kind'], string>;

/** The number of a document, with its address. */
function documentFact(document: OrderDocument, token: string): NonNullable<Draft['facts']>[number] {
  const end = 'note' in document ? `credit-notes/${document.note}.pdf` : 'invoice';
  return [documentNames[document.kind], document.number, `${pathOfOrder(token)}/${end}`];
}
