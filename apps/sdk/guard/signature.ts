import type { Subtle } from '../platform.ts';

/**
 * Whether one of the keys has signed `data` with Ed25519. By WebCrypto where it knows Ed25519, and otherwise by a library
 * that is loaded only then.
 */
export async function isSigned(
  subtle: Subtle | undefined,
  keys: readonly Uint8Array[],
  signature: Uint8Array,
  data: Uint8Array,
): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(subtle, key, signature, data)) return true;
  return false;
}

async function isSignedBy(
  subtle: Subtle | undefined,
  key: Uint8Array,
  signature: Uint8Array,
  data: Uint8Array,
): Promise<boolean> {
  try {
    if (subtle) {
      const imported = await subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
      return await subtle.verify('Ed25519', imported, signature, data);
    }
  } catch {
    // It does not know Ed25519.
  }
  return (await import('../ed25519.ts')).isSignedBy(key, signature, data);
}

/** SHA-256. Pages without TLS have no WebCrypto. */
export async function digestOf(subtle: Subtle | undefined, data: Uint8Array): Promise<Uint8Array> {
  if (subtle) return new Uint8Array(await subtle.digest('SHA-256', data));
  return (await import('../ed25519.ts')).digestOf(data);
}
