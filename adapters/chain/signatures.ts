import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { EvmAddress } from '../../core/usdc/evm-address.ts';

/** Returns the hash that wallets sign for a text, as EIP-191 describes it. */
export function hashOfText(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

/** Returns the address whose key signed a text. Returns `undefined` for what is no signature. */
export function signerOf(text: string, signature: string): EvmAddress | undefined {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return undefined;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const last = bytes[64] ?? 0;
  // Wallets write 27 and 28. Some hardware wallets write 0 and 1.
  const recovery = last >= 27 ? last - 27 : last;
  if (recovery > 1) return undefined;
  try {
    const recovered = Buffer.concat([Buffer.from([recovery]), bytes.subarray(0, 64)]);
    const point = secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(hashOfText(text));
    const hash = keccak_256(point.toBytes(false).subarray(1));
    return `0x${Buffer.from(hash.subarray(12)).toString('hex')}`;
  } catch {
    // The numbers are no point of the curve.
    return undefined;
  }
}
