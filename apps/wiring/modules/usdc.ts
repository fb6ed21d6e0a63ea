import { createSignedBy } from '../../../adapters/chain/signed-by.ts';
import { createUsdcClaiming } from '../../../core/usdc/claiming.ts';
import { createWallets } from '../../../core/usdc/wallets.ts';
import { clock, secrets, setting } from '../chosen.ts';
import { part } from '../part.ts';
import { chains, keccak } from './chain.ts';
import { rateLimiter } from './limits.ts';
import { writeLetter } from './mail.ts';
import * as sql from './sql.ts';

const signedBy = part(({ chains }) => createSignedBy(chains), { chains });

const baseUrl = setting('BASE_URL');
const host = part(({ baseUrl }) => new URL(baseUrl).host, { baseUrl });

/** How buyers claim what fits no order by itself. */
export const usdcClaiming = part(createUsdcClaiming, {
  ...{ store: sql.usdcStore, claims: sql.usdcClaims, chains, keccak, signedBy, accounts: sql.accountStore },
  ...{ limiter: rateLimiter, clock, write: writeLetter, baseUrl, host },
});

/** The addresses to which buyers pay in USDC. */
export const wallets = part(createWallets, {
  ...{ store: sql.walletStore, chains, keccak, signedBy, accounts: sql.accountStore },
  ...{ clock, secrets, write: writeLetter, baseUrl, host },
});
