import { z } from 'zod';
import { knownChains } from '../../../core/deployments/chains.ts';
import { isRefused } from '../../../core/refusal.ts';
import { chainName, type Wallets } from '../../../core/usdc/wallets.ts';
import { isoOrNull, timestamp } from '../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../route.ts';
import { tag } from './orders/order.ts';
import { sellerOf } from './seller.ts';

const walletItem = z
  .object({
    chain_id: z.int().meta({ example: 8453 }),
    chain: z.string().meta({ example: 'Base' }),
    livemode: z.boolean().meta({ description: 'False for a test network.', example: true }),
    address: z.string().nullable().meta({
      description: 'Where buyers pay now. Null: nowhere yet.',
      example: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    }),
    next_address: z.string().nullable().meta({
      description: 'Where buyers pay from `next_from` on. Null: the address stays.',
      example: null,
    }),
    next_from: timestamp.nullable().meta({ example: null }),
  })
  .meta({ id: 'AccountWallet' });

const whoseChoices = ['own', 'site'] as const;

/** The addresses to which buyers pay in USDC. A page with a signature and a password enters and changes them. */
export function walletRoutes(tools: AccountTools, wallets: Wallets): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-wallets',
      tag,
      scope: 'orders:read',
      summary: 'Lists the addresses to which your buyers pay in USDC',
      description:
        'One for each chain at most: those of the chains for live orders, or with a test key, those of test networks. They are entered and changed on the page “Addresses for USDC”, because that needs a signature. A server without chains has none.',
      method: 'get',
      paths: ['/api/wallets'],
      query: z.object({
        whose: z
          .enum(whoseChoices, `It must be one of ${whoseChoices.join(', ')}.`)
          .default('own')
          .meta({
            description: '`site`, for administrators: where products of the site itself are paid.',
            example: 'own',
          }),
      }),
      answer: z.object({ success: z.literal(true), data: z.array(walletItem) }),
      refusals: [],
      async handle({ caller, query: { whose } }) {
        const shown = await wallets.show(whose, sellerOf(caller).actor);
        if (isRefused(shown)) return shown;
        const isLive = caller.mode === 'live';
        const found = shown.wallets.filter(({ chainId }) => knownChains.get(chainId)?.isMainnet === isLive);
        return {
          success: true,
          data: found.map(({ chainId, address, next }) => ({
            chain_id: chainId,
            chain: chainName(chainId),
            livemode: isLive,
            address: address && wallets.spelled(address),
            next_address: next && wallets.spelled(next.address),
            next_from: isoOrNull(next?.from ?? null),
          })),
        };
      },
    }),
  ];
}
