import type { EvmAddress } from '../usdc/evm-address.ts';

/**
 * Whether an account signed a text, as EIP-191 describes it for texts of people. The signature is `0x` and hexadecimal
 * digits. That of a contract is checked by the contract itself (ERC-1271) if its chain has an RPC: throws `Unavailable` if
 * that does not answer.
 */
export type SignedBy = (account: SignedAccount, text: string, signature: string) => Promise<boolean>;

export interface SignedAccount {
  readonly chainId: number;
  readonly address: EvmAddress;
}
