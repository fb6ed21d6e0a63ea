import type { Lease } from '../licensing/lease.ts';
import type { SealedSecret } from '../webhooks/endpoint.ts';

/** A pair of keys that signs leases. The private part can only be opened with the secret of the service. */
export interface LeaseKeyPair {
  /** The RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  /** The 32 raw bytes of the Ed25519 key in base64url: 43 characters. */
  readonly publicKey: string;
  readonly privateKey: SealedSecret;
}

/** A private key that is ready to sign. */
export interface SigningKey {
  readonly kid: string;
  /** Returns the Ed25519 signature of a text in UTF-8. */
  sign(text: string): Uint8Array;
  /** Returns the lease as a compact JWS. Each call makes another one. */
  signLease(lease: Lease): string;
}

/** Makes and opens keys that sign leases. All throw `Unavailable` if this process does not have the secret of the service. */
export interface LeaseSigning {
  make(): Promise<LeaseKeyPair>;
  open(pair: LeaseKeyPair): Promise<SigningKey>;
  /** Returns the private key sealed with the newest secret, or `undefined` if it is already. */
  sealAnew(pair: LeaseKeyPair): Promise<SealedSecret | undefined>;
}
