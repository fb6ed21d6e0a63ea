import { refuse } from '../../core/refusal.ts';
import type { Claim, IdempotencyStore } from '../idempotency-store.ts';
import { type MemoryDatabase, patch } from './database.ts';

export function createMemoryIdempotencyStore({ idempotency }: MemoryDatabase): IdempotencyStore {
  const heldBy = ({ key, owner }: Claim) => {
    const record = idempotency.get(key);
    return record?.owner === owner ? record : undefined;
  };
  return {
    async take({ key, owner }, fingerprint, { now, forgetBefore, abandonedBefore }) {
      for (const [other, { takenAt, answer }] of idempotency) {
        if (takenAt < forgetBefore || (answer === undefined && takenAt < abandonedBefore)) idempotency.delete(other);
      }
      const record = idempotency.get(key);
      if (record === undefined) {
        idempotency.set(key, { fingerprint, owner, takenAt: now });
        return undefined;
      }
      if (record.fingerprint !== fingerprint) return refuse('key_reused');
      return record.answer ?? refuse('in_flight');
    },
    async renew(claim, now) {
      const record = heldBy(claim);
      if (record === undefined || record.answer !== undefined) return false;
      patch(idempotency, claim.key, { takenAt: now });
      return true;
    },
    async keep(claim, answer) {
      if (heldBy(claim) === undefined) return false;
      patch(idempotency, claim.key, { answer });
      return true;
    },
    async release(claim) {
      return heldBy(claim) !== undefined && idempotency.delete(claim.key);
    },
  };
}
