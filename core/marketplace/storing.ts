import { needingFeature, type Tier } from '../accounts/tier.ts';
import type { UserId } from '../id.ts';
import { NothingStored } from '../nothing-stored.ts';
import { OutcomeUnknown } from '../outcome-unknown.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileLedger } from '../ports/file-ledger.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import { isRefused, type Refused } from '../refusal.ts';
import type { CheckedFile } from './checked-file.ts';
import { quotaExceeded, type StorageAllowance } from './storage-quota.ts';
import type { Withdrawals } from './withdrawals.ts';

/** The account for which files count. */
export interface FileOwner {
  readonly id: UserId;
  readonly tier: Tier;
}

export interface Storing {
  /**
   * Counts and stores files under their keys, then does the work. If this fails or is refused, it deletes the files,
   * unless the work may have been done. In that case the files stay, and the sweep deletes them later if nothing refers
   * to them. Files without an owner are the operator's, and count for nobody.
   */
  store<T>(
    owner: FileOwner | undefined,
    stored: readonly (readonly [key: string, file: CheckedFile])[],
    work: () => Promise<T>,
  ): Promise<T | Refused<'quota_exceeded'>>;
  /** Refuses if the account has no room for this number of bytes now. */
  room(owner: FileOwner | undefined, bytes: number): Promise<undefined | Refused<'quota_exceeded'>>;
}

interface StoringPorts {
  readonly files: FileStorage;
  readonly ledger: FileLedger;
  readonly withdrawals: Withdrawals;
  readonly clock: Clock;
  readonly allowances: StorageAllowance;
}

export function createStoring({ files, ledger, withdrawals, clock, allowances }: StoringPorts): Storing {
  /** Counts the files, if they belong to an account. */
  async function count(owner: FileOwner | undefined, added: readonly { key: string; size: number }[]) {
    if (owner === undefined) return undefined;
    const refused = needingFeature('marketplace_publish', owner.tier, 'Publishing');
    if (refused !== undefined || added.length === 0) return refused;
    const allowed = allowances[owner.tier];
    const { isAdded, used } = await ledger.add(owner.id, added, allowed, clock.now());
    return isAdded ? undefined : quotaExceeded(bytesOf(added), used, allowed);
  }

  return {
    async store(owner, stored, work) {
      const refused = await count(
        owner,
        stored.map(([key, { size }]) => ({ key, size })),
      );
      if (refused !== undefined) return refused;
      const begun: string[] = [];
      try {
        for (const [key, { path }] of stored) {
          begun.push(key);
          await files.put(key, path);
        }
        const done = await work();
        if (isRefused(done)) await withdrawals.takeBack(begun, []);
        return done;
      } catch (error) {
        if (error instanceof OutcomeUnknown) throw error;
        if (error instanceof NothingStored) begun.pop();
        const others = stored.map(([key]) => key).filter((key) => !begun.includes(key));
        await withdrawals.takeBack(begun, others);
        throw error;
      }
    },

    async room(owner, bytes) {
      if (owner === undefined) return undefined;
      const allowed = allowances[owner.tier];
      const used = await ledger.used(owner.id);
      return used + bytes > allowed ? quotaExceeded(bytes, used, allowed) : undefined;
    },
  };
}

function bytesOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
