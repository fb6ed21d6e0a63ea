import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import { setting } from '../chosen.ts';
import { part } from '../part.ts';
import { signingSecret } from './sql.ts';

/** Encrypts the secrets of webhooks, and those that administrators set in the browser. */
export const secretBox = part(({ secret, former }) => createSecretBox(secret.text, former), {
  secret: signingSecret,
  former: setting('SECRET_KEY_FORMER'),
});
