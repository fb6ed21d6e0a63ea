import { createSignedBy } from '../../../adapters/chain/signed-by.ts';
import { administratorsToTell } from '../../../core/mail/news-to.ts';
import { createWallets, type WalletPorts } from '../../../core/usdc/wallets.ts';
import { clock, secrets, setting } from '../chosen.ts';
import { part } from '../part.ts';
import { chains, keccak } from './chain.ts';
import { writeLetter } from './mail.ts';
import * as sql from './sql.ts';

const signedBy = part(({ chains }) => createSignedBy(chains), { chains });

const toTell = part(
  ({ accounts }): WalletPorts['toTell'] =>
    async (seller) => {
      const one = seller === null ? undefined : await accounts.findById(seller);
      const people = seller === null ? await administratorsToTell(accounts) : one === undefined ? [] : [one];
      return people.map(({ name, email }) => ({ name, address: email }));
    },
  { accounts: sql.accountStore },
);

const baseUrl = setting('BASE_URL');
const host = part(({ baseUrl }) => new URL(baseUrl).host, { baseUrl });

/** The addresses to which buyers pay in USDC. */
export const wallets = part(createWallets, {
  ...{ store: sql.walletStore, chains, keccak, signedBy, toTell },
  ...{ clock, secrets, write: writeLetter, baseUrl, host },
});
