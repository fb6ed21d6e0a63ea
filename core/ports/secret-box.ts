import type { SealedSecret } from '../webhooks/endpoint.ts';

/** Encrypts secrets for the database, with a key that is not in the database. */
export interface SecretBox {
  /** Returns a new secret that signs webhooks: `whsec_` and 256 random bits in base64, as Standard Webhooks writes it. */
  create(): string;
  seal(secret: string): SealedSecret;
  /** Opens what `seal` returned, with this key or a former one. Throws `Unavailable` if the key is another one. */
  open(sealed: SealedSecret): string;
}
