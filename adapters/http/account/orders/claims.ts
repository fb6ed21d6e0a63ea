import { z } from 'zod';
import { explorerPage } from '../../../../core/deployments/chains.ts';
import { iso } from '../../../../core/iso.ts';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import type { ClaimOfOrder } from '../../../../core/ports/usdc-claims.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { PaymentClaims } from '../../../../core/selling/payment-claims.ts';
import { type ClaimVerdict, claimStates } from '../../../../core/usdc/claim.ts';
import { formatUsdc } from '../../../../core/usdc/usdc-quote.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { isoOrNull, text, timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { choice } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import { reading, tag } from './order.ts';

const claimItem = z
  .object({
    id: z.int().meta({ example: 61 }),
    order_id: z.int().meta({ example: 1042 }),
    status: z.enum(claimStates).meta({ description: '`taken`: it counts as a payment of the order.', example: 'open' }),
    livemode: z.boolean().meta({ example: true }),
    usdc: z.string().meta({ description: 'The amount, as wallets write it.', example: '47.120000' }),
    chain_id: z.int().meta({ example: 8453 }),
    transaction: z.string().meta({ example: `0x${'ef'.repeat(32)}` }),
    from: z
      .string()
      .meta({ description: 'The sender, who has signed.', example: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359' }),
    to: z
      .string()
      .meta({ description: 'The address of the order.', example: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' }),
    explorer_url: z
      .string()
      .nullable()
      .meta({
        description: 'A page about the transaction. Null: no such site is known.',
        example: `https://basescan.org/tx/0x${'ef'.repeat(32)}`,
      }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was rejected. The buyer has got it by mail.', example: null }),
    sent_at: timestamp.meta({ description: 'The time of its block.' }),
    created_at: timestamp,
    decided_at: timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'AccountPaymentClaim' });

const oneClaim = z.object({ success: z.literal(true), claim: claimItem });

function renderClaim({ claim, order }: ClaimOfOrder): z.output<typeof claimItem> {
  return {
    id: claim.id,
    order_id: claim.orderId,
    status: claim.state,
    livemode: order.isLive,
    usdc: formatUsdc(claim.amount),
    chain_id: claim.chainId,
    transaction: claim.txHash,
    from: claim.from,
    to: claim.to,
    explorer_url: explorerPage(claim.chainId, 'tx', claim.txHash),
    reason: claim.reason,
    sent_at: iso(claim.sentAt),
    created_at: iso(claim.createdAt),
    decided_at: isoOrNull(claim.decidedAt),
  };
}

function answerWith<Reason extends string>(
  found: ClaimOfOrder | Refused<Reason>,
): z.output<typeof oneClaim> | Refused<Reason> {
  return isRefused(found) ? found : { success: true, claim: renderClaim(found) };
}

const params = z.object({ id: text(200).meta({ description: 'The id of the claim.', example: '61' }) });

/** The calls for payments in USDC that fitted no order, and that their senders have claimed. In the order of the API reference. */
export function claimRoutes(tools: AccountTools, claims: PaymentClaims): Route[] {
  const deciding = { tag, scope: 'orders:write', isIdempotent: true, params, answer: oneClaim } as const;
  const decide = async (
    id: string,
    verdict: ClaimVerdict,
    caller: Parameters<typeof sellerOf>[0],
  ): Promise<z.output<typeof oneClaim> | Refused<'claim_not_found' | 'claim_decided' | 'transaction_counted'>> =>
    answerWith(await claims.decide(id, verdict, sellerOf(caller)));
  return [
    accountRoute(tools, {
      id: 'list-payment-claims',
      ...reading,
      summary: 'Lists payments in USDC without a match that buyers have claimed, newest first; for administrators, all',
      description: 'A live key sees those of live orders, a test key those of test orders.',
      method: 'get',
      paths: ['/api/payment-claims'],
      query: z.object({
        status: z.enum(claimStates, choice(claimStates)).optional().meta({ example: 'open' }),
        ...pageQuery,
      }),
      answer: pageOf(claimItem),
      refusals: [],
      handle: ({ caller, query: { status: state, cursor: after, limit } }) =>
        rendered(claims.list({ state, after, limit }, sellerOf(caller)), ({ items, next }) =>
          pageAnswer(items.map(renderClaim), next),
        ),
    }),
    accountRoute(tools, {
      id: 'get-payment-claim',
      ...reading,
      summary: 'Returns a claimed payment',
      method: 'get',
      paths: ['/api/payment-claims/:id'],
      params,
      answer: oneClaim,
      refusals: ['not_found'],
      handle: async ({ caller, params }) => answerWith(await claims.find(params.id, sellerOf(caller))),
    }),
    accountRoute(tools, {
      id: 'take-payment-claim',
      ...deciding,
      method: 'post',
      refusals: ['not_found', 'conflict'],
      summary: 'Takes a claimed payment',
      description:
        'It counts as any other payment of the order: if it is enough, the order is paid. It cannot be undone. The buyer gets a mail. 409 if it was decided already, or counts already.',
      paths: ['/api/payment-claims/:id/take'],
      body: z.strictObject({}),
      handle: ({ caller, params }) => decide(params.id, { kind: 'take' }, caller),
    }),
    accountRoute(tools, {
      id: 'reject-payment-claim',
      ...deciding,
      method: 'post',
      refusals: ['not_found', 'conflict'],
      summary: 'Rejects a claimed payment',
      description: 'The order stays as it is. The buyer gets the reason by mail. 409 if it was decided already.',
      paths: ['/api/payment-claims/:id/reject'],
      body: z.strictObject({
        reason: text(longestReason).meta({
          description: 'What the buyer reads.',
          example: 'It is the payment of another order.',
        }),
      }),
      handle: ({ caller, params, body: { reason } }) => decide(params.id, { kind: 'reject', reason }, caller),
    }),
  ];
}
