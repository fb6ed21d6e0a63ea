import { z } from 'zod';
import type { UndoSendBack } from '../../../../core/selling/undo-sent-back.ts';
import { longest } from '../../../../core/usdc/transaction-of.ts';
import { text } from '../../fields.ts';
import { accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { answerWithOrder, type OrderTools, oneOrder, params, reason, tag } from './routes.ts';

/** The call that takes back a transaction which was entered as sent back by mistake. */
export function undoRoutes(own: OrderTools, undo: UndoSendBack): Route[] {
  return [
    accountRoute(own.tools, {
      id: 'undo-refund',
      tag,
      scope: 'orders:write',
      summary: 'Takes back a transaction that was named as a refund by mistake',
      description:
        'Only as long as the chain has not made it final: then the order is refunded, with a credit note, and 409 is the answer.',
      method: 'post',
      paths: ['/api/orders/:id/refund/undo'],
      isIdempotent: true,
      params,
      body: z.strictObject({
        transaction: text(longest.transaction).meta({
          description: 'The hash that was named in the refund.',
          example: `0x${'ab'.repeat(32)}`,
        }),
        reason,
      }),
      answer: oneOrder,
      refusals: ['not_found', 'conflict'],
      handle: async ({ caller, params, body: { transaction, reason } }) =>
        await answerWithOrder(own, await undo(params.id, { transaction }, sellerOf(caller, reason))),
    }),
  ];
}
