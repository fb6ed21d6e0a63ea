import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../core/ports/secrets.ts';

export const systemSecrets: Secrets = {
  bytes: (count) => randomBytes(count),
  base64: (count) => randomBytes(count).toString('base64'),
  digest: (text) => hash('sha256', text, 'hex'),
  equal: (one, other) => timingSafeEqual(sha256(one), sha256(other)),
};

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
