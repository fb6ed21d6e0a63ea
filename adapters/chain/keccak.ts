import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Keccak } from '../../core/ports/chain.ts';

export const keccak: Keccak = (bytes) => {
  const hash = keccak_256(Buffer.from(bytes.slice(2), 'hex'));
  return `0x${Buffer.from(hash).toString('hex')}`;
};
