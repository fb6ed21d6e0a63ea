import type { KeyMode } from '../accounts/api-key.ts';
import type { Tier } from '../accounts/tier.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Folder } from '../storage-key.ts';

/** Bytes of files that an account of each tier may keep. */
export type StorageAllowance = Readonly<Record<Tier, number>>;

/** Where images and uploads are stored. What a test key sends is never public. */
export const folderOf = { live: 'media', test: 'private' } as const satisfies Record<KeyMode, Folder>;

/** Whether anybody who knows its unguessable key may have the file. */
export function isPublicFile(key: string): boolean {
  return key.startsWith(`${folderOf.live}/`);
}

/** Why so many bytes more are not kept. */
export function quotaExceeded(needed: number, used: number, allowed: number): Refused<'quota_exceeded'> {
  const [needs, has, may] = [needed, used, allowed].map(readable);
  return refuse('quota_exceeded', `Your files take ${has} of the ${may} of your plan: ${needs} more do not fit.`, {
    used,
    allowed,
  });
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes as people read them: 1.5 GiB. */
function readable(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10)));
  return `${Math.round((bytes / 1024 ** power) * 100) / 100} ${units[power]}`;
}
