import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SecretBox } from '../../core/ports/secret-box.ts';
import { Unavailable } from '../../core/unavailable.ts';
import type { SealedSecret } from '../../core/webhooks/endpoint.ts';

const version = 'v1';
const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** An encryption key, and a name by which sealed secrets say which key opens them. The name reveals nothing about it. */
interface Key {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts with a key that is derived from `secret`. Secrets that were sealed with one of the `former` secrets can still
 * be opened. A sealed secret is `v1.<name of the key>.<nonce, ciphertext and tag in base64url>`.
 */
export function createSecretBox(secret: string, former: readonly string[] = []): SecretBox {
  const newest = keyFrom(secret);
  const keys = [newest, ...former.map(keyFrom)];
  return {
    seal(text) {
      const nonce = randomBytes(nonceLength);
      const sealing = createCipheriv(cipher, newest.bytes, nonce).setAAD(boundTo(newest.name));
      const bytes = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
      return `${boundTo(newest.name)}.${bytes.toString('base64url')}` as SealedSecret;
    },
    isNewest: (sealed) => sealed.startsWith(`${boundTo(newest.name)}.`),
    open(sealed) {
      const [form, name, data = ''] = sealed.split('.');
      const key = form === version ? keys.find((one) => one.name === name) : undefined;
      if (key === undefined) throw new Unavailable(otherKey);
      const bytes = Buffer.from(data, 'base64url');
      const end = bytes.length - tagLength;
      const opening = createDecipheriv(cipher, key.bytes, bytes.subarray(0, nonceLength), { authTagLength: tagLength })
        .setAAD(boundTo(key.name))
        .setAuthTag(bytes.subarray(end));
      return opening.update(bytes.subarray(nonceLength, end), undefined, 'utf8') + opening.final('utf8');
    },
  };
}

const otherKey =
  'A secret was encrypted with another SECRET_KEY: add the former one to SECRET_KEY_FORMER, or restore secret.key.';

function boundTo(name: string): Buffer {
  return Buffer.from(`${version}.${name}`);
}

function keyFrom(secret: string): Key {
  const derive = (use: string, length: number) => Buffer.from(hkdfSync('sha256', secret, 'latchkey', use, length));
  return {
    name: derive('name of the key of sealed secrets', 6).toString('base64url'),
    bytes: derive('key of sealed secrets', 32),
  };
}
