/** The slot in which a proxy keeps the address of its implementation, by EIP-1967. */
export const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** The slot in which a proxy keeps the address of its beacon, by EIP-1967. The beacon knows the implementation. */
export const beaconSlot = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';

/** The call by which a beacon says its implementation. */
export const implementationCall = '0x5c60da1b';

/** The only code of a minimal proxy, around the address of its implementation, by EIP-1167. */
const minimalProxy = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/;

/** The digits of 64 KiB, with `0x`. Contracts can have 24 KiB, and more on some chains. */
export const mostCodeDigits = 131_074;

/** Whether a text is code of a contract, or its hash: `0x` and hexadecimal digits, two for each byte. */
export function isContractCode(text: string): boolean {
  return /^0x(?:[0-9a-f]{2})+$/i.test(text);
}

/** Whether a text is the hash of code: 32 bytes. */
export function isCodeHash(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text);
}

/** The first keys that the compiler of Solidity writes into its metadata: a map in CBOR. */
const metadata = /^a[1-5](?:64(?:69706673|736f6c63)|65627a7a72[3-9][0-9a-f]|6c6578706572696d656e74616c)/;

/**
 * Returns code without the metadata at its end, which changes with each comment and path of the source. The last two bytes
 * say how long the metadata is.
 */
export function withoutMetadata(code: string): string {
  const digits = 2 * Number(`0x${code.slice(-4)}`);
  const start = code.length - 4 - digits;
  return start > 2 && metadata.test(code.slice(start)) ? code.slice(0, start) : code;
}

/** Returns the address to which a minimal proxy passes every call on. */
export function minimalProxyTarget(code: string): string | undefined {
  const target = minimalProxy.exec(code)?.[1];
  return target && `0x${target}`;
}

/** Returns the address in 32 bytes of storage, or `undefined` if there is none. */
export function addressIn(bytes: string): string | undefined {
  const [, address] = /^0x0{24}([0-9a-f]{40})$/.exec(bytes) ?? [];
  return address === undefined || /^0+$/.test(address) ? undefined : `0x${address}`;
}
