import type { DiskStorage } from '../adapters/files/disk.ts';
import { verifyLink } from '../adapters/files/signed-link.ts';
import { isStorageKey } from '../adapters/files/storage-key.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Signer } from '../core/ports/signer.ts';

/** Where a public file lies on disk. */
export async function locateMedia(disk: DiskStorage, key: string): Promise<{ path: string } | undefined> {
  return isStorageKey(key) && (await disk.has(key)) ? { path: disk.path(key) } : undefined;
}

/** Where the file of a signed link lies on disk, and under which name it is to be saved. */
export async function locateLinked(
  disk: DiskStorage,
  signer: Signer,
  clock: Clock,
  key: string,
  query: Readonly<Record<string, unknown>>,
): Promise<{ path: string; filename: string } | 'expired' | undefined> {
  const verdict = verifyLink(signer, key, query, clock.now());
  if (verdict === 'expired') return verdict;
  if (verdict === 'invalid' || !(await disk.has(key))) return undefined;
  return { path: disk.path(key), filename: String(query.filename) };
}
