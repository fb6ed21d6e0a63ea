import { randomBytes } from 'node:crypto';
import type { PasswordHasher } from '../../core/ports/password-hasher.ts';
import { createQueue, type QueueLimits } from '../queue.ts';

export interface Argon2Cost {
  /** In KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Loaded when the first password comes. */
const load = () => import('@node-rs/argon2');

/** The least that OWASP's Password Storage Cheat Sheet recommends for argon2id. */
const defaultCost: Argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const saltLength = 16;
const hashLength = 32;

/**
 * Hashes with argon2id, into PHC strings. At most `atOnce` hashes run at the same time: each takes one thread of
 * libuv's pool, which files and the database need too.
 */
export function createArgon2Hasher(limits: QueueLimits, cost: Argon2Cost = defaultCost): PasswordHasher {
  const inTurn = createQueue(limits);
  const { memoryCost, timeCost, parallelism } = cost;
  const head = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`;
  /** No password has this hash. To compare with it takes as long as with any other. */
  const nobodys = head + [saltLength, hashLength].map((length) => unpadded(randomBytes(length))).join('$');
  return {
    hash: (password) =>
      inTurn(async () => {
        const { hash } = await load();
        return await hash(password, { ...cost, outputLen: hashLength });
      }),
    async verify(stored, password) {
      const isRight = await inTurn(async () => {
        const { verify } = await load();
        return await verify(stored ?? nobodys, password);
      });
      if (!isRight || stored === undefined) return 'wrong';
      return stored.startsWith(head) ? 'right' : 'outdated';
    },
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
