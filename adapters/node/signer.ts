import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../../core/ports/signer.ts';

export function createSigner(secret: string): Signer {
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest();
  return {
    sign: (text) => digest(text).toString('base64url'),
    verifies(text, signature) {
      const given = Buffer.from(signature, 'base64url');
      const right = digest(text);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
