import { z } from 'zod';
import { toOrderId } from '../../../../core/id.ts';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import { longest } from '../../../../core/usdc/transaction-of.ts';
import { Failure } from '../../failures.ts';
import { optionalText, text } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { answerWithOrder, type OrderTools, oneOrder, params, tag } from './order.ts';

/** Settings of every act. */
const acting = {
  tag,
  scope: 'orders:write',
  method: 'post',
  isIdempotent: true,
  params,
  answer: oneOrder,
} as const;

const reason = optionalText(longestReason).meta({
  description: 'Why you do it. It is kept in the history of the order.',
  example: 'The buyer bought it twice.',
});

const wholeAmount = 'It must be a whole number of at least 1.';

/** The acts on orders that are paid by hand. */
const byHand = {
  pay: {
    summary: 'Records that the money of an order came in',
    description:
      'For orders that are paid by hand (`provider` is `manual`). The license is issued, and the buyer gets it by mail. Works for an expired or cancelled order too, if the money comes late. 403 if only administrators record payments (the setting `MANUAL_PAYMENTS_BY` of the server).',
    path: 'paid',
  },
  cancel: {
    summary: 'Cancels an order that was not paid',
    description:
      'For orders that are paid by hand (`provider` is `manual`). 403 if only administrators record payments.',
    path: 'cancel',
  },
} as const;

/** The calls that change an order. In the order of the API reference. */
export function orderActRoutes(own: OrderTools): Route[] {
  const { tools, orders } = own;
  return [
    accountRoute(tools, {
      id: 'refund-order',
      ...acting,
      summary: 'Refunds an order, in full or in part',
      description:
        'The provider pays the money back. For an order that is paid by hand, it only records that you did; for one that is paid in USDC too, unless you name the `transaction`; 403 if only administrators record payments. After a full refund, the license is revoked, unless the product keeps it. A refund can be on its way for days: read the order, or wait for the webhook `order.refunded`.',
      paths: ['/api/orders/:id/refund'],
      body: z
        .strictObject({
          amount: z.int(wholeAmount).min(1, wholeAmount).optional().meta({
            description: 'In the smallest unit of the currency, such as cents. All that is left without it.',
            example: 1000,
          }),
          parts: z
            .array(z.int('It must be the id of a part.').min(1).max(2_147_483_647))
            .min(1, 'Name at least one part.')
            .max(20, 'An order has at most 20 parts.')
            .optional()
            .meta({
              description:
                'Only of a bundle: the ids of the parts to refund. All that is left of their shares is refunded, so there is no `amount`. Their licenses are revoked, unless their products keep them; the others go on.',
              example: [1043],
            }),
          transaction: text(longest.transaction)
            .optional()
            .meta({
              description:
                'Only of an order that is paid in USDC (`provider` is `usdc`): the hash of the transaction with which you have sent the money back, from an address that you have proved. The chain says how much it was, so there is no `amount`. The refund is on its way until the transaction is final. What came for an order that was never paid can be sent back in the same way. The same transaction again changes nothing.',
              example: `0x${'ab'.repeat(32)}`,
            }),
          to: text(longest.address).optional().meta({
            description:
              'Only with `transaction`: the address that got the money, if it is another one than that which has paid.',
            example: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
          }),
          reason,
        })
        // `amount`, `parts` and `transaction` exclude each other.
        .meta({ example: { amount: 1000, reason: 'The buyer bought it twice.' } }),
      refusals: ['not_found', 'conflict', 'forbidden'],
      async handle({ caller, params, body: { amount, parts, transaction, to, reason } }) {
        const seller = sellerOf(caller, reason);
        if (transaction !== undefined) {
          if ((amount ?? parts) !== undefined)
            throw new Failure('validation_error', { fields: { transaction: ['It names the amount itself.'] } });
          return await answerWithOrder(own, await own.sendBack(params.id, { transaction, to }, seller));
        }
        if (to !== undefined) throw new Failure('validation_error', { fields: { to: ['It needs `transaction`.'] } });
        if (parts === undefined) return await answerWithOrder(own, await orders.refund(params.id, amount, seller));
        if (amount !== undefined) {
          throw new Failure('validation_error', { fields: { amount: ['Name an amount or parts, not both.'] } });
        }
        return await answerWithOrder(own, await orders.refundParts(params.id, parts.map(toOrderId), seller));
      },
    }),
    ...(['pay', 'cancel'] as const).map((act) => {
      const { summary, description, path } = byHand[act];
      return accountRoute(tools, {
        id: `${act}-order`,
        ...acting,
        summary,
        description,
        paths: [`/api/orders/:id/${path}`],
        body: z.strictObject({ reason }),
        refusals: ['not_found', 'conflict', 'forbidden'],
        handle: async ({ caller, params, body: { reason } }) =>
          await answerWithOrder(own, await orders[act](params.id, sellerOf(caller, reason))),
      });
    }),
    accountRoute(tools, {
      id: 'undo-refund',
      ...acting,
      summary: 'Takes back a transaction that was named as a refund by mistake',
      description:
        'Only as long as the chain has not made it final: then the order is refunded, with a credit note, and 409 is the answer.',
      paths: ['/api/orders/:id/refund/undo'],
      body: z.strictObject({
        transaction: text(longest.transaction).meta({
          description: 'The hash that was named in the refund.',
          example: `0x${'ab'.repeat(32)}`,
        }),
        reason,
      }),
      refusals: ['not_found', 'conflict'],
      handle: async ({ caller, params, body: { transaction, reason } }) =>
        await answerWithOrder(own, await own.undoSendBack(params.id, { transaction }, sellerOf(caller, reason))),
    }),
  ];
}
