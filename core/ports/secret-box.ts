import type { SealedSecret } from '../webhooks/endpoint.ts';

/** Encrypts secrets for the database, with a key that is not in the database. */
export interface SecretBox {
  seal(secret: string): SealedSecret;
  /** Opens what `seal` returned, with this key or a former one. Throws `Unavailable` if the key is another one. */
  open(sealed: SealedSecret): string;
  /** Whether it was sealed with the newest key, so that it needs no former one. */
  isNewest(sealed: SealedSecret): boolean;
}
