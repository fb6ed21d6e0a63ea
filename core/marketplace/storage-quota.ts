import type { Tier } from '../accounts/tier.ts';
import { type Refused, refuse } from '../refusal.ts';

/** The number of bytes that an account of each tier may store. */
export type StorageAllowance = Readonly<Record<Tier, number>>;

/** Returns the refusal of an upload of `needed` bytes. All arguments are in bytes. */
export function quotaExceeded(needed: number, used: number, allowed: number): Refused<'quota_exceeded'> {
  const [needs, has, may] = [needed, used, allowed].map(readableBytes);
  return refuse(
    'quota_exceeded',
    `Your files use ${has} of the ${may} of your plan. There is no room for ${needs} more. Delete versions of your products that nobody needs: their space is free a day or two later.`,
    {
      used,
      allowed,
    },
  );
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Formats a number of bytes for people, such as 1.5 GiB. */
export function readableBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10)));
  return `${Math.round((bytes / 1024 ** power) * 100) / 100} ${units[power]}`;
}
