import type { IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import { refuse } from '../../core/refusal.ts';
import { type MemoryDatabase, patch } from './database.ts';

export function createMemoryIdempotencyStore({ idempotency }: MemoryDatabase): IdempotencyStore {
  return {
    async take(key, fingerprint, { now, forgetBefore, abandonedBefore }) {
      for (const [other, { takenAt, answer }] of idempotency) {
        if (takenAt < forgetBefore || (answer === undefined && takenAt < abandonedBefore)) idempotency.delete(other);
      }
      const record = idempotency.get(key);
      if (record === undefined) {
        idempotency.set(key, { fingerprint, takenAt: now });
        return undefined;
      }
      if (record.fingerprint !== fingerprint) return refuse('key_reused');
      return record.answer ?? refuse('in_flight');
    },
    async keep(key, answer) {
      patch(idempotency, key, { answer });
    },
    async release(key) {
      idempotency.delete(key);
    },
  };
}
