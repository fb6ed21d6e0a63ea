import { knownChains } from '../deployments/chains.ts';
import type { Instant } from '../ports/clock.ts';
import { day, minute } from '../time.ts';
import type { EvmAddress } from './evm-address.ts';

/** How long a changed address waits until buyers pay to it, in milliseconds. Meanwhile its owner can take it back. */
export const changeWaits = day;
/** How long a text to sign can be used, in milliseconds. */
export const proofLives = 5 * minute;

/** Where a seller gets payments on one chain. */
export interface Wallet {
  readonly chainId: number;
  /** `null`: none, until `next` counts. */
  readonly address: EvmAddress | null;
  /** The address that counts from a time on. */
  readonly next: { readonly address: EvmAddress; readonly from: Instant } | null;
}

/** A text that the owner of an address is asked to sign. */
export interface Proof {
  readonly chainId: number;
  readonly address: EvmAddress;
  /** Makes each text another one. Each is used once. */
  readonly nonce: string;
  readonly at: Instant;
}

/** The wallets of a seller, one for each chain, and the text that was shown last. */
export interface WalletBook {
  readonly wallets: readonly Wallet[];
  readonly proof: Proof | null;
}

export const emptyBook: WalletBook = { wallets: [], proof: null };

/** The address that buyers pay to now. */
function addressNow({ address, next }: Wallet, now: Instant): EvmAddress | null {
  return next !== null && next.from <= now ? next.address : address;
}

/** The wallets as they are now, also those that were removed. */
function allNow({ wallets }: WalletBook, now: Instant): readonly Wallet[] {
  return wallets.map((wallet) => ({
    ...wallet,
    address: addressNow(wallet, now),
    next: wallet.next !== null && wallet.next.from > now ? wallet.next : null,
  }));
}

/** The wallets as they are now. */
export function walletsNow(book: WalletBook, now: Instant): readonly Wallet[] {
  return allNow(book, now).filter(({ address, next }) => address !== null || next !== null);
}

/** Whether a text can still be signed. */
export function isFresh({ at }: Proof, now: Instant): boolean {
  return now < at + proofLives;
}

/**
 * Returns the wallets with a proved address. The very first address counts at once, and so does one that gets payments on
 * another chain already. All others wait: a thief of an account could enter them. An address of a testnet is trusted only on
 * testnets, because people are less careful with its key.
 */
export function withProved(book: WalletBook, { chainId, address }: Proof, now: Instant): WalletBook {
  const all = allNow(book, now);
  const others = all.filter((wallet) => wallet.chainId !== chainId);
  const current = all.find((wallet) => wallet.chainId === chainId)?.address ?? null;
  const isReal = (id: number) => knownChains.get(id)?.isMainnet;
  const isUsed = others.some((one) => one.address === address && (isReal(one.chainId) || !isReal(chainId)));
  const isTrusted = all.length === 0 || current === address || isUsed;
  const wallet: Wallet = isTrusted
    ? { chainId, address, next: null }
    : { chainId, address: current, next: { address, from: now + changeWaits } };
  return { wallets: sorted([...others, wallet]), proof: null };
}

/** Returns the wallets without that of a chain. It stays as an empty one: an address after it is no first one. */
export function withoutWallet(book: WalletBook, chainId: number, now: Instant): WalletBook {
  const others = allNow(book, now).filter((wallet) => wallet.chainId !== chainId);
  return { ...book, wallets: sorted([...others, { chainId, address: null, next: null }]) };
}

function sorted(wallets: readonly Wallet[]): readonly Wallet[] {
  return [...wallets].sort((one, other) => one.chainId - other.chainId);
}
