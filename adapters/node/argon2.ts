import { randomBytes } from 'node:crypto';
import type { PasswordHasher } from '../../core/ports/password-hasher.ts';
import { networkOf } from '../network.ts';
import { createFairQueue, type FairQueueLimits } from '../queue.ts';
import type { Job } from './hashing-thread.js';
import { inHashingThread } from './hashing-threads.ts';

export interface Argon2Cost {
  /** In KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** The least that OWASP's Password Storage Cheat Sheet recommends for argon2id. */
const defaultCost: Argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const saltLength = 16;
const hashLength = 32;

/**
 * Hashes with argon2id, into PHC strings, in threads of its own. At most `atOnce` hashes run at the same time. Addresses
 * take turns. For IPv6, a /48 network counts as one address, because one customer can have a whole one.
 */
export function createArgon2Hasher(limits: FairQueueLimits, cost: Argon2Cost = defaultCost): PasswordHasher {
  const inTurn = createFairQueue<string>(limits);
  const { memoryCost, timeCost, parallelism } = cost;
  const head = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`;
  /** No password has this hash. To compare with it takes as long as with any other. */
  const nobodys = head + [saltLength, hashLength].map((length) => unpadded(randomBytes(length))).join('$');
  const run = (job: Job, address: string) => inTurn(networkOf(address, 48) ?? address, () => inHashingThread(job));
  return {
    async hash(password, address) {
      return String(await run({ op: 'hash', password, options: { ...cost, outputLen: hashLength } }, address));
    },
    async verify(stored, password, address) {
      const isRight = await run({ op: 'verify', password, hash: stored ?? nobodys }, address);
      if (isRight !== true || stored === undefined) return 'wrong';
      return stored.startsWith(head) ? 'right' : 'outdated';
    },
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
