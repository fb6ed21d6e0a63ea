import type { Keccak } from '../ports/chain.ts';

/** An address of an account or a contract: `0x` and 40 hexadecimal digits in lower case, so that each has one spelling. */
export type EvmAddress = `0x${string}`;

const zero = `0x${'0'.repeat(40)}`;

/**
 * Returns the address in a text. With letters of both cases, they must be the checksum of EIP-55. Returns `undefined` for
 * what is no address, has a wrong checksum, or is the address 0, which belongs to nobody.
 */
export function parseAddress(text: string, keccak: Keccak): EvmAddress | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined;
  const digits = text.slice(2);
  const lower = `0x${digits.toLowerCase()}` as EvmAddress;
  if (lower === zero) return undefined;
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || checksummed(lower, keccak) === text ? lower : undefined;
}

/** Returns the spelling of EIP-55: people and wallets notice a wrong digit in it. */
export function checksummed(address: EvmAddress, keccak: Keccak): string {
  const digits = address.slice(2);
  const hash = keccak(`0x${[...digits].map((digit) => digit.charCodeAt(0).toString(16)).join('')}`).slice(2);
  const upper = [...digits].map((digit, at) =>
    Number.parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${upper.join('')}`;
}
