import { hashes, verify } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';

// For platforms whose WebCrypto does not know Ed25519, and for pages without WebCrypto. The guard loads it only there.

hashes.sha512 = sha512;

/** SHA-256. */
export function digestOf(data: Uint8Array): Uint8Array {
  return sha256(data);
}

/** Whether the signature of `data` is by the owner of `key`. Throws if the key or the signature has not the right length. */
export function isSignedBy(key: Uint8Array, signature: Uint8Array, data: Uint8Array): boolean {
  return verify(signature, data, key, { zip215: false });
}
