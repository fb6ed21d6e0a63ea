import type { EvmAddress } from '../usdc/evm-address.ts';

/**
 * Returns whether an account signed a text, by the rules of EIP-191 for messages. The signature is `0x` and hexadecimal
 * digits. That of a contract is checked by the contract itself (ERC-1271) if its chain has an RPC: throws `Unavailable` if
 * that does not answer.
 */
export type SignedBy = (account: SignedAccount, text: string, signature: string) => Promise<boolean>;

export interface SignedAccount {
  readonly chainId: number;
  readonly address: EvmAddress;
}
