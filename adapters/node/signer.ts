import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../contracts/signer.ts';

export function createSigner(secret: string): Signer {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    sign,
    // Compares the texts, because several base64url texts decode to the same bytes.
    verifies(text, signature) {
      const given = Buffer.from(signature);
      const right = Buffer.from(sign(text));
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
