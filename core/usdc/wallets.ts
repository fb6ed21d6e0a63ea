import { type Actor, byOf } from '../accounts/role.ts';
import { knownChains } from '../deployments/chains.ts';
import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import { lettersTo } from '../mail/letters-to.ts';
import { peopleToTell } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Chains, Keccak } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SignedBy } from '../ports/signed-by.ts';
import type { WalletStore } from '../ports/wallet-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { sellerOf, subjectOf, type Whose } from '../sellers/whose.ts';
import { checksummed, type EvmAddress, parseAddress } from './evm-address.ts';
import { signInText } from './sign-in-text.ts';
import {
  isFresh,
  type Proof,
  proofLives,
  type Wallet,
  type WalletBook,
  walletsNow,
  withoutWallet,
  withProved,
} from './wallet.ts';

/** What only people with an account can have. */
const what = 'wallets';

/** A text to sign, and what it proves. */
export interface AskedProof extends Proof {
  readonly text: string;
}

export interface ShownWallets {
  readonly wallets: readonly Wallet[];
  /** `undefined` if there is none that can be signed now. */
  readonly proof: AskedProof | undefined;
}

/** The addresses to which buyers pay. Those of the site need `settings:manage`. */
export interface Wallets {
  /** The chains on which payments can be taken. None: the site has no RPC for any. */
  readonly chainIds: readonly number[];
  /** Returns an address in the spelling of EIP-55. */
  spelled(address: EvmAddress): string;
  show(whose: Whose, actor: Actor): Promise<ShownWallets | Refused<'forbidden'>>;
  /** Makes a text for the owner of an address to sign. It replaces one that was made before. */
  ask(
    whose: Whose,
    typed: { readonly chainId: number; readonly address: string },
    actor: Actor,
  ): Promise<AskedProof | Refused<'forbidden' | 'unknown_chain' | 'address_invalid' | 'address_is_token'>>;
  /**
   * Takes the address whose text was signed. A first address counts at once, another one after a day; people are told by
   * mail. Throws `Unavailable` if the address is a contract and its chain cannot be asked.
   */
  prove(
    whose: Whose,
    signature: string,
    actor: Actor,
  ): Promise<Wallet | Refused<'forbidden' | 'no_proof_asked' | 'wrong_signature'>>;
  /** Stops new payments on a chain. Payments that buyers were asked for go on. */
  remove(whose: Whose, chainId: number, actor: Actor): Promise<WalletBook | Refused<'forbidden' | 'no_wallet'>>;
}

export interface WalletPorts {
  readonly store: WalletStore;
  readonly chains: Pick<Chains, 'ids'>;
  readonly keccak: Keccak;
  readonly signedBy: SignedBy;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'bytes'>;
  readonly write: WriteLetter;
  readonly accounts: Pick<AccountStore, 'findById' | 'list'>;
  /** The public address of this service, and its host with the port. */
  readonly baseUrl: string;
  readonly host: string;
}

export function createWallets(ports: WalletPorts): Wallets {
  const { store, chains, keccak, signedBy, clock, secrets, baseUrl, host } = ports;
  const chainIds = chains.ids.filter((id) => knownChains.has(id));

  const asked = (proof: Proof): AskedProof => ({
    ...proof,
    text: signInText({
      ...proof,
      ...{ baseUrl, host, address: checksummed(proof.address, keccak), endsAt: proof.at + proofLives },
      statement: `Take payments in USDC on ${chainName(proof.chainId)} with this address.`,
    }),
  });

  return {
    chainIds,
    spelled: (address) => checksummed(address, keccak),

    async show(whose, actor) {
      const seller = sellerOf(whose, actor, what);
      if (isRefused(seller)) return seller;
      const now = clock.now();
      const book = await store.findOf(seller);
      const { proof } = book;
      return { wallets: walletsNow(book, now), proof: proof && isFresh(proof, now) ? asked(proof) : undefined };
    },

    async ask(whose, { chainId, address: typed }, actor) {
      const seller = sellerOf(whose, actor, what);
      if (isRefused(seller)) return seller;
      const chain = chainIds.includes(chainId) ? knownChains.get(chainId) : undefined;
      if (chain === undefined) return refuse('unknown_chain', 'Payments on this chain cannot be taken here.');
      const address = parseAddress(typed.trim(), keccak);
      if (address === undefined) return refuse('address_invalid', addressAdvice);
      if (address === chain.usdc.toLowerCase()) {
        return refuse('address_is_token', 'This is the contract of USDC itself. Enter the address of your wallet.');
      }
      const proof = { chainId, address, nonce: hexOf(secrets.bytes(16)), at: clock.now() };
      await store.change(seller, (before) => ({ after: { ...before, proof } }));
      return asked(proof);
    },

    async prove(whose, signature, actor) {
      const seller = sellerOf(whose, actor, what);
      if (isRefused(seller)) return seller;
      const { proof } = await store.findOf(seller);
      if (proof === null || !isFresh(proof, clock.now())) return noProof();
      if (!(await signedBy(proof, asked(proof).text, signature.trim()))) {
        return refuse('wrong_signature', 'This is no signature of the text by this address.');
      }
      const { chainId, address, nonce } = proof;
      const told = await letterFacts(seller, chainId);
      const after = await store.change<'no_proof_asked'>(seller, (before) => {
        const now = clock.now();
        if (before.proof?.nonce !== nonce || !isFresh(before.proof, now)) return noProof();
        const after = withProved(before, before.proof, now);
        const wallet = walletOn(after, chainId);
        const from = wallet?.next?.from ?? null;
        const data = { chain: chainId, address, from };
        return {
          after,
          event: event('user.wallet_proved', subjectOf(seller, actor), byOf(actor), now, data),
          letters: told({ address: checksummed(address, keccak), from }),
        };
      });
      if (isRefused(after)) return after;
      return walletOn(after, chainId) ?? noProof();
    },

    async remove(whose, chainId, actor) {
      const seller = sellerOf(whose, actor, what);
      if (isRefused(seller)) return seller;
      const told = await letterFacts(seller, chainId);
      return await store.change<'no_wallet'>(seller, (before) => {
        const now = clock.now();
        const wallet = walletsNow(before, now).find((one) => one.chainId === chainId);
        if (wallet === undefined) return refuse('no_wallet', 'There is no address for this chain.');
        const address = wallet.address ?? wallet.next?.address ?? null;
        return {
          after: withoutWallet(before, chainId, now),
          event: event('user.wallet_removed', subjectOf(seller, actor), byOf(actor), now, { chain: chainId, address }),
          letters: told({ address: null, from: null }),
        };
      });
    },
  };

  /** Prepares the mails about a change. */
  async function letterFacts(seller: UserId | null, chainId: number) {
    const people = await peopleToTell(seller, ports.accounts);
    return (change: { readonly address: string | null; readonly from: number | null }) =>
      people.flatMap(({ name, email }) => {
        const letter = { kind: 'wallet-changed', name, chain: chainName(chainId), ...change } as const;
        return lettersTo(ports.write, { name, address: email }, letter, clock.now());
      });
  }
}

export const addressAdvice =
  'Enter an address such as 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed: 0x and 40 digits, copied from your wallet.';

function noProof(): Refused<'no_proof_asked'> {
  return refuse('no_proof_asked', 'The text is too old, or was replaced. Enter the address again for a new text.');
}

export function chainName(chainId: number): string {
  return knownChains.get(chainId)?.name ?? `chain ${chainId}`;
}

function walletOn({ wallets }: WalletBook, chainId: number): Wallet | undefined {
  return wallets.find((wallet) => wallet.chainId === chainId);
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
