import { randomBytes } from 'node:crypto';
import type { Secrets } from '../../core/ports/secrets.ts';

/** The operating system's random source. */
export const systemSecrets: Secrets = { bytes: (count) => randomBytes(count) };
