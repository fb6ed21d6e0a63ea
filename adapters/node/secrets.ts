import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../core/ports/secrets.ts';

export const systemSecrets: Secrets = {
  bytes: (count) => randomBytes(count),
  base64: (count) => randomBytes(count).toString('base64'),
  digest: (text) => sha256(text).toString('hex'),
  equal: (one, other) => timingSafeEqual(sha256(one), sha256(other)),
};

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
